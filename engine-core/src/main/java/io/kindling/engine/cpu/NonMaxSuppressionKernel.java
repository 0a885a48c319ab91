package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** {@code NonMaxSuppression}: for every image and class the boxes of highest score that overlap none chosen before by too much. */
final class NonMaxSuppressionKernel implements Kernel {
    private final boolean centres;

    private NonMaxSuppressionKernel(boolean centres) {
        this.centres = centres;
    }

    static Kernel create(KernelRequest request) {
        return new NonMaxSuppressionKernel(request.node().intAttribute("center_point_box", 0) != 0);
    }

    /** In float, as the boxes are: a threshold may be met exactly. */
    private record Box(float left, float top, float right, float bottom) {
        private static Box corners(float x1, float y1, float x2, float y2) {
            return new Box(Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2));
        }

        private float area() {
            return (right - left) * (bottom - top);
        }

        private float overlap(Box other) {
            float width = Math.min(right, other.right) - Math.max(left, other.left);
            float height = Math.min(bottom, other.bottom) - Math.max(top, other.top);
            if (width <= 0 || height <= 0) {
                return 0;
            }
            float common = width * height;
            return common / (area() + other.area() - common);
        }
    }

    @Override
    public void execute(KernelContext context) {
        Tensor boxes = context.input(0);
        Tensor scores = context.input(1);
        long limit = context.hasInput(2) ? TensorIo.getLong(context.input(2), 0) : 0;
        float overlap = context.hasInput(3) ? TensorIo.getFloat(context.input(3), 0) : 0;
        float lowest = context.hasInput(4) ? TensorIo.getFloat(context.input(4), 0) : Float.NEGATIVE_INFINITY;
        int count = (int) boxes.dim(1);
        int classes = (int) scores.dim(1);
        List<long[]> selected = new ArrayList<>();
        for (int image = 0; image < boxes.dim(0); image++) {
            Box[] candidates = new Box[count];
            for (int k = 0; k < count; k++) {
                candidates[k] = box(boxes, (image * count + k) * 4);
            }
            for (int c = 0; c < classes; c++) {
                int base = (image * classes + c) * count;
                List<Integer> order = IntStream.range(0, count)
                        .filter(k -> !context.hasInput(4) || scores.floats().get(base + k) > lowest)
                        .boxed()
                        .sorted(Comparator.comparingDouble(k -> -scores.floats().get(base + k)))
                        .toList();
                List<Integer> chosen = new ArrayList<>();
                for (int k : order) {
                    if (chosen.size() >= limit) {
                        break;
                    }
                    if (chosen.stream().noneMatch(other -> candidates[k].overlap(candidates[other]) > overlap)) {
                        chosen.add(k);
                        selected.add(new long[] {image, c, k});
                    }
                }
            }
        }
        Tensor y = context.output(0, DataType.INT64, selected.size(), 3);
        for (int k = 0; k < selected.size(); k++) {
            TensorIo.store(selected.get(k), 0, y, k * 3, 3);
        }
    }

    private Box box(Tensor boxes, int at) {
        float a = boxes.floats().get(at);
        float b = boxes.floats().get(at + 1);
        float c = boxes.floats().get(at + 2);
        float d = boxes.floats().get(at + 3);
        return centres ? Box.corners(a - c / 2, b - d / 2, a + c / 2, b + d / 2) : Box.corners(b, a, d, c);
    }
}
