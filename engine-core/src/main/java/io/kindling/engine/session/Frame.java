package io.kindling.engine.session;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.error.OperatorException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.DeviceAllocator;
import io.kindling.engine.provider.DeviceBuffer;
import io.kindling.engine.provider.DeviceStream;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import java.util.Arrays;

/** The values and storage of one binding while it runs a plan, reused from run to run. Not thread-safe. */
final class Frame implements AutoCloseable {
    private static final int SCRATCH_SLOTS = 4;

    final GraphPlan plan;
    final DeviceAllocator allocator;
    final DeviceStream stream;
    private final Value[] values;
    private final Tensor[] tensors;
    private final Tensor[] bound;
    private final DeviceBuffer[] slots;
    private final DeviceBuffer[] scratch;
    private final Frame root;
    private long bodyRuns;
    private final NodeContext context;
    private final Frame[][] children;

    Frame(GraphPlan plan, DeviceAllocator allocator, DeviceStream stream) {
        this(plan, allocator, stream, new DeviceBuffer[SCRATCH_SLOTS], null);
    }

    private Frame(GraphPlan plan, DeviceAllocator allocator, DeviceStream stream, DeviceBuffer[] scratch, Frame outer) {
        this.plan = plan;
        this.allocator = allocator;
        this.stream = stream;
        this.scratch = scratch;
        root = outer == null ? this : outer.root;
        values = Arrays.copyOf(plan.constants(), plan.valueCount(), Value[].class);
        tensors = new Tensor[plan.valueCount()];
        bound = new Tensor[plan.valueCount()];
        slots = new DeviceBuffer[plan.slotCount()];
        children = new Frame[plan.nodes().length][];
        context = new NodeContext(this);
        for (PlannedNode node : plan.nodes()) {
            for (int output : node.outputs()) {
                if (output >= 0) {
                    tensors[output] = Tensor.unplaced();
                }
            }
        }
    }

    void run() {
        bodyRuns = 0;
        root.bodyRuns += root == this ? 0 : 1;
        PlannedNode[] nodes = plan.nodes();
        for (int index = 0; index < nodes.length; index++) {
            PlannedNode node = nodes[index];
            try {
                if (node.control() != null) {
                    node.control().execute(this, node, index);
                } else {
                    context.enter(node);
                    node.kernel().execute(context);
                }
            } catch (KindlingException fault) {
                throw fault;
            } catch (RuntimeException fault) {
                throw new OperatorException(
                        ErrorCode.SHAPE_OR_TYPE,
                        node.node().operator(),
                        node.node().name(),
                        "failed on " + describeInputs(node) + ": " + fault,
                        fault);
            }
        }
    }

    /** Bodies that have begun in the present run of the outermost frame. */
    long bodyRuns() {
        return root.bodyRuns;
    }

    private String describeInputs(PlannedNode node) {
        return Arrays.stream(node.inputs())
                .mapToObj(id -> id < 0 ? "absent" : String.valueOf(values[id]))
                .toList()
                .toString();
    }

    /** The frame of a subgraph; scratch memory is shared with it, since parent and child never run at once. */
    Frame child(int nodeIndex, PlannedNode node, int body) {
        GraphPlan[] bodies = node.control().bodies();
        if (children[nodeIndex] == null) {
            children[nodeIndex] = new Frame[bodies.length];
        }
        Frame child = children[nodeIndex][body];
        if (child == null) {
            child = new Frame(bodies[body], allocator, stream, scratch, this);
            children[nodeIndex][body] = child;
        }
        for (GraphPlan.Capture capture : bodies[body].captures()) {
            child.values[capture.innerId()] = values[capture.outerId()];
        }
        return child;
    }

    Value value(int id) {
        return values[id];
    }

    void setInput(int id, Value value) {
        values[id] = value;
    }

    void bind(int id, Tensor target) {
        bound[id] = target;
    }

    /** Places an output of the running node. */
    Tensor place(int id, DataType type, long[] shape) {
        long bytes = type.byteSize(Tensor.count(shape));
        Tensor tensor = tensors[id];
        Tensor target = bound[id];
        if (target != null) {
            checkBinding(id, target, type, shape, bytes);
            tensor.retarget(type, shape, target.buffer(), target.byteOffset());
        } else {
            tensor.retarget(type, shape, slot(plan.slots()[id], bytes), 0);
        }
        values[id] = tensor;
        return tensor;
    }

    /** Points an output at the storage of another value. */
    Tensor placeView(int id, Tensor source, long[] shape) {
        Tensor target = bound[id];
        if (target != null) {
            Tensor copy = place(id, source.type(), shape);
            if (copy.buffer() != source.buffer() || copy.byteOffset() != source.byteOffset()) {
                stream.copy(source.buffer(), source.byteOffset(), copy.buffer(), copy.byteOffset(), source.byteSize());
            }
            return copy;
        }
        Tensor tensor = tensors[id];
        if (source.type() == DataType.STRING) {
            tensor.retargetStrings(shape, source.strings());
        } else {
            tensor.retarget(source.type(), shape, source.buffer(), source.byteOffset());
        }
        values[id] = tensor;
        return tensor;
    }

    void placeStrings(int id, String[] strings, long[] shape) {
        tensors[id].retargetStrings(shape, strings);
        values[id] = tensors[id];
    }

    void placeValue(int id, Value value) {
        values[id] = value;
    }

    /** Moves a result of a subgraph here: its storage is exchanged for ours where both are free to move, else copied. */
    void adopt(int id, Frame child, int childId) {
        Value value = child.values[childId];
        if (!(value instanceof Tensor source)) {
            values[id] = value;
            return;
        }
        if (source.type() == DataType.STRING) {
            copyIn(id, source);
            return;
        }
        int childSlot = child.plan.slots()[childId];
        int slot = plan.slots()[id];
        if (bound[id] == null && childSlot >= 0 && child.plan.slotOwners()[childSlot] == 1) {
            DeviceBuffer mine = slots[slot];
            slots[slot] = child.slots[childSlot];
            child.slots[childSlot] = mine;
            tensors[id].retarget(source.type(), source.shape(), slots[slot], source.byteOffset());
            values[id] = tensors[id];
            return;
        }
        copyIn(id, source);
    }

    /** Takes over a tensor that owns its storage as an output of the running node. */
    void adoptOwned(int id, Tensor owned) {
        if (owned.type() == DataType.STRING || bound[id] != null) {
            copyIn(id, owned);
            owned.close();
            return;
        }
        int slot = plan.slots()[id];
        if (slots[slot] != null) {
            slots[slot].close();
        }
        slots[slot] = owned.buffer();
        tensors[id].retarget(owned.type(), owned.shape(), owned.buffer(), owned.byteOffset());
        values[id] = tensors[id];
    }

    /** Copies a tensor to an output of the running node. */
    void copyIn(int id, Tensor source) {
        if (source.type() == DataType.STRING) {
            placeStrings(id, source.strings(), source.shape());
            return;
        }
        Tensor copy = place(id, source.type(), source.shape());
        stream.copy(source.buffer(), source.byteOffset(), copy.buffer(), copy.byteOffset(), source.byteSize());
    }

    /** Detaches an output's storage; a copy where the storage is not the output's alone. */
    Tensor take(int id) {
        Tensor source = (Tensor) values[id];
        if (source.type() == DataType.STRING) {
            return Tensor.ofStrings(source.shape(), source.strings());
        }
        int slot = plan.slots()[id];
        if (slot >= 0 && bound[id] == null && plan.slotOwners()[slot] == 1 && slots[slot] == source.buffer()) {
            Tensor taken = Tensor.of(source.type(), source.shape(), source.buffer(), source.byteOffset());
            slots[slot] = null;
            values[id] = null;
            return taken;
        }
        DeviceBuffer copy = allocator.allocate(source.byteSize());
        stream.copy(source.buffer(), source.byteOffset(), copy, 0, source.byteSize());
        return Tensor.of(source.type(), source.shape(), copy);
    }

    DeviceBuffer scratch(int slot, long bytes) {
        scratch[slot] = grown(scratch[slot], bytes);
        return scratch[slot];
    }

    private DeviceBuffer slot(int slot, long bytes) {
        slots[slot] = grown(slots[slot], bytes);
        return slots[slot];
    }

    private DeviceBuffer grown(DeviceBuffer current, long bytes) {
        if (current != null) {
            if (current.byteSize() >= bytes) {
                return current;
            }
            current.close();
        }
        return allocator.allocate(Math.max(bytes, 64));
    }

    private void checkBinding(int id, Tensor target, DataType type, long[] shape, long bytes) {
        long capacity = target.buffer().byteSize() - target.byteOffset();
        if (target.type() != type || capacity < bytes) {
            throw new KindlingException(
                    ErrorCode.SHAPE_OR_TYPE,
                    "device binding '" + nameOf(id) + "' needs " + bytes + " bytes for " + type.onnxName()
                            + Arrays.toString(shape) + ", allocation has " + capacity + " bytes of "
                            + target.type().onnxName());
        }
    }

    private String nameOf(int id) {
        return plan.ids().entrySet().stream()
                .filter(entry -> entry.getValue() == id)
                .map(java.util.Map.Entry::getKey)
                .findFirst()
                .orElse("value#" + id);
    }

    @Override
    public void close() {
        for (Frame[] bodies : children) {
            if (bodies != null) {
                for (Frame body : bodies) {
                    if (body != null) {
                        body.close();
                    }
                }
            }
        }
        closeAll(slots);
        if (root == this) {
            closeAll(scratch);
        }
    }

    private static void closeAll(DeviceBuffer[] buffers) {
        for (int k = 0; k < buffers.length; k++) {
            if (buffers[k] != null) {
                buffers[k].close();
                buffers[k] = null;
            }
        }
    }
}
