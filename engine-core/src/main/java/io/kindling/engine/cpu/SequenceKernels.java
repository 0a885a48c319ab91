package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Sequences and optionals. Tensors that go into a sequence are copied, since the sequence outlives their storage. */
final class SequenceKernels {
    private SequenceKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register(
                "", "SequenceEmpty", 11, request -> context -> context.outputValue(0, new Value.Sequence(List.of())));
        registrar.register("", "SequenceConstruct", 11, request -> context -> {
            List<Value> elements = new ArrayList<>();
            for (int k = 0; k < context.inputCount(); k++) {
                elements.add(owned(context.inputValue(k)));
            }
            context.outputValue(0, new Value.Sequence(elements));
        });
        registrar.register(
                "",
                "SequenceLength",
                11,
                request -> context -> context.output(0, DataType.INT64)
                        .longs()
                        .put(0, sequence(context).size()));
        registrar.register("", "SequenceAt", 11, request -> context -> {
            List<Value> elements = sequence(context);
            emit(context, elements.get(GatherKernels.index(TensorIo.getLong(context.input(1), 0), elements.size())));
        });
        registrar.register("", "SequenceInsert", 11, request -> SequenceKernels::insert);
        registrar.register("", "SequenceErase", 11, request -> context -> {
            List<Value> elements = new ArrayList<>(sequence(context));
            long at = context.hasInput(1) ? TensorIo.getLong(context.input(1), 0) : -1;
            elements.remove(GatherKernels.index(at, elements.size()));
            context.outputValue(0, new Value.Sequence(elements));
        });
        registrar.register("", "SplitToSequence", 11, SequenceKernels::splitToSequence);
        registrar.register("", "ConcatFromSequence", 11, SequenceKernels::concatFromSequence);
        registrar.register(
                "",
                "Optional",
                15,
                request -> context -> context.outputValue(
                        0,
                        new Value.Opt(
                                context.inputCount() > 0
                                        ? Optional.of(owned(context.inputValue(0)))
                                        : Optional.empty())));
        registrar.register("", "OptionalHasElement", 15, request -> context -> {
            boolean has = context.inputCount() > 0
                    && context.hasInput(0)
                    && !(context.inputValue(0) instanceof Value.Opt optional
                            && optional.content().isEmpty());
            context.output(0, DataType.BOOL).bytes().put(0, (byte) (has ? 1 : 0));
        });
        registrar.register("", "OptionalGetElement", 15, request -> context -> {
            Value value = context.inputValue(0);
            if (value instanceof Value.Opt optional) {
                value = optional.content().orElseThrow(() -> Shapes.invalid("the optional is empty"));
            }
            emit(context, value);
        });
    }

    private static List<Value> sequence(KernelContext context) {
        if (context.inputValue(0) instanceof Value.Sequence sequence) {
            return sequence.elements();
        }
        throw Shapes.invalid("input 0 must be a sequence, not " + context.inputValue(0));
    }

    private static Value owned(Value value) {
        if (!(value instanceof Tensor tensor)) {
            return value;
        }
        if (tensor.type() == DataType.STRING) {
            return Tensor.ofStrings(tensor.shape(), tensor.strings());
        }
        Tensor copy = Tensor.allocateHost(tensor.type(), tensor.shape());
        TensorIo.copy(tensor, 0, copy, 0, TensorIo.count(tensor));
        return copy;
    }

    private static void emit(KernelContext context, Value value) {
        if (!(value instanceof Tensor tensor)) {
            context.outputValue(0, value);
            return;
        }
        Tensor y = Outputs.begin(context, 0, tensor.type(), tensor.shape());
        TensorIo.copy(tensor, 0, y, 0, TensorIo.count(tensor));
        Outputs.finish(context, 0, y);
    }

    private static void insert(KernelContext context) {
        List<Value> elements = new ArrayList<>(sequence(context));
        long at = context.hasInput(2) ? TensorIo.getLong(context.input(2), 0) : elements.size();
        long position = at < 0 ? at + elements.size() : at;
        if (position < 0 || position > elements.size()) {
            throw Shapes.invalid("position " + at + " is outside a sequence of " + elements.size());
        }
        elements.add((int) position, owned(context.inputValue(1)));
        context.outputValue(0, new Value.Sequence(elements));
    }

    private static Kernel splitToSequence(KernelRequest request) {
        Node node = request.node();
        long axisAttribute = node.intAttribute("axis", 0);
        boolean keepDims = node.intAttribute("keepdims", 1) != 0;
        return context -> {
            Tensor x = context.input(0);
            int axis = Shapes.axis(axisAttribute, x.rank());
            int size = (int) x.dim(axis);
            long[] sizes;
            if (!context.hasInput(1)) {
                sizes = new long[size];
                Arrays.fill(sizes, 1);
            } else if (context.input(1).rank() == 0) {
                long chunk = TensorIo.getLong(context.input(1), 0);
                sizes = new long[(int) ((size + chunk - 1) / chunk)];
                Arrays.fill(sizes, chunk);
                sizes[sizes.length - 1] = size - chunk * (sizes.length - 1);
            } else {
                sizes = TensorIo.longs(context.input(1));
            }
            boolean squeeze = !context.hasInput(1) && !keepDims;
            List<Value> parts = new ArrayList<>();
            int from = 0;
            for (long part : sizes) {
                parts.add(cut(x, axis, from, (int) part, squeeze));
                from += (int) part;
            }
            context.outputValue(0, new Value.Sequence(parts));
        };
    }

    private static Tensor cut(Tensor x, int axis, int from, int count, boolean squeeze) {
        long[] shape = x.shape().clone();
        shape[axis] = count;
        long[] shown = squeeze ? ReduceKernels.without(shape, axis) : shape;
        Tensor part = x.type() == DataType.STRING
                ? Tensor.ofStrings(shown, new String[Math.toIntExact(Tensor.count(shown))])
                : Tensor.allocateHost(x.type(), shown);
        int inner = Shapes.product(x.shape(), axis + 1, x.rank());
        int outer = Shapes.product(x.shape(), 0, axis);
        for (int o = 0; o < outer; o++) {
            TensorIo.copy(x, (o * (int) x.dim(axis) + from) * inner, part, o * count * inner, count * inner);
        }
        return part;
    }

    private static Kernel concatFromSequence(KernelRequest request) {
        long axisAttribute = request.node().intAttribute("axis", 0);
        boolean newAxis = request.node().intAttribute("new_axis", 0) != 0;
        return context -> {
            List<Tensor> parts =
                    sequence(context).stream().map(Tensor.class::cast).toList();
            if (parts.isEmpty()) {
                throw Shapes.invalid("an empty sequence cannot be joined");
            }
            Tensor first = parts.get(0);
            int axis = Shapes.axis(axisAttribute, first.rank() + (newAxis ? 1 : 0));
            long[] shape = newAxis
                    ? Arrays.copyOf(first.shape(), first.rank() + 1)
                    : first.shape().clone();
            if (newAxis) {
                System.arraycopy(first.shape(), axis, shape, axis + 1, first.rank() - axis);
                shape[axis] = parts.size();
            } else {
                shape[axis] = parts.stream().mapToLong(part -> part.dim(axis)).sum();
            }
            Tensor y = Outputs.begin(context, 0, first.type(), shape);
            int outer = Shapes.product(shape, 0, axis);
            int row = Shapes.product(shape, axis, shape.length);
            int to = 0;
            for (Tensor part : parts) {
                int partRow = outer == 0 ? 0 : TensorIo.count(part) / outer;
                for (int o = 0; o < outer; o++) {
                    TensorIo.copy(part, o * partRow, y, o * row + to, partRow);
                }
                to += partRow;
            }
            Outputs.finish(context, 0, y);
        };
    }
}
