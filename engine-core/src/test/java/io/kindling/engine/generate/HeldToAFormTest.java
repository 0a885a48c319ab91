package io.kindling.engine.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kindling.engine.EngineOptions.ExecutionPath;
import io.kindling.engine.GenerationOptions;
import io.kindling.engine.GenerationRequest;
import io.kindling.engine.GenerationRequest.Prompt;
import io.kindling.engine.GenerationResult;
import io.kindling.engine.GenerationResult.FinishReason;
import io.kindling.engine.JsonShape;
import io.kindling.engine.OptionTable;
import io.kindling.engine.ResponseFormat;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.metadata.ModelPackage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Answers of random weights, whose vocabulary is the ASCII characters up to the underscore: digits, quotes and brackets, no braces. */
class HeldToAFormTest {
    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_INTEGER_FOR_INTS);
    private static final JsonShape NUMBERS = new JsonShape.Items(new JsonShape.Whole(-99, 99));
    private static final JsonShape BRACES = new JsonShape.Entries(new JsonShape.Text());
    private static final int STOP_ID = 31;

    private static List<GenerationRequest> requests;
    private static List<GenerationResult> control;

    private static GenerationOptions options(double temperature, int newTokens, JsonShape shape) {
        GenerationOptions options = OptionTable.standard()
                .parse(Map.of("temperature", temperature, "max_new_tokens", newTokens, "top_p", 0.95))
                .generation();
        return shape == null ? options : options.withResponseFormat(new ResponseFormat.Json(shape));
    }

    /** Of every five rows one is free, one can say nothing, one is greedy, one sampled, and one may be a text or a number. */
    @BeforeAll
    static void runEveryRowAloneOnTheDensePath() throws Exception {
        requests = new ArrayList<>();
        Random random = new Random(3);
        List<GenerationOptions> kinds = List.of(
                options(1, 40, null),
                options(1, 40, BRACES),
                options(0, 40, NUMBERS),
                options(1, 40, NUMBERS),
                options(1, 6, new JsonShape.OneOf(List.of(new JsonShape.Text(), new JsonShape.Whole(0, 9999)))));
        for (int row = 0; row < 30; row++) {
            List<Integer> prompt =
                    random.ints(5 + row, 32, TinyDecoder.VOCABULARY).boxed().toList();
            requests.add(GenerationRequest.of("r", new Prompt.Ids(prompt), kinds.get(row % 5)));
        }
        control = new ArrayList<>();
        for (GenerationRequest request : requests) {
            control.addAll(generate(ExecutionPath.DENSE, 1, 512, false, List.of(request))
                    .results());
        }
    }

    private static Generations generate(
            ExecutionPath path, int batch, int stepTokens, boolean prefixCache, List<GenerationRequest> asked)
            throws Exception {
        ModelPackage resolved = TinyDecoder.modelPackage(Set.of(STOP_ID));
        return Generations.run(
                TinyDecoder.model(),
                resolved,
                Generations.options(path, batch, stepTokens, prefixCache, 64L << 20),
                asked);
    }

    @Test
    void whatIsWholeParsesAndTheControlDoesNot() throws Exception {
        int whole = 0;
        for (int row = 0; row < control.size(); row++) {
            GenerationResult result = control.get(row);
            switch (row % 5) {
                case 0 ->
                    assertThatThrownBy(() -> JSON.readTree(result.text())).isInstanceOf(JsonProcessingException.class);
                case 1 -> {
                    assertThat(result.error().orElseThrow().code()).isEqualTo(ErrorCode.CONSTRAINT);
                    assertThat(result.finishReason()).isEqualTo(FinishReason.ERROR);
                }
                case 2, 3 -> {
                    if (result.finishReason() == FinishReason.STOP) {
                        whole++;
                        for (JsonNode number : JSON.readTree(result.text())) {
                            assertThat(number.isIntegralNumber()).isTrue();
                            assertThat(number.intValue()).isBetween(-99, 99);
                        }
                        assertThat(result.tokenIds()).doesNotContain(STOP_ID);
                    } else {
                        assertThat(result.tokenIds()).hasSize(40);
                        assertThat(result.text()).startsWith("[");
                    }
                }
                default -> {
                    if (result.finishReason() == FinishReason.STOP) {
                        whole++;
                        JsonNode value = JSON.readTree(result.text());
                        assertThat(value.isTextual() || value.isIntegralNumber())
                                .isTrue();
                    }
                }
            }
        }
        assertThat(whole).isGreaterThan(6);
    }

    @ParameterizedTest
    @CsvSource({"DENSE, 8, 512, false", "RAGGED, 1, 512, false", "RAGGED, 8, 512, true", "RAGGED, 3, 16, true"})
    void batchMatesAndPathsChangeNoAnswer(ExecutionPath path, int batch, int stepTokens, boolean prefixCache)
            throws Exception {
        Generations run = generate(path, batch, stepTokens, prefixCache, requests);
        assertThat(Generations.contents(run.results())).isEqualTo(Generations.contents(control));
        assertThat(run.stats().kvPagesPeak() > 0).isEqualTo(path == ExecutionPath.RAGGED);
    }

    @Test
    void forcedIdsAndAFormExcludeEachOther() throws Exception {
        GenerationRequest forced = new GenerationRequest(
                "f", new Prompt.Ids(List.of(40, 41)), options(0, 4, NUMBERS), OptionalLong.empty(), List.of(50, 51), 0);
        GenerationResult result = generate(ExecutionPath.AUTO, 1, 512, false, List.of(forced))
                .results()
                .get(0);
        assertThat(result.error().orElseThrow().code()).isEqualTo(ErrorCode.INVALID_OPTION);
        assertThat(result.error().get().message()).contains("row 'f' has both forced ids and a response_format");
    }
}
