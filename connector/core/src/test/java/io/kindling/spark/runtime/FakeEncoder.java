package io.kindling.spark.runtime;

import io.kindling.engine.EncodingOptions;
import io.kindling.engine.TextEncoder;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import java.util.List;

/** The vector of a text is its length and the limit of tokens; its class is its first letter. Texts with {@code BAD} are refused. */
final class FakeEncoder implements TextEncoder {
    @Override
    public List<Embedding> embed(List<String> texts, EncodingOptions options) {
        return checked(texts).stream()
                .map(text -> new Embedding(
                        new float[] {text.length(), options.maxTokens()},
                        text.length(),
                        text.length() > 9,
                        texts.size()))
                .toList();
    }

    @Override
    public List<Classification> classify(List<String> texts, EncodingOptions options) {
        return checked(texts).stream()
                .map(text -> new Classification(
                        List.of(new Score(text.substring(0, 1), 0.75f), new Score("other", 0.25f)),
                        text.length(),
                        false,
                        texts.size()))
                .toList();
    }

    private static List<String> checked(List<String> texts) {
        for (String text : texts) {
            if (text.contains("BAD")) {
                throw new KindlingException(ErrorCode.TOKENIZER, "a bad text");
            }
        }
        return texts;
    }
}
