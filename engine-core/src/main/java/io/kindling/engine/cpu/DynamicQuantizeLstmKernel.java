package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;

/**
 * {@code com.microsoft::DynamicQuantizeLSTM} (since 1): 8-bit weights {@code [directions, inputs, 4 · hidden]}; X is quantised to
 * uint8 over the range of the whole tensor, each row of the hidden state over its own.
 */
final class DynamicQuantizeLstmKernel {
    private DynamicQuantizeLstmKernel() {}

    static Kernel create(KernelRequest request) {
        Kernel lstm = RecurrentKernel.lstm(request.node(), DynamicQuantizeLstmKernel::rounded);
        return context -> lstm.execute(new FloatWeights(context));
    }

    /** The numbers that the uint8 form of some stands for; their range is widened to hold 0. */
    private static double[] rounded(double[] numbers) {
        double min = 0;
        double max = 0;
        for (double value : numbers) {
            min = Math.min(min, value);
            max = Math.max(max, value);
        }
        float scale = max == min ? 1 : (float) (max - min) / 255;
        int zero = (int) QuantizeKernels.saturated(Math.rint(-min / scale), DataType.UINT8);
        Quantization quantization = new Quantization(scale, zero);
        double[] result = new double[numbers.length];
        for (int k = 0; k < numbers.length; k++) {
            result[k] = quantization.number(quantization.element(numbers[k], DataType.UINT8));
        }
        return result;
    }

    /** Shows the weights as LSTM has them: floats, {@code [directions, 4 · hidden, inputs]}. */
    private static final class FloatWeights extends ForwardingContext {
        private final Tensor x;
        private final Tensor input;
        private final Tensor recurrent;

        private FloatWeights(KernelContext context) {
            super(context);
            int count = TensorIo.count(context.input(0));
            double[] values = new double[count];
            TensorIo.load(context.input(0), 0, values, 0, count);
            x = Tensor.allocateHost(DataType.FLOAT, context.input(0).shape());
            TensorIo.store(rounded(values), 0, x, 0, count);
            input = dequantised(context.input(1), context.input(8), context.input(9));
            recurrent = dequantised(context.input(2), context.input(10), context.input(11));
        }

        private static Tensor dequantised(Tensor weights, Tensor scales, Tensor zeros) {
            int directions = (int) weights.dim(0);
            int inputs = (int) weights.dim(1);
            int outputs = (int) weights.dim(2);
            boolean columns = scales.elementCount() == (long) directions * outputs;
            Tensor result = Tensor.allocateHost(DataType.FLOAT, directions, outputs, inputs);
            for (int k = 0; k < weights.elementCount(); k++) {
                int direction = k / outputs / inputs;
                int output = k % outputs;
                int at = columns ? direction * outputs + output : direction;
                float centred = TensorIo.getLong(weights, k) - TensorIo.getLong(zeros, at);
                result.floats()
                        .put(
                                (direction * outputs + output) * inputs + k / outputs % inputs,
                                centred * TensorIo.getFloat(scales, at));
            }
            return result;
        }

        @Override
        public Tensor input(int index) {
            return switch (index) {
                case 0 -> x;
                case 1 -> input;
                case 2 -> recurrent;
                default -> super.input(index);
            };
        }
    }
}
