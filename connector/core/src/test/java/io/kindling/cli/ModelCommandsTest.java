package io.kindling.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What generate, bench and inspect do with flags and with models that are no decoders. */
class ModelCommandsTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "generate m, exactly one of --prompt and --prompts must be given",
        "generate m --prompt a --prompts f, exactly one of --prompt and --prompts must be given",
        "generate m --prompt a --logits 3, --logits needs --json",
        "generate m --prompt a --json --logits=-1, '--logits must not be negative, not ''-1'''",
        "bench m --batch 0, '--batch must be at least 1, not ''0'''",
        "bench m --runs=-2, '--runs must be at least 1, not ''-2'''",
    })
    void flagsThatDoNotFitAreUsageErrors(String command, String message) {
        CommandRun run = CommandRun.of((Object[]) command.split(" "));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).startsWith("kindling: " + message + "\n");
    }

    @Test
    void badOptionsOfRowsAreFoundBeforeTheModelIsOpened() throws Exception {
        Path prompts = Files.writeString(folder.resolve("p.jsonl"), "{\"prompt\": \"a\", \"options\": {\"top_p\": 2}}");

        CommandRun run = CommandRun.of("generate", folder.resolve("no-model"), "--prompts", prompts);

        assertThat(run)
                .isEqualTo(new CommandRun(
                        2,
                        "",
                        "kindling: " + prompts
                                + ": line 1: option 'top_p' must be a number above 0, up to 1, not '2'\n"));
    }

    @Test
    void aMissingModelIsNotFound() {
        CommandRun run = CommandRun.of("generate", folder.resolve("no-model"), "--prompt", "a");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).startsWith("kindling: NOT_FOUND: ").contains("no-model");
    }

    @Test
    void inspectShowsPortsOperatorsAndWeightsOfABareGraph() throws Exception {
        Path model = folder.resolve("model.onnx");
        TinyGraphs.writeBinary(model, "Add", 1);

        CommandRun run = CommandRun.of("inspect", model, "--json");

        assertThat(run.exitCode()).as(run.err()).isZero();
        JsonNode report = JsonLines.tree(run.out());
        assertThat(report.get("inputs").toString()).isEqualTo("[{\"name\":\"x\",\"type\":\"float[n]\"}]");
        assertThat(report.get("outputs").toString()).isEqualTo("[{\"name\":\"y\",\"type\":\"float[n]\"}]");
        assertThat(report.get("operators").toString()).isEqualTo("{\"ai.onnx\":{\"Add\":1}}");
        assertThat(report.get("opsets").toString()).isEqualTo("{\"ai.onnx\":17}");
        assertThat(report.get("weights").toString())
                .isEqualTo("{\"tensors\":1,\"bytes\":4,\"by_type\":{\"float\":{\"tensors\":1,\"bytes\":4}}}");
        assertThat(CommandRun.of("inspect", model).out()).contains("inputs:\n  x  float[n]\n");
    }

    @Test
    void generatingWithWhatIsNoDecoderSaysWhy() throws Exception {
        Path model = folder.resolve("model.onnx");
        TinyGraphs.writeBinary(model, "Add", 1);

        CommandRun run = CommandRun.of("generate", model, "--prompt", "a");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).startsWith("kindling: ");
    }
}
