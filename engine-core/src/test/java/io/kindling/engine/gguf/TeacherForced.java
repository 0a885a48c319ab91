package io.kindling.engine.gguf;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.EngineOptions;
import io.kindling.engine.EngineOptions.ExecutionPath;
import io.kindling.engine.GenerationEngine.Client;
import io.kindling.engine.GenerationOptions;
import io.kindling.engine.GenerationRequest;
import io.kindling.engine.GenerationRequest.Prompt;
import io.kindling.engine.GenerationResult;
import io.kindling.engine.GenerationResult.TokenLogit;
import io.kindling.engine.Model;
import io.kindling.engine.OptionTable;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** Runs a converted package over given tokens, in exact precision. */
final class TeacherForced {
    private TeacherForced() {}

    /**
     * The highest logits after each of the last tokens.
     *
     * @param path the one that has to run
     * @param ids prompt and forced tokens
     * @param prompt how many of them are the prompt
     * @return one list for the prompt and one for each forced token but the last
     */
    static List<List<TokenLogit>> run(Path folder, ExecutionPath path, List<Integer> ids, int prompt, int top)
            throws Exception {
        EngineOptions options = OptionTable.standard()
                .parse(Map.of("precision", "exact", "path", path.name().toLowerCase(java.util.Locale.ROOT)))
                .engine();
        List<Integer> forced = ids.subList(prompt, ids.size());
        GenerationRequest request = new GenerationRequest(
                "r",
                new Prompt.Ids(ids.subList(0, prompt)),
                GenerationOptions.defaults().withMaxNewTokens(forced.size()),
                OptionalLong.empty(),
                forced,
                top);
        try (Model model = Model.open(folder, options);
                Client client = model.generation().openClient()) {
            assertThat(model.executionPath().orElseThrow().path()).isEqualTo(path);
            GenerationResult result = client.submit(request).get(300, TimeUnit.SECONDS);
            assertThat(result.error()).isEmpty();
            return result.logits();
        }
    }
}
