package io.kindling.spark.functions;

import io.kindling.engine.GenerationResult;
import io.kindling.engine.JobOptions.OnError;
import io.kindling.engine.error.KindlingException;
import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.config.SessionSettings;
import io.kindling.spark.convert.Requests;
import io.kindling.spark.runtime.Answer;
import io.kindling.spark.runtime.HadoopSettings;
import io.kindling.spark.runtime.ModelDistributor;
import io.kindling.spark.runtime.ModelSource;
import io.kindling.spark.runtime.TaskEngines;
import java.io.Serializable;
import java.time.LocalDateTime;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Generates for one row at a time, as a function of a row's model, prompt and options. Equal when made from equal settings. */
final class RowGenerator implements Serializable {
    private static final long serialVersionUID = 1;
    /** Options may come from columns, and then each row has its own. */
    private static final int MOST_PLANS = 256;

    private final SessionSettings settings;
    private final HadoopSettings hadoop;
    /** Of no account for equality: a query's equal calls are bound at times of their own. */
    private final LocalDateTime made;
    /** Models and options are nearly always the same in all rows. */
    private transient Map<String, ModelSource> sources;

    private transient Map<Map<String, String>, GenerationPlan> plans;

    RowGenerator(SessionSettings settings, HadoopSettings hadoop, LocalDateTime made) {
        this.settings = settings;
        this.hadoop = hadoop;
        this.made = made;
    }

    GenerationResult generate(String model, String prompt, Map<String, String> options) {
        GenerationPlan plan = plan(options);
        var request = Requests.of(plan.prompt().prompt(prompt), Optional.empty(), plan.generation());
        GenerationResult result =
                TaskEngines.with(source(model), plan, Optional.empty(), client -> Answer.await(client.submit(request)));
        if (plan.job().onError() == OnError.FAIL && result.error().isPresent()) {
            GenerationResult.RowError error = result.error().get();
            throw new KindlingException(error.code(), "a row failed and onError is 'fail': " + error.message());
        }
        return result;
    }

    private synchronized ModelSource source(String model) {
        if (sources == null) {
            sources = new HashMap<>();
        }
        return sources.computeIfAbsent(
                model, name -> ModelDistributor.byPath(settings.models().uri(name), hadoop));
    }

    private synchronized GenerationPlan plan(Map<String, String> options) {
        if (plans == null) {
            plans = new LeastRecent<>(MOST_PLANS);
        }
        return plans.computeIfAbsent(options, given -> settings.plan(given, made));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RowGenerator that && settings.equals(that.settings) && hadoop.equals(that.hadoop);
    }

    @Override
    public int hashCode() {
        return settings.hashCode();
    }
}
