package io.kindling.engine.constrain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.JsonShape;
import io.kindling.engine.JsonShape.Field;
import io.kindling.engine.TextModel;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.sample.TokenMask;
import io.kindling.engine.testing.PythonOracle;
import io.kindling.engine.text.TokenBytes;
import io.kindling.engine.text.Tokenizer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Over the 49,152 tokens of SmolLM2. */
class GrammarsTest {
    private static final JsonShape BUYER = new JsonShape.Fields(List.of(
            new Field("name", new JsonShape.Text().orNull(), true),
            new Field("n", new JsonShape.Whole(0, 400), true),
            new Field("day", new JsonShape.Day(), false)));

    private static TextModel model;
    private static Tokenizer tokenizer;
    private static int end;

    @BeforeAll
    static void open() throws Exception {
        try (Stream<Path> files = Files.walk(PythonOracle.sitePackages("smollm2"))) {
            model = TextModel.open(files.filter(file -> file.toString().endsWith(".gguf"))
                    .findFirst()
                    .orElseThrow());
        }
        tokenizer = model.tokenizer();
        end = tokenizer.encode("<|im_end|>", false)[0];
    }

    @AfterAll
    static void close() {
        model.close();
    }

    /** Every mask on the way, against the state that the bytes of each token lead to one by one. */
    @Test
    void masksAreWhatEachTokenByItselfComesTo() {
        TokenBytes tokens = tokenizer.tokenBytes().orElseThrow();
        Grammars grammars = new Grammars(tokenizer, Set.of(end));
        int vocabulary = tokens.size();
        assertThat(vocabulary).isEqualTo(49152);
        for (String text : List.of(
                "{\"name\": \"Zoë \\\"🦊\\u00e9\", \"n\": 307, \"day\": \"2024-02-29\"}",
                "{\"name\": null,\"n\": 40}")) {
            GrammarState state = grammars.of(BUYER).begin();
            Node node = grammars.of(BUYER).begin().isEnded() ? Node.DEAD : Shapes.start(BUYER);
            for (int token : tokenizer.encode(text, false)) {
                TokenMask mask = state.allowed(vocabulary);
                for (int id = 0; id < vocabulary; id++) {
                    assertThat(mask.allows(id)).isEqualTo(id == end ? node.mayEnd() : leads(node, tokens, id));
                }
                assertThat(mask.allows(token)).isTrue();
                assertThat(state.isEnded()).isFalse();
                state.accept(token);
                for (byte value : tokens.of(token).orElseThrow()) {
                    node = node.next(value & 0xFF);
                }
            }
            assertThat(state.isEnded()).as(text).isTrue();
        }
    }

    private static boolean leads(Node from, TokenBytes tokens, int id) {
        byte[] bytes = tokens.of(id).orElse(new byte[0]);
        Node node = from;
        for (byte value : bytes) {
            node = node.step(value & 0xFF);
        }
        return bytes.length > 0 && node != Node.DEAD;
    }

    @Test
    void anAnswerThatMayEndAndGoOnDoesEither() {
        GrammarState state = new Grammars(tokenizer, Set.of(end))
                .of(new JsonShape.Whole(0, 40))
                .begin();
        int four = tokenizer.encode("4", false)[0];
        assertThat(state.allowed(49152).allows(end)).isFalse();
        state.accept(four);
        assertThat(state.isEnded()).isFalse();
        assertThat(state.allowed(49152).allows(end)).isTrue();
        assertThat(state.allowed(49152).allows(four)).isFalse();
        state.accept(tokenizer.encode("0", false)[0]);
        assertThat(state.isEnded()).isTrue();
    }

    /** As where a file does not say that an end token is special. */
    @Test
    void anEndTokenWithATextEndsNothingThatIsNotWhole() {
        int a = tokenizer.encode("a", false)[0];
        int quote = tokenizer.encode("\"", false)[0];
        GrammarState state =
                new Grammars(tokenizer, Set.of(a)).of(new JsonShape.Text()).begin();
        assertThat(state.allowed(49152).allows(quote)).isTrue();
        state.accept(quote);
        assertThat(state.allowed(49152).allows(a)).as("in a string").isFalse();
        assertThat(state.allowed(49152).allows(tokenizer.encode("b", false)[0])).isTrue();
    }

    @Test
    void aStateKeepsItsMaskAndAShapeItsGrammar() {
        Grammars grammars = new Grammars(tokenizer, Set.of(end));
        JsonShape equal = new JsonShape.Items(new JsonShape.Text());
        Grammar grammar = grammars.of(new JsonShape.Items(new JsonShape.Text()));
        assertThat(grammars.of(equal)).isSameAs(grammar);
        int[] ids = tokenizer.encode("[\"a\", \"b\"]", false);
        GrammarState first = grammar.begin();
        GrammarState second = grammar.begin();
        for (int id : ids) {
            assertThat(second.allowed(49152)).isSameAs(first.allowed(49152));
            first.accept(id);
            second.accept(id);
        }
    }

    @Test
    void aVocabularyThatLacksTheCharactersIsAFaultOfTheRow() {
        GrammarState state = new Grammars(tokenizer, Set.of(end)).of(BUYER).begin();
        int brace = tokenizer.encode("{", false)[0];
        assertThat(state.allowed(brace + 1).allows(brace)).isTrue();
        assertThatThrownBy(() -> state.allowed(brace))
                .isInstanceOfSatisfying(KindlingException.class, fault -> assertThat(fault.code())
                        .isEqualTo(ErrorCode.CONSTRAINT))
                .hasMessageContaining("no token of the model's vocabulary can go on with the JSON behind 0 tokens");
    }

    @Test
    void partsOfACharacterAreTokensOfTheirOwn() {
        int[] fox = tokenizer.encode("🦊", false);
        assertThat(fox.length).isGreaterThan(1);
        TokenBytes tokens = tokenizer.tokenBytes().orElseThrow();
        assertThat(new String(tokens.of(fox[0]).orElseThrow(), StandardCharsets.UTF_8))
                .contains("\uFFFD");
        GrammarState state =
                new Grammars(tokenizer, Set.of(end)).of(new JsonShape.Text()).begin();
        int quote = tokenizer.encode("\"", false)[0];
        state.accept(quote);
        state.accept(fox[0]);
        assertThat(state.allowed(49152).allows(fox[1])).isTrue();
        assertThat(state.allowed(49152).allows(quote)).as("within a character").isFalse();
    }
}
