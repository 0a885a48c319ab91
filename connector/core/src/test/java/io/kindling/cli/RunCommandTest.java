package io.kindling.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.onnx.proto.TensorProto;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunCommandTest {
    @TempDir
    private Path folder;

    private Path model;
    private Path input;

    @BeforeEach
    void writeFiles() throws IOException {
        model = folder.resolve("model.onnx");
        input = folder.resolve("x.pb");
        TinyGraphs.writeBinary(model, "Add", 0.5f);
        TinyGraphs.writeFloats(input, 1, 2);
    }

    @Test
    void outputsAreWrittenInGraphOrder() throws IOException {
        Path out = folder.resolve("out");

        CommandRun run = CommandRun.of("run", folder, "--input", "x=" + input, "--out", out, "--optimize", "none");

        assertThat(run.exitCode()).as(run.err()).isZero();
        TensorProto output = TensorProto.parseFrom(Files.readAllBytes(out.resolve("output_0.pb")));
        assertThat(output.getName()).isEqualTo("y");
        assertThat(output.getDimsList()).containsExactly(2L);
        float[] values = new float[2];
        output.getRawData()
                .asReadOnlyByteBuffer()
                .order(ByteOrder.LITTLE_ENDIAN)
                .asFloatBuffer()
                .get(values);
        assertThat(values).containsExactly(1.5f, 2.5f);
    }

    @Test
    void missingAndUnknownInputsAreUsageErrors() {
        assertThat(CommandRun.of("run", model, "--out", folder))
                .isEqualTo(new CommandRun(2, "", "kindling: --input x=FILE is missing\nSee 'kindling run --help'.\n"));
        assertThat(CommandRun.of("run", model, "--input", "x=" + input, "--input", "z=" + input, "--out", folder))
                .isEqualTo(new CommandRun(2, "", "kindling: the graph has no input 'z'\nSee 'kindling run --help'.\n"));
    }

    @Test
    void aPassThatThereIsNotCannotBeSwitchedOff() {
        CommandRun run = CommandRun.of(
                "run", model, "--input", "x=" + input, "--out", folder, "--disabled-passes", "no_such_pass");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("no_such_pass");
    }
}
