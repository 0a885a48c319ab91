package io.kindling.engine.session;

import io.kindling.engine.DeviceBinding;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType;
import io.kindling.engine.provider.DeviceStream;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A task's handle on a {@link GraphSession}; see {@link DeviceBinding}. */
public final class GraphBinding implements DeviceBinding {
    private final GraphPlan plan;
    private final DeviceStream stream;
    private final Frame frame;
    private final Map<String, Integer> inputs = new HashMap<>();
    private final Map<String, Integer> outputs = new HashMap<>();

    GraphBinding(GraphPlan plan, Provider provider) {
        this.plan = plan;
        stream = provider.openStream();
        frame = new Frame(plan, provider.allocator(), stream);
        List<ValueInfo> graphInputs = plan.graph().inputs();
        for (int k = 0; k < graphInputs.size(); k++) {
            inputs.put(graphInputs.get(k).name(), k);
        }
        List<ValueInfo> graphOutputs = plan.graph().outputs();
        for (int k = 0; k < graphOutputs.size(); k++) {
            outputs.put(graphOutputs.get(k).name(), plan.outputIds()[k]);
        }
    }

    @Override
    public void bindInput(String name, Value value) {
        Integer index = inputs.get(name);
        if (index == null) {
            throw GraphSession.unknownPort("binding input", name, plan.graph().inputs());
        }
        check(plan.graph().inputs().get(index), value);
        frame.setInput(plan.inputIds()[index], value);
    }

    @Override
    public void bindOutput(String name, Tensor target) {
        frame.bind(outputId(name), target);
    }

    @Override
    public void unbindOutput(String name) {
        frame.bind(outputId(name), null);
    }

    @Override
    public void run() {
        for (int id : plan.inputIds()) {
            if (frame.value(id) == null) {
                String missing = plan.graph().inputs().stream()
                        .map(ValueInfo::name)
                        .filter(name -> frame.value(plan.inputIds()[inputs.get(name)]) == null)
                        .toList()
                        .toString();
                throw new KindlingException(
                        ErrorCode.SHAPE_OR_TYPE, "inputs " + missing + " are not bound; bind every graph input");
            }
        }
        stream.beginRun();
        try {
            frame.run();
            stream.synchronize();
        } finally {
            stream.endRun();
        }
    }

    @Override
    public Value output(String name) {
        return frame.value(outputId(name));
    }

    @Override
    public Tensor takeOutput(String name) {
        return frame.take(outputId(name));
    }

    @Override
    public void close() {
        frame.close();
        stream.close();
    }

    private int outputId(String name) {
        Integer id = outputs.get(name);
        if (id == null) {
            throw GraphSession.unknownPort("binding output", name, plan.graph().outputs());
        }
        return id;
    }

    /** Refuses a tensor whose element type, rank or fixed dimensions are not the declared ones. */
    private static void check(ValueInfo port, Value value) {
        if (!(port.type() instanceof ValueType.TensorType declared) || !(value instanceof Tensor tensor)) {
            return;
        }
        boolean typeOk =
                declared.elementType().map(type -> type == tensor.type()).orElse(true);
        boolean shapeOk =
                declared.shape().map(shape -> matches(shape, tensor.shape())).orElse(true);
        if (!typeOk || !shapeOk) {
            String want = declared.elementType().map(DataType::onnxName).orElse("any type")
                    + declared.shape().map(List::toString).orElse(" of any rank");
            throw new KindlingException(
                    ErrorCode.SHAPE_OR_TYPE, "input '" + port.name() + "' must be " + want + ", found " + tensor);
        }
    }

    private static boolean matches(List<Dimension> declared, long[] actual) {
        if (declared.size() != actual.length) {
            return false;
        }
        for (int k = 0; k < actual.length; k++) {
            long size = declared.get(k).sizeOrMinusOne();
            if (size >= 0 && size != actual[k]) {
                return false;
            }
        }
        return true;
    }
}
