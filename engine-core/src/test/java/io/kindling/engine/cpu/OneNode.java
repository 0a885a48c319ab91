package io.kindling.engine.cpu;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType;
import io.kindling.engine.provider.Precision;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import io.kindling.engine.session.GraphSession;
import io.kindling.engine.session.SessionOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Runs a single operator in a session of its own: {@code OneNode.of("", 22, "Add").run(x, y)}. For tests of kernels. */
public final class OneNode {
    private final String domain;
    private final long opset;
    private final String opType;
    private final Map<String, Attribute> attributes = new LinkedHashMap<>();
    private Precision precision = Precision.EXACT;
    private int outputs = 1;
    private String variant;
    private Set<Integer> constants = Set.of();

    private OneNode(String domain, long opset, String opType) {
        this.domain = domain;
        this.opset = opset;
        this.opType = opType;
    }

    public static OneNode of(String domain, long opset, String opType) {
        return new OneNode(domain, opset, opType);
    }

    public OneNode with(String name, Attribute value) {
        attributes.put(name, value);
        return this;
    }

    public OneNode with(String name, long value) {
        return with(name, Attribute.of(value));
    }

    public OneNode precision(Precision value) {
        precision = value;
        return this;
    }

    public OneNode outputs(int count) {
        outputs = count;
        return this;
    }

    /** Inputs that are initializers of the model. */
    public OneNode constants(Integer... inputs) {
        constants = Set.of(inputs);
        return this;
    }

    /** Runs on the given device; null inputs are absent. All outputs, in order. */
    public List<Value> runOn(Provider provider, Value... inputs) {
        Graph.Builder builder = Graph.builder("one node");
        List<String> names = new ArrayList<>();
        List<ValueInfo> inputInfos = new ArrayList<>();
        Map<String, Value> values = new LinkedHashMap<>();
        for (int k = 0; k < inputs.length; k++) {
            String name = inputs[k] == null ? "" : "x" + k;
            names.add(name);
            if (constants.contains(k) && inputs[k] != null) {
                Tensor constant = (Tensor) inputs[k];
                builder.initializers()
                        .put(
                                name,
                                new TensorData(
                                        constant.type(), constant.shape(), new TensorData.Inline(constant.bytes())));
            } else if (inputs[k] != null) {
                inputInfos.add(new ValueInfo(name, ValueType.UNKNOWN));
                values.put(name, inputs[k]);
            }
        }
        List<String> results = new ArrayList<>();
        for (int k = 0; k < outputs; k++) {
            results.add("y" + k);
            builder.outputs().add(new ValueInfo("y" + k, ValueType.UNKNOWN));
        }
        builder.inputs().addAll(inputInfos);
        builder.nodes().add(new Node("node", domain, opType, names, results, attributes));
        OnnxModel model = new OnnxModel("test", 10, Map.of(domain, opset), builder.build(), List.of(), Map.of());
        try (GraphSession session = GraphSession.create(model, provider, new SessionOptions(precision, 0))) {
            List<Value> produced = List.copyOf(session.run(values).values());
            variant = session.kernelVariants().get("node");
            return produced;
        }
    }

    /** The implementation that the last run took. */
    public String variant() {
        return variant;
    }

    /** Runs on Java kernels with two threads and gives output 0. */
    public Tensor run(Value... inputs) {
        return (Tensor) runAll(inputs).get(0);
    }

    public List<Value> runAll(Value... inputs) {
        try (Provider provider = javaProvider(2)) {
            return runOn(provider, inputs);
        }
    }

    public static Provider javaProvider(int threads) {
        return new CpuProvider(threads, Optional.empty());
    }

    public static Provider provider(int threads, CpuBackend backend) {
        return new CpuProvider(threads, Optional.of(backend));
    }

    public static float[] floats(Value tensor) {
        return TensorIo.floats((Tensor) tensor);
    }

    public static long[] longs(Value tensor) {
        return TensorIo.longs((Tensor) tensor);
    }
}
