package io.kindling.engine.text.jinja;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kindling.engine.testing.MutationFuzzer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Templates come with models and are not trusted: see docs/fuzzing.md. */
class JinjaFuzzTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final List<String> WORDS = List.of(
            "{{",
            "}}",
            "{%",
            "%}",
            "{#",
            "#}",
            "-",
            "(",
            ")",
            "[",
            "]",
            "{",
            "}",
            "|",
            ".",
            "~",
            "*",
            "**",
            "//",
            "%",
            "'",
            "for x in messages",
            "endfor",
            "if",
            "endif",
            "else",
            "set x = ",
            "macro m(a=1)",
            "endmacro",
            "call",
            "endcall",
            "loop.cycle",
            "loop(",
            " recursive",
            "range(100000)",
            "namespace(",
            "tojson(indent=",
            "|format(",
            "'%999999d'",
            "'{:>99999}'",
            ".format(",
            ".replace(",
            ".split(",
            ".join(",
            "|map(",
            "|groupby(",
            "|sort",
            "|batch(",
            "|slice(",
            "|indent(",
            "|center(",
            "|int(",
            "|round(",
            "|sum",
            "|list",
            "not ",
            " in ",
            " is ",
            "self",
            "x",
            "9223372036854775807",
            "1e308",
            "1e999",
            "\u0000",
            "\ud83d\ude00",
            "strftime_now('%Y",
            "filter upper",
            "endfilter",
            "raw",
            "endraw",
            "break",
            "continue");

    @Test
    void anyTemplateRendersOrIsRefused() throws Exception {
        List<String> lines = Files.readAllLines(
                Path.of(JinjaFuzzTest.class.getResource("templates.jsonl").toURI()));
        Map<String, Object> variables = MAPPER.convertValue(
                MAPPER.readTree(lines.get(0)).get("variables"), new TypeReference<Map<String, Object>>() {});
        List<byte[]> seeds = new ArrayList<>();
        for (String line : lines.subList(1, lines.size())) {
            JsonNode example = MAPPER.readTree(line);
            seeds.add(example.get("template").asText().getBytes(StandardCharsets.UTF_8));
        }
        long read = MutationFuzzer.fuzz(
                "jinja",
                input -> JinjaChatTemplate.parse(new String(input, StandardCharsets.UTF_8))
                        .render(variables),
                seeds,
                WORDS);
        assertThat(read).isGreaterThan(seeds.size());
    }
}
