package io.kindling.spark.source;

import io.kindling.spark.Generation;
import io.kindling.spark.TextEncoding;
import io.kindling.spark.convert.MessageColumns;
import io.kindling.spark.functions.SourceKind;
import java.util.Map;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/** What a model makes of the prompts of a table. */
enum SourceTask {
    GENERATE("generated", SourceKind.GENERATE) {
        @Override
        Dataset<Row> apply(Dataset<Row> rows, Work work) {
            Column prompt = functions.col(work.prompt());
            Generation generation = Generation.of(work.model());
            DataType type = rows.schema().apply(work.prompt()).dataType();
            generation = MessageColumns.isConversation(type) ? generation.messages(prompt) : generation.prompt(prompt);
            if (!work.key().isEmpty()) {
                generation.key(work.key());
            }
            return generation
                    .options(work.options())
                    .into(work.into())
                    .details(work.details())
                    .apply(rows);
        }
    },
    EMBED("embedding", SourceKind.EMBED) {
        @Override
        Dataset<Row> apply(Dataset<Row> rows, Work work) {
            return encode(TextEncoding.embed(work.model()), rows, work);
        }
    },
    CLASSIFY("class", SourceKind.CLASSIFY) {
        @Override
        Dataset<Row> apply(Dataset<Row> rows, Work work) {
            return encode(TextEncoding.classify(work.model()), rows, work);
        }
    };

    private final String column;
    private final SourceKind kind;

    SourceTask(String column, SourceKind kind) {
        this.column = column;
        this.kind = kind;
    }

    /**
     * What a task is given.
     *
     * @param prompt name of the column with the prompts
     * @param key name of the column with the keys; empty for none
     * @param into name of the result's column
     * @param details name of the column of its details
     * @param options of the table of all options
     */
    record Work(String model, String prompt, String key, String into, String details, Map<String, String> options) {}

    /** Name of the result's column where the user gives none. */
    String column() {
        return column;
    }

    /** What the batch operator asks for. */
    SourceKind kind() {
        return kind;
    }

    DataType result() {
        return kind.result();
    }

    StructType details() {
        return kind.details();
    }

    /** The rows with result and details behind. */
    abstract Dataset<Row> apply(Dataset<Row> rows, Work work);

    private static Dataset<Row> encode(TextEncoding encoding, Dataset<Row> rows, Work work) {
        return encoding.text(functions.col(work.prompt()))
                .options(work.options())
                .into(work.into())
                .details(work.details())
                .apply(rows);
    }
}
