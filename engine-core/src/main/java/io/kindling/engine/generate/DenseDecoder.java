package io.kindling.engine.generate;

import io.kindling.engine.DeviceBinding;
import io.kindling.engine.Session;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType;
import io.kindling.engine.metadata.DecoderIo;
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
    private static final long ONES_STEP = 256;

    private final DecoderIo io;
    private final Session session;
    private final DeviceBinding binding;
    private final Map<String, DataType> inputTypes = new HashMap<>();
    private final long budgetBytes;
    private final LogitRows logits = new LogitRows();
    private long committedBytes;
    private Tensor ones;

    /** Owns the session from now on, also when it throws. */
    DenseDecoder(Session session, DecoderIo io, long budgetBytes) {
        this.session = session;
        this.io = io;
        this.budgetBytes = budgetBytes;
        for (ValueInfo input : session.inputs()) {
            inputTypes.put(input.name(), elementType(input));
        }
        try {
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
                    "a sequence of " + maxTokens + " tokens needs " + bytes + " bytes of KV cache, the budget is "
                            + budgetBytes + "; raise the KV budget or lower max_new_tokens");
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
        int past = slice.from();
        bindTokens(slice, past);
        for (int k = 0; k < states.tensors.length; k++) {
            binding.bindInput(io.states().get(k).input(), states.tensors[k]);
        }
        binding.run();
        if (slice.sample()) {
            logits.append((Tensor) binding.output(io.logits()), lastRow((Tensor) binding.output(io.logits())));
        }
        for (int k = 0; k < states.tensors.length; k++) {
            Tensor next = binding.takeOutput(io.states().get(k).output());
            states.tensors[k].close();
            states.tensors[k] = next;
        }
        states.length = past + slice.count();
    }

    private static long lastRow(Tensor logits) {
        return logits.elementCount() / logits.dim(-1) - 1;
    }

    private void bindTokens(Slice slice, int past) {
        int count = slice.count();
        Tensor ids = integers(io.tokenInput(), count);
        for (int k = 0; k < count; k++) {
            put(ids, k, slice.ids()[past + k]);
        }
        binding.bindInput(io.tokenInput(), ids);
        io.positionIds().ifPresent(name -> {
            Tensor positions = integers(name, count);
            for (int k = 0; k < count; k++) {
                put(positions, k, past + k);
            }
            binding.bindInput(name, positions);
        });
        io.attentionMask().ifPresent(name -> binding.bindInput(name, onesMask(inputTypes.get(name), past + count)));
        io.useCacheBranch().ifPresent(name -> {
            Tensor flag = Tensor.allocateHost(DataType.BOOL, 1);
            flag.bytes().put(0, (byte) (past > 0 ? 1 : 0));
            binding.bindInput(name, flag);
        });
    }

    private Tensor integers(String name, int count) {
        return Tensor.allocateHost(inputTypes.get(name), 1, count);
    }

    private static void put(Tensor tensor, int index, long value) {
        switch (tensor.type()) {
            case INT64 -> tensor.longs().put(index, value);
            case INT32 -> tensor.ints().put(index, (int) value);
            case FLOAT -> tensor.floats().put(index, value);
            case BOOL -> tensor.bytes().put(index, (byte) value);
            default ->
                throw new KindlingException(
                        ErrorCode.UNSUPPORTED,
                        "token ids, masks and positions of type "
                                + tensor.type().onnxName() + " are not supported; use int64 or int32");
        }
    }

    /** A mask of ones that grows in steps, seen through a window of the wanted length. */
    private Tensor onesMask(DataType type, long length) {
        if (ones == null || ones.elementCount() < length) {
            long capacity = (length / ONES_STEP + 1) * ONES_STEP;
            ones = Tensor.allocateHost(type, capacity);
            for (int k = 0; k < capacity; k++) {
                put(ones, k, 1);
            }
        }
        return Tensor.of(type, new long[] {1, length}, ones.buffer());
    }

    @Override
    public LogitRows logits() {
        return logits;
    }

    @Override
    public long pagesPeak() {
        return 0;
    }

    @Override
    public void close() {
        binding.close();
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
                tensors[k] = Tensor.allocateHost(inputTypes.get(state.input()), shape);
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
}
