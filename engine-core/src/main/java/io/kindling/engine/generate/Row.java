package io.kindling.engine.generate;

import io.kindling.engine.GenerationWork;
import io.kindling.engine.constrain.Grammar;
import io.kindling.engine.constrain.GrammarState;
import io.kindling.engine.generate.Decoder.Slice;
import io.kindling.engine.sample.SamplerState;
import io.kindling.engine.sample.TokenMask;
import java.util.Arrays;
import java.util.Optional;

/** A job that runs: its ids so far, its KV cache and its answer. */
final class Row implements AutoCloseable {
    private static final int ROOM = 64;

    final Job job;
    final AnswerBuilder answer;
    final SamplerState sampling;
    private final Optional<GrammarState> form;
    private final DecoderSequence sequence;
    private int[] ids;
    private int known;
    private final int found;
    private int passes;
    private double passShares;
    private double nanos;
    private long pagesPeak;

    Row(Job job, DecoderSequence sequence, AnswerBuilder answer) {
        this.job = job;
        this.sequence = sequence;
        this.answer = answer;
        sampling = new SamplerState(job.options, job.rowKey, job.prompt);
        form = job.grammar.map(Grammar::begin);
        known = job.prompt.length;
        found = sequence.length();
        ids = Arrays.copyOf(job.prompt, known + Math.min(ROOM, job.maxNewTokens));
    }

    /** Ids that are known and not yet fed: one while decoding, more while the prompt is read. */
    int pending() {
        return known - sequence.length();
    }

    /** The next {@code count} ids; the logits are wanted when they are the last ones known. */
    Slice slice(int count) {
        return new Slice(sequence, ids, sequence.length(), count, count == pending());
    }

    /** Ids of prompt and answer; the first {@link #known} are valid. */
    int[] ids() {
        return ids;
    }

    int known() {
        return known;
    }

    /**
     * Counts a pass that the row was in.
     *
     * @param rows all that were in it
     * @param passNanos its time
     * @param pages that the engine has in use
     */
    void worked(int rows, long passNanos, long pages) {
        passes++;
        passShares += 1.0 / rows;
        nanos += (double) passNanos / rows;
        pagesPeak = Math.max(pagesPeak, pages);
    }

    GenerationWork work() {
        return new GenerationWork(false, passes, passShares, nanos, found, pagesPeak);
    }

    /**
     * The tokens that may come next.
     *
     * @throws io.kindling.engine.error.KindlingException CONSTRAINT when none of the vocabulary may
     */
    TokenMask allowed(int vocabulary) {
        return form.isEmpty() ? TokenMask.ALL : form.get().allowed(vocabulary);
    }

    void append(int token) {
        if (known == ids.length) {
            ids = Arrays.copyOf(ids, known + Math.max(ROOM, known / 2));
        }
        ids[known++] = token;
        sampling.accept(token);
        form.ifPresent(state -> state.accept(token));
        answer.add(token, form.isPresent() && form.get().isEnded());
    }

    @Override
    public void close() {
        sequence.close();
    }
}
