package io.kindling.engine.generate;

import io.kindling.engine.GenerationOptions;
import io.kindling.engine.GenerationResult;
import io.kindling.engine.constrain.Grammar;
import io.kindling.engine.sample.RowKeys;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/** One answer to compute and those who wait for it. The waiters are guarded by the engine's lock. */
final class Job {
    /**
     * What makes two greedy requests equal.
     *
     * @param prompt the ids, compared by content
     */
    record Key(List<Integer> prompt, GenerationOptions options, List<Integer> forceIds, int topLogits) {}

    /** A request that gets the job's result under its own id. */
    record Waiter(ClientQueue client, String id, CompletableFuture<GenerationResult> future) {}

    final int[] prompt;
    final GenerationOptions options;
    final int[] forceIds;
    final int topLogits;
    final Optional<Grammar> grammar;
    final long rowKey;
    final int maxNewTokens;
    final List<Waiter> waiters = new ArrayList<>(1);

    /** Nobody waits any more; whoever runs the job drops it at the next step. */
    volatile boolean abandoned;

    /** @param grammar of what {@code options} hold the answer to; with it there are no forced ids */
    Job(
            int[] prompt,
            GenerationOptions options,
            List<Integer> forceIds,
            int topLogits,
            Optional<Grammar> grammar,
            OptionalLong rowKey,
            int contextLength) {
        this.prompt = prompt;
        this.options = options;
        this.forceIds = forceIds.stream().mapToInt(Integer::intValue).toArray();
        this.topLogits = topLogits;
        this.grammar = grammar;
        this.rowKey = rowKey.orElseGet(() -> RowKeys.of(prompt));
        int wanted = this.forceIds.length > 0 ? this.forceIds.length : options.maxNewTokens();
        maxNewTokens = Math.min(wanted, Math.max(0, contextLength - prompt.length));
    }

    /** Sampled answers depend on the row key, so only greedy ones are shared. */
    boolean isShareable() {
        return options.temperature() == 0;
    }

    Key key() {
        return new Key(boxed(prompt), options, boxed(forceIds), topLogits);
    }

    static List<Integer> boxed(int[] ids) {
        return Arrays.stream(ids).boxed().toList();
    }
}
