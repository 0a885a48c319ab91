package io.kindling.spark.runtime;

import io.kindling.engine.GenerationResult.RowError;
import io.kindling.engine.Session;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.config.InferencePlan;
import io.kindling.spark.metrics.GenerationMetrics;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;

/**
 * The body of the operator over tensors: takes a partition in windows, runs the graph over batches of rows of equal shapes, and
 * gives the rows out in their order. Input rows end with the values of the graph's inputs, which the outputs replace.
 *
 * @param details whether a struct with the row's error follows the outputs
 */
public record InferRows(
        ModelSource source, GenerationPlan plan, InferencePlan inference, boolean details, GenerationMetrics metrics)
        implements MapPartitionsFunction<Row, Row> {
    /** Batches that a window holds, so that rows of like shape find each other. */
    private static final int BATCHES = 4;

    /** Rows of a window. */
    public static int window(int batch) {
        return batch * BATCHES;
    }

    @Override
    public Iterator<Row> call(Iterator<Row> input) {
        return new Windows(input);
    }

    private final class Windows implements Iterator<Row> {
        private final Iterator<Row> input;
        private final Deque<Row> ready = new ArrayDeque<>();
        private final TaskRequests requests = new TaskRequests(metrics.counters());
        private final int batch = inference.batchSize() > 0
                ? inference.batchSize()
                : plan.engine().maxBatch();
        private Batches batches;

        Windows(Iterator<Row> input) {
            this.input = input;
        }

        @Override
        public boolean hasNext() {
            if (ready.isEmpty() && input.hasNext()) {
                TaskEngines.session(source, plan, metrics.counters(), session -> {
                    inferWindow(session);
                    return session;
                });
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

        private void inferWindow(Session session) {
            if (batches == null) {
                batches = Batches.of(session, inference, batch);
            }
            int window = batches.stacks() ? window(batch) : 1;
            List<Row> rows = new ArrayList<>();
            while (rows.size() < window && input.hasNext()) {
                rows.add(input.next());
            }
            requests.rows(rows.size());
            List<Batches.Work> work = requests.infer(session, batches, plan, rows);
            for (int k = 0; k < rows.size(); k++) {
                ready.add(answered(rows.get(k), work.get(k)));
            }
        }

        private Row answered(Row row, Batches.Work work) {
            Optional<RowError> error = Optional.ofNullable(work.error);
            int kept = row.size() - inference.inputs().size();
            int outputs = inference.outputs().size();
            Object[] values = new Object[kept + outputs + (details ? 1 : 0)];
            for (int k = 0; k < kept; k++) {
                values[k] = row.get(k);
            }
            System.arraycopy(work.outputs, 0, values, kept, outputs);
            if (details && !work.isNull) {
                values[kept + outputs] = RowFactory.create(
                        error.map(fault -> fault.code().name()).orElse(null),
                        error.map(RowError::message).orElse(null));
            }
            return RowFactory.create(values);
        }
    }

    /** Faults of what a row holds; others are of the model, the options or the machine, and end the task. */
    static boolean isOfARow(KindlingException fault) {
        return fault.code() == ErrorCode.SHAPE_OR_TYPE;
    }

    @Override
    public String toString() {
        return "InferRows(" + source.uri() + ", " + inference + ")";
    }
}
