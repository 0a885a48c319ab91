package io.kindling.spark.shim35;

import io.kindling.spark.PlanRules;
import org.apache.spark.sql.SparkSessionExtensions;

/** The rules of this line of Spark. */
public final class OnnxRules implements PlanRules {
    @Override
    public void inject(SparkSessionExtensions extensions) {
        extensions.injectParser((session, parser) -> ParsedText.of(parser, session));
        extensions.injectResolutionRule(session -> new TypeCalls());
        extensions.injectPostHocResolutionRule(session -> new OpenTables());
        extensions.injectPostHocResolutionRule(session -> new MarkCalls());
        extensions.injectPlanNormalizationRule(session -> new ShareCalls());
        extensions.injectOptimizerRule(session -> new PlaceCalls());
        extensions.injectPreCBORule(session -> new GuardSorts());
        extensions.injectPlannerStrategy(session -> new BatchStrategy());
    }
}
