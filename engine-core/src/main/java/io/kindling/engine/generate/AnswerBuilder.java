package io.kindling.engine.generate;

import io.kindling.engine.GenerationResult;
import io.kindling.engine.GenerationResult.FinishReason;
import io.kindling.engine.GenerationResult.TokenLogit;
import io.kindling.engine.text.IncrementalDetokenizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Collects the tokens of one answer, turns them into text and finds its end. */
final class AnswerBuilder {
    private final Job job;
    private final Set<Integer> stopIds;
    private final IncrementalDetokenizer detokenizer;
    private final List<Integer> tokens = new ArrayList<>();
    private final List<List<TokenLogit>> logits = new ArrayList<>();
    private final StringBuilder text = new StringBuilder();
    private final int longestStop;
    private int searchFrom;
    private FinishReason finish;

    AnswerBuilder(Job job, Set<Integer> stopIds, IncrementalDetokenizer detokenizer) {
        this.job = job;
        this.stopIds = job.options.ignoreEos() ? Set.of() : stopIds;
        this.detokenizer = detokenizer;
        longestStop = job.options.stop().stream().mapToInt(String::length).max().orElse(0);
        if (job.maxNewTokens == 0) {
            finish = FinishReason.LENGTH;
        }
    }

    int size() {
        return tokens.size();
    }

    boolean isFinished() {
        return finish != null;
    }

    void addLogits(List<TokenLogit> step) {
        logits.add(step);
    }

    /** Takes the next token. */
    void add(int token) {
        tokens.add(token);
        boolean forced = tokens.size() < Math.min(job.forceIds.length, job.maxNewTokens);
        boolean stops = stopIds.contains(token);
        if (!stops || forced) {
            text.append(detokenizer.add(token));
        }
        if (forced) {
            return;
        }
        if (stops || endsWithStopText()) {
            finish = FinishReason.STOP;
        } else if (tokens.size() >= job.maxNewTokens) {
            finish = FinishReason.LENGTH;
        }
    }

    /** Looks for the earliest stop text that the newest piece may have completed, and cuts it off. */
    private boolean endsWithStopText() {
        if (longestStop == 0) {
            return false;
        }
        int earliest = -1;
        for (String stop : job.options.stop()) {
            int at = stop.isEmpty() ? -1 : text.indexOf(stop, searchFrom);
            if (at >= 0 && (earliest < 0 || at < earliest)) {
                earliest = at;
            }
        }
        searchFrom = Math.max(0, text.length() - longestStop + 1);
        if (earliest >= 0) {
            text.setLength(earliest);
        }
        return earliest >= 0;
    }

    /** The answer, under the id of one who waits for it. */
    GenerationResult result(String id) {
        return new GenerationResult(
                id, Job.boxed(job.prompt), tokens, text.toString(), finish, logits, Optional.empty());
    }
}
