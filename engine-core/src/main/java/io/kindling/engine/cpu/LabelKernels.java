package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.HashMap;
import java.util.Map;

/** {@code ai.onnx.ml} dictionaries applied element by element: {@code LabelEncoder} (since 1, 2 and 4) and {@code CategoryMapper}. */
final class LabelKernels {
    private LabelKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register("ai.onnx.ml", "LabelEncoder", 1, LabelKernels::byPosition);
        registrar.register("ai.onnx.ml", "LabelEncoder", 2, LabelKernels::byKey);
        registrar.register("ai.onnx.ml", "CategoryMapper", 1, LabelKernels::categories);
    }

    /** A dictionary; the values are a tensor whose last element is the default. */
    private record Dictionary(Map<Object, Integer> places, Tensor values, DataType keyType) implements Kernel {
        @Override
        public void execute(KernelContext context) {
            Tensor x = context.input(0);
            if (x.type() != keyType) {
                throw Shapes.invalid("X is " + x + " and the keys are " + keyType.onnxName());
            }
            Tensor y = Outputs.begin(context, 0, values.type(), x.shape());
            int absent = TensorIo.count(values) - 1;
            for (int k = 0; k < x.elementCount(); k++) {
                TensorIo.copy(values, places.getOrDefault(key(x, k), absent), y, k, 1);
            }
            Outputs.finish(context, 0, y);
        }

        /** Boxed doubles: NaN equals NaN, whatever its bits; −0 is made 0. */
        private static Object key(Tensor tensor, int index) {
            if (tensor.type() == DataType.STRING) {
                return tensor.strings()[index];
            }
            return tensor.type().isFloatingPoint()
                    ? (Object) (TensorIo.getDouble(tensor, index) + 0.0)
                    : (Object) TensorIo.getLong(tensor, index);
        }

        /** Of equal keys the last counts. */
        static Dictionary of(MlAttributes attributes, Tensor keys, Tensor values, Tensor absent) {
            int count = TensorIo.count(keys);
            if (TensorIo.count(values) != count) {
                throw attributes.invalid("has " + count + " keys and " + values.elementCount() + " values");
            }
            if (absent.type() != values.type()) {
                throw attributes.invalid("has " + values.type().onnxName() + " values and a default of another type");
            }
            Tensor all = values.type() == DataType.STRING
                    ? Tensor.ofStrings(new long[] {count + 1}, new String[count + 1])
                    : Tensor.allocateHost(values.type(), count + 1);
            TensorIo.copy(values, 0, all, 0, count);
            TensorIo.copy(absent, 0, all, count, 1);
            Map<Object, Integer> places = new HashMap<>();
            for (int k = 0; k < count; k++) {
                places.put(key(keys, k), k);
            }
            return new Dictionary(places, all, keys.type());
        }
    }

    private static Tensor texts(String... values) {
        return Tensor.ofStrings(new long[] {values.length}, values);
    }

    private static Tensor integers(long... values) {
        return Tensor.ofLongs(new long[] {values.length}, values);
    }

    /** Version 1: strings to their positions, or back, as the input is. */
    private static Kernel byPosition(KernelRequest request) {
        MlAttributes attributes = new MlAttributes(request.node());
        String[] classes = attributes.strings("classes_strings");
        long[] positions = new long[classes.length];
        for (int k = 0; k < positions.length; k++) {
            positions[k] = k;
        }
        return bothWays(attributes, texts(classes), integers(positions));
    }

    private static Kernel categories(KernelRequest request) {
        MlAttributes attributes = new MlAttributes(request.node());
        return bothWays(
                attributes, texts(attributes.strings("cats_strings")), integers(attributes.integers("cats_int64s")));
    }

    private static Kernel bothWays(MlAttributes attributes, Tensor texts, Tensor integers) {
        Tensor absentInteger = integers(attributes.node().intAttribute("default_int64", -1));
        Tensor absentText = texts(attributes.node().stringAttribute("default_string", "_Unused"));
        Dictionary toIntegers = Dictionary.of(attributes, texts, integers, absentInteger);
        Dictionary toTexts = Dictionary.of(attributes, integers, texts, absentText);
        return context -> (context.input(0).type() == DataType.STRING ? toIntegers : toTexts).execute(context);
    }

    private static Kernel byKey(KernelRequest request) {
        MlAttributes attributes = new MlAttributes(request.node());
        Tensor values = side(attributes, "values");
        Tensor absent = attributes.tensor("default_tensor");
        if (absent == null) {
            absent = texts(attributes.node().stringAttribute("default_string", "_Unused"));
            if (values.type() != DataType.STRING) {
                absent = Tensor.allocateHost(values.type(), 1);
                if (values.type().isFloatingPoint()) {
                    TensorIo.putDouble(absent, 0, attributes.node().floatAttribute("default_float", -0f));
                } else {
                    TensorIo.putLong(absent, 0, attributes.node().intAttribute("default_int64", -1));
                }
            }
        }
        return Dictionary.of(attributes, side(attributes, "keys"), values, absent);
    }

    /** The keys or the values, whichever of the attributes has them. */
    private static Tensor side(MlAttributes attributes, String name) {
        Tensor tensor = attributes.tensor(name + "_tensor");
        if (tensor != null) {
            return tensor;
        }
        if (attributes.node().attributes().containsKey(name + "_strings")) {
            return texts(attributes.strings(name + "_strings"));
        }
        if (attributes.node().attributes().containsKey(name + "_int64s")) {
            return integers(attributes.integers(name + "_int64s"));
        }
        double[] numbers = attributes.numbers(name + "_floats");
        Tensor floats = Tensor.allocateHost(DataType.FLOAT, numbers.length);
        TensorIo.store(numbers, 0, floats, 0, numbers.length);
        return floats;
    }
}
