package io.kindling.engine;

import java.util.List;
import java.util.OptionalLong;

/**
 * One text to generate.
 *
 * @param id the caller's name for it, in results and messages
 * @param rowKey key of the sampler's random stream; when absent, the hash of the rendered prompt
 * @param forceIds token ids fed instead of the chosen ones, to their end; a stop id does not end them. Empty: none
 * @param topLogits how many raw logits to report per step; 0 for none
 */
public record GenerationRequest(
        String id,
        Prompt prompt,
        GenerationOptions options,
        OptionalLong rowKey,
        List<Integer> forceIds,
        int topLogits) {

    /** What to continue. */
    public sealed interface Prompt {
        /**
         * Raw text: encoded with the tokenizer's own BOS policy.
         *
         * @param specialTokens whether special tokens written out in it take effect; else they are ordinary text
         */
        record Text(String text, boolean specialTokens) implements Prompt {
            public Text(String text) {
                this(text, false);
            }
        }

        /** Token ids, fed as they are. */
        record Ids(List<Integer> ids) implements Prompt {
            public Ids {
                ids = List.copyOf(ids);
            }
        }

        /** Chat messages, rendered by a template as the options say and encoded without automatic specials. */
        record Chat(List<Message> messages, PromptOptions options) implements Prompt {
            public Chat {
                messages = List.copyOf(messages);
            }
        }
    }

    public GenerationRequest {
        forceIds = List.copyOf(forceIds);
    }

    public static GenerationRequest of(String id, Prompt prompt, GenerationOptions options) {
        return new GenerationRequest(id, prompt, options, OptionalLong.empty(), List.of(), 0);
    }
}
