package io.kindling.spark.source;

import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** The options of a table that {@code CREATE TABLE … USING onnx OPTIONS (…)} has put into Spark's own catalog. */
public final class StoredOptions {
    private StoredOptions() {}

    /**
     * The options among what Spark gives; all, unless a catalog keeps them: Spark 4 adds properties of the table then, and all
     * lines the folder that a table of files would have.
     */
    public static Map<String, String> of(Map<String, String> given) {
        Map<String, String> kept = new LinkedHashMap<>();
        given.forEach((name, value) -> {
            if (name.startsWith(TableCatalog.OPTION_PREFIX)) {
                kept.put(name.substring(TableCatalog.OPTION_PREFIX.length()), value);
            }
        });
        Map<String, String> options = kept.isEmpty() ? new LinkedHashMap<>(given) : kept;
        if (!kept.isEmpty() && !new CaseInsensitiveStringMap(kept).containsKey("table") && given.containsKey("path")) {
            kept.put("path", given.get("path"));
        }
        return options;
    }

    /** Whether a table has these columns; catalogs forget which of them cannot be NULL. */
    public static boolean areSameColumns(StructType stored, StructType now) {
        return stored.catalogString().equals(now.catalogString());
    }
}
