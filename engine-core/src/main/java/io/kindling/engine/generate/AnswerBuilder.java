package io.kindling.engine.generate;

import io.kindling.engine.GenerationResult;
import io.kindling.engine.GenerationResult.FinishReason;
import io.kindling.engine.GenerationResult.TokenLogit;
import io.kindling.engine.sample.StopMatcher;
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
    private final StopMatcher stops;
    private FinishReason finish;

    AnswerBuilder(Job job, Set<Integer> stopIds, IncrementalDetokenizer detokenizer) {
        this.job = job;
        this.stopIds = job.options.ignoreEos() ? Set.of() : stopIds;
        this.detokenizer = detokenizer;
        stops = new StopMatcher(job.options.stop());
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
        boolean atStopId = stopIds.contains(token);
        if (!atStopId || forced) {
            text.append(stops.add(detokenizer.add(token)));
        }
        if (forced) {
            return;
        }
        if (atStopId || stops.stopped()) {
            finish = FinishReason.STOP;
        } else if (tokens.size() >= job.maxNewTokens) {
            finish = FinishReason.LENGTH;
        }
        if (finish != null && !stops.stopped()) {
            text.append(stops.finish());
        }
    }

    /** The answer, under the id of one who waits for it. */
    GenerationResult result(String id) {
        return new GenerationResult(
                id, Job.boxed(job.prompt), tokens, text.toString(), finish, logits, Optional.empty());
    }
}
