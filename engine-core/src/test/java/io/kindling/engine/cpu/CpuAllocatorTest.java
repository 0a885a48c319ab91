package io.kindling.engine.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.provider.DeviceBuffer;
import io.kindling.engine.provider.HostBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class CpuAllocatorTest {
    /** Counts what reaches the system. */
    private static final class CountingMemory implements HostMemory {
        private final HostMemory java = new JavaHostMemory();
        private int allocations;

        @Override
        public HostBuffer allocate(long byteSize) {
            allocations++;
            return java.allocate(byteSize);
        }

        @Override
        public HostBuffer map(Path file, long offset, long byteSize) {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void sizeClassesHoldTheRequestAndWasteLessThanAQuarter() {
        for (long size = 1; size < 100_000; size += 7) {
            long chosen = CpuAllocator.sizeClass(size);
            assertThat(chosen).isGreaterThanOrEqualTo(size);
            assertThat(chosen).isLessThanOrEqualTo(Math.max(256, size + size / 4 + 1));
        }
        assertThat(CpuAllocator.sizeClass(1024)).isEqualTo(1024);
        assertThat(CpuAllocator.sizeClass(1025)).isEqualTo(1280);
    }

    @Test
    void lastingMemoryHasItsSizeAndIsNotKept() {
        CountingMemory memory = new CountingMemory();
        try (CpuAllocator allocator = new CpuAllocator(memory, 1 << 20)) {
            DeviceBuffer first = allocator.allocateLasting(1100);
            assertThat(first.byteSize()).isEqualTo(1100);
            assertThat(allocator.bytesInUse()).isEqualTo(1100);
            first.close();
            assertThat(allocator.bytesInUse()).isZero();
            allocator.allocateLasting(1100).close();
            allocator.allocate(1100).close();
            assertThat(memory.allocations).isEqualTo(3);
        }
    }

    @Test
    void reusesClosedBuffersAndCountsBytesInUse() {
        CountingMemory memory = new CountingMemory();
        try (CpuAllocator allocator = new CpuAllocator(memory, 1 << 20)) {
            DeviceBuffer first = allocator.allocate(1000);
            assertThat(allocator.bytesInUse()).isEqualTo(1024);
            first.close();
            first.close();
            assertThat(allocator.bytesInUse()).isZero();
            DeviceBuffer second = allocator.allocate(900);
            assertThat(memory.allocations).isEqualTo(1);
            assertThat(((HostBuffer) second).bytes().alignmentOffset(0, 64)).isZero();
            DeviceBuffer third = allocator.allocate(900);
            assertThat(memory.allocations).isEqualTo(2);
            second.close();
            third.close();
        }
    }

    @Test
    void refusesWhatJavaCannotIndexWithTheSize() {
        CpuAllocator allocator = new CpuAllocator(new JavaHostMemory(), 0);
        assertThatThrownBy(() -> allocator.allocate(3L << 30))
                .isInstanceOf(KindlingException.class)
                .hasMessageContaining("3221225472 bytes")
                .extracting(fault -> ((KindlingException) fault).code())
                .isEqualTo(ErrorCode.OUT_OF_MEMORY);
        assertThat(allocator.bytesInUse()).isZero();
    }
}
