package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.KernelContext;

/** The classes of a classifier: strings, or integers where {@code strings} is null. */
record ClassLabels(long[] integers, String[] strings) {
    static ClassLabels of(MlAttributes attributes, String integersName) {
        String[] strings = attributes.strings("classlabels_strings");
        long[] integers = attributes.integers(integersName);
        if (strings.length == 0 && integers.length == 0) {
            throw attributes.invalid("has neither classlabels_strings nor " + integersName);
        }
        return new ClassLabels(integers, strings.length == 0 ? null : strings);
    }

    int count() {
        return strings == null ? integers.length : strings.length;
    }

    /** Makes output 0 from the index of each row's class. */
    void write(KernelContext context, int[] rows) {
        if (strings == null) {
            long[] values = new long[rows.length];
            for (int k = 0; k < rows.length; k++) {
                values[k] = integers[rows[k]];
            }
            TensorIo.store(values, 0, context.output(0, DataType.INT64, rows.length), 0, rows.length);
            return;
        }
        String[] values = new String[rows.length];
        for (int k = 0; k < rows.length; k++) {
            values[k] = strings[rows[k]];
        }
        context.outputStrings(0, values, rows.length);
    }
}
