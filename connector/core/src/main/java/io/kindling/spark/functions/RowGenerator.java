package io.kindling.spark.functions;

import io.kindling.engine.GenerationResult;
import io.kindling.engine.JobOptions.OnError;
import io.kindling.engine.error.KindlingException;
import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.config.SessionSettings;
import io.kindling.spark.convert.RequestBuilder;
import io.kindling.spark.runtime.Answer;
import io.kindling.spark.runtime.HadoopSettings;
import io.kindling.spark.runtime.ModelDistributor;
import io.kindling.spark.runtime.ModelSource;
import io.kindling.spark.runtime.TaskEngines;
import java.io.Serializable;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Generates for one row at a time, as a function of a row's model, prompt and options. Equal when made from equal settings. */
final class RowGenerator implements Serializable {
    private static final long serialVersionUID = 1;
    private static final RequestBuilder RAW = new RequestBuilder(false, Optional.empty());

    private final SessionSettings settings;
    private final HadoopSettings hadoop;
    /** Models and options are nearly always the same in all rows. */
    private transient Map<String, ModelSource> sources;

    private transient Map<Map<String, String>, GenerationPlan> plans;

    RowGenerator(SessionSettings settings, HadoopSettings hadoop) {
        this.settings = settings;
        this.hadoop = hadoop;
    }

    GenerationResult generate(String model, String prompt, Map<String, String> options) {
        GenerationPlan plan = plan(options);
        var request = RAW.request(prompt, Optional.empty(), plan.generation());
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
            plans = new HashMap<>();
        }
        return plans.computeIfAbsent(options, settings::plan);
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
