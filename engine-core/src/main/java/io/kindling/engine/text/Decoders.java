package io.kindling.engine.text;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Reads a {@code decoder} section as stages. */
final class Decoders {
    private final List<DecoderStep> steps = new ArrayList<>();
    /** Whether the stages so far have joined the tokens. */
    private boolean fused;

    private Decoders() {}

    /**
     * The stages of a decoder and of the clean-up behind it, in their initial state; empty where the decoder has a stage that
     * cannot work on parts.
     *
     * @param decoder the section; null or missing joins tokens with spaces
     */
    static Optional<List<DecoderStep>> steps(JsonNode decoder, boolean cleanUp) {
        Decoders reader = new Decoders();
        boolean known = decoder.isObject() ? reader.add(decoder) : reader.addJoin();
        if (!known) {
            return Optional.empty();
        }
        if (cleanUp) {
            CleanUp.TRANSFORMERS.forEach(
                    pass -> reader.steps.add(new TextSteps.Replace(pass.pattern(), pass.content())));
        }
        return Optional.of(List.copyOf(reader.steps));
    }

    private boolean addJoin() {
        return tokens(new TokenSteps.FirstAndOthers(UnaryOperator.identity(), token -> " " + token));
    }

    private boolean add(JsonNode decoder) {
        return switch (decoder.path("type").asText()) {
            case "Sequence" -> {
                for (JsonNode part : decoder.path("decoders")) {
                    if (!add(part)) {
                        yield false;
                    }
                }
                yield true;
            }
            case "Fuse" -> {
                fused = true;
                yield true;
            }
            case "ByteLevel" -> {
                boolean known = tokens(new TokenSteps.Bytes());
                fused = true;
                yield known;
            }
            case "ByteFallback" -> tokens(new TokenSteps.ByteRuns());
            case "BPEDecoder" ->
                tokens(new TokenSteps.WordEnds(decoder.path("suffix").asText()));
            case "WordPiece" -> tokens(wordPiece(decoder));
            case "Metaspace" -> tokens(metaspace(decoder));
            case "CTC" -> tokens(ctc(decoder));
            case "Replace" -> replace(decoder);
            case "Strip" -> strip(decoder);
            default -> false;
        };
    }

    /** Stages over tokens make no sense of parts. */
    private boolean tokens(DecoderStep step) {
        steps.add(step);
        return !fused;
    }

    private static DecoderStep wordPiece(JsonNode decoder) {
        String prefix = decoder.path("prefix").asText();
        UnaryOperator<String> clean =
                decoder.path("cleanup").asBoolean() ? CleanUp::wordPiece : UnaryOperator.identity();
        return new TokenSteps.FirstAndOthers(
                clean, token -> clean.apply(token.startsWith(prefix) ? token.substring(prefix.length()) : " " + token));
    }

    private static DecoderStep metaspace(JsonNode decoder) {
        String mark = decoder.path("replacement").asText();
        boolean prepended = !decoder.path("prepend_scheme").asText("always").equals("never")
                && decoder.path("add_prefix_space").asBoolean(true);
        return new TokenSteps.FirstAndOthers(
                token -> token.replace(mark, prepended ? "" : " "), token -> token.replace(mark, " "));
    }

    private static DecoderStep ctc(JsonNode decoder) {
        String padding = decoder.path("pad_token").asText();
        String space = decoder.path("word_delimiter_token").asText();
        boolean clean = decoder.path("cleanup").asBoolean();
        return new TokenSteps.Collapse(token -> {
            String text = token.replace(padding, "");
            return clean ? CleanUp.wordPiece(text).replace(space, " ") : text;
        });
    }

    private boolean replace(JsonNode decoder) {
        String pattern = decoder.path("pattern").path("String").asText();
        String content = decoder.path("content").asText();
        if (pattern.isEmpty()) {
            return false;
        }
        steps.add(
                fused
                        ? new TextSteps.Replace(pattern, content)
                        : new TokenSteps.Each(token -> token.replace(pattern, content)));
        return true;
    }

    private boolean strip(JsonNode decoder) {
        String content = decoder.path("content").asText();
        int atStart = decoder.path("start").asInt();
        int atEnd = decoder.path("stop").asInt();
        if (content.length() != 1) {
            return false;
        }
        char c = content.charAt(0);
        steps.add(
                fused
                        ? new TextSteps.Strip(c, atStart, atEnd)
                        : new TokenSteps.Each(token -> strip(token, c, atStart, atEnd)));
        return true;
    }

    private static String strip(String token, char content, int atStart, int atEnd) {
        int start = 0;
        while (start < Math.min(atStart, token.length()) && token.charAt(start) == content) {
            start++;
        }
        int end = token.length();
        while (end > start && token.length() - end < atEnd && token.charAt(end - 1) == content) {
            end--;
        }
        return token.substring(start, end);
    }
}
