package io.kindling.spark.functions;

import io.kindling.engine.Option;
import io.kindling.engine.Option.Scope;
import io.kindling.spark.config.SparkOptions;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;

/** A function of the catalog with what Spark's interface has no place for. */
public sealed interface CatalogFunction extends UnboundFunction permits PromptFunction, RunFunction {
    /** How it is called and what it gives, without the catalog's name. */
    String signature();

    /** A query that calls it. */
    String example();

    /** What options are about that matter to this function, beside those of engine and job. */
    Set<Scope> scopes();

    /** Options and an example, as DESCRIBE FUNCTION EXTENDED prints them. */
    default String help() {
        StringBuilder help = new StringBuilder("\n    Options:\n");
        List<Option<?>> own = SparkOptions.table().options().stream()
                .filter(option -> scopes().contains(option.scope()))
                .toList();
        for (Option<?> option : own) {
            String otherwise = option.defaultText().isEmpty() ? "none" : option.defaultText();
            help.append("      * ")
                    .append(option.name())
                    .append(" - ")
                    .append(option.doc())
                    .append(" (")
                    .append(option.type().allowed())
                    .append("; by default ")
                    .append(otherwise)
                    .append(")\n");
        }
        help.append(own.isEmpty() ? "      " : "      and ")
                .append(
                        "those of engine and job, such as on_error and max_batch; all may be set by spark.kindling.<option> too\n");
        help.append("\n    Examples:\n      > ").append(example().replace("\n", "\n        "));
        return help.append('\n').toString();
    }
}
