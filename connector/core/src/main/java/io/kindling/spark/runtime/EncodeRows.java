package io.kindling.spark.runtime;

import io.kindling.engine.EncodingOptions;
import io.kindling.engine.GenerationResult.RowError;
import io.kindling.engine.TextEncoder;
import io.kindling.engine.TextEncoder.Classification;
import io.kindling.engine.TextEncoder.Embedding;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.convert.EncodingConverter;
import io.kindling.spark.metrics.GenerationMetrics;
import io.kindling.spark.metrics.ProcessCounters;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskKilledException;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;

/**
 * The body of the batch operator of encoders: takes a partition in windows, whose texts the encoder batches by their length, and
 * gives the rows out in their order. Input rows end with the text, which the result replaces by vector or label and, if asked for,
 * the details.
 *
 * @param details whether a struct with details follows the result
 */
public record EncodeRows(ModelSource source, GenerationPlan plan, Task task, boolean details, GenerationMetrics metrics)
        implements MapPartitionsFunction<Row, Row> {
    /** Enough that texts of like length find each other. */
    private static final int WINDOW = 512;

    /** Faults of one text; others are of the model, the options or the machine, and end the task. */
    private static final Set<ErrorCode> OF_A_ROW = EnumSet.of(ErrorCode.TOKENIZER, ErrorCode.NON_FINITE_LOGITS);

    /** Whether a fault is that of one text, which loses its result for it. */
    public static boolean isOfARow(KindlingException fault) {
        return OF_A_ROW.contains(fault.code());
    }

    /** What is made of a text. */
    public enum Task {
        EMBED,
        CLASSIFY
    }

    @Override
    public Iterator<Row> call(Iterator<Row> input) {
        return task == Task.EMBED
                ? new Windows<>(input, TextEncoder::embed, EncodingConverter::vector, EncodingConverter::details)
                : new Windows<>(
                        input, TextEncoder::classify, EncodingConverter::label, EncodingConverter::classDetails);
    }

    private interface Encode<T> {
        List<T> all(TextEncoder encoder, List<String> texts, EncodingOptions options);
    }

    private interface Value<T> {
        Object of(T result);
    }

    private interface Details<T> {
        Row of(Optional<T> result, Optional<RowError> error);
    }

    private final class Windows<T> implements Iterator<Row> {
        private final Iterator<Row> input;
        private final Encode<T> encode;
        private final Value<T> value;
        private final Details<T> toDetails;
        private final Deque<Row> ready = new ArrayDeque<>();
        private final RowFaults faults = new RowFaults(plan);

        Windows(Iterator<Row> input, Encode<T> encode, Value<T> value, Details<T> toDetails) {
            this.input = input;
            this.encode = encode;
            this.value = value;
            this.toDetails = toDetails;
        }

        @Override
        public boolean hasNext() {
            if (ready.isEmpty() && input.hasNext()) {
                encodeWindow();
            }
            return !ready.isEmpty();
        }

        @Override
        public Row next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return ready.remove();
        }

        private void encodeWindow() {
            List<Row> rows = new ArrayList<>();
            List<String> texts = new ArrayList<>();
            while (rows.size() < WINDOW && input.hasNext()) {
                Row row = input.next();
                rows.add(row);
                if (!row.isNullAt(row.size() - 1)) {
                    texts.add(row.getString(row.size() - 1));
                }
            }
            metrics.rows().add(rows.size());
            ProcessCounters.ROWS.add(rows.size());
            metrics.requests().add(texts.size());
            Iterator<Outcome<T>> outcomes = outcomes(texts).iterator();
            for (Row row : rows) {
                ready.add(row.isNullAt(row.size() - 1) ? withResult(row, null, null) : answered(row, outcomes.next()));
            }
        }

        /** A window is encoded at once; when one of its texts is at fault, each by itself, so that the others keep their results. */
        private List<Outcome<T>> outcomes(List<String> texts) {
            if (texts.isEmpty()) {
                return List.of();
            }
            try {
                return run(texts).stream().map(Outcome::<T>of).toList();
            } catch (KindlingException fault) {
                if (!isOfARow(fault)) {
                    throw fault;
                }
                return texts.stream().map(this::alone).toList();
            }
        }

        private Outcome<T> alone(String text) {
            try {
                return Outcome.of(run(List.of(text)).get(0));
            } catch (KindlingException fault) {
                if (!isOfARow(fault)) {
                    throw fault;
                }
                return new Outcome<>(Optional.empty(), Optional.of(new RowError(fault.code(), fault.getMessage())));
            }
        }

        private List<T> run(List<String> texts) {
            TaskContext context = TaskContext.get();
            if (context != null && context.isInterrupted()) {
                throw new TaskKilledException("killed before the next texts");
            }
            return TaskEngines.encode(
                    source, plan, Optional.of(metrics), encoder -> encode.all(encoder, texts, plan.encoding()));
        }

        private Row answered(Row row, Outcome<T> outcome) {
            if (outcome.error().isPresent()) {
                metrics.failedRows().add(1);
                ProcessCounters.FAILED_ROWS.increment();
            }
            outcome.result().ifPresent(result -> metrics.promptTokens().add(tokens(result)));
            faults.check("", outcome.error());
            return withResult(
                    row,
                    outcome.result().map(value::of).orElse(null),
                    details ? toDetails.of(outcome.result(), outcome.error()) : null);
        }

        private Row withResult(Row row, Object result, Row detailed) {
            int kept = row.size() - 1;
            Object[] values = new Object[kept + (details ? 2 : 1)];
            for (int i = 0; i < kept; i++) {
                values[i] = row.get(i);
            }
            values[kept] = result;
            if (details) {
                values[kept + 1] = detailed;
            }
            return RowFactory.create(values);
        }
    }

    private static int tokens(Object result) {
        return result instanceof Embedding embedding ? embedding.tokens() : ((Classification) result).tokens();
    }

    private record Outcome<T>(Optional<T> result, Optional<RowError> error) {
        static <T> Outcome<T> of(T result) {
            return new Outcome<>(Optional.of(result), Optional.empty());
        }
    }

    @Override
    public String toString() {
        return "EncodeRows(" + source.uri() + ", " + task + ", " + plan + ")";
    }
}
