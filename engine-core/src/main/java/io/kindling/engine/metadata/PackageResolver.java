package io.kindling.engine.metadata;

import com.fasterxml.jackson.databind.JsonNode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.text.ChatTemplates;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Interprets the files of a package. Ports come from the first source that speaks of them: {@code inference_metadata}, then
 * {@code genai_config.json}, then {@code config.json} with the exporters' port names, then tensor shapes alone.
 */
public final class PackageResolver {
    private static final String BARE = "tensor shapes of the bare graph";
    /** Tokenizers without a limit write a number like 1e30. */
    private static final int LARGEST_PLAUSIBLE_CONTEXT = 1 << 30;

    private PackageResolver() {}

    /**
     * Resolves a package whose graph has been loaded.
     *
     * @throws io.kindling.engine.error.ModelException when a metadata file is malformed or contradicts the graph, naming file and field
     */
    public static ModelPackage resolve(PackageFiles files, OnnxModel graph) {
        List<String> warnings = new ArrayList<>();
        Resolution ports = ports(files, new Ports(graph.graph()), warnings);
        ChatTemplates templates = TextFiles.templates(files);
        return new ModelPackage(
                files.root(),
                files.modelFile(),
                ports.rule(),
                ports.decoder(),
                ports.problem(),
                contextLength(files),
                StopTokens.ids(files, templates, warnings),
                files.tokenizerFile(),
                templates,
                warnings);
    }

    private static Resolution ports(PackageFiles files, Ports ports, List<String> warnings) {
        files.sidecar().ifPresent(Sidecar::checkFields);
        if (files.sidecar().filter(Sidecar::describesPorts).isPresent()) {
            return Sidecar.resolve(files.sidecar().get(), ports);
        }
        if (files.genaiConfig().isPresent()) {
            return GenaiConfig.resolve(files.genaiConfig().get(), ports, warnings);
        }
        if (files.config().isPresent()) {
            return ConventionalPorts.resolve(files.config().get(), ports);
        }
        return bare(ports);
    }

    /** A bare graph has no states that could be told from other inputs: at best the problem says what to declare. */
    private static Resolution bare(Ports ports) {
        try {
            String token = ShapeRules.tokenInput(ports, new HashSet<>());
            String logits = ShapeRules.logitsOutput(ports, new HashSet<>());
            return Resolution.none(
                    BARE,
                    "decoding requires explicit decoder state (token input '" + token + "', logits '" + logits
                            + "' were found by shape); declare kv_inputs and kv_outputs (or state_pairs) in model.io of "
                            + "inference_metadata.yaml");
        } catch (KindlingException ambiguous) {
            return Resolution.none(BARE, ambiguous.getMessage());
        }
    }

    private static OptionalInt contextLength(PackageFiles files) {
        OptionalInt length = files.sidecar()
                .map(file -> file.size("model.max_sequence_length"))
                .orElse(OptionalInt.empty());
        if (length.isEmpty()) {
            length = files.genaiConfig().map(GenaiConfig::contextLength).orElse(OptionalInt.empty());
        }
        if (length.isEmpty()) {
            length = files.config()
                    .map(file -> ConventionalPorts.first(
                            file,
                            "max_position_embeddings",
                            "n_positions",
                            "n_ctx",
                            "max_sequence_length",
                            "seq_length"))
                    .orElse(OptionalInt.empty());
        }
        return length.isPresent() ? length : tokenizerLimit(files.tokenizerConfig());
    }

    /** {@code model_max_length}, unless it only says that there is no limit. */
    static OptionalInt tokenizerLimit(Optional<MetadataFile> tokenizerConfig) {
        JsonNode limit = tokenizerConfig
                .map(file -> file.at("model_max_length"))
                .filter(JsonNode::isNumber)
                .orElse(null);
        return limit == null || limit.doubleValue() < 1 || limit.doubleValue() > LARGEST_PLAUSIBLE_CONTEXT
                ? OptionalInt.empty()
                : OptionalInt.of(limit.intValue());
    }
}
