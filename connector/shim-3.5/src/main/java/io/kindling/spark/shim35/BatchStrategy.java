package io.kindling.spark.shim35;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.SparkStrategy;
import scala.collection.Seq;

/** Plans {@link OnnxBatch}. */
final class BatchStrategy extends SparkStrategy {
    @Override
    public Seq<SparkPlan> apply(LogicalPlan plan) {
        return plan instanceof OnnxBatch batch
                ? Trees.<SparkPlan>seq(List.of(new OnnxBatchExec(
                        Trees.<Expression>seq(batch.calls()), Trees.seq(batch.results()), planLater(batch.child()))))
                : Trees.<SparkPlan>seq(List.of());
    }
}
