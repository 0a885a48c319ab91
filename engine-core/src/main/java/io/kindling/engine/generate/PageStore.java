package io.kindling.engine.generate;

import io.kindling.engine.DeviceBinding;
import io.kindling.engine.ir.PagedAttention;
import io.kindling.engine.optimize.ragged.RaggedModel;
import io.kindling.engine.provider.DeviceBuffer;
import io.kindling.engine.provider.DeviceStream;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.Tensor;
import java.util.List;

/** The bytes of the KV pages, one tensor for keys and one for values a layer, which grow layer by layer. */
final class PageStore implements AutoCloseable {
    private final Provider provider;
    private final DeviceStream stream;
    private final DeviceBinding binding;
    private final List<RaggedModel.Layer> layers;
    private final DeviceBuffer[] buffers;
    private int pages;

    PageStore(Provider provider, DeviceBinding binding, List<RaggedModel.Layer> layers) {
        this.provider = provider;
        this.binding = binding;
        this.layers = layers;
        stream = provider.openStream();
        buffers = new DeviceBuffer[2 * layers.size()];
    }

    /** Bytes of one page over all layers. */
    static long pageBytes(List<RaggedModel.Layer> layers) {
        return layers.stream().mapToLong(layer -> 2 * bytes(layer)).sum();
    }

    private static long bytes(RaggedModel.Layer layer) {
        return layer.type().byteSize(layer.kvHeads() * layer.headSize() * PagedAttention.PAGE_TOKENS);
    }

    int pages() {
        return pages;
    }

    /**
     * Makes room for {@code count} pages and keeps what the present ones hold.
     *
     * @throws io.kindling.engine.error.KindlingException OUT_OF_MEMORY; all present pages are then as they were
     */
    void grow(int count) {
        for (int k = 0; k < layers.size(); k++) {
            RaggedModel.Layer layer = layers.get(k);
            long heads = layer.kvHeads();
            long size = layer.headSize();
            grow(2 * k, layer, layer.keyPages(), count, heads, size, PagedAttention.PAGE_TOKENS);
            grow(2 * k + 1, layer, layer.valuePages(), count, heads, PagedAttention.PAGE_TOKENS, size);
        }
        pages = count;
    }

    private void grow(
            int index, RaggedModel.Layer layer, String input, long count, long heads, long rows, long columns) {
        DeviceBuffer larger = provider.allocator().allocateLasting(count * bytes(layer));
        if (buffers[index] != null) {
            stream.copy(buffers[index], 0, larger, 0, pages * bytes(layer));
            stream.synchronize();
            buffers[index].close();
        }
        buffers[index] = larger;
        binding.bindInput(input, Tensor.of(layer.type(), new long[] {count, heads, rows, columns}, larger));
    }

    @Override
    public void close() {
        for (DeviceBuffer buffer : buffers) {
            if (buffer != null) {
                buffer.close();
            }
        }
        stream.close();
    }
}
