package io.kindling.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The notebooks run from their first cell to their last, and lie in the repository without outputs. */
class NotebooksIT {
    @TempDir
    Path folder;

    @Test
    void theyGiveWhatTheirTextSays() throws IOException {
        Map<String, String> environment = new HashMap<>();
        environment.put(
                "PYTHONPATH", Repository.ROOT.resolve("connector/python/src").toString());
        environment.put("KINDLING_MODEL", Repository.model().toString());
        environment.put("KINDLING_ENCODER", Repository.encoder().toString());
        Path out = folder.resolve("outputs.jsonl");
        List<String> command =
                new ArrayList<>(List.of("integration-tests/src/test/resources/run_notebooks.py", out.toString()));
        notebooks().forEach(file -> command.add(file.toString()));
        SparkRelease.SPARK_4_3_0.pythonWithExtras(environment, command).orFail();
        Map<String, String> outputs = new HashMap<>();
        for (JsonNode line : Rows.lines(out)) {
            StringBuilder text = new StringBuilder();
            line.get("outputs")
                    .forEach(cell ->
                            cell.forEach(output -> text.append(output.asText()).append('\n')));
            outputs.put(line.get("notebook").asText(), text.toString());
        }

        assertThat(outputs.get("getting_started.ipynb"))
                .contains("Paris")
                .contains(
                        "<|im_start|>system\nAnswer with one word.<|im_end|>\n<|im_start|>user\nName the largest ocean on Earth.<|im_end|>")
                .contains("Pacific Ocean")
                .containsPattern("None \\| \\w+ \\| .*8192");
        assertThat(outputs.get("sql_over_tables.ipynb"))
                .contains("generate_details")
                .contains("smollm2")
                .containsPattern("backpack +3 +\\d+\\n1 +kettle +3 +\\d+\\n2 +lamp +2 +\\d+")
                .containsPattern("7 +8 +\\S.* (stop|length) +[1-4]\\n")
                .containsPattern("failed\\n0 +0\\n");
        assertThat(outputs.get("embeddings.ipynb"))
                .containsPattern("(8[0-9]|9[0-9]|100)% of 24 tickets lie nearest to one of their own queue")
                .contains("image/png");
        assertThat(outputs.get("comparing_models.ipynb"))
                .contains("What is the capital of France?", "greedy", "sampled", "instructed")
                .containsPattern("0 +greedy +4 +\\d")
                .contains("0 texts differ");
    }

    @Test
    void theyAreCommittedWithoutOutputs() throws IOException {
        List<Path> notebooks = notebooks();
        assertThat(notebooks).hasSize(4);
        for (Path notebook : notebooks) {
            for (JsonNode cell : Rows.JSON.readTree(notebook.toFile()).get("cells")) {
                if (cell.get("cell_type").asText().equals("code")) {
                    assertThat(cell.get("outputs")).as(notebook.toString()).isEmpty();
                    assertThat(cell.get("execution_count").isNull())
                            .as(notebook.toString())
                            .isTrue();
                }
            }
        }
    }

    private static List<Path> notebooks() throws IOException {
        try (Stream<Path> files = Files.list(Repository.ROOT.resolve("notebooks"))) {
            return files.filter(file -> file.toString().endsWith(".ipynb"))
                    .sorted()
                    .toList();
        }
    }
}
