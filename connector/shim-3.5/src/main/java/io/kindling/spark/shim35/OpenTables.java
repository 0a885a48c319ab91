package io.kindling.spark.shim35;

import io.kindling.spark.config.Refusals;
import io.kindling.spark.source.OnnxRelation;
import io.kindling.spark.source.OnnxTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.datasources.LogicalRelation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.types.DataTypes;
import scala.Option;

/**
 * Makes a call over the input's own plan of each table of {@code format("onnx")}, with the same columns, so that Spark takes filters,
 * columns and limits to where the input comes from. Without this rule the tables are scans that read the input themselves.
 */
final class OpenTables extends Rule<LogicalPlan> {
    private static final String CALL = "_onnx_row";

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        LogicalPlan opened = plan.mapChildren(this::apply);
        return table(opened)
                .<LogicalPlan>map(table -> open(Trees.list(opened.output()), table.asked()))
                .orElse(opened);
    }

    private static Optional<OnnxTable> table(LogicalPlan plan) {
        if (plan instanceof DataSourceV2Relation relation && relation.table() instanceof OnnxTable table) {
            return Optional.of(table);
        }
        return plan instanceof LogicalRelation relation && relation.relation() instanceof OnnxRelation stored
                ? Optional.of(Refusals.orOf("format(\"onnx\")", stored::table))
                : Optional.empty();
    }

    /** The result and its details are fields of one call's, so that both are one request. */
    private static LogicalPlan open(List<Attribute> columns, OnnxTable.Asked asked) {
        LogicalPlan prompts = asked.prompts().queryExecution().analyzed();
        List<Attribute> given = Trees.list(prompts.output());
        int kept = columns.size() - 2;
        List<Expression> arguments = new ArrayList<>(given.subList(kept, given.size()));
        arguments.add(
                1, new Literal(asked.options(), DataTypes.createMapType(DataTypes.StringType, DataTypes.StringType)));
        Alias call =
                Columns.alias(new OnnxCall(asked.function(), Trees.<Expression>seq(arguments), false, false), CALL);
        List<NamedExpression> made = new ArrayList<>();
        for (int i = 0; i < kept; i++) {
            made.add(Columns.as((Expression) given.get(i), columns.get(i)));
        }
        for (int field = 0; field < 2; field++) {
            made.add(Columns.as(
                    new GetStructField(call.toAttribute(), field, Option.empty()), columns.get(kept + field)));
        }
        return new Project(Trees.seq(made), Columns.with(List.of(call), prompts));
    }
}
