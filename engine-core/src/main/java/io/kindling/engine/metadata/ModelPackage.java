package io.kindling.engine.metadata;

import io.kindling.engine.text.ChatTemplates;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * A model package with everything resolved.
 *
 * @param root the folder (or the folder of a bare file)
 * @param modelFile the graph to run
 * @param resolvedBy the rule that resolved the ports, in words for {@code inspect}
 * @param decoder present for generative models
 * @param decoderProblem why there is no decoder, for the message to those who want to generate
 * @param contextLength most tokens, prompt and answer together
 * @param stopIds union of the end tokens of all sources
 * @param tokenizerFile {@code tokenizer.json}
 * @param chatTemplates the templates and the special tokens that they read
 * @param warnings what was odd but harmless, such as unknown keys
 */
public record ModelPackage(
        Path root,
        Path modelFile,
        String resolvedBy,
        Optional<DecoderIo> decoder,
        Optional<String> decoderProblem,
        OptionalInt contextLength,
        Set<Integer> stopIds,
        Optional<Path> tokenizerFile,
        ChatTemplates chatTemplates,
        List<String> warnings) {

    public ModelPackage {
        stopIds = Set.copyOf(stopIds);
        warnings = List.copyOf(warnings);
    }
}
