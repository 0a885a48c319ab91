package io.kindling.spark.metrics;

/**
 * What is counted. The names are the same in the SQL tab and Spark's REST API, in the accumulators of {@link GenerationMetrics} and
 * in the metrics system.
 */
public enum Metric {
    ROWS("rows", "rows", Kind.SUM, "rows that came in, including those with a NULL prompt"),
    REQUESTS(
            "engine requests",
            "requests",
            Kind.SUM,
            "prompts, texts or rows given to the engine, including equal ones"),
    DEDUPLICATED("deduplicated", "requests", Kind.SUM, "requests answered with the result of an equal one"),
    PROMPT_TOKENS("prompt tokens", "tokens", Kind.SUM, "tokens of the prompts and texts of all answers"),
    GENERATED_TOKENS(
            "generated tokens", "tokens", Kind.SUM, "tokens of all generated answers, including deduplicated ones"),
    TOKENS_PER_SECOND(
            "tokens per second",
            "tokens/s",
            Kind.MEAN,
            "tokens that an engine generated, or an encoder read, in a second of its work; rows that share a pass share its"
                    + " time. It is the rate of one executor: several work at once"),
    PREFIX_HITS(
            "prefix hits",
            "tokens",
            Kind.SUM,
            "prompt tokens whose keys and values were already in the prefix cache; `prompt tokens` includes them"),
    MEAN_BATCH_SIZE(
            "mean batch size",
            "rows",
            Kind.MEAN,
            "rows that shared a pass through the model, over all passes; a pass shared with another query counts by its"
                    + " share"),
    KV_PAGES_PEAK(
            "KV pages peak",
            "pages",
            Kind.PEAK,
            "largest number of pages (16 tokens each) that one engine had in use at once while it worked on these rows"),
    FAILED_ROWS("failed rows", "rows", Kind.SUM, "rows whose answer is an error"),
    MODEL_LOAD_MILLIS("model load ms", "ms", Kind.SUM, "time spent on loading models, summed over executors"),
    SESSIONS("sessions", "models", Kind.SUM, "models loaded; 0 where all were loaded before");

    /** How the figures of tasks become one. */
    public enum Kind {
        SUM("sum"),
        PEAK("highest"),
        MEAN("mean over all, not of the tasks' means");

        private final String meaning;

        Kind(String meaning) {
            this.meaning = meaning;
        }

        public String meaning() {
            return meaning;
        }
    }

    private final String label;
    private final String unit;
    private final Kind kind;
    private final String meaning;

    Metric(String label, String unit, Kind kind, String meaning) {
        this.label = label;
        this.unit = unit;
        this.kind = kind;
        this.meaning = meaning;
    }

    /** Its name. */
    public String label() {
        return label;
    }

    public String unit() {
        return unit;
    }

    public Kind kind() {
        return kind;
    }

    public String meaning() {
        return meaning;
    }
}
