package io.kindling.engine.text.jinja;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JinjaChatTemplateTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** Expected texts and errors come from jinja2: see src/test/python/make_templates.py. */
    @Test
    void rendersLikeJinja2() throws Exception {
        List<String> lines = Files.readAllLines(Path.of(
                JinjaChatTemplateTest.class.getResource("templates.jsonl").toURI()));
        JsonNode head = MAPPER.readTree(lines.get(0));
        Map<String, Object> variables =
                MAPPER.convertValue(head.get("variables"), new TypeReference<Map<String, Object>>() {});
        LocalDateTime now = LocalDateTime.parse(head.get("now").asText());
        List<String> wrong = new ArrayList<>();
        int rendered = 0;
        int refused = 0;
        for (String line : lines.subList(1, lines.size())) {
            JsonNode expected = MAPPER.readTree(line);
            String template = expected.get("template").asText();
            String outcome;
            try {
                outcome = JinjaChatTemplate.parse(template).withClock(() -> now).render(variables);
                rendered++;
                if (!expected.path("rendered").asText(null).equals(outcome)) {
                    wrong.add(template + "\n  gives " + outcome + "\n  not   " + expected);
                }
            } catch (KindlingException fault) {
                refused++;
                assertThat(fault.code()).isEqualTo(ErrorCode.TEMPLATE);
                assertThat(fault).hasMessageMatching("(?s)chat template, line \\d+, column \\d+: .+");
                if (!expected.has("error")) {
                    wrong.add(template + "\n  fails with " + fault.getMessage() + "\n  not " + expected);
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(rendered).isGreaterThan(300);
        assertThat(refused).isGreaterThan(60);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{{ missing.x }} | 1 | 12 | 'missing' is undefined",
                "a~b {{ raise_exception('no') }} | 2 | 21 | no",
                "{% if x %} | 1 | 11 | expected one of",
                "~{{ 1 + }} | 2 | 8 | expected an expression, found end of the tag",
                "{% filter nofilter %}{% endfilter %} | 1 | 11 | no filter named 'nofilter'",
                "{{ 1 is notest }} | 1 | 6 | no test named 'notest'",
                "~~  {% bogus %} | 3 | 6 | unknown tag 'bogus'",
            })
    void errorsSayWhere(String template, int line, int column, String problem) {
        assertThatThrownBy(() ->
                        JinjaChatTemplate.parse(template.replace('~', '\n')).render(Map.of()))
                .isInstanceOf(KindlingException.class)
                .hasMessageStartingWith("chat template, line " + line + ", column " + column + ": " + problem);
    }

    /** Each of these would run for ever, or exhaust memory or the stack. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{% for a in range(90000) %}{% for b in range(90000) %}{% endfor %}{% endfor %}",
                "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
                "{% set n = namespace(s='xxxxxxxx') %}{% for i in range(60) %}{% set n.s = n.s ~ n.s %}{% endfor %}",
                "{% set n = namespace(l=[0]) %}{% for i in range(60) %}{% set n.l = n.l + n.l %}{% endfor %}",
                "{% set n = namespace(l=[0]) %}{% for i in range(60) %}{% set n.l = [n.l, n.l] %}{% endfor %}{{ n.l }}",
                "{% set n = namespace(l=[0]) %}{% for i in range(60) %}{% set n.l = [n.l, n.l] %}{% endfor %}{{ n.l | tojson }}",
                "{% set n = namespace(a=[0], b=[0]) %}{% for i in range(60) %}{% set n.a = [n.a, n.a] %}{% set n.b = [n.b, n.b] %}{% endfor %}{{ n.a == n.b }}",
                "{{ 'x' * 1000000000 }}",
                "{{ [1] * 1000000000 }}",
                "{{ 'x'.center(1000000000) }}",
                "{{ 'a\nb' | indent(1000000000) }}",
                "{{ '%99999s' % 'x' * 9999 }}",
                "{{ ('a' * 9999999).replace('a', 'b' * 9999999) }}",
                "{{ ['a' * 9999999, 'b' * 9999999] | join('c' * 9999999) }}",
                "{% for i in range(99999) %}{{ 'x' * 999999 }}{% endfor %}",
                "{{ 10 ** 5000 }}",
                "{{ 2 ** 9223372036854775807 }}",
                "{% set x = 'a' * 4000000 %}{% for i in range(90000) %}{% if x | upper %}{% endif %}{% endfor %}",
            })
    void hostileTemplatesAreRefused(String template) {
        assertThatThrownBy(() -> JinjaChatTemplate.parse(template).render(Map.of()))
                .isInstanceOfSatisfying(KindlingException.class, fault -> assertThat(fault.code())
                        .isEqualTo(ErrorCode.TEMPLATE));
    }

    @ParameterizedTest
    @ValueSource(strings = {"(", "[", "{{ -", "not ", "{% if x %}", "x if ", "f("})
    void deeplyNestedTemplatesAreRefused(String piece) {
        String template = (piece.startsWith("{%") ? "" : "{{ ") + piece.repeat(50_000);
        assertThatThrownBy(() -> JinjaChatTemplate.parse(template).render(Map.of("x", true)))
                .isInstanceOf(KindlingException.class);
    }

    @Test
    void longChainsAreNotNested() {
        String template = "{{ 1" + " ~ 1".repeat(5000) + " }}";
        assertThat(JinjaChatTemplate.parse(template).render(Map.of())).hasSize(5001);
    }
}
