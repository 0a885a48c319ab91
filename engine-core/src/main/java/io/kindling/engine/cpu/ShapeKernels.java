package io.kindling.engine.cpu;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.OperatorException;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Operators that ask for a shape, relabel a tensor, or make a constant. */
final class ShapeKernels {
    /** The output's shape, from the context's inputs. */
    private interface NewShape {
        long[] of(KernelContext context);
    }

    private ShapeKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register("", "Shape", 1, ShapeKernels::shape);
        registrar.register(
                "",
                "Size",
                1,
                request -> context -> context.output(0, DataType.INT64)
                        .longs()
                        .put(0, context.input(0).elementCount()));
        registrar.register("", "Reshape", 1, request -> {
            boolean allowZero = request.node().intAttribute("allowzero", 0) != 0;
            long[] attribute = request.node().intsAttribute("shape").orElse(null);
            return new Relabel(context -> reshape(
                    context.input(0), attribute != null ? attribute : TensorIo.longs(context.input(1)), allowZero));
        });
        registrar.register("", "Flatten", 1, request -> {
            long axis = request.node().intAttribute("axis", 1);
            return new Relabel(context -> flatten(context.input(0).shape(), axis));
        });
        registrar.register("", "Squeeze", 1, request -> {
            long[] attribute = request.node().intsAttribute("axes").orElse(null);
            return new Relabel(context -> squeeze(context.input(0).shape(), axes(context, attribute)));
        });
        registrar.register("", "Unsqueeze", 1, request -> {
            long[] attribute = request.node().intsAttribute("axes").orElse(null);
            return new Relabel(context -> unsqueeze(context.input(0).shape(), axes(context, attribute)));
        });
        registrar.register(
                "com.microsoft",
                "ExpandDims",
                1,
                request -> new Relabel(context -> unsqueeze(context.input(0).shape(), axes(context, null))));
        registrar.register("", "Identity", 1, request -> new Relabel(context -> null));
        registrar.register("", "Constant", 1, ShapeKernels::constant);
        registrar.register("", "ConstantOfShape", 9, ShapeKernels::constantOfShape);
    }

    /** Another view of input 0. */
    private record Relabel(NewShape newShape) implements Kernel {
        @Override
        public void execute(KernelContext context) {
            if (!(context.inputValue(0) instanceof Tensor x)) {
                context.outputValue(0, context.inputValue(0));
                return;
            }
            long[] shape = newShape.of(context);
            context.view(0, shape == null ? x.shape() : shape);
        }

        @Override
        public int aliasOf(int output) {
            return 0;
        }
    }

    private static Kernel shape(KernelRequest request) {
        long start = request.node().intAttribute("start", 0);
        long end = request.node().intAttribute("end", Long.MAX_VALUE);
        return context -> {
            long[] shape = context.input(0).shape();
            int from = clamp(start, shape.length);
            int to = Math.max(from, clamp(end, shape.length));
            Tensor output = context.output(0, DataType.INT64, to - from);
            for (int k = from; k < to; k++) {
                output.longs().put(k - from, shape[k]);
            }
        };
    }

    private static int clamp(long index, int rank) {
        return (int) Math.max(0, Math.min(rank, index < 0 ? index + rank : index));
    }

    /** Axes from the attribute of older opsets, else from input 1; null where neither is there. */
    static long[] axes(KernelContext context, long[] attribute) {
        return attribute != null || !context.hasInput(1) ? attribute : TensorIo.longs(context.input(1));
    }

    private static long[] reshape(Tensor x, long[] wanted, boolean allowZero) {
        long[] shape = wanted.clone();
        int open = -1;
        long known = 1;
        for (int k = 0; k < shape.length; k++) {
            if (shape[k] == 0 && !allowZero) {
                if (k >= x.rank()) {
                    throw Shapes.invalid("shape " + Arrays.toString(wanted) + " copies dimension " + k + ", which " + x
                            + " has not");
                }
                shape[k] = x.dim(k);
            }
            if (shape[k] == -1 && open < 0) {
                open = k;
            } else {
                known *= shape[k];
            }
        }
        if (open >= 0) {
            shape[open] = known == 0 ? 0 : x.elementCount() / known;
        }
        if (known < 0 || Tensor.count(shape) != x.elementCount()) {
            throw Shapes.invalid(x + " cannot be reshaped to " + Arrays.toString(wanted));
        }
        return shape;
    }

    private static long[] flatten(long[] shape, long axis) {
        int split = axis == shape.length ? shape.length : Shapes.axis(axis, shape.length);
        return new long[] {Shapes.product(shape, 0, split), Shapes.product(shape, split, shape.length)};
    }

    private static long[] squeeze(long[] shape, long[] axes) {
        boolean[] drop = new boolean[shape.length];
        if (axes == null) {
            for (int k = 0; k < shape.length; k++) {
                drop[k] = shape[k] == 1;
            }
        } else {
            for (long axis : axes) {
                int k = Shapes.axis(axis, shape.length);
                if (shape[k] != 1) {
                    throw Shapes.invalid("axis " + axis + " of " + Arrays.toString(shape) + " cannot be squeezed");
                }
                drop[k] = true;
            }
        }
        long[] result = new long[shape.length];
        int rank = 0;
        for (int k = 0; k < shape.length; k++) {
            if (!drop[k]) {
                result[rank++] = shape[k];
            }
        }
        return Arrays.copyOf(result, rank);
    }

    private static long[] unsqueeze(long[] shape, long[] axes) {
        long[] result = new long[shape.length + axes.length];
        for (long axis : axes) {
            int k = Shapes.axis(axis, result.length);
            if (result[k] == 1) {
                throw Shapes.invalid("axes " + Arrays.toString(axes) + " repeat one");
            }
            result[k] = 1;
        }
        int next = 0;
        for (int k = 0; k < result.length; k++) {
            if (result[k] != 1) {
                result[k] = shape[next++];
            }
        }
        return result;
    }

    private static Kernel constant(KernelRequest request) {
        Tensor value = constantValue(request.node());
        return context -> emit(value, context);
    }

    private static void emit(Tensor value, KernelContext context) {
        if (value.type() == DataType.STRING) {
            context.outputStrings(0, value.strings(), value.shape());
        } else {
            Tensor output = context.output(0, value.type(), value.shape());
            TensorIo.copy(value, 0, output, 0, TensorIo.count(value));
        }
    }

    private static Tensor constantValue(Node node) {
        for (Attribute attribute : node.attributes().values()) {
            if (attribute instanceof Attribute.TensorValue tensor) {
                return host(node, tensor.tensor());
            } else if (attribute instanceof Attribute.FloatValue number) {
                return Tensor.ofFloats(Shapes.SCALAR, number.value());
            } else if (attribute instanceof Attribute.IntValue number) {
                return Tensor.ofLongs(Shapes.SCALAR, number.value());
            } else if (attribute instanceof Attribute.FloatsValue numbers) {
                return Tensor.ofFloats(new long[] {numbers.values().length}, numbers.values());
            } else if (attribute instanceof Attribute.IntsValue numbers) {
                return Tensor.ofLongs(new long[] {numbers.values().length}, numbers.values());
            } else if (attribute instanceof Attribute.StringValue text) {
                return Tensor.ofStrings(Shapes.SCALAR, text.text());
            } else if (attribute instanceof Attribute.StringsValue texts) {
                String[] strings =
                        texts.values().stream().map(Attribute.StringValue::text).toArray(String[]::new);
                return Tensor.ofStrings(new long[] {strings.length}, strings);
            }
        }
        throw new OperatorException(
                ErrorCode.UNSUPPORTED, node.operator(), node.name(), "has no value of a supported kind");
    }

    /** The tensor of an attribute, in memory that the garbage collector owns. */
    static Tensor host(Node node, TensorData data) {
        if (data.content() instanceof TensorData.Strings strings) {
            return Tensor.ofStrings(data.shape(), strings.values().toArray(String[]::new));
        }
        if (data.content() instanceof TensorData.Inline inline) {
            Tensor tensor = Tensor.allocateHost(data.type(), data.shape());
            ByteBuffer bytes = inline.bytes();
            tensor.bytes().put(0, bytes, bytes.position(), Math.toIntExact(data.byteSize()));
            return tensor;
        }
        throw new OperatorException(
                ErrorCode.UNSUPPORTED,
                node.operator(),
                node.name(),
                "the tensor of its attribute lies in an external file; make it an initializer");
    }

    private static Kernel constantOfShape(KernelRequest request) {
        Node node = request.node();
        Tensor value = node.attribute("value").orElse(null) instanceof Attribute.TensorValue tensor
                ? host(node, tensor.tensor())
                : Tensor.ofFloats(new long[] {1}, 0);
        return context -> {
            long[] shape = TensorIo.longs(context.input(0));
            if (value.type() == DataType.STRING) {
                String[] strings = new String[Math.toIntExact(Tensor.count(shape))];
                Arrays.fill(strings, value.strings()[0]);
                context.outputStrings(0, strings, shape);
                return;
            }
            Tensor output = context.output(0, value.type(), shape);
            for (int k = 0; k < output.elementCount(); k++) {
                TensorIo.copy(value, 0, output, k, 1);
            }
        };
    }
}
