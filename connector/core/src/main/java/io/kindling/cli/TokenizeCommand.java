package io.kindling.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kindling.engine.TextModel;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.error.OptionException;
import io.kindling.engine.text.HuggingFaceTokenizer;
import io.kindling.engine.text.Tokenizer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tokenize}: text to ids and back. */
@Command(
        name = "tokenize",
        description = "Encodes lines {\"text\", \"add_special_tokens\"} to {\"ids\"} and decodes lines {\"ids\","
                + " \"skip_special_tokens\"} to {\"text\"}.",
        sortOptions = false)
final class TokenizeCommand extends CliCommand {
    @Parameters(
            index = "0",
            paramLabel = "TOKENIZER_OR_MODEL",
            description =
                    "A tokenizer.json, the folder of a model package that has one, or a model's .onnx or .gguf file.")
    private Path source;

    @Option(names = "--cases", paramLabel = "FILE", required = true, description = "JSON lines.")
    private Path cases;

    TokenizeCommand() {
        super(OptionFlags.of());
    }

    @Override
    public Integer call() {
        if (source.toString().endsWith(".gguf") || source.toString().endsWith(".onnx")) {
            try (TextModel model = TextModel.open(source)) {
                answerAll(model.tokenizer());
            }
        } else {
            Path file = Files.isDirectory(source) ? source.resolve("tokenizer.json") : source;
            try (Tokenizer tokenizer = HuggingFaceTokenizer.open(file)) {
                answerAll(tokenizer);
            }
        }
        return 0;
    }

    private void answerAll(Tokenizer tokenizer) {
        for (JsonLines.Case line : JsonLines.cases(cases)) {
            out().println(JsonLines.write(
                    line.object() == null
                            ? JsonLines.object().put("error", line.problem())
                            : answer(tokenizer, line.object())));
        }
    }

    /** A line that cannot be done answers {@code {"error"}}; the others go on. */
    private static ObjectNode answer(Tokenizer tokenizer, ObjectNode line) {
        ObjectNode answer = JsonLines.object();
        try {
            if (line.hasNonNull("ids")) {
                int[] ids = LineFields.ids(line.get("ids"), "ids").stream()
                        .mapToInt(Integer::intValue)
                        .toArray();
                return answer.put("text", tokenizer.decode(ids, LineFields.flag(line, "skip_special_tokens", false)));
            }
            String text = LineFields.text(line, "text");
            int[] ids = tokenizer.encode(text, LineFields.flag(line, "add_special_tokens", true));
            Arrays.stream(ids).forEach(answer.putArray("ids")::add);
            return answer;
        } catch (OptionException bad) {
            return answer.put("error", bad.getMessage());
        } catch (KindlingException fault) {
            return answer.put("error", fault.code() + ": " + fault.getMessage());
        }
    }
}
