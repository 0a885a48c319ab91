package io.kindling.engine.text;

import ai.djl.huggingface.tokenizers.jni.TokenizersLibrary;
import io.kindling.engine.text.jinja.JinjaChatTemplate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Measures what text costs: our tokenizer beside the library it calls, in turns, and a chat template over 20 messages. No test; see
 * docs/benchmarks.md. Argument: a model package with tokenizer.json and chat_template.jinja.
 */
public final class TextBenchmark {
    private static final int ROUNDS = 41;
    private static final int WARM_UP = 20;
    private static final int TEXTS = 400;

    private TextBenchmark() {}

    public static void main(String[] arguments) throws IOException {
        Path model = Path.of(arguments[0]);
        tokenizer(model.resolve("tokenizer.json"));
        template(model.resolve("chat_template.jinja"));
    }

    private interface Work {
        long run();
    }

    private static void tokenizer(Path file) throws IOException {
        List<String> texts = new ArrayList<>();
        for (int k = 0; k < TEXTS; k++) {
            texts.add(sentence(k).repeat(1 + k % 12));
        }
        TokenizersLibrary library = NativeTokenizers.library();
        long handle = library.createTokenizerFromString(Files.readString(file));
        library.disablePadding(handle);
        library.disableTruncation(handle);
        try (Tokenizer tokenizer = HuggingFaceTokenizer.open(file)) {
            Work ours = () -> texts.stream()
                    .mapToLong(text -> tokenizer.encode(text, true).length)
                    .sum();
            Work theirs = () -> texts.stream()
                    .mapToLong(text -> {
                        long encoding = library.encode(handle, text, true);
                        long count = library.getTokenIds(encoding).length;
                        library.deleteEncoding(encoding);
                        return count;
                    })
                    .sum();
            double[] ourMillis = new double[ROUNDS];
            double[] theirMillis = new double[ROUNDS];
            long tokens = 0;
            for (int round = -WARM_UP; round < ROUNDS; round++) {
                double our = millis(ours);
                double their = millis(theirs);
                tokens = ours.run();
                if (round >= 0) {
                    ourMillis[round] = our;
                    theirMillis[round] = their;
                }
            }
            System.out.printf(
                    "encode: ours %.0f tok/s, library %.0f tok/s, ratio %.3f%n",
                    tokens / median(ourMillis) * 1000,
                    tokens / median(theirMillis) * 1000,
                    median(theirMillis) / median(ourMillis));
        } finally {
            library.deleteTokenizer(handle);
        }
    }

    private static void template(Path file) throws IOException {
        JinjaChatTemplate template = JinjaChatTemplate.parse(Files.readString(file));
        List<Map<String, Object>> messages = new ArrayList<>();
        for (int k = 0; k < 20; k++) {
            messages.add(Map.of("role", k == 0 ? "system" : k % 2 == 1 ? "user" : "assistant", "content", sentence(k)));
        }
        Map<String, Object> variables = Map.of("messages", messages, "add_generation_prompt", true);
        double[] rendering = new double[ROUNDS * 50];
        for (int round = -2000; round < rendering.length; round++) {
            double spent = millis(() -> template.render(variables).length());
            if (round >= 0) {
                rendering[round] = spent;
            }
        }
        System.out.printf("render 20 messages: %.3f ms%n", median(rendering));
    }

    private static String sentence(int number) {
        return "Message " + number + " goes on for a sentence or two of ordinary length, naïve café included. ";
    }

    private static double millis(Work work) {
        long start = System.nanoTime();
        work.run();
        return (System.nanoTime() - start) / 1e6;
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
