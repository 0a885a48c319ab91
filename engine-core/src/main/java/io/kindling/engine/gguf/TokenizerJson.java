package io.kindling.engine.gguf;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;

/** Puts the sections of {@code tokenizer.json} (the format of Hugging Face tokenizers) together. */
final class TokenizerJson {
    private final Vocabulary vocabulary;
    private final ObjectNode root = JsonNodeFactory.instance.objectNode();

    /** @param takesSpaces tells of the special tokens that swallow white space behind them */
    TokenizerJson(Vocabulary vocabulary, IntPredicate takesSpaces) {
        this.vocabulary = vocabulary;
        root.put("version", "1.0").putNull("truncation").putNull("padding");
        ArrayNode added = root.putArray("added_tokens");
        for (int id = 0; id < vocabulary.size(); id++) {
            long type = vocabulary.type(id);
            if (type == Vocabulary.CONTROL || type == Vocabulary.UNKNOWN || type == Vocabulary.USER_DEFINED) {
                added.addObject()
                        .put("id", id)
                        .put("content", vocabulary.token(id))
                        .put("single_word", false)
                        .put("lstrip", false)
                        .put("rstrip", takesSpaces.test(id))
                        .put("normalized", false)
                        .put("special", type != Vocabulary.USER_DEFINED);
            }
        }
    }

    TokenizerJson normalizer(Optional<ObjectNode> normalizer) {
        return section("normalizer", normalizer);
    }

    TokenizerJson preTokenizer(Optional<ObjectNode> preTokenizer) {
        return section("pre_tokenizer", preTokenizer);
    }

    TokenizerJson decoder(ObjectNode decoder) {
        return section("decoder", Optional.of(decoder));
    }

    /** Begin and end tokens around a text, where the model wants them. */
    TokenizerJson around(SpecialTokens special) {
        return around(
                special.addBegin() ? special.begin() : Optional.empty(),
                special.addEnd() ? special.end() : Optional.empty());
    }

    TokenizerJson around(Optional<Integer> begin, Optional<Integer> end) {
        ObjectNode template = TokenizerParts.node("TemplateProcessing");
        ArrayNode single = template.putArray("single");
        ArrayNode pair = template.putArray("pair");
        ObjectNode used = template.putObject("special_tokens");
        begin.map(vocabulary::token).ifPresent(token -> {
            piece(single, "SpecialToken", token, 0);
            piece(pair, "SpecialToken", token, 0);
            use(used, token, begin.get());
        });
        piece(single, "Sequence", "A", 0);
        piece(pair, "Sequence", "A", 0);
        piece(pair, "Sequence", "B", 1);
        end.map(vocabulary::token).ifPresent(token -> {
            piece(single, "SpecialToken", token, 0);
            piece(pair, "SpecialToken", token, 1);
            use(used, token, end.get());
        });
        return section("post_processor", Optional.of(template));
    }

    ObjectNode model(ObjectNode model) {
        root.set("model", model);
        return root;
    }

    /** A byte pair encoding; an unknown token stands for what it cannot write. */
    ObjectNode bytePairs(
            List<Vocabulary.Merge> merges, Optional<String> unknown, boolean byteFallback, boolean ignoreMerges) {
        ObjectNode model = TokenizerParts.node("BPE").putNull("dropout");
        unknown.ifPresentOrElse(token -> model.put("unk_token", token), () -> model.putNull("unk_token"));
        model.putNull("continuing_subword_prefix")
                .putNull("end_of_word_suffix")
                .put("fuse_unk", unknown.isPresent())
                .put("byte_fallback", byteFallback)
                .put("ignore_merges", ignoreMerges);
        vocabularyOf(model);
        ArrayNode list = model.putArray("merges");
        for (Vocabulary.Merge merge : merges) {
            list.addArray().add(merge.left()).add(merge.right());
        }
        return model(model);
    }

    /** {@code vocab}, an object of ids by text. */
    void vocabularyOf(ObjectNode model) {
        ObjectNode ids = model.putObject("vocab");
        for (int id = 0; id < vocabulary.size(); id++) {
            if (!vocabulary.isPlaceholder(id)) {
                ids.put(vocabulary.token(id), id);
            }
        }
    }

    private TokenizerJson section(String name, Optional<ObjectNode> section) {
        root.set(name, section.<JsonNode>map(present -> present).orElse(NullNode.instance));
        return this;
    }

    private static void piece(ArrayNode list, String kind, String id, int typeId) {
        list.addObject().putObject(kind).put("id", id).put("type_id", typeId);
    }

    private static void use(ObjectNode used, String token, int id) {
        ObjectNode entry = used.putObject(token).put("id", token);
        entry.putArray("ids").add(id);
        entry.putArray("tokens").add(token);
    }
}
