package io.kindling.engine.gguf;

import io.kindling.engine.gguf.DecoderFamily.Trait;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Sizes and constants of a decoder, from the metadata of its architecture, checked against each other.
 *
 * @param context most positions, which is the length of the RoPE tables
 * @param hidden width of the residual stream
 * @param feedForward inner width of the MLP
 * @param windows for each layer the positions a token sees, itself included; -1 for all before it
 * @param scores what scores are multiplied and capped with
 * @param scales multipliers outside of attention
 */
record DecoderConfig(
        DecoderFamily family,
        int layers,
        int context,
        int hidden,
        int feedForward,
        int heads,
        int keyValueHeads,
        int headSize,
        float epsilon,
        int vocabulary,
        List<Integer> windows,
        Scores scores,
        Scales scales) {
    private static final int MAX_LAYERS = 1 << 10;
    static final int MAX_SIZE = 1 << 24;

    /** @param cap scores become {@code cap * tanh(score / cap)}; 0 for none */
    record Scores(float scale, float cap) {}

    /**
     * @param logits logits are divided by this
     * @param logitsCap then they become {@code cap * tanh(logit / cap)}; 0 for none
     */
    record Scales(float embedding, float residual, float logits, float logitsCap) {}

    DecoderConfig {
        windows = List.copyOf(windows);
    }

    static DecoderConfig of(GgufFile file) {
        String architecture = file.require("general.architecture", String.class);
        DecoderFamily family = DecoderFamily.of(architecture)
                .orElseThrow(() -> file.unsupported(
                        "metadata general.architecture",
                        "is '" + architecture + "'; converted are " + DecoderFamily.names()));
        Metadata metadata = new Metadata(file, architecture);
        metadata.refuse("expert_count", "mixtures of experts are not converted");
        metadata.refuse("attention.temperature_scale", "scores that are scaled by position are not converted");
        int hidden = metadata.size("embedding_length", MAX_SIZE);
        int heads = metadata.size("attention.head_count", MAX_SIZE);
        int keyValueHeads = metadata.size("attention.head_count_kv", MAX_SIZE, heads);
        if (heads % keyValueHeads != 0) {
            throw file.invalid(
                    metadata.name("attention.head_count"),
                    "is " + heads + ", no multiple of head_count_kv " + keyValueHeads);
        }
        if (hidden % heads != 0 && !metadata.has("attention.key_length")) {
            throw file.invalid(
                    metadata.name("embedding_length"), "is " + hidden + ", no multiple of head_count " + heads);
        }
        int headSize = metadata.size("attention.key_length", MAX_SIZE, Math.max(hidden / heads, 1));
        int valueSize = metadata.size("attention.value_length", MAX_SIZE, headSize);
        if (valueSize != headSize) {
            throw file.unsupported(
                    metadata.name("attention.value_length"),
                    "is " + valueSize + "; values have to be as long as keys, which have " + headSize
                            + " elements a head");
        }
        if ((long) heads * headSize > MAX_SIZE) {
            throw file.invalid(
                    metadata.name("attention.head_count"),
                    "is " + heads + ", too many heads of " + headSize + " elements");
        }
        int layers = metadata.size("block_count", MAX_LAYERS);
        double epsilon = metadata.positive("attention.layer_norm_rms_epsilon");
        return new DecoderConfig(
                family,
                layers,
                RopeTable.context(metadata),
                hidden,
                metadata.size("feed_forward_length", MAX_SIZE),
                heads,
                keyValueHeads,
                headSize,
                (float) epsilon,
                vocabulary(file),
                windows(metadata, family, layers),
                scores(metadata, family, layers, hidden, heads, headSize),
                scales(metadata, family, hidden));
    }

    private static int vocabulary(GgufFile file) {
        long rows = file.tensor("token_embd.weight").rows();
        if (rows > MAX_SIZE) {
            throw file.invalid("tensor 'token_embd.weight'", "has " + rows + " rows, more than " + MAX_SIZE);
        }
        return (int) rows;
    }

    private static List<Integer> windows(Metadata metadata, DecoderFamily family, int layers) {
        String key = "attention.sliding_window";
        boolean none = !metadata.has(key) || metadata.optional(key) == 0;
        if (none) {
            return Collections.nCopies(layers, -1);
        }
        int window = metadata.size(key, Integer.MAX_VALUE);
        Object pattern = metadata.file().metadata().get(family.architecture() + "." + key + "_pattern");
        List<Integer> windows = new ArrayList<>();
        for (int layer = 0; layer < layers; layer++) {
            boolean local;
            if (pattern instanceof List<?> flags && layer < flags.size() && flags.get(layer) instanceof Boolean flag) {
                local = flag;
            } else if (pattern == null || pattern instanceof Long) {
                long period = pattern instanceof Long given ? Math.max(given, 1) : family.windowPeriod();
                local = period == 1 || (layer + 1) % period != 0;
            } else {
                throw metadata.file()
                        .invalid(
                                metadata.name(key + "_pattern"),
                                "is " + GgufFile.abbreviated(pattern) + ", expected a flag for each of " + layers
                                        + " layers or a period");
            }
            windows.add(local ? window : -1);
        }
        return windows;
    }

    private static Scores scores(
            Metadata metadata, DecoderFamily family, int layers, int hidden, int heads, int headSize) {
        int width = family.scalesByWidth(layers) ? hidden / heads : headSize;
        return new Scores((float) metadata.positive("attention.scale", 1 / Math.sqrt(width)), (float)
                metadata.optional("attn_logit_softcapping"));
    }

    private static Scales scales(Metadata metadata, DecoderFamily family, int hidden) {
        double embedding = family.has(Trait.SCALED_EMBEDDING) ? Math.sqrt(hidden) : 1;
        return new Scales(
                (float) metadata.positive("embedding_scale", embedding),
                (float) metadata.positive("residual_scale", 1),
                (float) metadata.positive("logit_scale", 1),
                (float) metadata.optional("final_logit_softcapping"));
    }

    int queryRows() {
        return heads * headSize;
    }

    int keyValueRows() {
        return keyValueHeads * headSize;
    }
}
