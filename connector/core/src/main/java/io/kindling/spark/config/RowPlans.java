package io.kindling.spark.config;

import java.io.Serializable;
import java.time.LocalDateTime;
import java.util.LinkedHashMap;
import java.util.Map;

/** The plans of rows whose options come from columns. Rows with equal options share one. Thread-safe. */
public final class RowPlans implements Serializable {
    private static final long serialVersionUID = 1;
    private static final int MOST_KEPT = 256;

    private final SessionSettings settings;
    private final LinkedHashMap<String, String> call;
    private final LocalDateTime made;
    private transient Map<Map<String, String>, GenerationPlan> plans;

    /**
     * @param call options of all rows, which those of a row go before
     * @param made when the job was made, by the driver's clock
     */
    public RowPlans(SessionSettings settings, Map<String, String> call, LocalDateTime made) {
        this.settings = settings;
        this.call = new LinkedHashMap<>(call);
        this.made = made;
    }

    /**
     * @param row options of one row, by the names that the call uses
     * @throws io.kindling.engine.error.OptionException with all problems
     */
    public synchronized GenerationPlan of(Map<String, String> row) {
        if (plans == null) {
            plans = new LeastRecent<>(MOST_KEPT);
        }
        return plans.computeIfAbsent(row, given -> {
            Map<String, String> all = new LinkedHashMap<>();
            call.forEach((name, value) -> {
                if (given.keySet().stream().noneMatch(other -> SparkOptions.areOne(name, other))) {
                    all.put(name, value);
                }
            });
            all.putAll(given);
            return settings.plan(all, made);
        });
    }
}
