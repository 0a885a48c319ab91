package io.kindling.engine.generate;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType;
import io.kindling.engine.metadata.DecoderIo;
import io.kindling.engine.metadata.ModelPackage;
import io.kindling.engine.text.ChatTemplates;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;

/**
 * A small decoder shaped like the model builder's exports: two layers of rotary grouped-query attention and gated MLP over
 * 4-bit products, with random weights of a fixed seed.
 */
final class TinyDecoder {
    static final int VOCABULARY = 96;
    static final int CONTEXT = 512;
    private static final int HIDDEN = 32;
    private static final int INNER = 48;
    private static final int HEADS = 4;
    private static final int KV_HEADS = 2;
    private static final int HEAD = 16;
    private static final int LAYERS = 2;
    private static final int BLOCK = 16;
    private static final String MICROSOFT = "com.microsoft";

    private final Random random = new Random(20240229);
    private final Graph.Builder graph = Graph.builder("tiny");

    static OnnxModel model() {
        return new TinyDecoder().build();
    }

    /** The package that the decoder would come in, without a tokenizer. */
    static ModelPackage modelPackage(Set<Integer> stopIds) {
        return new ModelPackage(
                Path.of("tiny"),
                Path.of("tiny/model.onnx"),
                "test",
                Optional.of(io()),
                Optional.empty(),
                OptionalInt.of(CONTEXT),
                stopIds,
                Optional.empty(),
                new ChatTemplates("tiny", Map.of(), Map.of()),
                List.of());
    }

    static DecoderIo io() {
        List<DecoderIo.State> states = new ArrayList<>();
        List<Long> shape = List.of(1L, (long) KV_HEADS, 0L, (long) HEAD);
        for (int layer = 0; layer < LAYERS; layer++) {
            states.add(new DecoderIo.State(
                    "past." + layer + ".key", "present." + layer + ".key", DecoderIo.Kind.KEY, layer, 2, shape));
            states.add(new DecoderIo.State(
                    "past." + layer + ".value", "present." + layer + ".value", DecoderIo.Kind.VALUE, layer, 2, shape));
        }
        return new DecoderIo(
                "input_ids", Optional.of("attention_mask"), Optional.empty(), Optional.empty(), "logits", states);
    }

    private OnnxModel build() {
        input("input_ids", DataType.INT64, Dimension.of("batch"), Dimension.of("sequence"));
        input("attention_mask", DataType.INT64, Dimension.of("batch"), Dimension.of("total"));
        constant("one", TensorData.ofLongs(new long[] {1}, 1));
        constant("index", TensorData.ofLongs(new long[] {}, 1));
        node("ReduceSum", "", List.of("attention_mask", "one"), "rows", Map.of("keepdims", Attribute.of(0L)));
        node("Sub", "", List.of("rows", "one"), "last", Map.of());
        node("Cast", "", List.of("last"), "seqlens", Map.of("to", Attribute.of((long) DataType.INT32.code())));
        node("Shape", "", List.of("attention_mask"), "mask_shape", Map.of());
        node("Gather", "", List.of("mask_shape", "index"), "width", Map.of("axis", Attribute.of(0L)));
        node("Cast", "", List.of("width"), "total", Map.of("to", Attribute.of((long) DataType.INT32.code())));
        rotaryTables();
        constant("embedding", floats(1, VOCABULARY, HIDDEN));
        node("Gather", "", List.of("embedding", "input_ids"), "hidden.0", Map.of());
        norm("norm.0", List.of("hidden.0"), "in.0");
        for (int layer = 0; layer < LAYERS; layer++) {
            layer(layer);
        }
        product("in." + LAYERS, "logits", HIDDEN, VOCABULARY);
        output("logits", Dimension.of("batch"), Dimension.of("sequence"), Dimension.of(VOCABULARY));
        return new OnnxModel("tiny", 10, Map.of("", 21L, MICROSOFT, 1L), graph.build(), List.of(), Map.of());
    }

    private void layer(int layer) {
        product("in." + layer, "qkv." + layer, HIDDEN, (HEADS + 2 * KV_HEADS) * HEAD);
        String past = "past." + layer;
        String present = "present." + layer;
        for (String part : List.of(".key", ".value")) {
            Dimension[] shape = {Dimension.of("batch"), Dimension.of(KV_HEADS), Dimension.of("past"), Dimension.of(HEAD)
            };
            input(past + part, DataType.FLOAT, shape);
            output(present + part, shape);
        }
        graph.nodes()
                .add(new Node(
                        "attention." + layer,
                        MICROSOFT,
                        "GroupQueryAttention",
                        List.of(
                                "qkv." + layer,
                                "",
                                "",
                                past + ".key",
                                past + ".value",
                                "seqlens",
                                "total",
                                "cos",
                                "sin"),
                        List.of("attended." + layer, present + ".key", present + ".value"),
                        Map.of(
                                "num_heads", Attribute.of((long) HEADS),
                                "kv_num_heads", Attribute.of((long) KV_HEADS),
                                "do_rotary", Attribute.of(1L),
                                "local_window_size", Attribute.of(layer == 1 ? 40L : -1L))));
        product("attended." + layer, "mixed." + layer, HEADS * HEAD, HIDDEN);
        String residual = layer == 0 ? "hidden.0" : "hidden." + layer;
        skipNorm("post." + layer, residual, "mixed." + layer, "mlp_in." + layer, "between." + layer);
        product("mlp_in." + layer, "gate." + layer, HIDDEN, INNER);
        product("mlp_in." + layer, "up." + layer, HIDDEN, INNER);
        node("Sigmoid", "", List.of("gate." + layer), "sigmoid." + layer, Map.of());
        node("Mul", "", List.of("gate." + layer, "sigmoid." + layer), "silu." + layer, Map.of());
        node("Mul", "", List.of("silu." + layer, "up." + layer), "gated." + layer, Map.of());
        product("gated." + layer, "down." + layer, INNER, HIDDEN);
        int next = layer + 1;
        skipNorm("norm." + next, "between." + layer, "down." + layer, "in." + next, "hidden." + next);
    }

    private void rotaryTables() {
        float[] cos = new float[CONTEXT * HEAD / 2];
        float[] sin = new float[CONTEXT * HEAD / 2];
        for (int position = 0; position < CONTEXT; position++) {
            for (int k = 0; k < HEAD / 2; k++) {
                double angle = position * Math.pow(10000, -2.0 * k / HEAD);
                cos[position * HEAD / 2 + k] = (float) Math.cos(angle);
                sin[position * HEAD / 2 + k] = (float) Math.sin(angle);
            }
        }
        constant("cos", TensorData.ofFloats(new long[] {CONTEXT, HEAD / 2}, cos));
        constant("sin", TensorData.ofFloats(new long[] {CONTEXT, HEAD / 2}, sin));
    }

    private void norm(String name, List<String> inputs, String output) {
        constant(name, floats(1, HIDDEN));
        node(
                "SimplifiedLayerNormalization",
                "",
                List.of(inputs.get(0), name),
                output,
                Map.of("axis", Attribute.of(-1L), "epsilon", Attribute.of(1e-5f)));
    }

    private void skipNorm(String name, String input, String skip, String output, String sum) {
        constant(name, floats(1, HIDDEN));
        graph.nodes()
                .add(new Node(
                        name + ".node",
                        MICROSOFT,
                        "SkipSimplifiedLayerNormalization",
                        List.of(input, skip, name),
                        List.of(output, "", "", sum),
                        Map.of("epsilon", Attribute.of(1e-5f))));
    }

    private void product(String input, String output, int inner, int outer) {
        String weight = output + ".weight";
        byte[] packed = new byte[outer * inner / 2];
        random.nextBytes(packed);
        constant(
                weight,
                new TensorData(
                        DataType.UINT8,
                        new long[] {outer, inner / BLOCK, BLOCK / 2},
                        new TensorData.Inline(ByteBuffer.allocateDirect(packed.length)
                                .put(packed)
                                .flip())));
        constant(weight + ".scales", floats(0.05f, outer * (inner / BLOCK)));
        node(
                "MatMulNBits",
                MICROSOFT,
                List.of(input, weight, weight + ".scales"),
                output,
                Map.of(
                        "K", Attribute.of((long) inner),
                        "N", Attribute.of((long) outer),
                        "bits", Attribute.of(4L),
                        "block_size", Attribute.of((long) BLOCK)));
    }

    private TensorData floats(float scale, long... shape) {
        int count = (int) Arrays.stream(shape).reduce(1, (a, b) -> a * b);
        float[] values = new float[count];
        for (int k = 0; k < count; k++) {
            values[k] = scale * (0.5f + random.nextFloat()) * (random.nextInt(8) == 0 ? -1 : 1);
        }
        return TensorData.ofFloats(shape, values);
    }

    private void constant(String name, TensorData data) {
        graph.initializers().put(name, data);
    }

    private void node(String op, String domain, List<String> inputs, String output, Map<String, Attribute> attributes) {
        graph.nodes().add(new Node(output + ".node", domain, op, inputs, List.of(output), attributes));
    }

    private void input(String name, DataType type, Dimension... shape) {
        graph.inputs().add(new ValueInfo(name, ValueType.TensorType.of(type, List.of(shape))));
    }

    private void output(String name, Dimension... shape) {
        graph.outputs().add(new ValueInfo(name, ValueType.TensorType.of(DataType.FLOAT, List.of(shape))));
    }
}
