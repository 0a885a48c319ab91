package io.kindling.engine.gguf;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a value of {@code general.architecture} means where the metadata does not say it. Everything else of a decoder comes
 * from its metadata and its tensors.
 */
enum DecoderFamily {
    LLAMA("llama", "llama", 1, 0, Trait.PAIRED_ROWS),
    MISTRAL3("mistral3", "mistral", 1, 0, Trait.PAIRED_ROWS),
    QWEN2("qwen2", "qwen2", 1, 0),
    QWEN3("qwen3", "qwen3", 1, 0, Trait.QUERY_KEY_NORMS),
    GEMMA2("gemma2", "gemma2", 2, 46, Trait.GELU, Trait.POST_NORMS, Trait.SCALED_EMBEDDING),
    GEMMA3(
            "gemma3",
            "gemma3_text",
            6,
            62,
            Trait.GELU,
            Trait.POST_NORMS,
            Trait.SCALED_EMBEDDING,
            Trait.QUERY_KEY_NORMS,
            Trait.LOCAL_ROPE),
    PHI3("phi3", "phi3", 1, 0),
    SMOLLM3("smollm3", "smollm3", 1, 0, Trait.PAIRED_ROWS, Trait.EVERY_FOURTH_WITHOUT_ROPE),
    GRANITE("granite", "granite", 1, 0, Trait.PAIRED_ROWS);

    enum Trait {
        /** Rows of query and key weights lie in pairs for interleaved rotation; see {@link WeightRows#undoRopePairing}. */
        PAIRED_ROWS,
        /** Queries and keys are normalised head by head before they are rotated. */
        QUERY_KEY_NORMS,
        /** What attention and MLP give is normalised before it is added. */
        POST_NORMS,
        /** The MLP's gate is GELU (tanh form) instead of SiLU. */
        GELU,
        /** Embeddings are multiplied by the root of their width. */
        SCALED_EMBEDDING,
        /** Layers with a window rotate by a table of their own, of base 10000 and unscaled. */
        LOCAL_ROPE,
        /** Layers 3, 7, 11 and so on do not rotate. */
        EVERY_FOURTH_WITHOUT_ROPE
    }

    private final String architecture;
    private final String modelType;
    private final int windowPeriod;
    private final int layersScaledByWidth;
    private final Set<Trait> traits = EnumSet.noneOf(Trait.class);

    DecoderFamily(String architecture, String modelType, int windowPeriod, int layersScaledByWidth, Trait... traits) {
        this.architecture = architecture;
        this.modelType = modelType;
        this.windowPeriod = windowPeriod;
        this.layersScaledByWidth = layersScaledByWidth;
        this.traits.addAll(Arrays.asList(traits));
    }

    static Optional<DecoderFamily> of(String architecture) {
        return Arrays.stream(values())
                .filter(family -> family.architecture.equals(architecture))
                .findFirst();
    }

    static String names() {
        return Arrays.stream(values()).map(family -> family.architecture).collect(Collectors.joining(", "));
    }

    String architecture() {
        return architecture;
    }

    /** {@code model.type} of {@code genai_config.json}. */
    String modelType() {
        return modelType;
    }

    boolean has(Trait trait) {
        return traits.contains(trait);
    }

    /** Where the file has a sliding window, it holds in all layers but the last of each period; of all for a period of 1. */
    int windowPeriod() {
        return windowPeriod;
    }

    boolean rotates(int layer) {
        return !has(Trait.EVERY_FOURTH_WITHOUT_ROPE) || layer % 4 != 3;
    }

    /** The largest model of a family divides scores by the root of hidden/heads, others by that of the head size. */
    boolean scalesByWidth(int layers) {
        return layers == layersScaledByWidth;
    }
}
