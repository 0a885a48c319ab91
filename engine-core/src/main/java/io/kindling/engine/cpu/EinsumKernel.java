package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/**
 * {@code Einsum}: a sum of products over labelled axes, in label order. An ellipsis stands for axes that are aligned at the end and
 * broadcast; without an arrow the output has the labels that occur once, sorted.
 */
final class EinsumKernel implements Kernel {
    /** Labels of ellipsis axes count down from here, the last axis first, so that they never meet letters. */
    private static final char ELLIPSIS = '\uffff';

    private final String[] terms;
    private final String result;

    private EinsumKernel(Node node) {
        String equation = node.stringAttribute("equation", "").replace(" ", "");
        int arrow = equation.indexOf("->");
        terms = (arrow < 0 ? equation : equation.substring(0, arrow)).split(",", -1);
        result = arrow < 0 ? null : equation.substring(arrow + 2);
    }

    static Kernel create(KernelRequest request) {
        return new EinsumKernel(request.node());
    }

    @Override
    public void execute(KernelContext context) {
        int count = context.inputCount();
        if (count != terms.length) {
            throw Shapes.invalid("the equation has " + terms.length + " terms for " + count + " inputs");
        }
        TreeMap<Character, Long> sizes = new TreeMap<>();
        String[] labels = new String[count];
        int widest = 0;
        for (int k = 0; k < count; k++) {
            Tensor x = context.input(k);
            int hidden = x.rank() - terms[k].replace("...", "").length();
            widest = Math.max(widest, hidden);
            labels[k] = terms[k].replace("...", ellipsis(hidden));
            if (labels[k].length() != x.rank()) {
                throw Shapes.invalid("term '" + terms[k] + "' does not fit " + x);
            }
            for (int axis = 0; axis < x.rank(); axis++) {
                long size = x.dim(axis);
                sizes.merge(labels[k].charAt(axis), size, (a, b) -> a == 1 ? b : a);
            }
        }
        String output = result != null ? result.replace("...", ellipsis(widest)) : implicit(labels, widest);
        List<Character> summed = new ArrayList<>(sizes.keySet());
        for (char label : output.toCharArray()) {
            summed.remove((Character) label);
        }
        long[] outer = new long[output.length()];
        for (int k = 0; k < outer.length; k++) {
            outer[k] = sizes.get(output.charAt(k));
        }
        long[] inner = summed.stream().mapToLong(sizes::get).toArray();
        StringBuilder innerLabels = new StringBuilder();
        summed.forEach(innerLabels::append);
        int[][] outerStrides = new int[count][];
        int[][] innerStrides = new int[count][];
        for (int k = 0; k < count; k++) {
            outerStrides[k] = strides(context.input(k), labels[k], output);
            innerStrides[k] = strides(context.input(k), labels[k], innerLabels.toString());
        }
        Tensor y = context.output(0, context.input(0).type(), outer);
        sum(context, y, inner, outerStrides, innerStrides);
    }

    private static String ellipsis(int axes) {
        StringBuilder labels = new StringBuilder();
        for (int k = axes - 1; k >= 0; k--) {
            labels.append((char) (ELLIPSIS - k));
        }
        return labels.toString();
    }

    private static String implicit(String[] labels, int widest) {
        String all = String.join("", labels);
        char[] once = all.chars()
                .filter(label -> Character.isLetter(label) && all.indexOf(label) == all.lastIndexOf(label))
                .mapToObj(label -> String.valueOf((char) label))
                .reduce("", String::concat)
                .toCharArray();
        Arrays.sort(once);
        return ellipsis(widest) + new String(once);
    }

    /** How far a step along each wanted label moves in the tensor; a repeated label walks a diagonal. */
    private static int[] strides(Tensor x, String labels, String wanted) {
        int[] own = Shapes.strides(x.shape());
        int[] strides = new int[wanted.length()];
        for (int axis = 0; axis < x.rank(); axis++) {
            int at = wanted.indexOf(labels.charAt(axis));
            if (at >= 0 && x.dim(axis) != 1) {
                strides[at] += own[axis];
            }
        }
        return strides;
    }

    private static void sum(KernelContext context, Tensor y, long[] inner, int[][] outerStrides, int[][] innerStrides) {
        int products = Shapes.product(inner, 0, inner.length);
        boolean floating = y.type().isFloatingPoint();
        Odometer outer = new Odometer(y.shape());
        for (int k = 0; k < y.elementCount(); k++, outer.next()) {
            double sum = 0;
            long longSum = 0;
            Odometer position = new Odometer(inner);
            for (int p = 0; p < products; p++, position.next()) {
                double product = 1;
                long longProduct = 1;
                for (int i = 0; i < outerStrides.length; i++) {
                    int at = outer.offset(outerStrides[i]) + position.offset(innerStrides[i]);
                    if (floating) {
                        product *= TensorIo.getDouble(context.input(i), at);
                    } else {
                        longProduct *= TensorIo.getLong(context.input(i), at);
                    }
                }
                sum += product;
                longSum += longProduct;
            }
            if (floating) {
                TensorIo.putDouble(y, k, sum);
            } else {
                TensorIo.putLong(y, k, longSum);
            }
        }
    }
}
