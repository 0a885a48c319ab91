package io.kindling.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kindling.cli.PromptFile.Row;
import io.kindling.engine.GenerationEngine;
import io.kindling.engine.GenerationResult;
import io.kindling.engine.GenerationResult.TokenLogit;
import io.kindling.engine.GenerationStats;
import io.kindling.engine.JobOptions;
import io.kindling.engine.Model;
import io.kindling.engine.Option.Scope;
import io.kindling.engine.OptionValues;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code generate}: texts from prompts. */
@Command(
        name = "generate",
        description = "Generates texts. A raw prompt gets the tokenizer's own special tokens; --chat makes it a user"
                + " message.",
        sortOptions = false)
final class GenerateCommand extends CliCommand {
    @Parameters(index = "0", paramLabel = "MODEL", description = "Model package, .onnx or .gguf file.")
    private Path model;

    @Option(names = "--prompt", paramLabel = "TEXT", description = "A prompt; may be repeated.")
    private List<String> prompts = new ArrayList<>();

    @Option(
            names = "--prompts",
            paramLabel = "FILE",
            description = "JSON lines {\"id\", \"prompt\" | \"prompt_ids\" | \"messages\", \"tools\"?,"
                    + " \"documents\"?, \"force_ids\"?, \"options\"?}.")
    private Path promptFile;

    @Option(
            names = "--logits",
            paramLabel = "K",
            description = "Reports the K highest raw logits of each step; needs --json.")
    private int topLogits;

    @Option(names = "--json", description = "One JSON object a row, in input order.")
    private boolean json;

    GenerateCommand() {
        super(OptionFlags.of(Scope.ENGINE, Scope.GENERATION, Scope.PROMPT, Scope.JOB));
    }

    @Override
    public Integer call() {
        OptionValues options = optionValues().startedAt(LocalDateTime.now());
        checkFlags();
        PromptFile reader = new PromptFile(options, topLogits);
        List<Row> rows = promptFile == null ? rows(reader) : reader.read(promptFile);
        long start = System.nanoTime();
        try (Model opened = Model.open(model, options.engine())) {
            long loaded = System.nanoTime();
            GenerationEngine engine = opened.generation();
            int failed = answer(rows, engine, options);
            if (verbose()) {
                summary(engine.stats(), (loaded - start) / 1e9, (System.nanoTime() - loaded) / 1e9);
            }
            if (failed > options.job().maxErrorFraction() * rows.size()) {
                throw new KindlingException(
                        ErrorCode.CANCELLED,
                        failed + " of " + rows.size() + " rows failed, more than --max-error-fraction "
                                + options.job().maxErrorFraction() + " allows");
            }
        }
        return 0;
    }

    private void checkFlags() {
        if (prompts.isEmpty() == (promptFile == null)) {
            throw usageError("exactly one of --prompt and --prompts must be given");
        }
        if (topLogits < 0) {
            throw usageError("--logits must not be negative, not '" + topLogits + "'");
        }
        if (topLogits > 0 && !json) {
            throw usageError("--logits needs --json");
        }
    }

    private List<Row> rows(PromptFile reader) {
        List<Row> rows = new ArrayList<>();
        for (String prompt : prompts) {
            rows.add(reader.row(rows.size(), prompt));
        }
        return rows;
    }

    /** Keeps a few batches in flight, so that large files need no more memory than small ones; returns how many rows failed. */
    private int answer(List<Row> rows, GenerationEngine engine, OptionValues options) {
        int window = 4 * options.engine().maxBatch();
        Deque<CompletableFuture<GenerationResult>> inFlight = new ArrayDeque<>();
        int failed = 0;
        int submitted = 0;
        try (GenerationEngine.Client client = engine.openClient()) {
            for (Row row : rows) {
                while (submitted < rows.size() && inFlight.size() < window) {
                    inFlight.add(client.submit(rows.get(submitted++).request()));
                }
                GenerationResult result = Answers.await(inFlight.remove());
                print(row, result);
                if (result.error().isPresent()) {
                    failed++;
                    if (options.job().onError() == JobOptions.OnError.FAIL) {
                        GenerationResult.RowError error = result.error().get();
                        throw new KindlingException(error.code(), "row " + row.id() + " failed: " + error.message());
                    }
                }
            }
        }
        return failed;
    }

    private void print(Row row, GenerationResult result) {
        if (json) {
            out().println(JsonLines.write(object(row, result)));
            return;
        }
        result.error()
                .ifPresentOrElse(
                        error -> err().println(
                                        "kindling: row " + row.id() + ": " + error.code() + ": " + error.message()),
                        () -> out().println(result.text()));
    }

    private ObjectNode object(Row row, GenerationResult result) {
        ObjectNode object = JsonLines.object();
        object.set("id", row.id());
        result.promptIds().forEach(object.putArray("prompt_ids")::add);
        result.tokenIds().forEach(object.putArray("token_ids")::add);
        object.put("text", result.text());
        object.put("finish_reason", result.finishReason().label());
        if (result.characterCut()) {
            object.put("character_cut", true);
        }
        result.error().ifPresent(error -> object.put("error", error.code() + ": " + error.message()));
        if (topLogits > 0) {
            ArrayNode steps = object.putArray("logits");
            for (List<TokenLogit> step : result.logits()) {
                ArrayNode top = steps.addArray();
                step.forEach(entry -> top.addArray().add(entry.tokenId()).add(entry.logit()));
            }
        }
        return object;
    }

    private void summary(GenerationStats stats, double loadSeconds, double seconds) {
        err().printf(
                        "model opened in %.2f s; %d requests in %.2f s: %d prompt tokens (%d of them reused),"
                                + " %d generated, %.1f generated tokens/s, %.1f rows a step%n",
                        loadSeconds,
                        stats.requests(),
                        seconds,
                        stats.promptTokens(),
                        stats.prefixHitTokens(),
                        stats.generatedTokens(),
                        stats.generatedTokens() / seconds,
                        stats.steps() == 0 ? 0.0 : (double) stats.stepRows() / stats.steps());
    }
}
