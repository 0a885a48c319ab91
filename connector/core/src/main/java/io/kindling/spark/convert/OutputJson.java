package io.kindling.spark.convert;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import scala.collection.JavaConverters;

/** The outputs of one row as a JSON object; NaN and infinities are the texts that {@code from_json} reads them from. */
public final class OutputJson {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private OutputJson() {}

    /** @param names of the outputs, in the order of their values, which are those of {@link OutputColumn#rows} */
    public static String of(List<String> names, Object[] values) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int k = 0; k < values.length; k++) {
            object.put(names.get(k), plain(values[k]));
        }
        try {
            return MAPPER.writeValueAsString(object);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("numbers and texts can be written", e);
        }
    }

    private static Object plain(Object value) {
        if (value instanceof Object[] elements) {
            return Arrays.stream(elements).map(OutputJson::plain).toArray();
        }
        return value instanceof scala.collection.Map<?, ?> map ? JavaConverters.mapAsJavaMap(map) : value;
    }
}
