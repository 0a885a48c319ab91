package io.kindling.spark.convert;

import io.kindling.engine.GenerationOptions;
import io.kindling.engine.GenerationRequest;
import io.kindling.engine.GenerationRequest.Prompt;
import io.kindling.engine.Message;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Makes requests of prompts.
 *
 * @param chat whether a prompt is a user's message, rendered by the model's template
 * @param system the message before it
 */
public record RequestBuilder(boolean chat, Optional<String> system) implements Serializable {
    /** Optional is not serializable. */
    private record Form(boolean chat, String system) implements Serializable {
        private Object readResolve() {
            return new RequestBuilder(chat, Optional.ofNullable(system));
        }
    }

    private Object writeReplace() {
        return new Form(chat, system.orElse(null));
    }

    /** @param key what names the row's random stream and the row in messages; without it the prompt does */
    public GenerationRequest request(String prompt, Optional<String> key, GenerationOptions options) {
        OptionalLong rowKey = key.isPresent() ? OptionalLong.of(hash(key.get())) : OptionalLong.empty();
        return new GenerationRequest(key.orElse(""), toPrompt(prompt), options, rowKey, List.of(), 0);
    }

    private Prompt toPrompt(String text) {
        if (!chat) {
            return new Prompt.Text(text);
        }
        List<Message> messages = new ArrayList<>();
        system.ifPresent(content -> messages.add(Message.of("system", content)));
        messages.add(Message.of("user", text));
        return new Prompt.Chat(messages);
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
