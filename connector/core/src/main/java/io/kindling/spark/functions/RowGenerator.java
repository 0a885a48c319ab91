package io.kindling.spark.functions;

import io.kindling.engine.GenerationRequest.Prompt;
import io.kindling.engine.GenerationResult;
import io.kindling.engine.JobOptions.OnError;
import io.kindling.engine.Option.Scope;
import io.kindling.engine.TextModel;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.spark.config.Distribution;
import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.config.InferencePlan;
import io.kindling.spark.config.RowPlans;
import io.kindling.spark.config.RowPlans.RowPlan;
import io.kindling.spark.config.SessionSettings;
import io.kindling.spark.functions.Results.Value;
import io.kindling.spark.metrics.Counters;
import io.kindling.spark.metrics.ProcessCounters;
import io.kindling.spark.runtime.Answer;
import io.kindling.spark.runtime.DeterministicFaults;
import io.kindling.spark.runtime.HadoopSettings;
import io.kindling.spark.runtime.ModelDistributor;
import io.kindling.spark.runtime.ModelSource;
import io.kindling.spark.runtime.RowInference;
import io.kindling.spark.runtime.RowInference.Outcome;
import io.kindling.spark.runtime.TaskEngines;
import io.kindling.spark.runtime.TaskRequests;
import io.kindling.spark.runtime.TaskRequests.Encode;
import io.kindling.spark.runtime.TextModels;
import java.io.Serializable;
import java.time.LocalDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves one row at a time, as a function of its model, prompt and options. Equal when made from equal settings. */
final class RowGenerator implements Serializable {
    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(RowGenerator.class);
    /** No operator counts what functions do by themselves. */
    private static final Counters COUNTERS = ProcessCounters.COUNTERS;

    private static final AtomicBoolean SAID = new AtomicBoolean();
    private final SessionSettings settings;
    private final HadoopSettings hadoop;
    /** Of no account for equality: a query's equal calls are bound at times of their own. */
    private final LocalDateTime made;

    private final RowPlans plans;
    private final HashMap<String, ModelSource> delivered = new HashMap<>();
    /** Models and options are nearly always the same in all rows. */
    private transient Map<String, ModelSource> sources;

    private RowGenerator(SessionSettings settings, HadoopSettings hadoop, LocalDateTime made) {
        this.settings = settings;
        this.hadoop = hadoop;
        this.made = made;
        plans = new RowPlans(settings, Map.of(), made);
    }

    /**
     * @param own scopes of the options that calls may give, beside those of engine and job
     * @throws io.kindling.engine.error.OptionException for bad settings: here once, not in every row
     */
    static RowGenerator ofActiveSession(Set<Scope> own) {
        SparkSession session = SparkSession.active();
        SessionSettings settings = SessionSettings.of(session).forCalls(own);
        LocalDateTime now = LocalDateTime.now();
        settings.plan(Map.of(), now);
        DeterministicFaults.watch(session.sparkContext());
        return new RowGenerator(
                settings, HadoopSettings.of(session.sparkContext().hadoopConfiguration()), now);
    }

    /** The URI of a model given as alias or URI. */
    String uri(String model) {
        return settings.models().uri(model);
    }

    /** The same, or the name of one that came with the job. */
    String uri(String model, Distribution distribution) {
        return settings.models().uri(model, distribution);
    }

    GenerationResult generate(Arguments arguments, InternalRow input) {
        sayOnce();
        GenerationPlan plan = plan(arguments.options(input));
        var request = arguments.request(input, plan);
        countOne();
        GenerationResult result = TaskEngines.with(
                source(arguments.model(input)), plan, COUNTERS, client -> Answer.await(client.submit(request)));
        TaskRequests.count(result, COUNTERS);
        result.error().ifPresent(error -> failed(plan, error.code(), error.message()));
        return result;
    }

    /** What a model's tokenizer and templates make of a prompt; empty for a row that failed. */
    <T> Optional<T> text(Arguments arguments, InternalRow input, BiFunction<TextModel, Prompt, T> action) {
        GenerationPlan plan = plan(arguments.options(input));
        Prompt prompt = arguments.prompt(input, plan.prompt());
        return TextModels.with(source(arguments.model(input)), plan.nodeCache(), model -> {
            try {
                return Optional.of(action.apply(model, prompt));
            } catch (KindlingException fault) {
                if (fault.code() != ErrorCode.TEMPLATE) {
                    throw fault; // the package's, not the row's
                }
                check(plan, fault.code(), fault.getMessage());
                return Optional.empty();
            }
        });
    }

    /** What an encoder makes of a row's text; null for a row that failed. */
    <T> Object encode(Arguments arguments, InternalRow input, Encode<T> encode, Value<T> value) {
        sayOnce();
        GenerationPlan plan = plan(arguments.options(input));
        List<String> text = List.of(arguments.text(input));
        countOne();
        return TaskEngines.encode(source(arguments.model(input)), plan, COUNTERS, 1, encoder -> {
            try {
                T result = encode.all(encoder, text, plan.encoding()).get(0);
                TaskRequests.countEncoded(result, COUNTERS);
                return value.of(result);
            } catch (KindlingException fault) {
                if (!TaskRequests.isOfAText(fault)) {
                    throw fault; // the model's, not the row's
                }
                failed(plan, fault.code(), fault.getMessage());
                return null;
            }
        });
    }

    private static void countOne() {
        COUNTERS.rows().add(1);
        COUNTERS.requests().add(1);
    }

    private static void failed(GenerationPlan plan, ErrorCode code, String message) {
        COUNTERS.failedRows().add(1);
        check(plan, code, message);
    }

    private static void sayOnce() {
        if (SAID.compareAndSet(false, true)) {
            LOG.warn("onnx functions run row by row here, which is slow: Spark batches them when the session has"
                    + " spark.sql.extensions=io.kindling.spark.KindlingExtensions and the call is not inside a lambda");
        }
    }

    /** What a graph makes of a row's inputs. */
    Outcome infer(String model, Map<String, String> options, InferencePlan inference, Row inputs) {
        sayOnce();
        GenerationPlan plan = plan(options);
        countOne();
        COUNTERS.meanBatchSize().add(1, 1);
        Outcome outcome = RowInference.run(source(model), plan, inference, inputs);
        outcome.error().ifPresent(error -> failed(plan, error.code(), error.message()));
        return outcome;
    }

    private static void check(GenerationPlan plan, ErrorCode code, String message) {
        if (plan.job().onError() == OnError.FAIL) {
            throw new KindlingException(code, "a row failed and onError is 'fail': " + message);
        }
    }

    /** This, with a model that the driver has made ready for executors. */
    RowGenerator delivering(String model, ModelSource source) {
        RowGenerator with = new RowGenerator(settings, hadoop, made);
        with.delivered.putAll(delivered);
        with.delivered.put(model, source);
        return with;
    }

    SessionSettings settings() {
        return settings;
    }

    synchronized ModelSource source(String model) {
        if (sources == null) {
            sources = new HashMap<>(delivered);
        }
        return sources.computeIfAbsent(model, name -> ModelDistributor.byPath(uri(name), hadoop));
    }

    synchronized GenerationPlan plan(Map<String, String> options) {
        return plans.of(options);
    }

    /** For calls whose literal options were checked at analysis, so that bad ones come from columns. */
    RowPlan rowPlan(Map<String, String> options) {
        return plans.ofRow(options);
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
