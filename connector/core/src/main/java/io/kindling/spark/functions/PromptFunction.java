package io.kindling.spark.functions;

import io.kindling.engine.Option.Scope;
import io.kindling.spark.config.Refusals;
import io.kindling.spark.convert.MessageColumns;
import io.kindling.spark.convert.MessageRows;
import io.kindling.spark.functions.PromptKind.Prompts;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.functions.BoundFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * A function of a model, a prompt and options: {@code name(model, prompt [, options])}. The prompt is a text or, where the function
 * takes them, a conversation.
 */
public final class PromptFunction implements CatalogFunction {
    private final PromptKind kind;

    private PromptFunction(PromptKind kind) {
        this.kind = kind;
    }

    /** All of them. */
    public static List<PromptFunction> all() {
        return Arrays.stream(PromptKind.values()).map(PromptFunction::new).toList();
    }

    @Override
    public String name() {
        return kind.label();
    }

    @Override
    public String signature() {
        String texts =
                switch (kind.prompts()) {
                    case TEXTS -> "text STRING";
                    case EXTRACTIONS -> "text STRING, schema STRING";
                    default -> "prompt STRING or ARRAY<STRUCT<role STRING, content STRING, …>>";
                };
        return name() + "(model STRING, " + texts + " [, options MAP<STRING, …>]) -> " + kind.resultText();
    }

    @Override
    public String description() {
        return signature() + ": " + kind.meaning()
                + ". The model is an alias set by spark.kindling.model.<alias>, or a URI.";
    }

    @Override
    public String example() {
        return kind.example();
    }

    @Override
    public Set<Scope> scopes() {
        return kind.isDeterministic() ? Set.of(Scope.PROMPT) : kind.scopes();
    }

    @Override
    public BoundFunction bind(StructType inputType) {
        return Refusals.whileBinding("onnx." + name(), () -> bound(inputType));
    }

    private BoundFunction bound(StructType inputType) {
        StructField[] arguments = inputType.fields();
        int own = Arguments.count(kind.prompts());
        if (arguments.length < own || arguments.length > own + 1) {
            throw refused("takes " + own + " or " + (own + 1) + " arguments, not " + arguments.length);
        }
        if (!isText(arguments[0].dataType())) {
            throw refused("needs a string as argument 1, not "
                    + arguments[0].dataType().sql() + "; cast it");
        }
        DataType prompt = arguments[1].dataType();
        boolean textsOnly = kind.prompts() == Prompts.TEXTS || kind.prompts() == Prompts.EXTRACTIONS;
        if (textsOnly && !isText(prompt)) {
            throw refused("needs a string as argument 2, not " + prompt.sql() + "; cast it");
        }
        if (kind.prompts() == Prompts.EXTRACTIONS && !isText(arguments[Arguments.SCHEMA].dataType())) {
            throw refused("needs a schema such as 'name STRING, amount DOUBLE' as argument 3, not "
                    + arguments[Arguments.SCHEMA].dataType().sql());
        }
        if (!isText(prompt) && !(MessageColumns.isConversation(prompt) && MessageRows.isReadable(prompt))) {
            throw refused("needs a string as argument 2, or an array of structs of texts, numbers, booleans, arrays,"
                    + " structs and maps, not " + prompt.sql() + "; cast it");
        }
        if (arguments.length > own && !OptionsArgument.accepts(arguments[own].dataType())) {
            throw refused("needs options as a map from strings to strings, numbers or booleans, not "
                    + arguments[own].dataType().sql());
        }
        return new BoundPrompt(
                kind, RowGenerator.ofActiveSession(kind.scopes()), Arguments.of(inputType, kind.prompts()));
    }

    static boolean isText(DataType type) {
        return type instanceof StringType || type instanceof NullType;
    }

    private UnsupportedOperationException refused(String why) {
        return new UnsupportedOperationException("onnx." + name() + ' ' + why + ": write onnx." + signature());
    }
}
