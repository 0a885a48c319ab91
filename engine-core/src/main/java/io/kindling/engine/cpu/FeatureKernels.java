package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** {@code ai.onnx.ml} operators that prepare features (since 1): selecting, scaling, filling in, encoding. */
final class FeatureKernels {
    private static final String DOMAIN = "ai.onnx.ml";

    private FeatureKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register(DOMAIN, "ArrayFeatureExtractor", 1, request -> FeatureKernels::extract);
        registrar.register(DOMAIN, "Binarizer", 1, FeatureKernels::binarize);
        registrar.register(DOMAIN, "FeatureVectorizer", 1, request -> FeatureKernels::join);
        registrar.register(DOMAIN, "Imputer", 1, FeatureKernels::impute);
        registrar.register(DOMAIN, "Normalizer", 1, FeatureKernels::normalise);
        registrar.register(DOMAIN, "Scaler", 1, FeatureKernels::scale);
        registrar.register(DOMAIN, "OneHotEncoder", 1, FeatureKernels::oneHot);
    }

    /** Columns of the last axis; a vector is one row. */
    private static void extract(KernelContext context) {
        Tensor x = context.input(0);
        long[] columns = TensorIo.longs(context.input(1));
        int width = (int) x.dim(-1);
        long[] shape = x.rank() == 1 ? new long[2] : x.shape().clone();
        shape[0] = x.rank() == 1 ? 1 : shape[0];
        shape[shape.length - 1] = columns.length;
        Tensor z = Outputs.begin(context, 0, x.type(), shape);
        for (int k = 0; k < z.elementCount(); k++) {
            long column = columns[k % columns.length];
            if (column < 0 || column >= width) {
                throw Shapes.invalid("column " + column + " is outside " + x);
            }
            TensorIo.copy(x, k / columns.length * width + (int) column, z, k, 1);
        }
        Outputs.finish(context, 0, z);
    }

    private static Kernel binarize(KernelRequest request) {
        double threshold = request.node().floatAttribute("threshold", 0);
        return context -> {
            Tensor x = context.input(0);
            Tensor y = context.output(0, x.type(), x.shape());
            for (int k = 0; k < x.elementCount(); k++) {
                put(y, k, TensorIo.getDouble(x, k) > threshold ? 1 : 0);
            }
        };
    }

    private static void put(Tensor tensor, int index, double value) {
        if (tensor.type().isFloatingPoint()) {
            TensorIo.putDouble(tensor, index, value);
        } else {
            TensorIo.putLong(tensor, index, (long) value);
        }
    }

    /** Inputs {@code [rows, columns]} side by side, as floats; a vector is one row. */
    private static void join(KernelContext context) {
        int rows = -1;
        int width = 0;
        for (int i = 0; i < context.inputCount(); i++) {
            Tensor x = context.input(i);
            int own = x.rank() == 1 ? 1 : (int) x.dim(0);
            if (rows >= 0 && own != rows) {
                throw Shapes.invalid("the inputs have " + rows + " and " + own + " rows");
            }
            rows = own;
            width += TensorIo.count(x) / Math.max(1, rows);
        }
        Tensor y = context.output(0, DataType.FLOAT, rows, width);
        int column = 0;
        for (int i = 0; i < context.inputCount(); i++) {
            Tensor x = context.input(i);
            int own = TensorIo.count(x) / Math.max(1, rows);
            for (int k = 0; k < x.elementCount(); k++) {
                y.floats().put(k / own * width + column + k % own, (float) TensorIo.getDouble(x, k));
            }
            column += own;
        }
    }

    private static Kernel impute(KernelRequest request) {
        MlAttributes attributes = new MlAttributes(request.node());
        double[] floats = attributes.numbers("imputed_value_floats");
        long[] integers = attributes.integers("imputed_value_int64s");
        double replacedFloat = request.node().floatAttribute("replaced_value_float", 0);
        long replacedInteger = request.node().intAttribute("replaced_value_int64", 0);
        return context -> {
            Tensor x = context.input(0);
            Tensor y = context.output(0, x.type(), x.shape());
            int width = (int) x.dim(-1);
            int given = x.type().isFloatingPoint() ? floats.length : integers.length;
            checkWidth(x, given, "imputed values");
            for (int k = 0; k < x.elementCount(); k++) {
                int at = given == 1 ? 0 : k % width;
                if (x.type().isFloatingPoint()) {
                    double value = TensorIo.getDouble(x, k);
                    boolean missing = value == replacedFloat || Double.isNaN(value) && Double.isNaN(replacedFloat);
                    TensorIo.putDouble(y, k, missing ? floats[at] : value);
                } else {
                    long value = TensorIo.getLong(x, k);
                    TensorIo.putLong(y, k, value == replacedInteger ? integers[at] : value);
                }
            }
        };
    }

    private static void checkWidth(Tensor x, int given, String what) {
        if (given != 1 && given != x.dim(-1)) {
            throw Shapes.invalid("X is " + x + " and there are " + given + " " + what);
        }
    }

    /** Rows by their largest value, sum of magnitudes, or length; rows of zeros stay. */
    private static Kernel normalise(KernelRequest request) {
        String norm = request.node().stringAttribute("norm", "MAX");
        if (!Set.of("MAX", "L1", "L2").contains(norm)) {
            throw Unsupported.of(request.node(), "norm " + norm + " is none of MAX, L1, L2");
        }
        return context -> {
            Tensor x = context.input(0);
            Tensor y = context.output(0, DataType.FLOAT, x.shape());
            int width = (int) x.dim(-1);
            double[] row = Work.mine().doubles(0, width);
            for (int start = 0; start < x.elementCount(); start += width) {
                TensorIo.load(x, start, row, 0, width);
                double size = norm.equals("MAX") ? Double.NEGATIVE_INFINITY : 0;
                for (int k = 0; k < width; k++) {
                    size = switch (norm) {
                        case "MAX" -> Math.max(size, row[k]);
                        case "L1" -> size + Math.abs(row[k]);
                        default -> size + row[k] * row[k];
                    };
                }
                double divisor = size == 0 ? 1 : norm.equals("L2") ? Math.sqrt(size) : size;
                for (int k = 0; k < width; k++) {
                    y.floats().put(start + k, (float) (row[k] / divisor));
                }
            }
        };
    }

    private static Kernel scale(KernelRequest request) {
        MlAttributes attributes = new MlAttributes(request.node());
        double[] offsets = attributes.numbers("offset");
        double[] scales = attributes.numbers("scale");
        return context -> {
            Tensor x = context.input(0);
            Tensor y = context.output(0, DataType.FLOAT, x.shape());
            checkWidth(x, offsets.length, "offsets");
            checkWidth(x, scales.length, "scales");
            int width = (int) x.dim(-1);
            for (int k = 0; k < x.elementCount(); k++) {
                double offset = offsets[offsets.length == 1 ? 0 : k % width];
                double factor = scales[scales.length == 1 ? 0 : k % width];
                y.floats().put(k, (float) ((TensorIo.getDouble(x, k) - offset) * factor));
            }
        };
    }

    /** A new last axis with a 1 at the category of each element. Numbers are categories by their integer part. */
    private static Kernel oneHot(KernelRequest request) {
        MlAttributes attributes = new MlAttributes(request.node());
        String[] texts = attributes.strings("cats_strings");
        long[] integers = attributes.integers("cats_int64s");
        boolean zeros = request.node().intAttribute("zeros", 1) != 0;
        int count = Math.max(texts.length, integers.length);
        Map<Object, Integer> places = new HashMap<>();
        for (int k = 0; k < count; k++) {
            places.put(texts.length > 0 ? texts[k] : (Object) integers[k], k);
        }
        return context -> {
            Tensor x = context.input(0);
            boolean strings = x.type() == DataType.STRING;
            if (strings != texts.length > 0) {
                throw Shapes.invalid("X is " + x + " and the categories are " + (strings ? "integers" : "strings"));
            }
            long[] shape = Arrays.copyOf(x.shape(), x.rank() + 1);
            shape[x.rank()] = count;
            Tensor y = context.output(0, DataType.FLOAT, shape);
            for (int k = 0; k < x.elementCount(); k++) {
                Object key = strings ? x.strings()[k] : (Object) (long) TensorIo.getDouble(x, k);
                Integer place = places.get(key);
                if (place == null && !zeros) {
                    throw Shapes.invalid("'" + key + "' is no known category and zeros = 0");
                }
                for (int c = 0; c < count; c++) {
                    y.floats().put(k * count + c, place != null && place == c ? 1 : 0);
                }
            }
        };
    }
}
