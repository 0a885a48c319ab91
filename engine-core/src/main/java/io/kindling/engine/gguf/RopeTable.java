package io.kindling.engine.gguf;

import io.kindling.engine.onnx.ExternalDataFile;
import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;

/**
 * Angles by which heads are rotated: pair {@code i} of a token at position {@code p} by {@code p * frequencies[i]}. Scaling
 * follows the metadata {@code rope.scaling.*}: linear divides positions, yarn interpolates low frequencies alone
 * (<a href="https://arxiv.org/abs/2309.00071">paper</a>); tensors of factors divide frequencies one by one.
 *
 * @param amplitude what sines and cosines are multiplied with
 */
record RopeTable(float[] frequencies, float amplitude) {
    private static final String LONG_FACTORS = "rope_factors_long.weight";
    private static final String SHORT_FACTORS = "rope_factors_short.weight";

    /**
     * Positions that the tables have. Where short and long contexts take different factors, the model is converted for short
     * ones, since a cache that was begun with one kind cannot go on with the other.
     */
    static int context(Metadata metadata) {
        int context = metadata.size("context_length", DecoderConfig.MAX_SIZE);
        return metadata.file().tensors().containsKey(LONG_FACTORS)
                ? Math.min(context, metadata.size("rope.scaling.original_context_length", DecoderConfig.MAX_SIZE))
                : context;
    }

    /** The table of layers that see everything. */
    static RopeTable global(Metadata metadata, DecoderConfig config, DecoderWeights weights) {
        int half = rotated(metadata, config) / 2;
        double base = metadata.positive("rope.freq_base", 10_000);
        float[] factors = factors(weights, half);
        metadata.refuse("rope.scaling.yarn_log_multiplier", "this variant of yarn is not converted");
        DoubleUnaryOperator divisor;
        double amplitude = metadata.positive("rope.scaling.attn_factor", 1);
        String type = metadata.text("rope.scaling.type", "none");
        switch (type) {
            case "none" -> {
                double factor = metadata.positive("rope.scale_linear", 1);
                divisor = i -> factor;
            }
            case "linear" -> {
                double factor = factor(metadata);
                divisor = i -> factor;
            }
            case "longrope" -> divisor = i -> 1;
            case "yarn" -> {
                double factor = factor(metadata);
                divisor = yarn(metadata, base, 2 * half, factor);
                amplitude *= metadata.positive("rope.scaling.yarn_attn_factor", 1) * (1 + 0.1 * Math.log(factor));
            }
            default ->
                throw metadata.file()
                        .unsupported(
                                metadata.name("rope.scaling.type"),
                                "is '" + type + "'; none, linear, yarn and longrope are converted");
        }
        float[] frequencies = new float[half];
        for (int i = 0; i < half; i++) {
            frequencies[i] = (float) (1 / power(base, i, half) / factors[i] / divisor.applyAsDouble(i));
        }
        return new RopeTable(frequencies, (float) amplitude);
    }

    /** The table of layers with a window, in families that have one. */
    static RopeTable local(Metadata metadata, DecoderConfig config) {
        int half = rotated(metadata, config) / 2;
        double base = metadata.positive("rope.freq_base_swa", 10_000);
        float[] frequencies = new float[half];
        for (int i = 0; i < half; i++) {
            frequencies[i] = (float) (1 / power(base, i, half));
        }
        return new RopeTable(frequencies, 1);
    }

    private static double power(double base, int pair, int half) {
        return Math.pow(base, (double) pair / half);
    }

    private static double factor(Metadata metadata) {
        return metadata.positive("rope.scaling.factor");
    }

    private static int rotated(Metadata metadata, DecoderConfig config) {
        int rotated = metadata.size("rope.dimension_count", DecoderConfig.MAX_SIZE, config.headSize());
        if (rotated > config.headSize() || rotated % 2 != 0) {
            throw metadata.file()
                    .invalid(
                            metadata.name("rope.dimension_count"),
                            "is " + rotated + ", expected an even number up to the head size " + config.headSize());
        }
        if (rotated != config.headSize() && config.family().has(DecoderFamily.Trait.PAIRED_ROWS)) {
            throw metadata.file()
                    .unsupported(
                            metadata.name("rope.dimension_count"),
                            "is " + rotated + "; heads of this architecture have to be rotated whole, by "
                                    + config.headSize() + " elements");
        }
        return rotated;
    }

    private static float[] factors(DecoderWeights weights, int half) {
        for (String name : new String[] {SHORT_FACTORS, "rope_freqs.weight"}) {
            if (weights.has(name)) {
                if (name.equals(SHORT_FACTORS)) {
                    weights.ignore(LONG_FACTORS);
                }
                return weights.values(name, half);
            }
        }
        float[] ones = new float[half];
        Arrays.fill(ones, 1);
        return ones;
    }

    /** What divides a frequency: nothing for pairs that turn often over the original context, the factor for slow ones. */
    private static DoubleUnaryOperator yarn(Metadata metadata, double base, int rotated, double factor) {
        int original = metadata.size("rope.scaling.original_context_length", DecoderConfig.MAX_SIZE);
        double fast = metadata.positive("rope.scaling.yarn_beta_fast", 32);
        double slow = metadata.positive("rope.scaling.yarn_beta_slow", 1);
        double interpolated = metadata.positive("rope.scaling.yarn_ext_factor", 1);
        double first = Math.max(Math.floor(pairTurning(fast, base, rotated, original)), 0);
        double last = Math.min(Math.ceil(pairTurning(slow, base, rotated, original)), rotated - 1);
        return i -> {
            double ramp = Math.min(Math.max((i - first) / Math.max(0.001, last - first), 0), 1);
            double kept = (1 - ramp) * interpolated;
            return 1 / (kept + (1 - kept) / factor);
        };
    }

    /** The pair (a fraction of one) that turns so many times within the original context. */
    private static double pairTurning(double turns, double base, int rotated, int original) {
        return rotated * Math.log(original / (turns * 2 * Math.PI)) / (2 * Math.log(base));
    }

    /** Rows of the cosine table, in float32 as the models were trained. */
    ExternalDataFile.Rows cosines() {
        return (position, target) -> {
            for (float frequency : frequencies) {
                target.putFloat((float) Math.cos(position * frequency) * amplitude);
            }
        };
    }

    ExternalDataFile.Rows sines() {
        return (position, target) -> {
            for (float frequency : frequencies) {
                target.putFloat((float) Math.sin(position * frequency) * amplitude);
            }
        };
    }
}
