package io.kindling.spark.functions;

import io.kindling.engine.Option.Scope;
import io.kindling.engine.TextEncoder;
import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.config.SparkOptions;
import io.kindling.spark.convert.EncodingConverter;
import io.kindling.spark.convert.ResultConverter;
import io.kindling.spark.runtime.RowCall;
import java.util.Set;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;

/** What a function of a model and a prompt makes of the prompt. */
enum PromptKind {
    GENERATE(
            "generate",
            DataTypes.StringType,
            Prompts.TEXTS_AND_CONVERSATIONS,
            "continues a text, or answers a conversation; NULL for a NULL prompt or a row that failed",
            "SELECT id, onnx.generate('smollm2', question, map('max_new_tokens', 8)) AS answer FROM questions;") {
        @Override
        Object produce(RowGenerator generator, Arguments arguments, InternalRow input) {
            return Results.text(generator.generate(arguments, input));
        }

        @Override
        RowCall batched(RowGenerator generator, Arguments arguments, GenerationPlan plan) {
            return new GenerateCall(generator, arguments, plan.inFlight(), Results::text);
        }
    },
    GENERATE_DETAILS(
            "generate_details",
            ResultConverter.DETAILS,
            Prompts.TEXTS_AND_CONVERSATIONS,
            "as generate, in a struct with finish reason, token counts and error",
            """
            SELECT id, d.text, d.finish_reason, d.error
            FROM (SELECT id, onnx.generate_details('smollm2', question, map('max_new_tokens', 8)) AS d FROM questions);""") {
        @Override
        Object produce(RowGenerator generator, Arguments arguments, InternalRow input) {
            return Results.details(generator.generate(arguments, input));
        }

        @Override
        RowCall batched(RowGenerator generator, Arguments arguments, GenerationPlan plan) {
            return new GenerateCall(generator, arguments, plan.inFlight(), Results::details);
        }
    },
    CHAT(
            "chat",
            DataTypes.StringType,
            Prompts.CONVERSATIONS,
            "answers a conversation, or a text as a user's message; NULL for a NULL prompt or a row that failed",
            """
            SELECT onnx.chat('smollm2', array(
                named_struct('role', 'system', 'content', 'Be brief.'),
                named_struct('role', 'user', 'content', question)), map('max_new_tokens', 8)) FROM questions;""") {
        @Override
        Object produce(RowGenerator generator, Arguments arguments, InternalRow input) {
            return GENERATE.produce(generator, arguments, input);
        }

        @Override
        RowCall batched(RowGenerator generator, Arguments arguments, GenerationPlan plan) {
            return GENERATE.batched(generator, arguments, plan);
        }
    },
    EXTRACT(
            "extract",
            DataTypes.StringType,
            Prompts.EXTRACTIONS,
            "a struct with the schema's fields, filled by the model from a text: NULL where the text does not say. The schema is a"
                    + " literal such as 'name STRING, amount DOUBLE NOT NULL', or a JSON Schema; the model can answer only with"
                    + " JSON of that schema, without null in NOT NULL fields. With a schema from a column, or without the session"
                    + " extension, the result is a JSON object as STRING, as extract_json gives. An answer that max_new_tokens cuts"
                    + " off has NULL fields; a field _corrupt_record STRING gets its text. NULL for a NULL text or a row that failed",
            """
            SELECT id, e.name, e.amount
            FROM (SELECT id, onnx.extract('smollm2', review, 'name STRING, amount DOUBLE') AS e FROM reviews);""") {
        @Override
        String resultText() {
            return "STRUCT";
        }

        @Override
        Object produce(RowGenerator generator, Arguments arguments, InternalRow input) {
            return Results.json(generator.generate(arguments, input));
        }

        @Override
        RowCall batched(RowGenerator generator, Arguments arguments, GenerationPlan plan) {
            return new GenerateCall(generator, arguments, plan.inFlight(), Results::json);
        }
    },
    EXTRACT_JSON(
            "extract_json",
            DataTypes.StringType,
            Prompts.EXTRACTIONS,
            "as extract, but as the text of a JSON object, which lacks its end where max_new_tokens cuts the answer off",
            "SELECT from_json(onnx.extract_json('smollm2', review, 'name STRING'), 'name STRING').name FROM reviews;") {
        @Override
        Object produce(RowGenerator generator, Arguments arguments, InternalRow input) {
            return EXTRACT.produce(generator, arguments, input);
        }

        @Override
        RowCall batched(RowGenerator generator, Arguments arguments, GenerationPlan plan) {
            return EXTRACT.batched(generator, arguments, plan);
        }
    },
    RENDER_PROMPT(
            "render_prompt",
            DataTypes.StringType,
            Prompts.CONVERSATIONS,
            "the text that the model's chat template makes of a conversation, or of a text as a user's message; loads no"
                    + " weights",
            "SELECT onnx.render_prompt('smollm2', question, map('system', 'Be brief.')) FROM questions;") {
        @Override
        boolean isDeterministic() {
            return true; // the time that templates write is that of binding
        }

        @Override
        Object produce(RowGenerator generator, Arguments arguments, InternalRow input) {
            return generator
                    .text(arguments, input, (model, prompt) -> UTF8String.fromString(model.render(prompt)))
                    .orElse(null);
        }
    },
    COUNT_TOKENS(
            "count_tokens",
            DataTypes.IntegerType,
            Prompts.TEXTS_AND_CONVERSATIONS,
            "how many tokens generate would feed for a text, or for a conversation; loads no weights",
            "SELECT sum(onnx.count_tokens('smollm2', question)) FROM questions;") {
        @Override
        boolean isDeterministic() {
            return true; // so that it may be summed, filtered and joined by
        }

        @Override
        Object produce(RowGenerator generator, Arguments arguments, InternalRow input) {
            return generator
                    .text(arguments, input, (model, prompt) -> model.count(prompt))
                    .orElse(null);
        }
    },
    EMBED(
            "embed",
            EncodingConverter.VECTOR,
            Prompts.TEXTS,
            "the vector that an encoder makes of a text; NULL for a NULL text or a row that failed",
            "SELECT id, onnx.embed('minilm', review) AS vector FROM reviews;") {
        @Override
        Object produce(RowGenerator generator, Arguments arguments, InternalRow input) {
            return generator.encode(arguments, input, TextEncoder::embed, Results::vector);
        }

        @Override
        RowCall batched(RowGenerator generator, Arguments arguments, GenerationPlan plan) {
            return new EncodeCall<>(generator, arguments, TextEncoder::embed, Results::vector);
        }
    },
    CLASSIFY(
            "classify",
            DataTypes.StringType,
            Prompts.TEXTS,
            "the likeliest class of a text; NULL for a NULL text or a row that failed",
            "SELECT id, onnx.classify('sentiment', review) AS mood FROM reviews;") {
        @Override
        Object produce(RowGenerator generator, Arguments arguments, InternalRow input) {
            return generator.encode(arguments, input, TextEncoder::classify, Results::label);
        }

        @Override
        RowCall batched(RowGenerator generator, Arguments arguments, GenerationPlan plan) {
            return new EncodeCall<>(generator, arguments, TextEncoder::classify, Results::label);
        }
    };

    /** What a function takes for a prompt. */
    enum Prompts {
        TEXTS,
        /** A text is continued as it is. */
        TEXTS_AND_CONVERSATIONS,
        /** A text is a user's message. */
        CONVERSATIONS,
        /** A text and a schema. */
        EXTRACTIONS
    }

    private final String label;
    private final DataType result;
    private final Prompts prompts;
    private final String meaning;
    private final String example;

    PromptKind(String label, DataType result, Prompts prompts, String meaning, String example) {
        this.label = label;
        this.result = result;
        this.prompts = prompts;
        this.meaning = meaning;
        this.example = example;
    }

    /** Its name in SQL. */
    String label() {
        return label;
    }

    DataType result() {
        return result;
    }

    /** The type of the result as users are told. */
    String resultText() {
        return result.sql();
    }

    Prompts prompts() {
        return prompts;
    }

    String meaning() {
        return meaning;
    }

    String example() {
        return example;
    }

    /** Those that run a model are not, for Spark: it would evaluate them again for each filter on their result. */
    boolean isDeterministic() {
        return false;
    }

    /** Whether a model writes a text, rather than a vector or a class. */
    boolean generates() {
        return !isDeterministic() && prompts != Prompts.TEXTS;
    }

    /** Of the options that a call may give, beside those of engine and job. */
    Set<Scope> scopes() {
        return prompts == Prompts.TEXTS ? SparkOptions.OF_ENCODING : SparkOptions.OF_GENERATION;
    }

    /** The result in Spark's internal form, or null for a row that failed. */
    abstract Object produce(RowGenerator generator, Arguments arguments, InternalRow input);

    /** What the batch operator runs instead of those that run a model. */
    RowCall batched(RowGenerator generator, Arguments arguments, GenerationPlan plan) {
        throw new UnsupportedOperationException(label + " runs no model");
    }
}
