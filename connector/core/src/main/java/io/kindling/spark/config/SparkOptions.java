package io.kindling.spark.config;

import io.kindling.engine.Option;
import io.kindling.engine.Option.Scope;
import io.kindling.engine.OptionTable;
import io.kindling.engine.OptionTypes;
import io.kindling.engine.OptionValues;
import io.kindling.engine.error.OptionException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** The options that only Spark has, declared like the engine's, and the table of all. */
public final class SparkOptions {
    /** What calls that generate read beside the options of engine and job. */
    public static final Set<Scope> OF_GENERATION = Set.of(Scope.GENERATION, Scope.PROMPT);

    /** The same of those that encode texts. */
    public static final Set<Scope> OF_ENCODING = Set.of(Scope.ENCODING);

    /** Before an option's name, in Spark's settings. */
    public static final String PREFIX = "spark.kindling.";

    /** Before a model's alias; the value is its URI. */
    public static final String MODEL_PREFIX = PREFIX + "model.";

    public static final Option<Distribution> DISTRIBUTION = Option.of(
            "distribution",
            Scope.JOB,
            OptionTypes.choice(Distribution.class),
            Distribution.AUTO,
            "How a model reaches the executors: sent with the job, opened by each at its URI, or brought by --files or"
                    + " --archives; auto sends what lies on the driver's own disk, in a cluster. SQL calls that run row by"
                    + " row, and render_prompt and count_tokens, always open the URI");

    public static final Option<String> CACHE_DIR = Option.of(
            "cache_dir",
            Scope.JOB,
            OptionTypes.text(Pattern.compile(".+"), "a folder"),
            "",
            "Folder in which each node keeps models that were sent or copied to it; without it, one below Java's temporary folder");

    public static final Option<Long> CACHE_MAX_BYTES = Option.of(
            "cache_max_bytes",
            Scope.JOB,
            OptionTypes.bytes(),
            50L << 30,
            "Size above which models that are not in use are deleted from that folder, those unused longest first");

    public static final Option<Long> IDLE_MODEL_BYTES = Option.of(
                    "idle_model_bytes",
                    Scope.JOB,
                    OptionTypes.bytes(),
                    4L << 30,
                    "Total size of the files of models that an executor keeps loaded though no task uses them")
            .alsoNamed("memory_idle");

    public static final Option<Integer> MEMORY_IDLE_SECONDS = Option.of(
            "memory_idle_seconds",
            Scope.JOB,
            OptionTypes.integer(0, Integer.MAX_VALUE),
            600,
            "How long an executor keeps a model loaded that no task uses; 0 sets no limit of time");

    public static final Option<Long> MEMORY_TOTAL = Option.of(
            "memory_total",
            Scope.JOB,
            OptionTypes.bytes(),
            0L,
            "Memory beside the Java heap that all models of an executor may take together; 0 takes what the executor's memory"
                    + " overhead, its cgroup or its node leaves");

    public static final Option<Integer> IN_FLIGHT = Option.of(
            "in_flight",
            Scope.JOB,
            OptionTypes.integer(1, 100_000),
            64,
            "Rows that a task has in the engine at once; the engine batches rows of all tasks of an executor");

    public static final Option<List<String>> WARMUP = Option.of(
            "warmup",
            Scope.JOB,
            OptionTypes.names(),
            List.of(),
            "Models, by alias or URI, that executors load when they start; needs spark.plugins=io.kindling.spark.KindlingPlugin");

    private static final OptionTable TABLE = OptionTable.standard()
            .with(List.of(
                    DISTRIBUTION,
                    CACHE_DIR,
                    CACHE_MAX_BYTES,
                    MEMORY_TOTAL,
                    IDLE_MODEL_BYTES,
                    MEMORY_IDLE_SECONDS,
                    IN_FLIGHT,
                    WARMUP));

    private SparkOptions() {}

    /** The engine's options and Spark's. */
    public static OptionTable table() {
        return TABLE;
    }

    /** Whether two spellings name one option. */
    static boolean areOne(String name, String other) {
        return TABLE.find(name).isPresent() && TABLE.find(name).equals(TABLE.find(other));
    }

    /** Whether all are names of options of some scopes, each of another one. */
    static boolean areNames(Collection<String> names, Set<Scope> scopes) {
        return names.stream()
                        .flatMap(name -> TABLE.find(name).stream())
                        .filter(option -> scopes.contains(option.scope()))
                        .distinct()
                        .count()
                == names.size();
    }

    /** Whether it names an option of what becomes of rows with errors, and of the like. */
    static boolean isOfJob(String name) {
        return TABLE.find(name).filter(option -> option.scope() == Scope.JOB).isPresent();
    }

    /**
     * Refuses options that a column cannot give: unknown ones, and those that are fixed for a session or a job.
     *
     * @throws OptionException with all problems
     */
    public static void requireOfRows(Collection<String> names) {
        List<String> problems = new ArrayList<>();
        for (String name : names) {
            Optional<Option<?>> option = TABLE.find(name);
            if (option.isEmpty()) {
                problems.add("unknown option '" + name + "' for a column");
            } else if (option.get().scope() != Scope.GENERATION && option.get().scope() != Scope.PROMPT) {
                problems.add("option '" + name + "' cannot come from a column: it holds for all rows");
            }
        }
        if (!problems.isEmpty()) {
            throw new OptionException(problems);
        }
    }

    /**
     * @param session settings without prefix
     * @param call options of one call, which win
     * @param ofCall the scopes that these may be of
     * @throws OptionException with all problems of both
     */
    static OptionValues resolve(Map<String, String> session, Map<String, String> call, Set<Scope> ofCall) {
        List<String> problems = new ArrayList<>();
        OptionValues defaults = TABLE.defaults();
        try {
            defaults = TABLE.parse(session);
        } catch (OptionException e) {
            e.problems().forEach(problem -> problems.add("setting " + PREFIX + "*: " + problem));
        }
        try {
            OptionValues values = TABLE.parse(call, defaults, ofCall);
            if (problems.isEmpty()) {
                return values;
            }
        } catch (OptionException e) {
            problems.addAll(e.problems());
        }
        throw new OptionException(problems);
    }
}
