package io.kindling.engine.generate;

import io.kindling.engine.DeviceBinding;
import io.kindling.engine.optimize.ragged.RaggedModel.SlotState;
import io.kindling.engine.provider.DeviceBuffer;
import io.kindling.engine.provider.DeviceStream;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.Tensor;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.OptionalInt;

/**
 * States of constant size, such as those of convolutions and recurrences. A sequence has a place, which is two slots of every
 * state: 2p and 2p + 1. Places are made as they are needed, up to a limit whose memory is set aside from the start.
 */
final class StateSlots implements AutoCloseable {
    private static final int FIRST_PLACES = 4;

    private final Provider provider;
    private final DeviceStream stream;
    private final DeviceBinding binding;
    private final List<SlotState> states;
    private final DeviceBuffer[] buffers;
    private final Deque<Integer> free = new ArrayDeque<>();
    private final int limit;
    private int created;

    StateSlots(Provider provider, DeviceBinding binding, List<SlotState> states, int limit) {
        this.provider = provider;
        this.binding = binding;
        this.states = states;
        this.limit = limit;
        stream = provider.openStream();
        buffers = new DeviceBuffer[states.size()];
    }

    /** Bytes of one place over all states; 0 for models without. */
    static long placeBytes(List<SlotState> states) {
        return states.stream().mapToLong(state -> 2 * state.byteSize()).sum();
    }

    /** How many places a budget allows, no more than {@code most}: half of it at most is for states, but one place always if it fits. */
    static int affordable(List<SlotState> states, long budgetBytes, int most) {
        long bytes = placeBytes(states);
        if (bytes == 0) {
            return 0;
        }
        return (int) Math.min(most, Math.max(budgetBytes / 2 / bytes, budgetBytes >= bytes ? 1 : 0));
    }

    boolean isUsed() {
        return !states.isEmpty();
    }

    int limit() {
        return limit;
    }

    /**
     * A place of one's own; empty while others hold all. Its contents are undefined.
     *
     * @throws io.kindling.engine.error.KindlingException OUT_OF_MEMORY; all present places are then as they were
     */
    OptionalInt take() {
        if (free.isEmpty() && created < limit) {
            grow(Math.min(limit, Math.max(FIRST_PLACES, 2 * created)));
        }
        Integer place = free.pollFirst();
        return place == null ? OptionalInt.empty() : OptionalInt.of(place);
    }

    void release(int place) {
        free.addFirst(place);
    }

    private void grow(int count) {
        for (int k = 0; k < buffers.length; k++) {
            SlotState state = states.get(k);
            DeviceBuffer larger = provider.allocator().allocate(2 * count * state.byteSize());
            if (buffers[k] != null) {
                stream.copy(buffers[k], 0, larger, 0, 2 * created * state.byteSize());
                stream.synchronize();
                buffers[k].close();
            }
            buffers[k] = larger;
            long[] shape = new long[1 + state.shape().size()];
            shape[0] = 2L * count;
            for (int axis = 1; axis < shape.length; axis++) {
                shape[axis] = state.shape().get(axis - 1);
            }
            binding.bindInput(state.input(), Tensor.of(state.type(), shape, larger));
        }
        while (created < count) {
            free.addLast(created++);
        }
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
