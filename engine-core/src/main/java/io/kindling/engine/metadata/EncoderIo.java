package io.kindling.engine.metadata;

import io.kindling.engine.EncodingOptions.Pooling;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The ports and habits of a text encoder.
 *
 * @param tokens input of token ids, [batch, tokens]
 * @param mask input that is 1 for tokens and 0 for padding
 * @param typeIds input of segment numbers, 0 for single texts
 * @param positionIds input of positions
 * @param tokenStates output of a state for each token, [batch, tokens, width]
 * @param pooled output of one vector a text, [batch, width]
 * @param classes output of class logits, [batch, classes]
 * @param pooling what the package says of pooling
 * @param normalize what the package says of normalising
 * @param maxTokens longest input, specials included
 * @param padId what fills up shorter texts
 * @param labels names of the classes, as far as the package has them
 * @param multiLabel whether classes are independent of each other
 */
public record EncoderIo(
        String tokens,
        Optional<String> mask,
        Optional<String> typeIds,
        Optional<String> positionIds,
        Optional<String> tokenStates,
        Optional<String> pooled,
        Optional<String> classes,
        Optional<Pooling> pooling,
        Optional<Boolean> normalize,
        OptionalInt maxTokens,
        int padId,
        List<String> labels,
        boolean multiLabel) {
    public EncoderIo {
        labels = List.copyOf(labels);
    }
}
