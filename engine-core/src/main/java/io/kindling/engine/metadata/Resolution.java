package io.kindling.engine.metadata;

import java.util.Optional;

/**
 * What one source of metadata says of the ports.
 *
 * @param rule the source, in words
 * @param problem why there is no decoder
 */
record Resolution(String rule, Optional<DecoderIo> decoder, Optional<String> problem) {
    static Resolution decoder(String rule, DecoderIo io) {
        return new Resolution(rule, Optional.of(io), Optional.empty());
    }

    static Resolution none(String rule, String problem) {
        return new Resolution(rule, Optional.empty(), Optional.of(problem));
    }
}
