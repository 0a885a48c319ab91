package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** {@code ai.onnx.ml} operators on maps: {@code ZipMap}, {@code CastMap} and {@code DictVectorizer} (since 1). */
final class MapKernels {
    private MapKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register("ai.onnx.ml", "ZipMap", 1, MapKernels::zip);
        registrar.register("ai.onnx.ml", "CastMap", 1, MapKernels::cast);
        registrar.register("ai.onnx.ml", "DictVectorizer", 1, MapKernels::vectorise);
    }

    /** Each row of scores as a map from class to score. */
    private static Kernel zip(KernelRequest request) {
        ClassLabels labels = ClassLabels.of(new MlAttributes(request.node()), "classlabels_int64s");
        return context -> {
            Tensor x = context.input(0);
            int columns = (int) x.dim(-1);
            if (columns != labels.count()) {
                throw Shapes.invalid("X is " + x + " and there are " + labels.count() + " class labels");
            }
            Tensor keys = labels.strings() == null
                    ? Tensor.ofLongs(new long[] {columns}, labels.integers())
                    : Tensor.ofStrings(new long[] {columns}, labels.strings());
            List<Value> maps = new ArrayList<>();
            for (int start = 0; start < x.elementCount(); start += columns) {
                Tensor values = Tensor.allocateHost(x.type(), columns);
                TensorIo.copy(x, start, values, 0, columns);
                maps.add(new Value.Map(keys, values));
            }
            context.outputValue(0, new Value.Sequence(maps));
        };
    }

    private static Value.Map map(KernelContext context) {
        if (context.inputValue(0) instanceof Value.Map map) {
            return map;
        }
        throw Shapes.invalid("the input must be a map, not " + context.inputValue(0));
    }

    /** The values in the order of their integer keys, {@code [1, size]}, or at the places that the keys name. */
    private static Kernel cast(KernelRequest request) {
        String to = request.node().stringAttribute("cast_to", "TO_FLOAT");
        boolean sparse = request.node().stringAttribute("map_form", "DENSE").equals("SPARSE");
        int length = (int) request.node().intAttribute("max_map", 1);
        return context -> {
            Value.Map map = map(context);
            int count = TensorIo.count(map.keys());
            int size = sparse ? length : count;
            String[] texts = new String[size];
            List<Integer> order = IntStream.range(0, count)
                    .boxed()
                    .sorted(Comparator.comparing((Integer k) -> TensorIo.getLong(map.keys(), k)))
                    .toList();
            for (int k = 0; k < count; k++) {
                long place = sparse ? TensorIo.getLong(map.keys(), order.get(k)) : k;
                if (place < 0 || place >= size) {
                    throw Shapes.invalid("key " + place + " is outside max_map = " + size);
                }
                texts[(int) place] = text(map.values(), order.get(k));
            }
            write(context, to, texts);
        };
    }

    private static String text(Tensor values, int index) {
        return values.type() == DataType.STRING
                ? values.strings()[index]
                : String.valueOf(TensorIo.getFloat(values, index));
    }

    /** Missing places are 0, or the empty string. */
    private static void write(KernelContext context, String to, String[] texts) {
        int size = texts.length;
        if (to.equals("TO_STRING")) {
            for (int k = 0; k < size; k++) {
                texts[k] = texts[k] == null ? "" : texts[k];
            }
            context.outputStrings(0, texts, 1, size);
            return;
        }
        boolean floats = to.equals("TO_FLOAT");
        Tensor y = context.output(0, floats ? DataType.FLOAT : DataType.INT64, 1, size);
        for (int k = 0; k < size; k++) {
            double value = texts[k] == null ? 0 : Double.parseDouble(texts[k]);
            if (floats) {
                y.floats().put(k, (float) value);
            } else {
                y.longs().put(k, (long) value);
            }
        }
    }

    /** The value of each word of the vocabulary, {@code [1, size]}; 0 or the empty string for those that the map lacks. */
    private static Kernel vectorise(KernelRequest request) {
        MlAttributes attributes = new MlAttributes(request.node());
        String[] words = attributes.strings("string_vocabulary");
        long[] numbers = attributes.integers("int64_vocabulary");
        int size = Math.max(words.length, numbers.length);
        return context -> {
            Value.Map map = map(context);
            Tensor keys = map.keys();
            Tensor values = map.values();
            Map<Object, Integer> places = new HashMap<>();
            for (int k = 0; k < keys.elementCount(); k++) {
                places.put(keys.type() == DataType.STRING ? keys.strings()[k] : (Object) TensorIo.getLong(keys, k), k);
            }
            Tensor y = Outputs.begin(context, 0, values.type(), 1, size);
            for (int k = 0; k < size; k++) {
                Integer place = places.get(words.length > 0 ? words[k] : (Object) numbers[k]);
                if (place != null) {
                    TensorIo.copy(values, place, y, k, 1);
                } else if (y.type() == DataType.STRING) {
                    y.strings()[k] = "";
                } else if (y.type().isFloatingPoint()) {
                    TensorIo.putDouble(y, k, 0);
                } else {
                    TensorIo.putLong(y, k, 0);
                }
            }
            Outputs.finish(context, 0, y);
        };
    }
}
