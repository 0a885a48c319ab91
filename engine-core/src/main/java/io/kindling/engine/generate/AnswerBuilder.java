package io.kindling.engine.generate;

import io.kindling.engine.GenerationResult;
import io.kindling.engine.GenerationResult.FinishReason;
import io.kindling.engine.GenerationResult.TokenLogit;
import io.kindling.engine.GenerationWork;
import io.kindling.engine.sample.StopMatcher;
import io.kindling.engine.text.IncrementalDetokenizer;
import io.kindling.engine.text.Tokenizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Collects the tokens of one answer, turns them into text and finds its end. */
final class AnswerBuilder {
    private final Job job;
    private final Set<Integer> stopIds;
    private final Tokenizer tokenizer;
    private final IncrementalDetokenizer detokenizer;
    private final List<Integer> tokens = new ArrayList<>();
    private final List<List<TokenLogit>> logits = new ArrayList<>();
    private final StringBuilder text = new StringBuilder();
    private final StopMatcher stops;
    private FinishReason finish;
    private boolean characterCut;

    AnswerBuilder(Job job, Set<Integer> stopIds, Tokenizer tokenizer) {
        this.job = job;
        this.stopIds = job.options.ignoreEos() ? Set.of() : stopIds;
        this.tokenizer = tokenizer;
        detokenizer = tokenizer.newDetokenizer(true);
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

    /**
     * Takes the next token.
     *
     * @param whole whether nothing may follow it
     */
    void add(int token, boolean whole) {
        tokens.add(token);
        boolean forced = tokens.size() < Math.min(job.forceIds.length, job.maxNewTokens);
        boolean atStopId = stopIds.contains(token);
        if (!atStopId || forced) {
            text.append(stops.add(detokenizer.add(token)));
            if (!stops.isEmpty()) {
                tokenizer.specialToken(token).ifPresent(hidden -> text.append(stops.addHidden(hidden)));
            }
        }
        if (forced) {
            return;
        }
        if (whole || atStopId || stops.stopped() || !stops.isEmpty() && stops.wouldStop(detokenizer.pending())) {
            end(FinishReason.STOP);
        } else if (tokens.size() >= job.maxNewTokens) {
            end(FinishReason.LENGTH);
        }
    }

    private void end(FinishReason reason) {
        boolean cut = reason == FinishReason.LENGTH && detokenizer.hasUnfinishedCharacter();
        text.append(stops.add(detokenizer.finish(cut)));
        if (!stops.stopped()) {
            text.append(stops.finish());
        }
        finish = stops.stopped() ? FinishReason.STOP : reason;
        characterCut = cut && !stops.stopped();
    }

    /** The answer, without the id of one who waits for it. */
    GenerationResult result(GenerationWork work) {
        return new GenerationResult(
                "",
                Job.boxed(job.prompt),
                tokens,
                text.toString(),
                finish,
                characterCut,
                logits,
                Optional.empty(),
                work);
    }
}
