package io.kindling.engine.optimize.ragged;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.PagedAttention;
import io.kindling.engine.metadata.DecoderIo;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The layers that have come to run on pages so far, and the calls that read them. */
final class PageLayers {
    private final Map<String, DataType> inputTypes;
    private final List<RaggedModel.Layer> layers = new ArrayList<>();

    PageLayers(Map<String, DataType> inputTypes) {
        this.inputTypes = inputTypes;
    }

    List<RaggedModel.Layer> all() {
        return layers;
    }

    /** Pages in place of two states. */
    RaggedModel.Layer add(Node node, DecoderIo.State key, DecoderIo.State value) {
        if (key.initialShape().size() != 4
                || !key.initialShape().get(1).equals(value.initialShape().get(1))) {
            throw Refusal.at(node, "keeps states of shape " + key.initialShape() + ", not [1, heads, positions, size]");
        }
        DataType type = inputTypes.get(key.input());
        if (type != DataType.FLOAT && type != DataType.FLOAT16 && type != DataType.BFLOAT16) {
            throw Refusal.at(
                    node,
                    "keeps keys in " + (type == null ? "an unknown type" : type.onnxName())
                            + "; pages hold float32, float16 and bfloat16");
        }
        if (type != inputTypes.get(value.input())) {
            throw Refusal.at(node, "keeps keys and values in different types");
        }
        int layer = layers.size();
        RaggedModel.Layer pages = new RaggedModel.Layer(
                "kindling.key_pages." + layer,
                "kindling.value_pages." + layer,
                key.initialShape().get(1),
                key.initialShape().get(3),
                type);
        layers.add(pages);
        return pages;
    }

    /**
     * The inputs of a call over these pages, those behind the positions absent.
     *
     * @param query first of the three values to attend with; the other two are empty where they are packed with it
     */
    static String[] inputs(RaggedModel.Layer pages, String query, String key, String value) {
        String[] inputs = new String[PagedAttention.HEAD_SINK + 1];
        Arrays.fill(inputs, "");
        inputs[PagedAttention.QUERY] = query;
        inputs[PagedAttention.KEY] = key;
        inputs[PagedAttention.VALUE] = value;
        inputs[PagedAttention.KEY_PAGES] = pages.keyPages();
        inputs[PagedAttention.VALUE_PAGES] = pages.valuePages();
        inputs[PagedAttention.BLOCK_TABLE] = RaggedModel.BLOCK_TABLE;
        inputs[PagedAttention.TOKEN_SEQUENCE] = RaggedModel.TOKEN_SEQUENCE;
        inputs[PagedAttention.TOKEN_POSITION] = RaggedModel.TOKEN_POSITION;
        return inputs;
    }

    static Node call(String name, String[] inputs, String output, Map<String, Attribute> attributes) {
        return new Node(
                name, PagedAttention.DOMAIN, PagedAttention.OP_TYPE, List.of(inputs), List.of(output), attributes);
    }
}
