package io.kindling.engine.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.ProviderOptions;
import io.kindling.engine.provider.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CpuProviderTest {
    @TempDir
    private Path folder;

    private Path file() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(20).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(7).putFloat(1.5f).putFloat(-2).putFloat(3).putInt(9);
        return Files.write(folder.resolve("weights"), bytes.array());
    }

    @Test
    void elementsInFilesAreMappedAtTheirOffset() throws IOException {
        TensorData data = new TensorData(DataType.FLOAT, new long[] {3}, new TensorData.External(file(), 4, 12));
        try (Provider provider = OneNode.javaProvider(1)) {
            Tensor tensor = provider.place(data);
            assertThat(TensorIo.floats(tensor)).containsExactly(1.5f, -2, 3);
            assertThat(tensor.bytes().isReadOnly()).isTrue();
        }
    }

    @Test
    void aFileThatIsTooShortIsRefusedWithBothSizes() throws IOException {
        TensorData data = new TensorData(DataType.FLOAT, new long[] {9}, new TensorData.External(file(), 0, 20));
        try (Provider provider = OneNode.javaProvider(1)) {
            assertThatThrownBy(() -> provider.place(data))
                    .isInstanceOf(KindlingException.class)
                    .hasMessageContaining("float[9] needs 36 bytes")
                    .hasMessageContaining("20 at offset 0");
        }
    }

    @Test
    void javaMemoryRefusesToMapMoreThanItCan() throws IOException {
        long size = 3L << 30;
        TensorData data = new TensorData(DataType.UINT8, new long[] {size}, new TensorData.External(file(), 0, size));
        try (Provider provider = OneNode.javaProvider(1)) {
            assertThatThrownBy(() -> provider.place(data))
                    .isInstanceOf(KindlingException.class)
                    .hasMessageContaining("3221225472 bytes")
                    .extracting(fault -> ((KindlingException) fault).code())
                    .isEqualTo(ErrorCode.UNSUPPORTED);
        }
    }

    @Test
    void javaKernelsAreUsedWhenAskedFor() {
        ProviderOptions options = new ProviderOptions(ProviderOptions.Kernels.JAVA, 3, 0);
        try (Provider provider = new CpuProviderFactory().open(options)) {
            assertThat(provider.name()).isEqualTo("cpu");
            assertThat(provider.description()).isEqualTo("cpu, java kernels, 3 threads");
            assertThat(provider.kernels().find("com.microsoft", "MatMulNBits", 1))
                    .isPresent();
        }
    }
}
