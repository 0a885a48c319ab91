package io.kindling.spark.convert;

import io.kindling.engine.GenerationResult.RowError;
import io.kindling.engine.TextEncoder.Classification;
import io.kindling.engine.TextEncoder.Embedding;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** What users see of vectors and classes. */
public final class EncodingConverter {
    /** {@code ARRAY<FLOAT>}. */
    public static final DataType VECTOR = DataTypes.createArrayType(DataTypes.FloatType, false);

    private static final StructType SCORE =
            new StructType().add("label", DataTypes.StringType).add("score", DataTypes.FloatType);

    /** {@code tokens} that went in, whether the text was {@code truncated}, and {@code error_code}, {@code error}. */
    public static final StructType EMBEDDING_DETAILS = common(new StructType());

    /** The {@code scores} of all classes, the likeliest first, and what {@link #EMBEDDING_DETAILS} has. */
    public static final StructType CLASSIFICATION_DETAILS =
            common(new StructType().add("scores", DataTypes.createArrayType(SCORE, false)));

    private EncodingConverter() {}

    private static StructType common(StructType first) {
        return first.add("tokens", DataTypes.IntegerType)
                .add("truncated", DataTypes.BooleanType)
                .add("error_code", DataTypes.StringType)
                .add("error", DataTypes.StringType);
    }

    /** A value of {@link #VECTOR}. */
    public static Object vector(Embedding embedding) {
        List<Float> values = new ArrayList<>(embedding.vector().length);
        for (float value : embedding.vector()) {
            values.add(value);
        }
        return values.toArray(new Float[0]);
    }

    /** The likeliest class. */
    public static String label(Classification classification) {
        return classification.scores().get(0).label();
    }

    /** A value of {@link #EMBEDDING_DETAILS}. */
    public static Row details(Optional<Embedding> embedding, Optional<RowError> error) {
        return RowFactory.create(
                embedding.map(Embedding::tokens).orElse(null),
                embedding.map(Embedding::truncated).orElse(null),
                code(error),
                message(error));
    }

    /** A value of {@link #CLASSIFICATION_DETAILS}. */
    public static Row classDetails(Optional<Classification> classification, Optional<RowError> error) {
        return RowFactory.create(
                classification.map(EncodingConverter::scores).orElse(null),
                classification.map(Classification::tokens).orElse(null),
                classification.map(Classification::truncated).orElse(null),
                code(error),
                message(error));
    }

    private static Object scores(Classification classification) {
        return classification.scores().stream()
                .map(score -> RowFactory.create(score.label(), score.score()))
                .toArray(Row[]::new);
    }

    private static String code(Optional<RowError> error) {
        return error.map(fault -> fault.code().name()).orElse(null);
    }

    private static String message(Optional<RowError> error) {
        return error.map(RowError::message).orElse(null);
    }
}
