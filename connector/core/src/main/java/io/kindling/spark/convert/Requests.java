package io.kindling.spark.convert;

import io.kindling.engine.GenerationOptions;
import io.kindling.engine.GenerationRequest;
import io.kindling.engine.GenerationRequest.Prompt;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Makes requests of prompts. */
public final class Requests {
    private Requests() {}

    /** @param key what names the row's random stream and the row in messages; without it the prompt does */
    public static GenerationRequest of(Prompt prompt, Optional<String> key, GenerationOptions options) {
        OptionalLong rowKey = key.isPresent() ? OptionalLong.of(hash(key.get())) : OptionalLong.empty();
        return new GenerationRequest(key.orElse(""), prompt, options, rowKey, List.of(), 0);
    }

    /** The first eight bytes of the key's SHA-256: stable, and far apart for keys that are near. */
    private static long hash(String key) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(digest).getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
