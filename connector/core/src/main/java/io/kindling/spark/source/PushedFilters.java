package io.kindling.spark.source;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;

import java.util.Optional;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.sources.AlwaysFalse;
import org.apache.spark.sql.sources.AlwaysTrue;
import org.apache.spark.sql.sources.And;
import org.apache.spark.sql.sources.EqualNullSafe;
import org.apache.spark.sql.sources.EqualTo;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.sources.GreaterThan;
import org.apache.spark.sql.sources.GreaterThanOrEqual;
import org.apache.spark.sql.sources.In;
import org.apache.spark.sql.sources.IsNotNull;
import org.apache.spark.sql.sources.IsNull;
import org.apache.spark.sql.sources.LessThan;
import org.apache.spark.sql.sources.LessThanOrEqual;
import org.apache.spark.sql.sources.Not;
import org.apache.spark.sql.sources.Or;
import org.apache.spark.sql.sources.StringContains;
import org.apache.spark.sql.sources.StringEndsWith;
import org.apache.spark.sql.sources.StringStartsWith;

/** Filters of data sources as conditions on columns, with the same meaning for NULLs too. */
final class PushedFilters {
    private PushedFilters() {}

    /** Empty for a filter of a kind that is not known. */
    static Optional<Column> condition(Filter filter) {
        if (filter instanceof And and) {
            return both(and.left(), and.right()).map(pair -> pair[0].and(pair[1]));
        }
        if (filter instanceof Or or) {
            return both(or.left(), or.right()).map(pair -> pair[0].or(pair[1]));
        }
        if (filter instanceof Not not) {
            return condition(not.child()).map(org.apache.spark.sql.functions::not);
        }
        return Optional.ofNullable(comparison(filter));
    }

    private static Optional<Column[]> both(Filter left, Filter right) {
        return condition(left).flatMap(first -> condition(right).map(second -> new Column[] {first, second}));
    }

    private static Column comparison(Filter filter) {
        if (filter instanceof EqualTo test) {
            return col(test.attribute()).equalTo(lit(test.value()));
        }
        if (filter instanceof EqualNullSafe test) {
            return col(test.attribute()).eqNullSafe(lit(test.value()));
        }
        if (filter instanceof GreaterThan test) {
            return col(test.attribute()).gt(lit(test.value()));
        }
        if (filter instanceof GreaterThanOrEqual test) {
            return col(test.attribute()).geq(lit(test.value()));
        }
        if (filter instanceof LessThan test) {
            return col(test.attribute()).lt(lit(test.value()));
        }
        if (filter instanceof LessThanOrEqual test) {
            return col(test.attribute()).leq(lit(test.value()));
        }
        if (filter instanceof In test) {
            return col(test.attribute()).isin(test.values());
        }
        if (filter instanceof IsNull test) {
            return col(test.attribute()).isNull();
        }
        if (filter instanceof IsNotNull test) {
            return col(test.attribute()).isNotNull();
        }
        if (filter instanceof StringStartsWith test) {
            return col(test.attribute()).startsWith(test.value());
        }
        if (filter instanceof StringEndsWith test) {
            return col(test.attribute()).endsWith(test.value());
        }
        if (filter instanceof StringContains test) {
            return col(test.attribute()).contains(test.value());
        }
        if (filter instanceof AlwaysTrue) {
            return lit(true);
        }
        return filter instanceof AlwaysFalse ? lit(false) : null;
    }
}
