package io.kindling.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kindling.engine.GenerationEngine;
import io.kindling.engine.GenerationOptions;
import io.kindling.engine.GenerationRequest;
import io.kindling.engine.GenerationRequest.Prompt;
import io.kindling.engine.GenerationResult;
import io.kindling.engine.Model;
import io.kindling.engine.Option.Scope;
import io.kindling.engine.OptionTable;
import io.kindling.engine.OptionValues;
import io.kindling.engine.Options;
import io.kindling.engine.error.KindlingException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bench}: tokens a second of prefill and decode. */
@Command(
        name = "bench",
        description = "Measures prefill and decode in tokens a second, as medians over runs after a warm-up: distinct"
                + " random prompts, no prefix cache, no deduplication, end tokens ignored.",
        sortOptions = false)
final class BenchCommand extends CliCommand {
    @Parameters(index = "0", paramLabel = "MODEL", description = "Model package, .onnx or .gguf file.")
    private Path model;

    @Option(names = "--batch", split = ",", paramLabel = "N", description = "Rows at once. Default: ${DEFAULT-VALUE}.")
    private List<Integer> batches = List.of(1);

    @Option(
            names = "--prompt",
            split = ",",
            paramLabel = "N",
            description = "Tokens of a prompt. Default: ${DEFAULT-VALUE}.")
    private List<Integer> prompts = List.of(128);

    @Option(
            names = "--new",
            split = ",",
            paramLabel = "N",
            description = "Tokens to generate. Default: ${DEFAULT-VALUE}.")
    private List<Integer> news = List.of(64);

    @Option(names = "--runs", paramLabel = "N", description = "Measured runs of each point. Default: ${DEFAULT-VALUE}.")
    private int runs = 3;

    @Option(names = "--json", description = "One JSON object a point.")
    private boolean json;

    BenchCommand() {
        super(OptionFlags.of(Scope.ENGINE)
                .withDefault(Options.PREFIX_CACHE, false)
                .withDefault(Options.DEDUPLICATE, false));
    }

    /** One point; times in nanoseconds. */
    private record Point(int batch, int prompt, int newTokens) {}

    /** Medians in tokens a second; decode is NaN where no token follows the first. */
    private record Speed(double prefill, double decode) {}

    @Override
    public Integer call() {
        check("--batch", batches);
        check("--prompt", prompts);
        check("--new", news);
        check("--runs", List.of(runs));
        OptionValues options = optionValues();
        int largest = batches.stream().max(Integer::compare).orElseThrow();
        if (!options.givenOptions().contains(Options.MAX_BATCH)) {
            options = options.with(Options.MAX_BATCH, Math.max(largest, options.get(Options.MAX_BATCH)));
        }
        try (Model opened = Model.open(model, options.engine())) {
            RandomPrompts random = RandomPrompts.of(opened);
            for (int batch : batches) {
                for (int prompt : prompts) {
                    for (int newTokens : news) {
                        Point point = new Point(batch, prompt, newTokens);
                        print(point, measure(opened.generation(), random, point), options);
                    }
                }
            }
        }
        return 0;
    }

    private void check(String flag, List<Integer> values) {
        for (int value : values) {
            if (value < 1) {
                throw usageError(flag + " must be at least 1, not '" + value + "'");
            }
        }
    }

    private Speed measure(GenerationEngine engine, RandomPrompts random, Point point) {
        // A run that ends with the first token takes exactly the time to the first token.
        nanoseconds(engine, random, point, Math.min(2, point.newTokens()));
        double[] first = new double[runs];
        double[] whole = new double[runs];
        for (int run = 0; run < runs; run++) {
            first[run] = nanoseconds(engine, random, point, 1);
            whole[run] = point.newTokens() == 1 ? first[run] : nanoseconds(engine, random, point, point.newTokens());
        }
        double toFirst = median(first);
        double after = median(whole) - toFirst;
        return new Speed(
                1e9 * point.batch() * point.prompt() / toFirst,
                point.newTokens() == 1 ? Double.NaN : 1e9 * point.batch() * (point.newTokens() - 1) / after);
    }

    private static double nanoseconds(GenerationEngine engine, RandomPrompts random, Point point, int newTokens) {
        GenerationOptions options = OptionTable.standard()
                .defaults()
                .with(Options.MAX_NEW_TOKENS, newTokens)
                .with(Options.IGNORE_EOS, true)
                .generation();
        List<GenerationRequest> requests = new ArrayList<>();
        for (int row = 0; row < point.batch(); row++) {
            requests.add(
                    GenerationRequest.of(Integer.toString(row), new Prompt.Ids(random.next(point.prompt())), options));
        }
        try (GenerationEngine.Client client = engine.openClient()) {
            long start = System.nanoTime();
            List<CompletableFuture<GenerationResult>> answers = new ArrayList<>();
            requests.forEach(request -> answers.add(client.submit(request)));
            List<GenerationResult> results = new ArrayList<>();
            answers.forEach(answer -> results.add(Answers.await(answer)));
            long end = System.nanoTime();
            results.forEach(BenchCommand::refuseErrors);
            return end - start;
        }
    }

    private static void refuseErrors(GenerationResult result) {
        result.error().ifPresent(error -> {
            throw new KindlingException(error.code(), "a benchmark row failed: " + error.message());
        });
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    private void print(Point point, Speed speed, OptionValues options) {
        String precision = Options.PRECISION.type().write(options.get(Options.PRECISION));
        String kernels = Options.KERNELS.type().write(options.get(Options.KERNELS));
        if (json) {
            ObjectNode object = JsonLines.object();
            object.put("batch", point.batch());
            object.put("prompt", point.prompt());
            object.put("new", point.newTokens());
            object.put("precision", precision);
            object.put("kernels", kernels);
            object.put("prefill_tok_s", rounded(speed.prefill()));
            object.put("decode_tok_s", Double.isNaN(speed.decode()) ? null : rounded(speed.decode()));
            out().println(JsonLines.write(object));
        } else {
            out().printf(
                            Locale.ROOT,
                            "batch %d, prompt %d, new %d (%s, %s kernels): prefill %.1f tokens/s, decode %.1f tokens/s%n",
                            point.batch(),
                            point.prompt(),
                            point.newTokens(),
                            precision,
                            kernels,
                            speed.prefill(),
                            speed.decode());
        }
    }

    private static double rounded(double tokensPerSecond) {
        return Math.round(tokensPerSecond * 10) / 10.0;
    }
}
