package io.kindling.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.spark.functions.CatalogFunction;
import io.kindling.spark.functions.PromptFunction;
import io.kindling.spark.functions.RunFunction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * To renew the page after a change of functions, run this test with {@code -Dkindling.write.docs=true}. Its examples are run by the
 * test of all pages' snippets.
 */
class FunctionsPageTest {
    private static final Path PAGE = Path.of("..", "..", "docs", "sql.md");

    private static final Pattern DESCRIPTION =
            Pattern.compile("(\\w+)(\\(.*\\)) -> (\\w+(?:<[^>]*>)?): (.*)", Pattern.DOTALL);

    @Test
    void thePageOfFunctionsEqualsTheirDeclarations() throws IOException {
        String expected = page();
        if (Boolean.getBoolean("kindling.write.docs")) {
            Files.writeString(PAGE, expected);
        }
        assertThat(PAGE).hasContent(expected);
    }

    private static String page() {
        StringBuilder page = new StringBuilder("""
                # SQL functions

                This page is made from the declarations in the code; a test keeps it equal to them, and another one runs its examples.

                A model is an alias set by `spark.kindling.model.<alias>`, or a URI. Options are a map from their names ([all](options.md)) to
                strings, numbers or booleans; SQL gives all values of a map one type, so quote them where they differ:
                `map('temperature', '0.7', 'stop', 'END')`. They may come from columns. In SQL a prompt is put together like any
                text, with `concat` or `||`; templates with `{column}` are for [`format("onnx")`](source.md) and DataFrames.

                `spark-sql --jars kindling.jar --conf spark.kindling.model.smollm2=file:///models/smollm2` is all that is needed to begin. In a
                running session, `SET spark.kindling.model.smollm2=file:///models/smollm2` names a model.

                `SHOW USER FUNCTIONS IN onnx` lists the functions; with the [session extension](batching.md)
                `DESCRIBE FUNCTION EXTENDED onnx.generate` prints how a function is called, its options and an example. Without the
                extension Spark refuses to describe functions of catalogs: `SELECT usage FROM onnx.functions WHERE name = 'generate'`
                then shows how it is called. So does the error of a wrong call.
                """);
        List<CatalogFunction> functions = new ArrayList<>(PromptFunction.all());
        functions.addAll(RunFunction.ofAnyModel());
        functions.forEach(function -> entry(page, "", function));
        entry(page, "<model>.", RunFunction.of("model"));
        return page.toString();
    }

    private static void entry(StringBuilder page, String owner, CatalogFunction function) {
        Matcher parts = DESCRIPTION.matcher(function.description());
        assertThat(parts.matches()).as(function.description()).isTrue();
        String name = owner + parts.group(1);
        String meaning =
                parts.group(4).replace(" The model is an alias set by spark.kindling.model.<alias>, or a URI.", "");
        page.append("\n## onnx.")
                .append(name.replace("<", "&lt;").replace(">", "&gt;"))
                .append("\n\n```text\n");
        page.append("onnx.")
                .append(name)
                .append(parts.group(2))
                .append(" -> ")
                .append(parts.group(3))
                .append("\n```\n\n");
        page.append(Character.toUpperCase(meaning.charAt(0))).append(meaning.substring(1));
        page.append(meaning.endsWith(".") ? "\n" : ".\n");
        page.append("\n```sql\n").append(function.example()).append("\n```\n");
    }
}
