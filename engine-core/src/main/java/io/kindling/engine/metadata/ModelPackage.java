package io.kindling.engine.metadata;

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
 * @param chatTemplate the template's text
 * @param bosToken text of the begin token, which templates read
 * @param eosToken text of the end token, which templates read
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
        Optional<String> chatTemplate,
        Optional<String> bosToken,
        Optional<String> eosToken,
        List<String> warnings) {

    public ModelPackage {
        stopIds = Set.copyOf(stopIds);
        warnings = List.copyOf(warnings);
    }
}
