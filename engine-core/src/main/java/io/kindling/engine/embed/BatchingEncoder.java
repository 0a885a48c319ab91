package io.kindling.engine.embed;

import io.kindling.engine.EncodingOptions;
import io.kindling.engine.EncodingOptions.Normalization;
import io.kindling.engine.EncodingOptions.Pooling;
import io.kindling.engine.Session;
import io.kindling.engine.TextEncoder;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.metadata.EncoderIo;
import io.kindling.engine.provider.DeviceAllocator;
import io.kindling.engine.text.Tokenizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Runs an encoder over batches of like length; see {@link TextEncoder}. Each caller's thread has a binding of its own. A text whose numbers
 * its batch mates would change runs alone.
 */
public final class BatchingEncoder implements TextEncoder, AutoCloseable {
    /** Enough to fill the cores; more only takes memory. */
    private static final int TOKENS_PER_BATCH = 4096;

    private final EncoderIo io;
    private final Session session;
    private final DeviceAllocator allocator;
    private final int maxRows;
    private final EncoderInput.Maker inputs;
    private final Queue<EncoderRun> idle = new ConcurrentLinkedQueue<>();

    /**
     * @param session which this closes
     * @param maxRows most texts of a batch
     */
    public BatchingEncoder(EncoderIo io, Session session, Tokenizer tokenizer, DeviceAllocator allocator, int maxRows) {
        this.io = io;
        this.session = session;
        this.allocator = allocator;
        int rows = session.quantisesWholeTensors() ? 1 : maxRows;
        long fixedRows = EncoderRun.fixedSizes(session.inputs(), io.tokens())[0];
        this.maxRows = fixedRows < 0 ? rows : Math.toIntExact(Math.min(fixedRows, rows));
        inputs = new EncoderInput.Maker(tokenizer, io.maxTokens());
    }

    @Override
    public List<Embedding> embed(List<String> texts, EncodingOptions options) {
        Optional<Pooling> pooling = pooling(options);
        String output = pooling.isPresent()
                ? io.tokenStates().orElseThrow()
                : io.pooled().orElseThrow();
        boolean normalize = options.normalization() == Normalization.AUTO
                ? io.normalize().orElse(true)
                : options.normalization() == Normalization.TRUE;
        return encode(texts, options, output, (batch, row, input) -> {
            float[] vector = pooling.isPresent()
                    ? Pool.of(batch.values(), row, batch.length(), input.ids().length, batch.width(), pooling.get())
                    : Arrays.copyOfRange(batch.values(), row * batch.width(), (row + 1) * batch.width());
            refuseNonFinite(vector, output);
            if (normalize) {
                Pool.normalize(vector);
            }
            return new Embedding(vector, input.ids().length, input.truncated(), batch.rows());
        });
    }

    /** How to pool; empty for the graph's own pooled output. */
    private Optional<Pooling> pooling(EncodingOptions options) {
        Optional<Pooling> wanted = options.pooling() == Pooling.AUTO
                ? io.pooling().filter(ignored -> io.pooled().isEmpty())
                : Optional.of(options.pooling());
        if (wanted.isEmpty() && io.pooled().isPresent()) {
            return Optional.empty();
        }
        if (io.tokenStates().isEmpty()) {
            throw new KindlingException(
                    ErrorCode.UNSUPPORTED,
                    "the model gives no states of tokens to pool: its graph has no output last_hidden_state or"
                            + " token_embeddings; export it for feature extraction. Classify names the classes of a"
                            + " classifier, run gives outputs as they are");
        }
        return Optional.of(wanted.orElse(Pooling.MEAN));
    }

    @Override
    public List<Classification> classify(List<String> texts, EncodingOptions options) {
        String output = io.classes()
                .orElseThrow(() -> new KindlingException(
                        ErrorCode.UNSUPPORTED,
                        "the model is no classifier: its graph has no output 'logits' of [batch, classes]; export it"
                                + " for sequence classification. Embed makes vectors, run gives outputs as they are"));
        return encode(texts, options, output, (batch, row, input) -> {
            float[] logits = Arrays.copyOfRange(batch.values(), row * batch.width(), (row + 1) * batch.width());
            refuseNonFinite(logits, output);
            return new Classification(
                    ClassScores.of(logits, io.labels(), io.multiLabel()),
                    input.ids().length,
                    input.truncated(),
                    batch.rows());
        });
    }

    private static void refuseNonFinite(float[] values, String output) {
        for (float value : values) {
            if (!Float.isFinite(value)) {
                throw new KindlingException(
                        ErrorCode.NON_FINITE_LOGITS,
                        "the model's output '" + output + "' holds " + value
                                + " for a text; half-precision models overflow on unusual texts: use a float32 export");
            }
        }
    }

    private interface Reader<T> {
        T read(EncoderRun.Output batch, int row, EncoderInput input);
    }

    private <T> List<T> encode(List<String> texts, EncodingOptions options, String output, Reader<T> reader) {
        List<EncoderInput> encoded = texts.stream()
                .map(text -> inputs.make(text, options.maxTokens()))
                .toList();
        int[] lengths = encoded.stream().mapToInt(input -> input.ids().length).toArray();
        List<T> results = new ArrayList<>(Collections.nCopies(texts.size(), null));
        EncoderRun run = Optional.ofNullable(idle.poll()).orElseGet(() -> new EncoderRun(io, session, allocator));
        try {
            for (int[] batch :
                    Batches.of(lengths, TOKENS_PER_BATCH, maxRows, io.mask().isPresent())) {
                EncoderRun.Output outputs = run.run(
                        Arrays.stream(batch).mapToObj(k -> encoded.get(k).ids()).toList(), output);
                for (int row = 0; row < batch.length; row++) {
                    results.set(batch[row], reader.read(outputs, row, encoded.get(batch[row])));
                }
            }
        } finally {
            idle.add(run);
        }
        return results;
    }

    /** No call may be running. */
    @Override
    public void close() {
        for (EncoderRun run = idle.poll(); run != null; run = idle.poll()) {
            run.close();
        }
        session.close();
    }
}
