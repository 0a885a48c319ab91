package io.kindling.engine.cpu;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.OperatorException;
import io.kindling.engine.ir.Node;

/**
 * The attributes that {@code com.microsoft::GroupQueryAttention} and {@code kindling::PagedAttention} share.
 *
 * @param scale 0 stands for one over the root of the head size
 * @param window positions a token sees, itself included; −1 for all before it
 */
public record GqaOptions(
        int heads,
        int kvHeads,
        float scale,
        float softcap,
        int window,
        boolean rotary,
        boolean interleaved,
        boolean smoothSoftmax) {

    public static GqaOptions of(Node node) {
        int heads = (int) node.intAttribute("num_heads", 0);
        int kvHeads = (int) node.intAttribute("kv_num_heads", 0);
        if (heads <= 0 || kvHeads <= 0 || heads % kvHeads != 0) {
            throw new OperatorException(
                    ErrorCode.MODEL_INVALID,
                    node.operator(),
                    node.name(),
                    "num_heads " + heads + " must be a positive multiple of kv_num_heads " + kvHeads);
        }
        return new GqaOptions(
                heads,
                kvHeads,
                node.floatAttribute("scale", 0),
                node.floatAttribute("softcap", 0),
                (int) node.intAttribute("local_window_size", -1),
                node.intAttribute("do_rotary", 0) != 0,
                node.intAttribute("rotary_interleaved", 0) != 0,
                node.intAttribute("smooth_softmax", 0) != 0);
    }

    public float scaleFor(int headSize) {
        return scale == 0 ? (float) (1 / Math.sqrt(headSize)) : scale;
    }

    /** First position that a token at {@code position} sees. */
    int firstSeen(int position) {
        return window < 0 ? 0 : Math.max(0, position - window + 1);
    }

    public int group() {
        return heads / kvHeads;
    }
}
