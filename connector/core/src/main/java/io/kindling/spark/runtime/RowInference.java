package io.kindling.spark.runtime;

import io.kindling.engine.GenerationResult.RowError;
import io.kindling.engine.Session;
import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.config.InferencePlan;
import io.kindling.spark.convert.InputTypes;
import io.kindling.spark.metrics.Counters;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.Row;

/** Runs a graph over one row, as functions do. */
public final class RowInference {
    private RowInference() {}

    /**
     * What became of a row.
     *
     * @param ports of the graph, in the order of the values
     * @param values of the outputs, in the form that {@link Row} has; NULL for a row that failed
     */
    public record Outcome(List<String> ports, Object[] values, Optional<RowError> error) {
        static Outcome of(Batches batches, Batches.Work work) {
            return new Outcome(batches.ports(), work.outputs, Optional.ofNullable(work.error));
        }
    }

    /**
     * @param inference without outputs it stands for all of the graph's, each of the type that it turns out to have
     * @param inputs values of its inputs, none of them NULL, with their types
     */
    public static Outcome run(ModelSource source, GenerationPlan plan, InferencePlan inference, Row inputs) {
        return TaskEngines.session(source, plan, Counters.NONE, session -> {
            Batches batches = batches(session, inference, inputs, 1);
            Batches.Work work = batches.read(inputs);
            batches.run(session, List.of(work), () -> {}, TaskEngines::count);
            return Outcome.of(batches, work);
        });
    }

    /**
     * For rows with types of their own.
     *
     * @param first of them
     */
    static Batches batches(Session session, InferencePlan inference, Row first, int most) {
        boolean whole = inference.wholeTensors() || InputTypes.areWhole(session.inputs(), first.schema());
        return Batches.of(session, inference.withWholeTensors(whole), most);
    }
}
