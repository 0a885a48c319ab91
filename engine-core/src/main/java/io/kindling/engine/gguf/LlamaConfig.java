package io.kindling.engine.gguf;

/**
 * Sizes and constants of a llama decoder, from the {@code llama.*} metadata, checked against each other.
 *
 * @param context most positions, which is the length of the RoPE tables
 * @param hidden width of the residual stream
 * @param feedForward inner width of the MLP
 * @param ropeBase theta of RoPE
 * @param vocabulary rows of the embedding
 * @param ropeScale positions are divided by this (linear scaling; 1 for none)
 */
record LlamaConfig(
        int layers,
        int context,
        int hidden,
        int feedForward,
        int heads,
        int keyValueHeads,
        int headSize,
        float epsilon,
        double ropeBase,
        double ropeScale,
        int vocabulary) {
    private static final String PREFIX = "llama.";
    private static final int MAX_LAYERS = 1 << 10;
    private static final int MAX_SIZE = 1 << 24;

    static LlamaConfig of(GgufFile file) {
        String architecture = file.require("general.architecture", String.class);
        if (!architecture.equals("llama")) {
            throw file.unsupported(
                    "metadata general.architecture",
                    "is '" + architecture + "'; this version converts files of the architecture 'llama' only");
        }
        if (file.find(PREFIX + "expert_count", Long.class).orElse(0L) > 0) {
            throw file.unsupported("metadata llama.expert_count", "mixtures of experts are not converted");
        }
        int hidden = size(file, "embedding_length", MAX_SIZE);
        int heads = size(file, "attention.head_count", MAX_SIZE);
        int keyValueHeads = optionalSize(file, "attention.head_count_kv", heads);
        if (heads % keyValueHeads != 0) {
            throw file.invalid(
                    "metadata llama.attention.head_count",
                    "is " + heads + ", no multiple of head_count_kv " + keyValueHeads);
        }
        if (hidden % heads != 0 && !file.metadata().containsKey(PREFIX + "attention.key_length")) {
            throw file.invalid(
                    "metadata llama.embedding_length", "is " + hidden + ", no multiple of head_count " + heads);
        }
        int headSize = optionalSize(file, "attention.key_length", Math.max(hidden / heads, 1));
        int valueSize = optionalSize(file, "attention.value_length", headSize);
        int rotated = optionalSize(file, "rope.dimension_count", headSize);
        if (valueSize != headSize || rotated != headSize || headSize % 2 != 0) {
            throw file.unsupported(
                    "metadata llama.attention",
                    "keys have " + headSize + " elements a head, values " + valueSize + ", " + rotated
                            + " are rotated; these have to be one even number");
        }
        double epsilon = file.require(PREFIX + "attention.layer_norm_rms_epsilon", Double.class);
        double ropeBase = file.find(PREFIX + "rope.freq_base", Double.class).orElse(10_000.0);
        double ropeScale = ropeScale(file);
        if (!(epsilon >= 0 && epsilon < 1)
                || !(ropeBase > 0 && ropeBase < 1e30)
                || !(ropeScale > 0 && ropeScale < 1e9)) {
            throw file.invalid(
                    "metadata llama.*",
                    "layer_norm_rms_epsilon " + epsilon + ", rope.freq_base " + ropeBase + " or rope.scaling.factor "
                            + ropeScale + " is out of range");
        }
        GgufTensor embedding = file.tensor("token_embd.weight");
        if (embedding.rows() > MAX_SIZE) {
            throw file.invalid(
                    "tensor 'token_embd.weight'", "has " + embedding.rows() + " rows, more than " + MAX_SIZE);
        }
        return new LlamaConfig(
                size(file, "block_count", MAX_LAYERS),
                size(file, "context_length", MAX_SIZE),
                hidden,
                size(file, "feed_forward_length", MAX_SIZE),
                heads,
                keyValueHeads,
                headSize,
                (float) epsilon,
                ropeBase,
                ropeScale,
                (int) embedding.rows());
    }

    private static double ropeScale(GgufFile file) {
        String type = file.find(PREFIX + "rope.scaling.type", String.class).orElse("none");
        return switch (type) {
            case "none" -> file.find(PREFIX + "rope.scale_linear", Double.class).orElse(1.0);
            case "linear" -> file.require(PREFIX + "rope.scaling.factor", Double.class);
            default ->
                throw file.unsupported(
                        "metadata llama.rope.scaling.type", "is '" + type + "'; none and linear are converted");
        };
    }

    private static int optionalSize(GgufFile file, String key, int absent) {
        return file.metadata().containsKey(PREFIX + key) ? size(file, key, MAX_SIZE) : absent;
    }

    private static int size(GgufFile file, String key, int maximum) {
        long value = file.require(PREFIX + key, Long.class);
        if (value < 1 || value > maximum) {
            throw file.invalid("metadata " + PREFIX + key, "is " + value + ", expected 1 to " + maximum);
        }
        return (int) value;
    }

    int queryRows() {
        return heads * headSize;
    }

    int keyValueRows() {
        return keyValueHeads * headSize;
    }
}
