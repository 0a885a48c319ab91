package io.kindling.spark.functions;

import io.kindling.engine.Option.Scope;
import io.kindling.engine.TextEncoder;
import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.config.SparkOptions;
import io.kindling.spark.convert.EncodingConverter;
import io.kindling.spark.convert.ResultConverter;
import io.kindling.spark.runtime.RowCall;
import java.util.Set;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** What {@code format("onnx")} has a model make of a prompt: a result, and details beside it. */
public enum SourceKind {
    GENERATE("generate", DataTypes.StringType, ResultConverter.DETAILS) {
        @Override
        RowCall batched(RowGenerator generator, SourceCall call, GenerationPlan plan) {
            return new SourceGenerate(generator, call, plan);
        }
    },
    EMBED("embed", EncodingConverter.VECTOR, EncodingConverter.EMBEDDING_DETAILS) {
        @Override
        RowCall batched(RowGenerator generator, SourceCall call, GenerationPlan plan) {
            return new SourceEncode<>(
                    generator, call, plan, TextEncoder::embed, Results::vector, EncodingConverter::details);
        }
    },
    CLASSIFY("classify", DataTypes.StringType, EncodingConverter.CLASSIFICATION_DETAILS) {
        @Override
        RowCall batched(RowGenerator generator, SourceCall call, GenerationPlan plan) {
            return new SourceEncode<>(
                    generator, call, plan, TextEncoder::classify, Results::label, EncodingConverter::classDetails);
        }
    };

    private final String label;
    private final DataType result;
    private final StructType details;

    SourceKind(String label, DataType result, StructType details) {
        this.label = label;
        this.result = result;
        this.details = details;
    }

    /** The name of SQL's function that makes the same. */
    String label() {
        return label;
    }

    public DataType result() {
        return result;
    }

    public StructType details() {
        return details;
    }

    /** Of the options that it reads, beside those of engine and job. */
    public Set<Scope> scopes() {
        return this == GENERATE ? SparkOptions.OF_GENERATION : SparkOptions.OF_ENCODING;
    }

    /** What the batch operator runs: the result and its details, as a struct, of one request. */
    abstract RowCall batched(RowGenerator generator, SourceCall call, GenerationPlan plan);
}
