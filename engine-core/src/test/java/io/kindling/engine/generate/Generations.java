package io.kindling.engine.generate;

import io.kindling.engine.EngineOptions;
import io.kindling.engine.EngineOptions.ExecutionPath;
import io.kindling.engine.GenerationEngine;
import io.kindling.engine.GenerationEngine.Client;
import io.kindling.engine.GenerationOptions;
import io.kindling.engine.GenerationRequest;
import io.kindling.engine.GenerationRequest.Prompt;
import io.kindling.engine.GenerationResult;
import io.kindling.engine.GenerationStats;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.metadata.ModelPackage;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.ProviderFactory;
import io.kindling.engine.provider.ProviderOptions;
import io.kindling.engine.session.ModelWeights;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Answers of a decoder to prompts that are submitted at once, and what the engine counted meanwhile. */
record Generations(List<GenerationResult> results, GenerationStats stats) {
    /** Two threads, deduplication off. */
    static EngineOptions options(ExecutionPath path, int batch, int stepTokens, boolean prefixCache, long kvBudget) {
        EngineOptions defaults = EngineOptions.defaults();
        return new EngineOptions(
                defaults.kernels(),
                defaults.precision(),
                defaults.device(),
                path,
                2,
                true,
                Set.of(),
                0,
                batch,
                stepTokens,
                kvBudget,
                prefixCache,
                false,
                false);
    }

    static Generations run(
            OnnxModel model,
            ModelPackage resolved,
            EngineOptions options,
            List<List<Integer>> prompts,
            int newTokens,
            int topLogits)
            throws Exception {
        GenerationOptions generation = GenerationOptions.defaults().withMaxNewTokens(newTokens);
        return run(
                model,
                resolved,
                options,
                prompts.stream()
                        .map(prompt -> new GenerationRequest(
                                "r", new Prompt.Ids(prompt), generation, OptionalLong.empty(), List.of(), topLogits))
                        .toList());
    }

    static Generations run(
            OnnxModel model, ModelPackage resolved, EngineOptions options, List<GenerationRequest> requests)
            throws Exception {
        try (Provider provider = openCpu();
                ModelWeights weights = new ModelWeights(provider);
                GenerationEngine engine =
                        GenerationEngines.create(model, resolved, weights, new LetterTokenizer(), options);
                Client client = engine.openClient()) {
            List<CompletableFuture<GenerationResult>> futures =
                    requests.stream().map(client::submit).toList();
            List<GenerationResult> results = new ArrayList<>();
            for (CompletableFuture<GenerationResult> future : futures) {
                results.add(future.get(60, TimeUnit.SECONDS));
            }
            return new Generations(results, engine.stats());
        }
    }

    static Provider openCpu() {
        return ServiceLoader.load(ProviderFactory.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(factory -> factory.deviceKind().equals("cpu"))
                .findFirst()
                .orElseThrow()
                .open(new ProviderOptions(ProviderOptions.Kernels.AUTO, 2, 0));
    }

    /** What does not depend on names and times. */
    List<List<?>> contents() {
        return contents(results);
    }

    static List<List<?>> contents(List<GenerationResult> results) {
        List<List<?>> contents = new ArrayList<>();
        results.forEach(result -> contents.add(List.of(result.tokenIds(), result.logits(), result.error())));
        return contents;
    }
}
