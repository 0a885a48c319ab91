package io.kindling.engine.generate;

import io.kindling.engine.DeviceBinding;
import io.kindling.engine.Session;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType;
import io.kindling.engine.metadata.DecoderIo;
import io.kindling.engine.metadata.PositionPlanes;
import io.kindling.engine.provider.DeviceAllocator;
import io.kindling.engine.provider.GrowingTensor;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.Tensor;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Runs the exported graph as it is: one row per run and the whole prompt at once, since a graph that could not be lowered
 * may well mix what is run together. The states a run makes are the next run's past.
 */
final class DenseDecoder implements Decoder {
    private static final int ONES_STEP = 256;

    private final DecoderIo io;
    private final Session session;
    private final DeviceBinding binding;
    private final DecodeInline inline;
    /** Null where the graph takes no position ids. */
    private final PositionPlanes planes;

    private final Map<String, DataType> inputTypes = new HashMap<>();
    private final long budgetBytes;
    private final LogitRows logits = new LogitRows();
    private long committedBytes;
    private final Map<String, GrowingTensor> inputs = new HashMap<>();
    private final DeviceAllocator allocator;
    private int onesLength;

    /** Owns the session and the sibling from now on, also when it throws. */
    DenseDecoder(Session session, DecodeInline inline, DecoderIo io, Provider provider, long budgetBytes) {
        this.session = session;
        this.inline = inline;
        this.io = io;
        allocator = provider.allocator();
        this.budgetBytes = budgetBytes;
        try {
            PositionPlanes found = null;
            for (ValueInfo input : session.inputs()) {
                inputTypes.put(input.name(), elementType(input));
                if (io.positionIds().filter(input.name()::equals).isPresent()) {
                    found = PositionPlanes.of(input);
                }
            }
            planes = found;
            checkPorts();
        } catch (KindlingException fault) {
            session.close();
            throw fault;
        }
        binding = session.newBinding();
    }

    private static DataType elementType(ValueInfo port) {
        if (port.type() instanceof ValueType.TensorType tensor
                && tensor.elementType().isPresent()) {
            return tensor.elementType().get();
        }
        throw new KindlingException(
                ErrorCode.UNRESOLVED,
                "decoder input '" + port.name() + "' declares no element type; export it with one");
    }

    /** Every graph input must have a role, or no run could bind it. */
    private void checkPorts() {
        Set<String> roles = new HashSet<>();
        roles.add(io.tokenInput());
        io.attentionMask().ifPresent(roles::add);
        io.positionIds().ifPresent(roles::add);
        io.useCacheBranch().ifPresent(roles::add);
        io.states().forEach(state -> roles.add(state.input()));
        Set<String> unknown = new HashSet<>(inputTypes.keySet());
        unknown.removeAll(roles);
        if (!unknown.isEmpty()) {
            throw new KindlingException(
                    ErrorCode.UNSUPPORTED,
                    "decoder inputs " + unknown + " have no role in text generation; only token ids, attention mask, "
                            + "position ids, use_cache_branch and past states are fed");
        }
        Set<String> missing = new HashSet<>(roles);
        missing.removeAll(inputTypes.keySet());
        if (!missing.isEmpty()) {
            throw new KindlingException(
                    ErrorCode.UNRESOLVED, "the graph lacks the inputs " + missing + " that its metadata names");
        }
    }

    @Override
    public Optional<DecoderSequence> admit(int[] prompt, int maxTokens) {
        long bytes = 0;
        for (DecoderIo.State state : io.states()) {
            bytes += inputTypes.get(state.input()).byteSize(elements(state, maxTokens));
        }
        if (bytes > budgetBytes) {
            throw new KindlingException(
                    ErrorCode.OUT_OF_MEMORY,
                    "a sequence of " + maxTokens + " tokens needs " + bytes
                            + " bytes of KV cache and state, the budget is " + budgetBytes
                            + "; raise the KV budget or lower max_new_tokens");
        }
        if (committedBytes + bytes > budgetBytes) {
            return Optional.empty();
        }
        committedBytes += bytes;
        return Optional.of(new States(bytes));
    }

    private static long elements(DecoderIo.State state, int tokens) {
        long elements = 1;
        for (int axis = 0; axis < state.initialShape().size(); axis++) {
            elements *=
                    axis == state.sequenceAxis() ? tokens : state.initialShape().get(axis);
        }
        return elements;
    }

    @Override
    public boolean packsRows() {
        return false;
    }

    @Override
    public void run(List<Slice> slices) {
        if (slices.size() != 1) {
            throw new IllegalArgumentException("the dense path runs one row at a time, not " + slices.size());
        }
        logits.clear();
        Slice slice = slices.get(0);
        States states = (States) slice.sequence();
        Optional<DeviceBinding> sibling = inline.route(slice.count());
        if (sibling.isPresent()) {
            try {
                run(sibling.get(), slice, states);
                return;
            } catch (KindlingException fault) {
                // Had the graph itself failed too, its own message is the one to read.
                inline.disable(fault);
            }
        }
        run(binding, slice, states);
    }

    private void run(DeviceBinding target, Slice slice, States states) {
        bindTokens(target, slice);
        for (int k = 0; k < states.tensors.length; k++) {
            target.bindInput(io.states().get(k).input(), states.tensors[k]);
        }
        target.run();
        if (slice.sample()) {
            Tensor rows = (Tensor) target.output(io.logits());
            logits.append(rows, lastRow(rows));
        }
        for (int k = 0; k < states.tensors.length; k++) {
            Tensor next = target.takeOutput(io.states().get(k).output());
            states.tensors[k].close();
            states.tensors[k] = next;
        }
        states.length = slice.from() + slice.count();
    }

    private static long lastRow(Tensor logits) {
        return logits.elementCount() / logits.dim(-1) - 1;
    }

    private void bindTokens(DeviceBinding target, Slice slice) {
        int past = slice.from();
        int count = slice.count();
        Tensor ids = input(io.tokenInput(), 1, count);
        for (int k = 0; k < count; k++) {
            Integers.put(ids, k, slice.ids()[past + k]);
        }
        target.bindInput(io.tokenInput(), ids);
        io.positionIds().ifPresent(name -> {
            Tensor positions = input(name, planes.shape(count));
            for (int k = 0; k < planes.count() * count; k++) {
                Integers.put(positions, k, past + k % count);
            }
            target.bindInput(name, positions);
        });
        io.attentionMask().ifPresent(name -> target.bindInput(name, onesMask(name, past + count)));
        io.useCacheBranch().ifPresent(name -> {
            Tensor flag = input(name, 1);
            Integers.put(flag, 0, past > 0 ? 1 : 0);
            target.bindInput(name, flag);
        });
    }

    private Tensor input(String name, long... shape) {
        return inputs.computeIfAbsent(name, key -> new GrowingTensor(allocator, inputTypes.get(key)))
                .shaped(shape);
    }

    /** A mask of ones, written again only when it has outgrown its storage. */
    private Tensor onesMask(String name, int length) {
        if (length > onesLength) {
            onesLength = length + ONES_STEP;
            Tensor mask = input(name, 1, onesLength);
            for (int k = 0; k < onesLength; k++) {
                Integers.put(mask, k, 1);
            }
        }
        return input(name, 1, length);
    }

    @Override
    public LogitRows logits() {
        return logits;
    }

    @Override
    public long pagesInUse() {
        return 0;
    }

    @Override
    public long pagesPeak() {
        return 0;
    }

    @Override
    public void close() {
        binding.close();
        inline.close();
        inputs.values().forEach(GrowingTensor::close);
        session.close();
    }

    /** The states of one sequence, as tensors of their own. */
    private final class States implements DecoderSequence {
        private final Tensor[] tensors = new Tensor[io.states().size()];
        private final long bytes;
        private int length;
        private boolean closed;

        States(long bytes) {
            this.bytes = bytes;
            for (int k = 0; k < tensors.length; k++) {
                DecoderIo.State state = io.states().get(k);
                long[] shape =
                        state.initialShape().stream().mapToLong(Long::longValue).toArray();
                tensors[k] = zeros(inputTypes.get(state.input()), shape);
            }
        }

        @Override
        public int length() {
            return length;
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                committedBytes -= bytes;
                for (Tensor tensor : tensors) {
                    tensor.close();
                }
            }
        }
    }

    private Tensor zeros(DataType type, long[] shape) {
        Tensor tensor = Tensor.of(type, shape, allocator.allocate(Math.max(1, type.byteSize(Tensor.count(shape)))));
        for (int k = 0; k < tensor.byteSize(); k++) {
            tensor.bytes().put(k, (byte) 0);
        }
        return tensor;
    }
}
