package io.kindling.spark.runtime;

import io.kindling.engine.GenerationResult.RowError;
import io.kindling.engine.Session;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import io.kindling.spark.config.InferencePlan;
import io.kindling.spark.convert.ColumnTensors;
import io.kindling.spark.convert.OutputColumn;
import io.kindling.spark.convert.RowAxis;
import io.kindling.spark.convert.RowTensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.apache.spark.sql.Row;

/** Rows of equal shapes, run together where the graph has an axis for them and keeps them apart; one at a time otherwise. */
final class Batches {
    private final InferencePlan plan;
    private final RowAxis axis;
    private final int most;
    private final List<ColumnTensors> inputs;
    private final List<OutputColumn> outputs;

    private Batches(
            InferencePlan plan, RowAxis axis, int most, List<ColumnTensors> inputs, List<OutputColumn> outputs) {
        this.plan = plan;
        this.axis = axis;
        this.most = most;
        this.inputs = inputs;
        this.outputs = outputs;
    }

    /** @throws KindlingException when columns and ports do not fit */
    static Batches of(Session session, InferencePlan plan, int most) {
        new GraphPorts(session.inputs(), session.outputs()).requireInputs(plan.inputs());
        List<OutputColumn> outputs = plan.outputs().isEmpty()
                ? session.outputs().stream()
                        .map(port -> OutputColumn.natural(port.name()))
                        .toList()
                : plan.outputs().stream()
                        .map(output -> new OutputColumn(output.port(), output.type()))
                        .toList();
        List<ValueInfo> wanted = outputs.stream()
                .map(output -> GraphPorts.named(session.outputs(), output.port()))
                .toList();
        RowAxis axis = plan.wholeTensors() ? RowAxis.NONE : RowAxis.of(session.inputs(), wanted);
        return new Batches(
                plan,
                axis,
                session.quantisesWholeTensors() ? 1 : most,
                plan.inputs().stream()
                        .map(name -> ColumnTensors.of(GraphPorts.named(session.inputs(), name), axis))
                        .toList(),
                outputs);
    }

    /** What becomes of a row. */
    static final class Work {
        final Object[] outputs;
        List<RowTensor> inputs;
        boolean isNull;
        RowError error;

        Work(int outputs) {
            this.outputs = new Object[outputs];
        }

        private boolean runs() {
            return !isNull && error == null;
        }

        private String shapes() {
            return Arrays.deepToString(inputs.stream().map(RowTensor::shape).toArray());
        }
    }

    /** Of the outputs. */
    List<String> ports() {
        return outputs.stream().map(OutputColumn::port).toList();
    }

    boolean stacks() {
        return axis == RowAxis.BATCH;
    }

    /** The tensors of a row that ends with its inputs, or why it has none. */
    Work read(Row row) {
        Work work = new Work(outputs.size());
        int first = row.size() - inputs.size();
        for (int k = 0; k < inputs.size(); k++) {
            work.isNull |= row.isNullAt(first + k);
        }
        if (!work.isNull) {
            List<RowTensor> tensors = new ArrayList<>();
            try {
                for (int k = 0; k < inputs.size(); k++) {
                    tensors.add(inputs.get(k).of(row.get(first + k)));
                }
                work.inputs = tensors;
            } catch (KindlingException fault) {
                fail(work, fault);
            }
        }
        return work;
    }

    /** Runs all rows that have tensors, the first batch first. */
    void run(Session session, List<Work> rows, Runnable beforeEach, IntConsumer ran) {
        Map<String, List<Work>> groups = new LinkedHashMap<>();
        for (Work row : rows) {
            if (row.runs()) {
                groups.computeIfAbsent(row.shapes(), shapes -> new ArrayList<>())
                        .add(row);
            }
        }
        int size = stacks() ? most : 1;
        for (List<Work> group : groups.values()) {
            for (int from = 0; from < group.size(); from += size) {
                beforeEach.run();
                List<Work> batch = group.subList(from, Math.min(from + size, group.size()));
                runOrEachAlone(session, batch);
                ran.accept(batch.size());
            }
        }
    }

    /** When a row of a batch is at fault, each by itself, so that the others keep their results. */
    private void runOrEachAlone(Session session, List<Work> batch) {
        try {
            run(session, batch);
        } catch (KindlingException fault) {
            if (!InferRows.isOfARow(fault)) {
                throw fault;
            }
            if (batch.size() == 1) {
                fail(batch.get(0), fault);
            } else {
                batch.forEach(row -> runOrEachAlone(session, List.of(row)));
            }
        }
    }

    private static void fail(Work row, KindlingException fault) {
        if (!InferRows.isOfARow(fault)) {
            throw fault;
        }
        row.error = new RowError(fault.code(), fault.getMessage());
    }

    private void run(Session session, List<Work> batch) {
        Map<String, Value> values = new LinkedHashMap<>();
        for (int k = 0; k < inputs.size(); k++) {
            int input = k;
            List<RowTensor> rows =
                    batch.stream().map(row -> row.inputs.get(input)).toList();
            values.put(plan.inputs().get(k), axis == RowAxis.NONE ? rows.get(0).alone() : RowTensor.stack(rows));
        }
        Map<String, Value> results = session.run(values);
        try {
            for (int k = 0; k < outputs.size(); k++) {
                Value result = results.get(outputs.get(k).port());
                Object[] column = outputs.get(k).rows(result, batch.size(), axis);
                for (int row = 0; row < column.length; row++) {
                    batch.get(row).outputs[k] = column[row];
                }
            }
        } finally {
            results.values().stream().filter(Tensor.class::isInstance).forEach(result -> ((Tensor) result).close());
        }
    }
}
