package io.kindling.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConformanceCommandTest {
    @TempDir
    private Path folder;

    @Test
    void casesAreCountedAndReportedByName() throws IOException {
        writeCase("a_pass", "Add", 1, 2);
        writeCase("b_fail", "Add", 1, 2.5f);
        writeCase("c_unsupported", "NoSuchOperator", 1, 2);
        TinyGraphs.writeBinary(folder.resolve("d_without_data").resolve("model.onnx"), "Add", 1);
        Files.createDirectory(folder.resolve("e_no_case"));
        Path report = folder.resolve("report.json");

        CommandRun run = CommandRun.of("conformance", folder, "--report", report);

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.outLines()).hasSize(3).last().isEqualTo("1 passed, 2 failed, 1 skipped");
        assertThat(run.outLines().get(0))
                .isEqualTo("b_fail: fail: set 0, output 'y': 1 of 1 elements differ, the first at 0: 2.0 instead of"
                        + " 2.5");
        assertThat(run.outLines().get(1)).startsWith("c_unsupported: unsupported: ");
        assertThat(JsonLines.tree(Files.readString(report)).get("a_pass").textValue())
                .isEqualTo("pass");
        assertThat(JsonLines.tree(Files.readString(report)).size()).isEqualTo(3);
    }

    @Test
    void allPassingIsSuccess() throws IOException {
        writeCase("a", "Mul", 3, 3);
        assertThat(CommandRun.of("conformance", folder))
                .isEqualTo(new CommandRun(0, "1 passed, 0 failed, 0 skipped\n", ""));
    }

    @Test
    void caseFilesWidenTolerances() throws IOException {
        Path widened = writeCase("a", "Add", 1, 2.5f);
        Files.writeString(widened.resolve("case.json"), "{\"rtol\": 0.0, \"atol\": 0.5, \"int_tolerance\": 0}");
        assertThat(CommandRun.of("conformance", folder).exitCode()).isZero();
    }

    @Test
    void outputsThatContinueAsInputsRunOnOneBindingToo() throws IOException {
        Path state = folder.resolve("state");
        TinyGraphs.writeBinary(state.resolve("model.onnx"), "Add", 1);
        for (int set = 0; set < 3; set++) {
            Path data = state.resolve("test_data_set_" + set);
            TinyGraphs.writeFloats(data.resolve("input_0.pb"), 5 + set, 9 + set);
            TinyGraphs.writeFloats(data.resolve("output_0.pb"), 6 + set, 10 + set);
        }
        assertThat(CommandRun.of("conformance", state))
                .isEqualTo(new CommandRun(0, "1 passed, 0 failed, 0 skipped\n", ""));
    }

    @Test
    void aMissingFolderIsNotFound() {
        CommandRun run = CommandRun.of("conformance", folder.resolve("none"));
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).startsWith("kindling: NOT_FOUND: ");
    }

    /** {@code op(1, constant)} with an expected result. */
    private Path writeCase(String name, String op, float constant, float expected) throws IOException {
        Path target = folder.resolve(name);
        TinyGraphs.writeBinary(target.resolve("model.onnx"), op, constant);
        TinyGraphs.writeFloats(target.resolve("test_data_set_0").resolve("input_0.pb"), 1);
        TinyGraphs.writeFloats(target.resolve("test_data_set_0").resolve("output_0.pb"), expected);
        return target;
    }
}
