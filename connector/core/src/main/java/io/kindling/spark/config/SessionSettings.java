package io.kindling.spark.config;

import io.kindling.engine.Option.Scope;
import io.kindling.engine.OptionValues;
import java.io.Serializable;
import java.time.LocalDateTime;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;
import scala.Tuple2;

/**
 * The {@code spark.kindling.*} settings of a session as they were when it was asked.
 *
 * @param options without the prefix
 * @param models named models
 * @param ofCalls the scopes of options that a call may give
 */
public record SessionSettings(Map<String, String> options, ModelNames models, Set<Scope> ofCalls)
        implements Serializable {
    public SessionSettings {
        options = Map.copyOf(options);
        ofCalls = Set.copyOf(ofCalls);
    }

    public static SessionSettings of(SparkSession session) {
        return of(scala.collection.JavaConverters.mapAsJavaMap(session.conf().getAll()));
    }

    /** The settings of an application, as they are before it has a session. */
    public static SessionSettings of(SparkConf application) {
        Map<String, String> all = new LinkedHashMap<>();
        for (Tuple2<String, String> setting : application.getAll()) {
            all.put(setting._1(), setting._2());
        }
        return of(all);
    }

    private static SessionSettings of(Map<String, String> all) {
        Map<String, String> options = new LinkedHashMap<>();
        Map<String, String> models = new LinkedHashMap<>();
        all.forEach((key, value) -> {
            if (key.startsWith(SparkOptions.MODEL_PREFIX)) {
                models.put(key.substring(SparkOptions.MODEL_PREFIX.length()), value);
            } else if (key.startsWith(SparkOptions.PREFIX)) {
                options.put(key.substring(SparkOptions.PREFIX.length()), value);
            }
        });
        return new SessionSettings(options, new ModelNames(models), EnumSet.allOf(Scope.class));
    }

    /**
     * These settings, for calls that read no options but those of engine and job and some of their own: others would say nothing there.
     *
     * @param own scopes
     */
    public SessionSettings forCalls(Collection<Scope> own) {
        Set<Scope> scopes = EnumSet.of(Scope.ENGINE, Scope.JOB);
        scopes.addAll(own);
        return new SessionSettings(options, models, scopes);
    }

    /**
     * The options of a call.
     *
     * @param callOptions by their names without prefix; they win over the session's
     * @throws io.kindling.engine.error.OptionException with all problems of both
     */
    public OptionValues values(Map<String, String> callOptions) {
        return SparkOptions.resolve(options, callOptions, ofCalls);
    }

    /**
     * The plan of a call.
     *
     * @param callOptions by their names without prefix; they win over the session's
     * @param made when the job or the query was made, by the driver's clock
     * @throws io.kindling.engine.error.OptionException with all problems of both
     */
    public GenerationPlan plan(Map<String, String> callOptions, LocalDateTime made) {
        return GenerationPlan.of(values(callOptions).startedAt(made));
    }
}
