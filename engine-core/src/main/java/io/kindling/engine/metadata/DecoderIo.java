package io.kindling.engine.metadata;

import java.util.List;
import java.util.Optional;

/**
 * Which graph port of a decoder plays which role.
 *
 * @param tokenInput token ids, int64 or int32 {@code [batch, sequence]}
 * @param attentionMask {@code [batch, past + sequence]}, ones where there is a token
 * @param positionIds {@code [batch, sequence]}
 * @param useCacheBranch bool {@code [1]} of merged decoders: false with an empty past
 * @param logits {@code [batch, sequence, vocabulary]}
 * @param states past inputs and present outputs, in file order
 */
public record DecoderIo(
        String tokenInput,
        Optional<String> attentionMask,
        Optional<String> positionIds,
        Optional<String> useCacheBranch,
        String logits,
        List<State> states) {

    /** How a state changes with a pass. */
    public enum Kind {
        /** Keys of attention: grows by the new tokens on {@code sequenceAxis}. */
        KEY,
        /** Values of attention. */
        VALUE,
        /** Replaced as a whole, constant shape (convolution and recurrent states, windowed caches). */
        FIXED
    }

    /**
     * One state.
     *
     * @param layer the layer index in the port's name
     * @param sequenceAxis the axis that grows; −1 for FIXED
     * @param initialShape shape before the first token with batch 1, all zeros (0 long on {@code sequenceAxis})
     */
    public record State(String input, String output, Kind kind, int layer, int sequenceAxis, List<Long> initialShape) {
        public State {
            initialShape = List.copyOf(initialShape);
        }
    }

    public DecoderIo {
        states = List.copyOf(states);
    }
}
