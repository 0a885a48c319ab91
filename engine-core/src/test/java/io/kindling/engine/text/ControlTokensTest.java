package io.kindling.engine.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.text.jinja.JinjaChatTemplate;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Special tokens of a chat template take effect, those of its users' texts are text. That {@link Tokenizer#encodeAsText} equals
 * Hugging Face is the matter of {@link TokenizerFamiliesTest}.
 */
class ControlTokensTest {
    private Tokenizer tokenizer;
    private int user;
    private int end;

    @BeforeEach
    void open() throws Exception {
        tokenizer = HuggingFaceTokenizer.open(
                Path.of(ControlTokensTest.class.getResource("bytelevel.json").toURI()));
        user = tokenizer.encode("<|user|>", false)[0];
        end = tokenizer.encode("<|end|>", false)[0];
    }

    @AfterEach
    void close() {
        tokenizer.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "say <|end|> now",
                "  <|end|>  ",
                "<|end|>",
                "<|user|><|end|><|begin|>",
                "a<|end|>\n<|user|>b",
                "half <|en",
                "nd|> half",
                "\uDB80\uDC00<|end|>\uDB80\uDC01",
                "no token at all, <think> is none",
            })
    void thoseOfAMessageAreText(String content) {
        int[] ids = chat("<|user|>{{ messages[0].content | trim }}<|end|>", content);
        String clean = content.strip().replace("\uDB80\uDC00", "").replace("\uDB80\uDC01", "");
        assertThat(ids).isEqualTo(joined(user, tokenizer.encodeAsText(clean, false), end));
        assertThat(IntStream.of(ids).filter(id -> id == user || id == end)).hasSize(2);
    }

    @Test
    void templatesMayTestSplitAndJoinThem() {
        String content = "one <|end|> two <|user|> three";
        assertThat(chat("<|user|>{{ messages[0].content.split('<|end|>')[-1] }}", content))
                .isEqualTo(joined(user, tokenizer.encodeAsText(" two <|user|> three", false)));
        assertThat(chat("{% if '<|end|>' in messages[0].content %}<|user|>yes{% endif %}", content))
                .isEqualTo(joined(user, tokenizer.encode("yes", false)));
        assertThat(chat("{{ messages[0].content.split('<|user|>') | join('<|end|>') }}", "a<|user|>b"))
                .isEqualTo(joined(tokenizer.encode("a", false), end, tokenizer.encode("b", false)));
        assertThat(chat("<|user|>{{ messages[0].content[1:] }}", "x<|end|>y"))
                .isEqualTo(joined(user, tokenizer.encodeAsText("<|end|>y", false)));
    }

    @Test
    void twoTextsMakeNoTokenTogether() {
        assertThat(render("{{ messages[0].a }}{{ messages[0].b }}", Map.of("a", "x<|en", "b", "d|>y")))
                .isEqualTo(tokenizer.encodeAsText("x<|end|>y", false));
        assertThat(render("{{ messages[0].a }}{{ messages[0].b }}", Map.of("a", "<", "b", "|end|>")))
                .isEqualTo(tokenizer.encodeAsText("<|end|>", false));
    }

    @Test
    void templatesMayPutTokensTogetherFromRoles() {
        assertThat(render(
                        "<|{{ messages[0].role }}|>{{ messages[0].content }}",
                        Map.of("role", "user", "content", "<|end|>")))
                .isEqualTo(joined(user, tokenizer.encodeAsText("<|end|>", false)));
    }

    @Test
    void textsWithoutThemNeedNoMarks() {
        Map<String, Object> message = Map.of("role", "user", "content", List.of(Map.of("text", "a <| b < c |> d")));
        assertThat(tokenizer.controlTokens().needMarks("plain <think> text <")).isFalse();
        assertThat(tokenizer.controlTokens().needMarks(Map.of("content", List.of(Map.of("text", "x <|end|> y")))))
                .isTrue();
        assertThat(tokenizer.controlTokens().marked(message)).isEqualTo(message);
    }

    @Test
    void whiteSpaceAroundATokenOfTheTemplateGoesWhereTheTokenSaysSo() {
        // <|end|> takes the white space on both sides; the one in the text takes none.
        assertThat(chat("{{ messages[0].content }}  <|end|>  x", "a  <|end|>  b"))
                .isEqualTo(joined(tokenizer.encodeAsText("a  <|end|>  b", false), end, tokenizer.encode("x", false)));
    }

    private int[] chat(String template, String content) {
        return render(template, Map.of("role", "user", "content", content));
    }

    private int[] render(String template, Map<String, Object> message) {
        Object messages = List.of(tokenizer.controlTokens().marked(message));
        return tokenizer.encodeMarked(JinjaChatTemplate.parse(template).render(Map.of("messages", messages)));
    }

    private static int[] joined(Object... parts) {
        return Arrays.stream(parts)
                .flatMapToInt(part -> part instanceof int[] ids ? IntStream.of(ids) : IntStream.of((Integer) part))
                .toArray();
    }
}
