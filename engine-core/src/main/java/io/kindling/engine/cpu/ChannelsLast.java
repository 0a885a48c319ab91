package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;

/** Runs a kernel of {@code [batch, channels, places…]} on input 0 and output 0 that are {@code [batch, places…, channels]}. */
final class ChannelsLast {
    private ChannelsLast() {}

    /** The kernel itself unless the node's {@code channels_last} says otherwise. */
    static Kernel ifAsked(Node node, Kernel channelsFirst) {
        return node.intAttribute("channels_last", 0) == 0 ? channelsFirst : wrap(channelsFirst);
    }

    static Kernel wrap(Kernel channelsFirst) {
        return context -> {
            Context inner = new Context(context);
            channelsFirst.execute(inner);
            inner.finish();
        };
    }

    private static final class Context extends ForwardingContext {
        private final Tensor input;
        private Tensor output;

        private Context(KernelContext context) {
            super(context);
            Tensor x = context.input(0);
            input = Tensor.allocateHost(x.type(), firstShape(x.shape()));
            int channels = (int) x.dim(-1);
            int places = Shapes.product(x.shape(), 1, x.rank() - 1);
            for (int k = 0; k < x.elementCount(); k++) {
                TensorIo.copy(x, k, input, moved(k, places, channels), 1);
            }
        }

        /** Where the element at {@code k} of {@code [batch, places, channels]} is in {@code [batch, channels, places]}. */
        private static int moved(int k, int places, int channels) {
            int place = k / channels % places;
            return (k / channels / places * channels + k % channels) * places + place;
        }

        private static long[] firstShape(long[] last) {
            long[] shape = last.clone();
            shape[1] = last[last.length - 1];
            System.arraycopy(last, 1, shape, 2, last.length - 2);
            return shape;
        }

        private void finish() {
            long[] shape = output.shape().clone();
            System.arraycopy(output.shape(), 2, shape, 1, shape.length - 2);
            shape[shape.length - 1] = output.dim(1);
            Tensor y = super.output(0, output.type(), shape);
            int channels = (int) output.dim(1);
            int places = Shapes.product(output.shape(), 2, output.rank());
            for (int k = 0; k < y.elementCount(); k++) {
                TensorIo.copy(output, moved(k, places, channels), y, k, 1);
            }
        }

        @Override
        public Tensor input(int index) {
            return index == 0 ? input : super.input(index);
        }

        @Override
        public Tensor output(int index, DataType type, long... shape) {
            if (index != 0) {
                return super.output(index, type, shape);
            }
            output = Tensor.allocateHost(type, shape);
            return output;
        }
    }
}
