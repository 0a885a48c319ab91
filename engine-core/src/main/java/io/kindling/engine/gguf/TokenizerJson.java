package io.kindling.engine.gguf;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Builds {@code tokenizer.json} (the format of Hugging Face tokenizers) from a vocabulary: byte-level BPE
 * ({@code tokenizer.ggml.model} = {@code gpt2}) or SentencePiece BPE ({@code llama}).
 */
final class TokenizerJson {
    private static final long CONTROL = 3;
    private static final long USER_DEFINED = 4;
    private static final long BYTE = 6;
    private static final String SPACE = "\u2581";

    private final GgufFile file;
    private final List<String> tokens;
    private final List<Long> types;
    private final ObjectNode root = JsonNodeFactory.instance.objectNode();

    TokenizerJson(GgufFile file, List<String> tokens, List<Long> types) {
        this.file = file;
        this.tokens = tokens;
        this.types = types;
    }

    ObjectNode byteLevel(String pre, SpecialTokens special) {
        head();
        root.putNull("normalizer");
        root.set(
                "pre_tokenizer",
                PreTokenizers.of(pre)
                        .orElseThrow(() -> file.unsupported(
                                "metadata tokenizer.ggml.pre",
                                "is '" + pre + "', a way of splitting texts that this converter does not know")));
        postProcessor(special);
        root.putObject("decoder")
                .put("type", "ByteLevel")
                .put("add_prefix_space", true)
                .put("trim_offsets", true)
                .put("use_regex", true);
        ObjectNode model = model(PreTokenizers.ignoresMerges(pre), false);
        ArrayNode merges = model.putArray("merges");
        Set<String> known = new HashSet<>(tokens);
        for (Object entry : file.require("tokenizer.ggml.merges", List.class)) {
            String merge = entry instanceof String text ? text : "";
            int space = merge.indexOf(' ', 1);
            if (space < 0
                    || !known.contains(merge.substring(0, space))
                    || !known.contains(merge.substring(space + 1))
                    || !known.contains(merge.substring(0, space) + merge.substring(space + 1))) {
                throw file.invalid(
                        "metadata tokenizer.ggml.merges", "'" + entry + "' does not join two tokens to a third");
            }
            merges.add(merge);
        }
        return root;
    }

    ObjectNode sentencePiece(boolean prefixSpace, SpecialTokens special) {
        head();
        ObjectNode normalizer = root.putObject("normalizer").put("type", "Sequence");
        ArrayNode steps = normalizer.putArray("normalizers");
        if (prefixSpace) {
            steps.addObject().put("type", "Prepend").put("prepend", SPACE);
        }
        ObjectNode replace = steps.addObject().put("type", "Replace");
        replace.putObject("pattern").put("String", " ");
        replace.put("content", SPACE);
        root.putNull("pre_tokenizer");
        postProcessor(special);
        ArrayNode decoders = root.putObject("decoder").put("type", "Sequence").putArray("decoders");
        ObjectNode back = decoders.addObject().put("type", "Replace");
        back.putObject("pattern").put("String", SPACE);
        back.put("content", " ");
        decoders.addObject().put("type", "ByteFallback");
        decoders.addObject().put("type", "Fuse");
        if (prefixSpace) {
            decoders.addObject()
                    .put("type", "Strip")
                    .put("content", " ")
                    .put("start", 1)
                    .put("stop", 0);
        }
        ObjectNode model = model(false, types.contains(BYTE));
        special.unknown().ifPresent(id -> model.put("unk_token", tokens.get(id)).put("fuse_unk", true));
        ArrayNode merges = model.putArray("merges");
        mergesByScore().forEach(merges::add);
        return root;
    }

    /** SentencePiece joins the pair whose result has the best score: merges in the order of their results' scores. */
    private List<String> mergesByScore() {
        record Merge(String pair, double score, int left, int right) {}
        List<?> scores = file.require("tokenizer.ggml.scores", List.class);
        if (scores.size() != tokens.size()) {
            throw file.invalid(
                    "metadata tokenizer.ggml.scores",
                    "has " + scores.size() + " entries for " + tokens.size() + " tokens");
        }
        Map<String, Integer> ids = new HashMap<>();
        for (int id = 0; id < tokens.size(); id++) {
            if (types.get(id) != CONTROL && types.get(id) != BYTE) {
                ids.putIfAbsent(tokens.get(id), id);
            }
        }
        List<Merge> merges = new ArrayList<>();
        for (Map.Entry<String, Integer> entry : ids.entrySet()) {
            String token = entry.getKey();
            if (!(scores.get(entry.getValue()) instanceof Double score)) {
                throw file.invalid("metadata tokenizer.ggml.scores", "is no list of floats");
            }
            for (int at = token.offsetByCodePoints(0, Math.min(1, token.length()));
                    at < token.length();
                    at = token.offsetByCodePoints(at, 1)) {
                Integer left = ids.get(token.substring(0, at));
                Integer right = ids.get(token.substring(at));
                if (left != null && right != null) {
                    merges.add(new Merge(token.substring(0, at) + " " + token.substring(at), score, left, right));
                }
            }
        }
        merges.sort(Comparator.comparingDouble((Merge merge) -> -merge.score)
                .thenComparingInt(Merge::left)
                .thenComparingInt(Merge::right));
        return merges.stream().map(Merge::pair).toList();
    }

    private void head() {
        root.put("version", "1.0").putNull("truncation").putNull("padding");
        ArrayNode added = root.putArray("added_tokens");
        for (int id = 0; id < tokens.size(); id++) {
            long type = types.get(id);
            if (type == CONTROL || type == USER_DEFINED) {
                added.addObject()
                        .put("id", id)
                        .put("content", tokens.get(id))
                        .put("single_word", false)
                        .put("lstrip", false)
                        .put("rstrip", false)
                        .put("normalized", false)
                        .put("special", type == CONTROL);
            }
        }
    }

    private ObjectNode model(boolean ignoreMerges, boolean byteFallback) {
        ObjectNode model = root.putObject("model")
                .put("type", "BPE")
                .putNull("dropout")
                .putNull("unk_token")
                .put("continuing_subword_prefix", "")
                .put("end_of_word_suffix", "")
                .put("fuse_unk", false)
                .put("byte_fallback", byteFallback)
                .put("ignore_merges", ignoreMerges);
        ObjectNode vocabulary = model.putObject("vocab");
        for (int id = 0; id < tokens.size(); id++) {
            if (vocabulary.has(tokens.get(id))) {
                throw file.invalid("metadata tokenizer.ggml.tokens", "has '" + tokens.get(id) + "' twice");
            }
            vocabulary.put(tokens.get(id), id);
        }
        return model;
    }

    /** Begin and end tokens around a text, where the model wants them. */
    private void postProcessor(SpecialTokens special) {
        ObjectNode template = root.putObject("post_processor").put("type", "TemplateProcessing");
        ArrayNode single = template.putArray("single");
        ArrayNode pair = template.putArray("pair");
        ObjectNode used = template.putObject("special_tokens");
        if (special.addBegin()) {
            String begin = tokens.get(special.begin().orElseThrow());
            piece(single, "SpecialToken", begin, 0);
            piece(pair, "SpecialToken", begin, 0);
            use(used, begin, special.begin().orElseThrow());
        }
        piece(single, "Sequence", "A", 0);
        piece(pair, "Sequence", "A", 0);
        piece(pair, "Sequence", "B", 1);
        if (special.addEnd()) {
            String end = tokens.get(special.end().orElseThrow());
            piece(single, "SpecialToken", end, 0);
            piece(pair, "SpecialToken", end, 1);
            use(used, end, special.end().orElseThrow());
        }
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
