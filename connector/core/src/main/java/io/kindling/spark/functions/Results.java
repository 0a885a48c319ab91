package io.kindling.spark.functions;

import io.kindling.engine.GenerationResult;
import io.kindling.engine.TextEncoder.Classification;
import io.kindling.engine.TextEncoder.Embedding;
import io.kindling.spark.convert.EncodingConverter;
import io.kindling.spark.convert.Extraction;
import io.kindling.spark.convert.InternalValues;
import io.kindling.spark.convert.ResultConverter;
import java.io.Serializable;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.unsafe.types.UTF8String;

/** Results in Spark's internal form. */
final class Results {
    private Results() {}

    /** What a function makes of a model's result. */
    @FunctionalInterface
    interface Value<T> extends Serializable {
        Object of(T result);
    }

    /** A STRING, null for a row that failed. */
    static Object text(GenerationResult result) {
        return ResultConverter.text(result).map(UTF8String::fromString).orElse(null);
    }

    /** A STRING, null for a row that failed: the JSON object of an answer. */
    static Object json(GenerationResult result) {
        return ResultConverter.text(result)
                .map(Extraction::object)
                .map(UTF8String::fromString)
                .orElse(null);
    }

    /** A struct of {@link ResultConverter#DETAILS}. */
    static Object details(GenerationResult result) {
        return InternalValues.toInternalRow(ResultConverter.details(result));
    }

    /** An ARRAY of FLOAT. */
    static Object vector(Embedding embedding) {
        return new GenericArrayData(embedding.vector());
    }

    /** A STRING. */
    static Object label(Classification classification) {
        return UTF8String.fromString(EncodingConverter.label(classification));
    }
}
