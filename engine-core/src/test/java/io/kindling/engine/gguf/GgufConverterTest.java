package io.kindling.engine.gguf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.ModelException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.onnx.OnnxLoader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GgufConverterTest {
    private static final int F32 = 0;
    private static final int F16 = 1;
    private static final int Q4_0 = 2;
    private static final int Q4_1 = 3;
    private static final int Q8_0 = 8;

    @TempDir
    Path folder;

    private OnnxModel convert(GgufBytes bytes) throws IOException {
        Path gguf = Files.write(folder.resolve("m.gguf"), bytes.build());
        GgufConverter.convert(gguf, folder.resolve("out"));
        return OnnxLoader.load(folder.resolve("out/model.onnx"));
    }

    private static ByteBuffer bytes(OnnxModel model, String initializer) throws IOException {
        TensorData tensor = model.graph().initializers().get(initializer);
        if (tensor.content() instanceof TensorData.Inline inline) {
            return inline.bytes();
        }
        TensorData.External external = (TensorData.External) tensor.content();
        byte[] content = new byte[(int) external.length()];
        try (RandomAccessFile file = new RandomAccessFile(external.file().toFile(), "r")) {
            file.seek(external.offset());
            file.readFully(content);
        }
        return ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Values of a MatMulNBits weight, by its definition: scale * (code - zero point). */
    private static double[][] values(OnnxModel model, String name, int rows, int columns, int bits) throws IOException {
        ByteBuffer codes = bytes(model, name + "_codes");
        ByteBuffer scales = bytes(model, name + "_scales");
        ByteBuffer zeroPoints = model.graph().initializers().containsKey(name + "_zero_points")
                ? bytes(model, name + "_zero_points")
                : null;
        double[][] values = new double[rows][columns];
        for (int row = 0; row < rows; row++) {
            for (int column = 0; column < columns; column++) {
                int element = row * columns + column;
                int code =
                        bits == 8 ? codes.get(element) & 255 : (codes.get(element / 2) & 255) >> (element % 2 * 4) & 15;
                int block = element / 32;
                double zero = zeroPoints == null ? 1 << (bits - 1) : zeroPoints.getFloat(4 * block);
                values[row][column] = scales.getFloat(4 * block) * (code - zero);
            }
        }
        return values;
    }

    /** Values of a GGUF tensor, by ggml's definition of its blocks. */
    private static double[][] expected(byte[] data, int type, int rows, int columns) {
        ByteBuffer bytes = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
        double[][] values = new double[rows][columns];
        int blockBytes = type == Q4_0 ? 18 : type == Q4_1 ? 20 : 34;
        for (int element = 0; element < rows * columns; element++) {
            int at = element / 32 * blockBytes;
            int within = element % 32;
            double d = half(bytes.getShort(at));
            double value;
            if (type == Q8_0) {
                value = d * bytes.get(at + 2 + within);
            } else {
                int packed = bytes.get(at + blockBytes - 16 + within % 16) & 255;
                int code = within < 16 ? packed & 15 : packed >> 4;
                value = type == Q4_0 ? d * (code - 8) : d * code + half(bytes.getShort(at + 2));
            }
            values[element / columns][element % columns] = value;
        }
        return values;
    }

    /** Normal numbers only: sign, 5 bits of exponent with bias 15, 10 bits of fraction. */
    private static double half(short bits) {
        double magnitude = (1 + (bits & 0x3FF) / 1024.0) * Math.pow(2, (bits >> 10 & 31) - 15);
        return bits < 0 ? -magnitude : magnitude;
    }

    private static void assertClose(double[] actual, double[] wanted) {
        assertThat(actual).hasSameSizeAs(wanted);
        for (int i = 0; i < wanted.length; i++) {
            assertThat(actual[i]).isCloseTo(wanted[i], within(1e-6));
        }
    }

    @Test
    void keepsTheValuesOfBlocksAndPutsRotatedRowsInHalves() throws IOException {
        for (int type : List.of(Q4_0, Q4_1, Q8_0)) {
            GgufBytes file = GgufBytes.tinyLlama(type, Q8_0);
            OnnxModel model = convert(file);
            int bits = type == Q8_0 ? 8 : 4;
            double[][] fused = values(model, "model.layers.0.attn.qkv_proj.MatMul.weight", 128, 64, bits);
            double[][] query = expected(file.data("blk.0.attn_q.weight"), type, 64, 64);
            double[][] key = expected(file.data("blk.0.attn_k.weight"), type, 32, 64);
            double[][] value = expected(file.data("blk.0.attn_v.weight"), type, 32, 64);
            for (int i = 0; i < 16; i++) {
                for (int half = 0; half < 2; half++) {
                    for (int head = 0; head < 2; head++) {
                        assertClose(fused[head * 32 + half * 16 + i], query[head * 32 + 2 * i + half]);
                    }
                    assertClose(fused[64 + half * 16 + i], key[2 * i + half]);
                    assertClose(fused[96 + half * 16 + i], value[half * 16 + i]);
                }
            }
            double[][] down = values(model, "model.layers.0.mlp.down_proj.MatMul.weight", 64, 96, bits);
            double[][] wanted = expected(file.data("blk.0.ffn_down.weight"), type, 64, 96);
            for (int row = 0; row < 64; row++) {
                assertClose(down[row], wanted[row]);
            }
            deleteOutput();
        }
    }

    @Test
    void blocksWithoutAStepKeepTheirOffset() throws IOException {
        GgufBytes file = GgufBytes.tinyLlama(Q4_1, Q8_0);
        byte[] data = file.data("blk.0.ffn_up.weight");
        data[0] = 0;
        data[1] = 0;
        OnnxModel model = convert(file);
        double offset =
                half(ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN).getShort(2));
        double[] row = values(model, "model.layers.0.mlp.up_proj.MatMul.weight", 96, 64, 4)[0];
        assertThat(row).startsWith(offset, offset);
        assertThat(row[31]).isEqualTo(offset);
        assertThat(row[32]).isNotEqualTo(offset);
    }

    @Test
    void aTiedEmbeddingInBlocksIsStoredOnce() throws IOException {
        OnnxModel model = convert(GgufBytes.tinyLlama(Q4_1, Q8_0));
        Node gather = node(model, "GatherBlockQuantized");
        Node head = model.graph().nodes().get(model.graph().nodes().size() - 1);
        assertThat(head.opType()).isEqualTo("MatMulNBits");
        assertThat(head.intAttribute("bits", 0)).isEqualTo(8);
        assertThat(gather.intAttribute("bits", 0)).isEqualTo(8);
        assertThat(node(model, "Reshape").inputs().get(0))
                .isEqualTo(head.inputs().get(1));
        assertThat(gather.inputs().get(2)).isEqualTo(head.inputs().get(2));
        assertThat(model.graph().nodes().stream().map(Node::opType))
                .containsExactly(
                        "ReduceSum",
                        "Sub",
                        "Cast",
                        "Shape",
                        "Gather",
                        "Cast",
                        "Reshape",
                        "GatherBlockQuantized",
                        "SimplifiedLayerNormalization",
                        "MatMulNBits",
                        "GroupQueryAttention",
                        "MatMulNBits",
                        "SkipSimplifiedLayerNormalization",
                        "MatMulNBits",
                        "MatMulNBits",
                        "Sigmoid",
                        "Mul",
                        "Mul",
                        "MatMulNBits",
                        "SkipSimplifiedLayerNormalization",
                        "MatMulNBits");
    }

    @Test
    void floatWeightsAreTransposedAndHalvesStayHalvesInTheEmbedding() throws IOException {
        GgufBytes file = GgufBytes.tinyLlama(F32, F16);
        OnnxModel model = convert(file);
        ByteBuffer gate = bytes(model, "model.layers.0.mlp.gate_proj.MatMul.weight");
        ByteBuffer source = ByteBuffer.wrap(file.data("blk.0.ffn_gate.weight")).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(model.graph()
                        .initializers()
                        .get("model.layers.0.mlp.gate_proj.MatMul.weight")
                        .shape())
                .containsExactly(64, 96);
        for (int row = 0; row < 96; row++) {
            for (int column = 0; column < 64; column++) {
                assertThat(gate.getFloat(4 * (column * 96 + row))).isEqualTo(source.getFloat(4 * (row * 64 + column)));
            }
        }
        assertThat(model.graph().initializers().get("model.embed_tokens.weight").type())
                .isEqualTo(DataType.FLOAT16);
        assertThat(bytes(model, "model.embed_tokens.weight"))
                .isEqualTo(ByteBuffer.wrap(file.data("token_embd.weight")));
        ByteBuffer cos = bytes(model, "cos_cache");
        // Position 3, pair 5 of 16 with theta 100: 3 / 100^(10/32).
        assertThat((double) cos.getFloat(4 * (3 * 16 + 5)))
                .isCloseTo(Math.cos(3 / Math.pow(100, 10 / 32.0)), within(1e-6));
    }

    @Test
    void writesTheFilesAroundTheGraph() throws IOException {
        convert(GgufBytes.tinyLlama(Q4_0, Q4_0));
        Path out = folder.resolve("out");
        JsonNode config =
                new ObjectMapper().readTree(out.resolve("genai_config.json").toFile());
        assertThat(config.at("/model/decoder/head_size").asInt()).isEqualTo(32);
        assertThat(config.at("/model/eos_token_id").asInt()).isZero();
        assertThat(config.at("/model/context_length").asInt()).isEqualTo(16);
        assertThat(out.resolve("chat_template.jinja")).hasContent("{{ messages[0].content }}");
        JsonNode tokenizer =
                new ObjectMapper().readTree(out.resolve("tokenizer.json").toFile());
        assertThat(tokenizer.at("/model/vocab/ab").asInt()).isEqualTo(4);
        assertThat(tokenizer.at("/added_tokens/0/content").asText()).isEqualTo("<e>");
        assertThat(tokenizer.at("/pre_tokenizer/pretokenizers/0/type").asText()).isEqualTo("Digits");
    }

    @Test
    void leavesNothingBehindWhenItRefuses() throws IOException {
        refuses(
                GgufBytes.tinyLlama(Q4_1, Q8_0).remove("blk.0.ffn_down.weight"),
                ErrorCode.MODEL_INVALID,
                "'blk.0.ffn_down.weight': is missing");
        refuses(GgufBytes.tinyLlama(Q4_1, Q8_0).put("general.architecture", "mamba"), ErrorCode.UNSUPPORTED, "'mamba'");
        refuses(
                GgufBytes.tinyLlama(Q4_1, Q8_0).put("llama.feed_forward_length", 128),
                ErrorCode.MODEL_INVALID,
                "expected [64, 128]");
        refuses(GgufBytes.tinyLlama(Q4_1, Q8_0).put("tokenizer.ggml.pre", "odd"), ErrorCode.UNSUPPORTED, "'odd'");
        refuses(
                GgufBytes.tinyLlama(Q4_1, Q8_0).tensor("extra.weight", F32, new byte[4], 1),
                ErrorCode.UNSUPPORTED,
                "'extra.weight'");
        refuses(
                GgufBytes.tinyLlama(Q4_1, Q8_0)
                        .tensor("blk.0.attn_q.weight", 14, new byte[64 * 64 / 256 * 210], 256, 16),
                ErrorCode.MODEL_INVALID,
                "expected [64, 64]");
        GgufBytes infinite = GgufBytes.tinyLlama(Q4_1, Q8_0);
        infinite.data("blk.0.ffn_up.weight")[1] = 0x7C;
        infinite.data("blk.0.ffn_up.weight")[0] = 0;
        refuses(infinite, ErrorCode.MODEL_INVALID, "'blk.0.ffn_up.weight'", "Infinity");
    }

    private void refuses(GgufBytes bytes, ErrorCode code, String... parts) throws IOException {
        Path gguf = Files.write(folder.resolve("m.gguf"), bytes.build());
        assertThatThrownBy(() -> GgufConverter.convert(gguf, folder.resolve("out")))
                .isInstanceOfSatisfying(
                        ModelException.class, fault -> assertThat(fault.code()).isEqualTo(code))
                .message()
                .contains("m.gguf")
                .contains(parts);
        try (var entries = Files.list(folder)) {
            assertThat(entries).containsExactly(gguf);
        }
    }

    @Test
    void overwritesNothing() throws IOException {
        convert(GgufBytes.tinyLlama(Q4_1, Q8_0));
        assertThatThrownBy(() -> GgufConverter.convert(folder.resolve("m.gguf"), folder.resolve("out")))
                .hasMessageContaining("nothing is overwritten");
    }

    private static Node node(OnnxModel model, String type) {
        return model.graph().nodes().stream()
                .filter(node -> node.opType().equals(type))
                .findFirst()
                .orElseThrow();
    }

    private void deleteOutput() throws IOException {
        try (var entries = Files.list(folder.resolve("out"))) {
            for (Path entry : entries.toList()) {
                Files.delete(entry);
            }
        }
    }
}
