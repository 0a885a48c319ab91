package io.kindling.engine.session;

import io.kindling.engine.ir.TensorData;
import io.kindling.engine.provider.DeviceBuffer;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.WeightStore;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The constants of one model on one device. All graphs made from the model (as exported, lowered, branches) share it: a
 * {@link TensorData} is placed once, whichever graph asks first.
 */
public final class ModelWeights implements WeightStore, AutoCloseable {
    private final Provider provider;
    private final Map<TensorData, Tensor> placed = new IdentityHashMap<>();
    private final Map<String, DeviceBuffer> layouts = new HashMap<>();
    private long weightBytes;
    private long prepackedBytes;

    public ModelWeights(Provider provider) {
        this.provider = provider;
    }

    public Provider provider() {
        return provider;
    }

    synchronized Tensor place(TensorData data) {
        Tensor tensor = placed.get(data);
        if (tensor == null) {
            tensor = provider.place(data);
            placed.put(data, tensor);
            weightBytes += data.byteSize();
        }
        return tensor;
    }

    @Override
    public synchronized DeviceBuffer prepacked(String key, Supplier<DeviceBuffer> maker) {
        DeviceBuffer layout = layouts.get(key);
        if (layout == null) {
            layout = maker.get();
            layouts.put(key, layout);
            prepackedBytes += layout.byteSize();
        }
        return layout;
    }

    @Override
    public synchronized long weightBytes() {
        return weightBytes;
    }

    @Override
    public synchronized long prepackedBytes() {
        return prepackedBytes;
    }

    @Override
    public synchronized void close() {
        layouts.values().forEach(DeviceBuffer::close);
        layouts.clear();
        placed.values().forEach(Tensor::close);
        placed.clear();
        weightBytes = 0;
        prepackedBytes = 0;
    }
}
