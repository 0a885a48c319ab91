package io.kindling.spark.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.error.OptionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PromptTemplateTest {
    @Test
    void columnsAreCastAndJoined() {
        assertThat(PromptTemplate.parse("Say {a} and { b.c }: {{x}}").toColumn().toString())
                .isEqualTo("concat(Say , CAST(a AS STRING),  and , CAST(b.c AS STRING), : {x})");
    }

    @Test
    void aTemplateMayBeEmptyOrWithoutColumns() {
        assertThat(PromptTemplate.parse("").toColumn().toString()).isEqualTo("concat()");
        assertThat(PromptTemplate.parse("hello").toColumn().toString()).isEqualTo("concat(hello)");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a {b", "a {} b", "a } b", "{a {b}}", "{"})
    void bracesWithoutPartnersAreRefused(String template) {
        assertThatThrownBy(() -> PromptTemplate.parse(template))
                .isInstanceOf(OptionException.class)
                .hasMessageContainingAll("\"" + template + "\"", "{{ or }}");
    }
}
