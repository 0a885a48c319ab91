package io.kindling.spark.config;

import io.kindling.engine.GenerationResult.RowError;
import io.kindling.engine.error.OptionException;
import java.io.Serializable;
import java.time.LocalDateTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

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
     * How a row is to be answered.
     *
     * @param plan of the row, or the one that judges its fault
     * @param fault why it cannot be
     */
    public record RowPlan(GenerationPlan plan, Optional<RowError> fault) {}

    /**
     * As {@link #of}, with a bad value of an option for a fault of the row.
     *
     * @throws OptionException where names are bad, which is the fault of the query
     */
    public RowPlan ofRow(Map<String, String> row) {
        try {
            return new RowPlan(of(row), Optional.empty());
        } catch (OptionException bad) {
            if (!SparkOptions.areNames(row.keySet(), settings.ofCalls())) {
                throw bad;
            }
            return new RowPlan(judging(row), Optional.of(new RowError(bad.code(), bad.getMessage())));
        }
    }

    /** The row's own options about errors, if they are good ones. */
    private GenerationPlan judging(Map<String, String> row) {
        Map<String, String> job = new LinkedHashMap<>(row);
        job.keySet().removeIf(name -> !SparkOptions.isOfJob(name));
        try {
            return of(job);
        } catch (OptionException bad) {
            return of(Map.of());
        }
    }

    /**
     * @param row options of one row, by the names that the call uses
     * @throws OptionException with all problems
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
