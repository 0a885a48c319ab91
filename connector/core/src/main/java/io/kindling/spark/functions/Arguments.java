package io.kindling.spark.functions;

import io.kindling.engine.GenerationOptions;
import io.kindling.engine.GenerationRequest;
import io.kindling.engine.GenerationRequest.Prompt;
import io.kindling.engine.Message;
import io.kindling.engine.PromptOptions;
import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.convert.Extraction;
import io.kindling.spark.convert.MessageRows;
import io.kindling.spark.convert.Requests;
import io.kindling.spark.functions.PromptKind.Prompts;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;

/**
 * Reads the arguments (model, prompt, options) or (model, text, schema, options) of a call.
 *
 * @param types what Spark is to cast them to
 * @param options where they are
 * @param prompts what a prompt is
 */
record Arguments(DataType[] types, OptionsArgument options, Prompts prompts) implements Serializable {
    /** Where the schema is, if there is one. */
    static final int SCHEMA = 2;

    static Arguments of(StructType inputType, Prompts prompts) {
        DataType[] types = new DataType[inputType.length()];
        types[0] = text(inputType.fields()[0].dataType());
        types[1] = inputType.fields()[1].dataType() instanceof ArrayType array
                ? array
                : text(inputType.fields()[1].dataType());
        int own = count(prompts);
        if (own > SCHEMA) {
            types[SCHEMA] = text(inputType.fields()[SCHEMA].dataType());
        }
        if (types.length == own) {
            return new Arguments(types, OptionsArgument.NONE, prompts);
        }
        types[own] = inputType.fields()[own].dataType();
        return new Arguments(types, OptionsArgument.of(own, types[own]), prompts);
    }

    /** Texts keep their collation, which Spark does not cast away. */
    static DataType text(DataType given) {
        return given instanceof StringType ? given : DataTypes.StringType;
    }

    /** How many there are without options. */
    static int count(Prompts prompts) {
        return prompts == Prompts.EXTRACTIONS ? SCHEMA + 1 : SCHEMA;
    }

    /** Whether the answer is NULL without asking a model. */
    boolean isNull(InternalRow input) {
        return input.isNullAt(0) || input.isNullAt(1) || prompts == Prompts.EXTRACTIONS && input.isNullAt(SCHEMA);
    }

    String model(InternalRow input) {
        return input.getUTF8String(0).toString();
    }

    Prompt prompt(InternalRow input, PromptOptions options) {
        if (types[1] instanceof ArrayType array) {
            return options.conversation(MessageRows.messages(input.getArray(1), array));
        }
        String text = text(input);
        return switch (prompts) {
            case CONVERSATIONS -> options.conversation(List.of(Message.of("user", text)));
            case EXTRACTIONS ->
                options.conversation(List.of(Message.of(
                        "user", Extraction.request(input.getUTF8String(SCHEMA).toString(), text))));
            default -> options.prompt(text);
        };
    }

    /**
     * A row's request; those of extractions are held to their schema.
     *
     * @throws io.kindling.engine.error.OptionException for a bad schema
     */
    GenerationRequest request(InternalRow input, GenerationPlan plan) {
        GenerationOptions options = prompts == Prompts.EXTRACTIONS
                ? plan.generation()
                        .withResponseFormat(
                                Extraction.format(input.getUTF8String(SCHEMA).toString()))
                : plan.generation();
        return Requests.of(prompt(input, plan.prompt()), Optional.empty(), options);
    }

    /** The second argument of functions that take no conversations. */
    String text(InternalRow input) {
        return input.getUTF8String(1).toString();
    }

    /** Names a function over these types; Spark takes calls of one name for the same function. */
    String canonicalName(String name) {
        return canonicalName(name, types);
    }

    static String canonicalName(String name, DataType... types) {
        return Arrays.stream(types)
                .map(DataType::sql)
                .collect(Collectors.joining(", ", "io.kindling." + name + '(', ")"));
    }

    Map<String, String> options(InternalRow input) {
        return options.read(input);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Arguments that && prompts == that.prompts && Arrays.equals(types, that.types);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(types);
    }
}
