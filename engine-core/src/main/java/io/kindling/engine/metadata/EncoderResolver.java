package io.kindling.engine.metadata;

import com.fasterxml.jackson.databind.JsonNode;
import io.kindling.engine.EncodingOptions.Pooling;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.ir.ValueType.TensorType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Finds what a graph is as a text encoder: ports by the names that exporters give them, habits from the files of
 * sentence-transformers ({@code modules.json}, {@code 1_Pooling/config.json}, {@code sentence_bert_config.json}) and from
 * {@code config.json}.
 */
public final class EncoderResolver {
    private static final String TOKENS = "input_ids";
    private static final List<String> TOKEN_STATES = List.of("last_hidden_state", "token_embeddings", "hidden_states");
    private static final List<String> POOLED = List.of("sentence_embedding", "text_embeds", "embeddings");
    private static final List<String> CLASSES = List.of("logits");
    /** Families whose position 0 is that of the padding token, so that two of their positions hold no token. */
    private static final Set<String> POSITIONS_AFTER_PADDING =
            Set.of("roberta", "xlm-roberta", "camembert", "mpnet", "longformer", "xmod", "roberta-prelayernorm");

    private EncoderResolver() {}

    /**
     * @param root the package's folder
     * @throws KindlingException UNSUPPORTED when the graph takes no token ids or inputs that no text gives
     * @throws io.kindling.engine.error.ModelException when a metadata file is malformed
     */
    public static EncoderIo resolve(Path root, OnnxModel graph) {
        Ports ports = new Ports(graph.graph());
        if (!ports.inputs().contains(TOKENS)) {
            throw new KindlingException(
                    ErrorCode.UNSUPPORTED,
                    "the model in '" + root + "' is no text encoder: its graph has no input 'input_ids', only "
                            + ports.inputs() + "; run takes any graph");
        }
        refuseOthers(root, ports);
        Optional<MetadataFile> config = MetadataFile.json(root.resolve("config.json"));
        Optional<Modules> modules = Modules.read(root);
        Optional<String> tokenStates = named(ports, TOKEN_STATES, 3).or(() -> only(ports, 3));
        Optional<String> pooled = named(ports, POOLED, 2);
        return new EncoderIo(
                TOKENS,
                present(ports, "attention_mask"),
                present(ports, "token_type_ids"),
                present(ports, "position_ids"),
                tokenStates,
                pooled,
                named(ports, CLASSES, 2).or(() -> onlyClasses(ports, tokenStates, pooled)),
                modules.flatMap(Modules::pooling),
                modules.map(Modules::normalizes),
                maxTokens(root, config),
                config.map(file -> file.integer("pad_token_id").orElse(0)).orElse(0),
                config.map(EncoderResolver::labels).orElse(List.of()),
                config.flatMap(file -> file.text("problem_type"))
                        .filter("multi_label_classification"::equals)
                        .isPresent());
    }

    private static void refuseOthers(Path root, Ports ports) {
        List<String> known = List.of(TOKENS, "attention_mask", "token_type_ids", "position_ids");
        for (String input : ports.inputs()) {
            if (!known.contains(input)) {
                throw new KindlingException(
                        ErrorCode.UNSUPPORTED,
                        "the model in '" + root + "' is no plain text encoder: its input '" + input
                                + "' comes from no tokenizer; text encoders take " + known
                                + "; generate and chat take decoders, run takes any graph");
            }
        }
    }

    private static Optional<String> present(Ports ports, String input) {
        return Optional.of(input).filter(ports.inputs()::contains);
    }

    /** The first output of these names and this rank. */
    private static Optional<String> named(Ports ports, List<String> names, int rank) {
        return names.stream()
                .filter(ports.outputs()::contains)
                .filter(name -> rank(ports, name).orElse(rank) == rank)
                .findFirst();
    }

    /** A graph that gives nothing but one vector a text and does not call it an embedding is taken for a classifier. */
    private static Optional<String> onlyClasses(Ports ports, Optional<String> tokenStates, Optional<String> pooled) {
        return tokenStates.isEmpty() && pooled.isEmpty() ? only(ports, 2) : Optional.empty();
    }

    /** The output of this rank, where there is just one. */
    private static Optional<String> only(Ports ports, int rank) {
        List<String> found = ports.outputs().stream()
                .filter(name -> rank(ports, name).equals(OptionalInt.of(rank)))
                .toList();
        return found.size() == 1 ? Optional.of(found.get(0)) : Optional.empty();
    }

    private static OptionalInt rank(Ports ports, String output) {
        return ports.outputType(output)
                .flatMap(TensorType::shape)
                .map(shape -> OptionalInt.of(shape.size()))
                .orElse(OptionalInt.empty());
    }

    /** What sentence-transformers is told, else the lesser limit of tokenizer and positions, as it takes then, else that of {@code tokenizer.json}. */
    private static OptionalInt maxTokens(Path root, Optional<MetadataFile> config) {
        OptionalInt told = size(MetadataFile.json(root.resolve("sentence_bert_config.json")), "max_seq_length");
        if (told.isPresent()) {
            return told;
        }
        OptionalInt limit = PackageResolver.tokenizerLimit(MetadataFile.json(root.resolve("tokenizer_config.json")));
        OptionalInt positions = positions(config);
        if (limit.isPresent() && positions.isPresent()) {
            return OptionalInt.of(Math.min(limit.getAsInt(), positions.getAsInt()));
        }
        if (limit.isPresent() || positions.isPresent()) {
            return limit.isPresent() ? limit : positions;
        }
        return size(MetadataFile.json(root.resolve("tokenizer.json")), "truncation.max_length");
    }

    /** How many tokens have a position; some families begin to count behind the padding token. */
    private static OptionalInt positions(Optional<MetadataFile> config) {
        OptionalInt declared = size(config, "max_position_embeddings");
        boolean afterPadding = config.flatMap(file -> file.text("model_type"))
                .filter(POSITIONS_AFTER_PADDING::contains)
                .isPresent();
        return declared.isPresent() && afterPadding ? OptionalInt.of(declared.getAsInt() - 2) : declared;
    }

    private static OptionalInt size(Optional<MetadataFile> file, String field) {
        return file.isPresent() ? file.get().size(field) : OptionalInt.empty();
    }

    /** {@code id2label}, in the order of the ids; ids without a label are {@code LABEL_n}, as Hugging Face names them. */
    private static List<String> labels(MetadataFile config) {
        JsonNode names = config.at("id2label");
        List<String> labels = new ArrayList<>();
        for (int id = 0; id < names.size(); id++) {
            labels.add(names.path(String.valueOf(id)).asText("LABEL_" + id));
        }
        return labels;
    }

    /** The layers of a sentence-transformers package. */
    private record Modules(Optional<Pooling> pooling, boolean normalizes) {
        static Optional<Modules> read(Path root) {
            return MetadataFile.array(root.resolve("modules.json")).map(file -> {
                Optional<Pooling> pooling = Optional.empty();
                boolean normalizes = false;
                for (JsonNode module : file.at("items")) {
                    String type = module.path("type").asText();
                    String kind = type.substring(type.lastIndexOf('.') + 1);
                    switch (kind) {
                        case "Transformer" -> {}
                        case "Normalize" -> normalizes = true;
                        case "Pooling" ->
                            pooling = pooling(
                                    file,
                                    file.path(root, "path", module.path("path").asText()));
                        default ->
                            throw file.unsupported(
                                    "type",
                                    "the package has a layer '" + type
                                            + "' outside its graph; export it with the graph, as a sentence_embedding");
                    }
                }
                return new Modules(pooling, normalizes);
            });
        }

        private static Optional<Pooling> pooling(MetadataFile modules, Path folder) {
            MetadataFile config = MetadataFile.json(folder.resolve("config.json"))
                    .orElseThrow(() -> modules.invalid("path", "names '" + folder + "', which holds no config.json"));
            Optional<Pooling> chosen = Optional.empty();
            for (Mode mode : Mode.values()) {
                if (config.at(mode.field).asBoolean(false)) {
                    if (chosen.isPresent() || mode.pooling == null) {
                        throw config.unsupported(
                                mode.field, "this way of pooling, or several at once, is not supported");
                    }
                    chosen = Optional.of(mode.pooling);
                }
            }
            return chosen;
        }
    }

    private enum Mode {
        CLS("pooling_mode_cls_token", Pooling.CLS),
        MEAN("pooling_mode_mean_tokens", Pooling.MEAN),
        MAX("pooling_mode_max_tokens", Pooling.MAX),
        LAST("pooling_mode_lasttoken", Pooling.LAST_TOKEN),
        MEAN_SQRT("pooling_mode_mean_sqrt_len_tokens", null),
        WEIGHTED("pooling_mode_weightedmean_tokens", null);

        final String field;
        final Pooling pooling;

        Mode(String field, Pooling pooling) {
            this.field = field;
            this.pooling = pooling;
        }
    }
}
