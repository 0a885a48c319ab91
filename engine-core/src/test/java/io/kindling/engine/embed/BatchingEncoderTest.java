package io.kindling.engine.embed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kindling.engine.EncodingOptions;
import io.kindling.engine.EncodingOptions.Normalization;
import io.kindling.engine.EncodingOptions.Pooling;
import io.kindling.engine.EngineOptions;
import io.kindling.engine.Model;
import io.kindling.engine.OptionTable;
import io.kindling.engine.TextEncoder.Classification;
import io.kindling.engine.TextEncoder.Embedding;
import io.kindling.engine.TextEncoder.Score;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.testing.PythonOracle;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Batches of padded texts, against what ONNX Runtime makes of each text alone. */
class BatchingEncoderTest {
    private static final EncodingOptions DEFAULTS = EncodingOptions.defaults();

    @TempDir
    static Path folder;

    private static JsonNode expected;
    private static final List<String> TEXTS = new ArrayList<>();

    @BeforeAll
    static void make() throws Exception {
        PythonOracle.script("oracle", "make_encoders.py", folder.toString());
        expected = new ObjectMapper().readTree(new File(folder.toFile(), "expected.json"));
        TEXTS.clear();
        expected.forEach(text -> TEXTS.add(text.get("text").asText()));
    }

    private static Model open(String name) {
        return Model.open(folder.resolve(name), EngineOptions.defaults());
    }

    private interface Component {
        double of(JsonNode states, int index);
    }

    private static void assertVectors(List<Embedding> vectors, boolean normalized, Component component) {
        assertThat(vectors).hasSize(TEXTS.size());
        double batches =
                vectors.stream().mapToDouble(vector -> 1.0 / vector.batch()).sum();
        assertThat(batches).as("a batch of n has n texts").isCloseTo(Math.rint(batches), within(1e-9));
        for (int t = 0; t < vectors.size(); t++) {
            JsonNode states = expected.get(t).get("states");
            int width = states.get(0).size();
            double square = 0;
            for (int k = 0; k < width; k++) {
                square += Math.pow(component.of(states, k), 2);
            }
            double length = normalized ? Math.sqrt(square) : 1;
            assertThat(vectors.get(t).vector()).hasSize(width);
            for (int k = 0; k < width; k++) {
                assertThat((double) vectors.get(t).vector()[k])
                        .isCloseTo(component.of(states, k) / length, within(1e-5));
            }
            assertThat(vectors.get(t).tokens())
                    .isEqualTo(expected.get(t).get("ids").size());
        }
    }

    private static double mean(JsonNode states, int k) {
        double sum = 0;
        for (JsonNode state : states) {
            sum += state.get(k).asDouble();
        }
        return sum / states.size();
    }

    @Test
    void thePackageSaysHowToPool() {
        try (Model model = open("embedder")) {
            List<Embedding> vectors = model.encoder().embed(TEXTS, DEFAULTS);
            assertVectors(vectors, true, BatchingEncoderTest::mean);
            for (int t = 0; t < vectors.size(); t++) {
                assertThat(vectors.get(t).truncated())
                        .isEqualTo(expected.get(t).get("truncated").asBoolean());
            }
            assertThat(vectors).anyMatch(Embedding::truncated).anyMatch(vector -> !vector.truncated());
        }
    }

    /** Bytes that stand for the range of a whole tensor would change with the texts it holds. */
    @Test
    void aTextRunsAloneWhereItsBatchMatesWouldChangeItsVector() {
        try (Model model = open("quantised")) {
            List<Embedding> together = model.encoder().embed(TEXTS, DEFAULTS);
            assertThat(together).extracting(Embedding::batch).containsOnly(1);
            for (int t = 0; t < TEXTS.size(); t++) {
                JsonNode states = expected.get(t).get("quantised");
                float[] vector = together.get(t).vector();
                float[] wanted = new float[vector.length];
                for (int k = 0; k < wanted.length; k++) {
                    wanted[k] = (float) mean(states, k);
                }
                Pool.normalize(wanted);
                // A state on the border of two bytes may get either.
                assertThat(vector).usingComparatorWithPrecision(0.02f).containsExactly(wanted);
                List<Embedding> alone = model.encoder().embed(List.of(TEXTS.get(t)), DEFAULTS);
                assertThat(alone.get(0).vector()).isEqualTo(vector);
            }
        }
    }

    /** On tiles scores lose some bits; those that are compared with ONNX Runtime's here bound how many. */
    @Test
    void productsAreRoundedWhereTheDeviceIsFasterForItUnlessExactlyIsAskedFor() {
        EngineOptions exactly =
                OptionTable.standard().parse(Map.of("precision", "exact")).engine();
        try (Model usual = open("classifier");
                Model exact = Model.open(folder.resolve("classifier"), exactly)) {
            boolean same = scores(usual).equals(scores(exact));
            assertThat(same).isEqualTo(!usual.deviceDescription().contains("amx"));
        }
    }

    private static List<List<Score>> scores(Model model) {
        return model.encoder().classify(TEXTS, DEFAULTS).stream()
                .map(Classification::scores)
                .toList();
    }

    @Test
    void optionsGoBeforeThePackage() {
        try (Model model = open("embedder")) {
            assertVectors(
                    model.encoder().embed(TEXTS, new EncodingOptions(Pooling.CLS, Normalization.FALSE, 0)),
                    false,
                    (states, k) -> states.get(0).get(k).asDouble());
            assertVectors(
                    model.encoder().embed(TEXTS, new EncodingOptions(Pooling.LAST_TOKEN, Normalization.TRUE, 0)),
                    true,
                    (states, k) -> states.get(states.size() - 1).get(k).asDouble());
            assertVectors(
                    model.encoder().embed(TEXTS, new EncodingOptions(Pooling.MAX, Normalization.AUTO, 0)),
                    true,
                    (states, k) -> {
                        double largest = Double.NEGATIVE_INFINITY;
                        for (JsonNode state : states) {
                            largest = Math.max(largest, state.get(k).asDouble());
                        }
                        return largest;
                    });
        }
    }

    @Test
    void truncationKeepsTheSpecialTokensAndTheModelsLimit() {
        try (Model model = open("embedder")) {
            List<Embedding> cut =
                    model.encoder().embed(TEXTS, new EncodingOptions(Pooling.AUTO, Normalization.AUTO, 3));
            assertThat(cut).extracting(Embedding::tokens).containsExactly(3, 3, 2, 3, 3, 3);
            assertThat(model.encoder().embed(TEXTS, new EncodingOptions(Pooling.AUTO, Normalization.AUTO, 1000)))
                    .extracting(Embedding::tokens)
                    .allMatch(tokens -> tokens <= 12);
        }
    }

    @Test
    void classesAreNamedAndSorted() {
        try (Model model = open("classifier")) {
            List<Classification> classes = model.encoder().classify(TEXTS, DEFAULTS);
            for (int t = 0; t < classes.size(); t++) {
                JsonNode logits = expected.get(t).get("logits");
                double sum = 0;
                for (JsonNode logit : logits) {
                    sum += Math.exp(logit.asDouble());
                }
                List<Score> scores = classes.get(t).scores();
                assertThat(scores).isSortedAccordingTo((a, b) -> Float.compare(b.score(), a.score()));
                assertThat(scores).extracting(Score::label).containsExactlyInAnyOrder("calm", "glad", "sad");
                for (Score score : scores) {
                    double logit = logits.get(List.of("calm", "glad", "sad").indexOf(score.label()))
                            .asDouble();
                    assertThat((double) score.score()).isCloseTo(Math.exp(logit) / sum, within(1e-5));
                }
            }
        }
    }

    @Test
    void independentClassesHaveScoresOfTheirOwn() {
        try (Model model = open("tagger")) {
            Score best =
                    model.encoder().classify(TEXTS, DEFAULTS).get(0).scores().get(0);
            double largest = Double.NEGATIVE_INFINITY;
            for (JsonNode logit : expected.get(0).get("logits")) {
                largest = Math.max(largest, logit.asDouble());
            }
            assertThat((double) best.score()).isCloseTo(1 / (1 + Math.exp(-largest)), within(1e-5));
        }
    }

    @Test
    void aModelThatCannotSaysWhatItLacks() throws Exception {
        try (Model model = open("classifier")) {
            assertThatThrownBy(() -> model.encoder().embed(TEXTS, DEFAULTS))
                    .isInstanceOfSatisfying(KindlingException.class, fault -> assertThat(fault.code())
                            .isEqualTo(ErrorCode.UNSUPPORTED))
                    .hasMessageContaining("last_hidden_state");
        }
        try (Model model = open("embedder")) {
            assertThatThrownBy(() -> model.encoder().classify(TEXTS, DEFAULTS)).hasMessageContaining("logits");
        }
        Path modules = folder.resolve("embedder/modules.json");
        String sound = Files.readString(modules);
        try (Model model = open("embedder")) {
            Files.writeString(modules, sound.replace("models.Normalize", "models.Dense"));
            assertThatThrownBy(model::encoder)
                    .hasMessageContaining("modules.json")
                    .hasMessageContaining("sentence_transformers.models.Dense");
        } finally {
            Files.writeString(modules, sound);
        }
    }

    @Test
    void noTextsGiveNoVectors() {
        try (Model model = open("embedder")) {
            assertThat(model.encoder().embed(List.of(), DEFAULTS)).isEmpty();
        }
    }
}
