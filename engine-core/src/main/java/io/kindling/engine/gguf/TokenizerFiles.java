package io.kindling.engine.gguf;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/** The tokenizer's part of a package, from the {@code tokenizer.*} metadata. */
record TokenizerFiles(ObjectNode tokenizer, ObjectNode settings, ChatTemplates templates, SpecialTokens tokens) {
    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
    private static final String PRE = "tokenizer.ggml.pre";

    /** Byte pair encodings that write spaces as SentencePiece does, though files call them byte-level. */
    private static final Set<String> WITHOUT_BYTE_LEVEL = Set.of("gemma4", "granite-embed-multi-311m", "sarvam-moe");
    /** Models of the RoBERTa kind put their begin and end tokens around every text. */
    private static final Set<String> ENCLOSING = Set.of("roberta-bpe", "jina-v1-en", "jina-v2-code");

    /**
     * Rebuilds what a file has of its model's tokenizer.
     *
     * @param rows of the embedding
     * @param context most tokens of a text
     * @param forcedPre to be taken instead of what {@code tokenizer.ggml.pre} says
     * @throws io.kindling.engine.error.ModelException MODEL_INVALID for damaged metadata, UNSUPPORTED for a kind of tokenizer
     *     or of splitting that is not known, each naming the metadata key
     */
    static TokenizerFiles of(GgufFile file, int rows, int context, Optional<String> forcedPre) {
        Vocabulary vocabulary = Vocabulary.of(file, rows);
        String architecture = file.require("general.architecture", String.class);
        String model = file.require("tokenizer.ggml.model", String.class);
        SpecialTokens special;
        ObjectNode tokenizer;
        switch (model) {
            case "gpt2" -> {
                Optional<String> pre = forcedPre.or(() -> file.find(PRE, String.class));
                if (pre.filter(WITHOUT_BYTE_LEVEL::contains).isPresent()) {
                    special = SpecialTokens.of(vocabulary, false, false);
                    tokenizer = SentencePieceTokenizer.withMerges(vocabulary, architecture, special);
                } else {
                    PreTokenizers splitting = splitting(file, pre);
                    boolean encloses = pre.filter(ENCLOSING::contains).isPresent();
                    special = SpecialTokens.of(vocabulary, encloses || splitting.addsBegin(), encloses);
                    tokenizer = ByteLevelTokenizer.json(vocabulary, splitting, special);
                }
            }
            case "llama" -> {
                special = SpecialTokens.of(vocabulary, true, false);
                tokenizer = SentencePieceTokenizer.json(vocabulary, architecture, special);
            }
            case "gemma4" -> {
                // Its templates write the begin token, and its own tokenizer adds none, whatever files say.
                special = SpecialTokens.of(vocabulary, false, false).withoutBegin();
                tokenizer = SentencePieceTokenizer.withMerges(vocabulary, architecture, special);
            }
            case "t5" -> {
                special = SpecialTokens.of(vocabulary, false, true);
                tokenizer = UnigramTokenizer.json(vocabulary, architecture, special);
            }
            case "bert" -> {
                special = SpecialTokens.of(vocabulary, true, false);
                tokenizer = WordPieceTokenizer.json(vocabulary, special);
            }
            default ->
                throw file.unsupported(
                        "metadata tokenizer.ggml.model",
                        "is '" + model + "'; gpt2 (byte-level BPE), llama (SentencePiece BPE), gemma4, t5 (unigram) and"
                                + " bert (WordPiece) are converted");
        }
        ChatTemplates templates = ChatTemplates.of(file);
        ObjectNode settings = settings(vocabulary, special, context);
        templates.describe(settings);
        return new TokenizerFiles(tokenizer, settings, templates, special);
    }

    private static PreTokenizers splitting(GgufFile file, Optional<String> pre) {
        String remedy =
                "; a text split in another way than in training gives wrong tokens. If the model splits like one that"
                        + " is known, convert with its name as --pre-tokenizer (such as llama-bpe, qwen2 or gpt-2)";
        String name = pre.orElseThrow(() -> file.unsupported("metadata " + PRE, "is missing" + remedy));
        return PreTokenizers.of(name)
                .orElseThrow(
                        () -> file.unsupported("metadata " + PRE, "is '" + name + "', which is not known" + remedy));
    }

    private static ObjectNode settings(Vocabulary vocabulary, SpecialTokens special, int context) {
        ObjectNode settings = JsonNodeFactory.instance.objectNode();
        settings.put("add_bos_token", special.addBegin()).put("add_eos_token", special.addEnd());
        special.begin().ifPresent(id -> settings.put("bos_token", vocabulary.token(id)));
        special.end().ifPresent(id -> settings.put("eos_token", vocabulary.token(id)));
        special.padding().ifPresent(id -> settings.put("pad_token", vocabulary.token(id)));
        special.unknown().ifPresent(id -> settings.put("unk_token", vocabulary.token(id)));
        special.separator().ifPresent(id -> settings.put("sep_token", vocabulary.token(id)));
        special.mask().ifPresent(id -> settings.put("mask_token", vocabulary.token(id)));
        return settings.put("clean_up_tokenization_spaces", false)
                .put("model_max_length", context)
                .put("tokenizer_class", "PreTrainedTokenizerFast");
    }

    void write(Path folder) throws IOException {
        JSON.writeValue(folder.resolve("tokenizer.json").toFile(), tokenizer);
        JSON.writeValue(folder.resolve("tokenizer_config.json").toFile(), settings);
        templates.write(folder);
    }
}
