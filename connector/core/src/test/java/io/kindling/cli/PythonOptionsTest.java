package io.kindling.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.Option;
import io.kindling.engine.Option.Scope;
import io.kindling.engine.OptionTable;
import io.kindling.engine.error.ErrorCode;
import io.kindling.spark.config.SparkOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** To renew the file after a change of options, run this test with {@code -Dkindling.write.docs=true}. */
class PythonOptionsTest {
    private static final Path FILE = Path.of("..", "python", "src", "kindling", "_options.py");

    @Test
    void theTypesThatPythonCheckersSeeEqualTheDeclarations() throws IOException {
        String expected = python(SparkOptions.table());
        if (Boolean.getBoolean("kindling.write.docs")) {
            Files.writeString(FILE, expected);
        }
        assertThat(FILE).hasContent(expected);
    }

    @Test
    void rowsAreTriedAgainForTheSameErrorsAsInJava() {
        String codes = Arrays.stream(ErrorCode.values())
                .filter(ErrorCode::mayPass)
                .map(code -> '"' + code.name() + '"')
                .collect(Collectors.joining(", ", "_MAY_PASS = (", ")\n"));
        assertThat(FILE.resolveSibling("resume.py")).content().contains(codes);
    }

    private static String python(OptionTable table) {
        StringBuilder file = new StringBuilder("""
                \"""The options by name and type, for type checkers and editors. Made from the declarations in the code by PythonOptionsTest.\"""

                from __future__ import annotations

                from collections.abc import Mapping, Sequence
                from typing import Literal, TypedDict, Union

                from pyspark.sql import Column


                class Options(TypedDict, total=False):
                    \"""What each means: docs/options.md.\"""
                """);
        for (Scope scope : Scope.values()) {
            file.append('\n');
            for (Option<?> option : table.options()) {
                if (option.scope() == scope) {
                    declare(file, option.name(), option);
                    option.aliases().forEach(alias -> declare(file, alias, option));
                }
            }
        }
        return file.toString();
    }

    private static void declare(StringBuilder file, String name, Option<?> option) {
        file.append("    ").append(name).append(": Union[").append(type(option)).append(", Column, None]\n");
    }

    private static String type(Option<?> option) {
        List<String> choices = option.type().choices();
        if (!choices.isEmpty()) {
            String bool = choices.contains("true") ? "bool, " : "";
            return bool
                    + choices.stream()
                            .map(choice -> '"' + choice + '"')
                            .collect(Collectors.joining(", ", "Literal[", "]"));
        }
        Object value = option.defaultValue();
        if (option.type().isList()) {
            return "str, Sequence[str]";
        } else if (option.type().isJson()) {
            return value instanceof Map ? "str, Mapping[str, object]" : "str, Sequence[Mapping[str, object]]";
        } else if (value instanceof Double) {
            return "float";
        } else if (value instanceof Integer) {
            return "int";
        }
        return value instanceof Long ? "int, str" : "str";
    }
}
