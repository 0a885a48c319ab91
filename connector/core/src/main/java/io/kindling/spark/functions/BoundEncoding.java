package io.kindling.spark.functions;

import io.kindling.engine.EncodingOptions;
import io.kindling.engine.TextEncoder;
import io.kindling.spark.convert.EncodingConverter;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * {@code embed} or {@code classify}, bound. Said to be not deterministic, since Spark would evaluate it again for each filter on its
 * result. Without the magic method {@code invoke}: Spark calls that one through expressions that GROUP BY and ORDER BY do not recognise
 * as the same.
 */
record BoundEncoding(Kind kind, RowGenerator generator, Arguments arguments) implements ScalarFunction<Object> {
    /** What is made of a text. */
    enum Kind {
        EMBED("embed", EncodingConverter.VECTOR) {
            @Override
            Object encode(TextEncoder encoder, String text, EncodingOptions options) {
                return new GenericArrayData(
                        encoder.embed(List.of(text), options).get(0).vector());
            }
        },
        CLASSIFY("classify", DataTypes.StringType) {
            @Override
            Object encode(TextEncoder encoder, String text, EncodingOptions options) {
                return UTF8String.fromString(EncodingConverter.label(
                        encoder.classify(List.of(text), options).get(0)));
            }
        };

        private final String label;
        private final DataType result;

        Kind(String label, DataType result) {
            this.label = label;
            this.result = result;
        }

        /** Spark's internal form of the result. */
        abstract Object encode(TextEncoder encoder, String text, EncodingOptions options);
    }

    @Override
    public String name() {
        return kind.label;
    }

    @Override
    public String canonicalName() {
        return arguments.canonicalName(name());
    }

    @Override
    public DataType[] inputTypes() {
        return arguments.types().clone();
    }

    @Override
    public DataType resultType() {
        return kind.result;
    }

    @Override
    public boolean isDeterministic() {
        return false;
    }

    @Override
    public Object produceResult(InternalRow input) {
        return generator.encode(arguments, input, kind::encode).orElse(null);
    }
}
