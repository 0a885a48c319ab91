package io.kindling.spark.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ModelNamesTest {
    private final ModelNames names = new ModelNames(Map.of("alias", "hdfs:/models/one", "empty", ""));

    @Test
    void whatCameWithTheJobIsNamedPlainly() {
        assertThat(names.uri("model", Distribution.FILES)).isEqualTo("model");
        assertThat(names.uri("alias", Distribution.FILES)).isEqualTo("hdfs:/models/one");
        assertThatThrownBy(() -> names.uri(" ", Distribution.FILES))
                .hasMessageContaining("the name of the model is empty");
        assertThatThrownBy(() -> names.uri("empty", Distribution.FILES)).hasMessageContaining("model.empty is empty");
        for (Distribution other : Distribution.values()) {
            if (other != Distribution.FILES) {
                assertThatThrownBy(() -> names.uri("model", other))
                        .as(other.toString())
                        .hasMessageContaining("no model is named 'model'");
            }
        }
    }
}
