package io.kindling.engine.gguf;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Writes GGUF files by the format's text, for tests. */
final class GgufBytes {
    private record Tensor(int type, long[] dimensions, byte[] data) {}

    private final Map<String, Object> metadata = new LinkedHashMap<>();
    private final Map<String, Tensor> tensors = new LinkedHashMap<>();

    /** Integer is written as uint32, Float, Boolean and String as such, a List as an array of its first element's type. */
    GgufBytes put(String key, Object value) {
        metadata.put(key, value);
        return this;
    }

    GgufBytes remove(String key) {
        metadata.remove(key);
        tensors.remove(key);
        return this;
    }

    GgufBytes tensor(String name, int type, byte[] data, long... dimensions) {
        tensors.put(name, new Tensor(type, dimensions, data));
        return this;
    }

    byte[] data(String name) {
        return tensors.get(name).data;
    }

    /** Random elements of a type: f32 (0), f16 (1), Q4_0 (2), Q4_1 (3), Q8_0 (8). */
    GgufBytes random(String name, int type, Random random, long... dimensions) {
        int elements = 1;
        for (long dimension : dimensions) {
            elements *= (int) dimension;
        }
        int block = type <= 1 ? 1 : 32;
        int bytes = Map.of(0, 4, 1, 2, 2, 18, 3, 20, 8, 34).get(type);
        ByteBuffer buffer = ByteBuffer.allocate(elements / block * bytes).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < elements / block; i++) {
            if (type == 0) {
                buffer.putFloat(random.nextFloat() - 0.5f);
                continue;
            }
            int halves = type == 3 ? 2 : 1;
            for (int h = 0; h < halves; h++) {
                // A half between 1/64 and 1/32 with either sign.
                buffer.putShort((short) (0x2400 | random.nextInt(0x400) | (random.nextBoolean() ? 0x8000 : 0)));
            }
            byte[] codes = new byte[bytes - 2 * halves];
            random.nextBytes(codes);
            buffer.put(codes);
        }
        return tensor(name, type, buffer.array(), dimensions);
    }

    byte[] build() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int32(out, 0x46554747);
        int32(out, 3);
        int64(out, tensors.size());
        int64(out, metadata.size());
        metadata.forEach((key, value) -> {
            string(out, key);
            int32(out, type(value));
            value(out, value);
        });
        long offset = 0;
        for (Map.Entry<String, Tensor> entry : tensors.entrySet()) {
            Tensor tensor = entry.getValue();
            string(out, entry.getKey());
            int32(out, tensor.dimensions.length);
            for (long dimension : tensor.dimensions) {
                int64(out, dimension);
            }
            int32(out, tensor.type);
            int64(out, offset);
            offset = (offset + tensor.data.length + 31) / 32 * 32;
        }
        tensors.values().forEach(tensor -> {
            pad(out);
            out.writeBytes(tensor.data);
        });
        return out.toByteArray();
    }

    private static int type(Object value) {
        if (value instanceof Integer) {
            return 4;
        } else if (value instanceof Float) {
            return 6;
        } else if (value instanceof Boolean) {
            return 7;
        }
        return value instanceof String ? 8 : 9;
    }

    private static void value(ByteArrayOutputStream out, Object value) {
        if (value instanceof Integer number) {
            int32(out, number);
        } else if (value instanceof Float number) {
            int32(out, Float.floatToIntBits(number));
        } else if (value instanceof Boolean flag) {
            out.write(flag ? 1 : 0);
        } else if (value instanceof String text) {
            string(out, text);
        } else if (value instanceof List<?> list) {
            int32(out, type(list.get(0)));
            int64(out, list.size());
            list.forEach(element -> value(out, element));
        }
    }

    private static void string(ByteArrayOutputStream out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int64(out, bytes.length);
        out.writeBytes(bytes);
    }

    private static void pad(ByteArrayOutputStream out) {
        while (out.size() % 32 != 0) {
            out.write(0);
        }
    }

    private static void int32(ByteArrayOutputStream out, int value) {
        out.writeBytes(ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(value)
                .array());
    }

    private static void int64(ByteArrayOutputStream out, long value) {
        out.writeBytes(ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(value)
                .array());
    }

    /** A llama of one layer: width 64, two heads of 32 over one key and value head, MLP 96, eight tokens. */
    static GgufBytes tinyLlama(int weightType, int embeddingType) {
        Random random = new Random(7);
        GgufBytes file = new GgufBytes()
                .put("general.architecture", "llama")
                .put("llama.block_count", 1)
                .put("llama.context_length", 16)
                .put("llama.embedding_length", 64)
                .put("llama.feed_forward_length", 96)
                .put("llama.attention.head_count", 2)
                .put("llama.attention.head_count_kv", 1)
                .put("llama.attention.layer_norm_rms_epsilon", 1e-5f)
                .put("llama.rope.freq_base", 100f)
                .put("tokenizer.ggml.model", "gpt2")
                .put("tokenizer.ggml.pre", "smollm")
                .put("tokenizer.ggml.tokens", List.of("<e>", "a", "b", "1", "ab", "\u0120", "\u010A", "c"))
                .put("tokenizer.ggml.token_type", List.of(3, 1, 1, 1, 1, 1, 1, 1))
                .put("tokenizer.ggml.merges", List.of("a b"))
                .put("tokenizer.ggml.bos_token_id", 0)
                .put("tokenizer.ggml.eos_token_id", 0)
                .put("tokenizer.chat_template", "{{ messages[0].content }}");
        file.random("token_embd.weight", embeddingType, random, 64, 8);
        file.random("output_norm.weight", 0, random, 64);
        file.random("blk.0.attn_norm.weight", 0, random, 64);
        file.random("blk.0.ffn_norm.weight", 0, random, 64);
        file.random("blk.0.attn_q.weight", weightType, random, 64, 64);
        file.random("blk.0.attn_k.weight", weightType, random, 64, 32);
        file.random("blk.0.attn_v.weight", weightType, random, 64, 32);
        file.random("blk.0.attn_output.weight", weightType, random, 64, 64);
        file.random("blk.0.ffn_gate.weight", weightType, random, 64, 96);
        file.random("blk.0.ffn_up.weight", weightType, random, 64, 96);
        file.random("blk.0.ffn_down.weight", weightType, random, 96, 64);
        return file;
    }
}
