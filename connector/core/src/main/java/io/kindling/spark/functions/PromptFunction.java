package io.kindling.spark.functions;

import io.kindling.spark.config.SessionSettings;
import io.kindling.spark.convert.MessageColumns;
import io.kindling.spark.convert.MessageRows;
import io.kindling.spark.functions.BoundEncoding.Kind;
import io.kindling.spark.runtime.DeterministicFaults;
import io.kindling.spark.runtime.HadoopSettings;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.catalog.functions.BoundFunction;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * A function of a model, a prompt and options: {@code name(model, prompt [, options])}. The prompt is a text or, where the function
 * takes them, a conversation.
 */
public final class PromptFunction implements UnboundFunction {
    private final String name;
    private final String result;
    private final String meaning;
    private final boolean user;
    private final boolean conversations;
    private final BiFunction<RowGenerator, Arguments, BoundFunction> binding;

    private PromptFunction(
            String name,
            String result,
            String meaning,
            boolean user,
            BiFunction<RowGenerator, Arguments, BoundFunction> binding) {
        this(name, result, meaning, user, true, binding);
    }

    private PromptFunction(
            String name,
            String result,
            String meaning,
            boolean user,
            boolean conversations,
            BiFunction<RowGenerator, Arguments, BoundFunction> binding) {
        this.name = name;
        this.result = result;
        this.meaning = meaning;
        this.user = user;
        this.conversations = conversations;
        this.binding = binding;
    }

    /** All of them. */
    public static List<PromptFunction> all() {
        return List.of(
                new PromptFunction(
                        "generate",
                        "STRING",
                        "continues a text, or answers a conversation; NULL for a NULL prompt or a row that failed",
                        false,
                        (rows, arguments) -> new BoundGenerate("generate", rows, arguments)),
                new PromptFunction(
                        "generate_details",
                        "STRUCT",
                        "as generate, with finish reason, token counts and error",
                        false,
                        BoundGenerateDetails::new),
                new PromptFunction(
                        "chat",
                        "STRING",
                        "answers a conversation, or a text as a user's message; NULL for a NULL prompt or a row that failed",
                        true,
                        (rows, arguments) -> new BoundGenerate("chat", rows, arguments)),
                new PromptFunction(
                        "render_prompt",
                        "STRING",
                        "the text that the model's chat template makes of a conversation, or of a text as a user's message;"
                                + " loads no weights",
                        true,
                        BoundRenderPrompt::new),
                new PromptFunction(
                        "count_tokens",
                        "INT",
                        "how many tokens generate would feed for a text, or for a conversation; loads no weights",
                        false,
                        BoundCountTokens::new),
                ofTexts(
                        "embed",
                        "ARRAY<FLOAT>",
                        "the vector that an encoder makes of a text; NULL for a NULL text or a row that failed",
                        Kind.EMBED),
                ofTexts(
                        "classify",
                        "STRING",
                        "the likeliest class of a text; NULL for a NULL text or a row that failed",
                        Kind.CLASSIFY));
    }

    private static PromptFunction ofTexts(String name, String result, String meaning, Kind kind) {
        return new PromptFunction(
                name, result, meaning, false, false, (rows, arguments) -> new BoundEncoding(kind, rows, arguments));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String description() {
        String texts = conversations ? "prompt STRING or ARRAY<STRUCT<role STRING, content STRING, …>>" : "text STRING";
        return name + "(model STRING, " + texts + " [, options MAP<STRING, …>]) -> " + result + ": " + meaning
                + ". The model is an alias set by spark.kindling.model.<alias>, or a URI.";
    }

    @Override
    public BoundFunction bind(StructType inputType) {
        StructField[] arguments = inputType.fields();
        if (arguments.length < 2 || arguments.length > 3) {
            throw refused("takes 2 or 3 arguments, not " + arguments.length);
        }
        if (!isText(arguments[0].dataType())) {
            throw refused("needs a string as argument 1, not "
                    + arguments[0].dataType().sql() + "; cast it");
        }
        DataType prompt = arguments[1].dataType();
        if (!conversations && !isText(prompt)) {
            throw refused("needs a string as argument 2, not " + prompt.sql() + "; cast it");
        }
        if (!isText(prompt) && !(MessageColumns.isConversation(prompt) && MessageRows.isReadable(prompt))) {
            throw refused("needs a string as argument 2, or an array of structs of texts, numbers, booleans, arrays,"
                    + " structs and maps, not " + prompt.sql() + "; cast it");
        }
        if (arguments.length == 3 && !isOptions(arguments[2].dataType())) {
            throw refused("needs options as a map from strings to strings, numbers or booleans, not "
                    + arguments[2].dataType().sql());
        }
        SparkSession session = SparkSession.active();
        SessionSettings settings = SessionSettings.of(session);
        LocalDateTime now = LocalDateTime.now();
        settings.plan(Map.of(), now); // a bad setting fails here, not in every row
        DeterministicFaults.watch(session.sparkContext());
        RowGenerator generator = new RowGenerator(
                settings, HadoopSettings.of(session.sparkContext().hadoopConfiguration()), now);
        return binding.apply(generator, Arguments.of(inputType, user));
    }

    private static boolean isText(DataType type) {
        return type instanceof StringType || type instanceof NullType;
    }

    private static boolean isOptions(DataType type) {
        return type instanceof NullType
                || type instanceof MapType map
                        && map.keyType() instanceof StringType
                        && !(map.valueType() instanceof MapType || map.valueType() instanceof StructType);
    }

    private UnsupportedOperationException refused(String why) {
        return new UnsupportedOperationException("onnx." + name + ' ' + why + "; " + description());
    }
}
