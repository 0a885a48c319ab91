package io.kindling.spark.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.error.OptionException;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class ExtractionTest {
    @Test
    void aRequestShowsTheFormOfTheSchema() {
        assertThat(Extraction.request(
                        "name STRING COMMENT 'of the buyer', amount DOUBLE, n INT, ok BOOLEAN, day DATE, tags ARRAY<STRING>,"
                                + " at STRUCT<city: STRING>, _corrupt_record STRING",
                        "Ada paid."))
                .endsWith("{\"name\": string (of the buyer), \"amount\": number, \"n\": integer, \"ok\": true or false,"
                        + " \"day\": date as \"yyyy-mm-dd\", \"tags\": [string, ...], \"at\": {\"city\": string}}"
                        + "\n\nText:\nAda paid.");
    }

    @Test
    void theSchemaOfAllRowsIsParsedOnce() {
        String form = Extraction.form("name STRING, n INT");
        assertThat(form).isEqualTo("{\"name\": string, \"n\": integer}");
        assertThat(Extraction.form("name STRING, n " + "int".toUpperCase(Locale.ROOT)))
                .isSameAs(form);
        assertThatThrownBy(() -> Extraction.form("name STRIN")).isInstanceOf(OptionException.class);
    }

    @Test
    void theFirstObjectOfAnAnswerIsTaken() {
        assertThat(Extraction.object("Here: ```json\n{\"a\": {\"b\": \"}\\\"}\"}} ``` {\"c\": 1}"))
                .isEqualTo("{\"a\": {\"b\": \"}\\\"}\"}}");
        assertThat(Extraction.object("well {\"a\": 1, ")).isEqualTo("{\"a\": 1,");
        assertThat(Extraction.object(" I cannot. ")).isEqualTo("I cannot.");
    }

    @Test
    void schemasThatAreNoneAreRefused() {
        for (String schema : new String[] {"name STRIN", "ARRAY<STRING>", "", "{}"}) {
            assertThatThrownBy(() -> Extraction.fields(schema))
                    .as(schema)
                    .isInstanceOf(OptionException.class)
                    .hasMessageStartingWith("the schema '" + schema + "' is not a list of fields such as");
        }
    }
}
