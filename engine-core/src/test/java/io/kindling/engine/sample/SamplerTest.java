package io.kindling.engine.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.kindling.engine.GenerationOptions;
import io.kindling.engine.ResponseFormat;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SamplerTest {
    private final Sampler sampler = new Sampler();

    private static GenerationOptions options(
            double temperature, int topK, double topP, double minP, double penalty, long seed) {
        return new GenerationOptions(
                8,
                temperature,
                topK,
                topP,
                minP,
                penalty,
                seed,
                List.of(),
                false,
                ResponseFormat.TEXT,
                GenerationOptions.OnOverflow.ERROR);
    }

    private static SamplerState state(GenerationOptions options, int... prompt) {
        return new SamplerState(options, 42, prompt);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 1023, 1024, 1025, 5003})
    void greedyTakesTheLowestOfTheHighest(int size) {
        float[] logits = new float[size + 6];
        Arrays.fill(logits, 99);
        Arrays.fill(logits, 3, 3 + size, -5);
        logits[3 + size - 1] = 4;
        logits[3 + size / 2] = 4;
        assertThat(sampler.choose(logits, 3, size, state(options(0, 0, 1, 0, 1, 0))))
                .isEqualTo(size / 2);
    }

    @ParameterizedTest
    @ValueSource(floats = {Float.NaN, Float.POSITIVE_INFINITY})
    void unsoundLogitsAreRefused(float bad) {
        for (int at : new int[] {0, 1023, 1024, 2999}) {
            float[] logits = new float[3000];
            logits[at] = bad;
            assertThatThrownBy(() -> sampler.choose(logits, 0, 3000, state(options(0.7, 5, 1, 0, 1, 0))))
                    .isInstanceOfSatisfying(KindlingException.class, refused -> assertThat(refused.code())
                            .isEqualTo(ErrorCode.NON_FINITE_LOGITS))
                    .hasMessageContaining(Float.toString(bad));
        }
    }

    @Test
    void maskedTokensAreNeverChosen() {
        float[] logits = {Float.NEGATIVE_INFINITY, 1, Float.NEGATIVE_INFINITY, 0};
        for (int row = 0; row < 200; row++) {
            SamplerState state = new SamplerState(options(5, 0, 1, 0, 1.1, 3), row, new int[] {0, 1});
            assertThat(sampler.choose(logits, 0, 4, state)).isIn(1, 3);
        }
        Arrays.fill(logits, Float.NEGATIVE_INFINITY);
        assertThatThrownBy(() -> sampler.choose(logits, 0, 4, state(options(0, 0, 1, 0, 1, 0))))
                .isInstanceOf(KindlingException.class);
    }

    @Test
    void onlyTokensOfTheMaskAreChosenAndTheRestCountsForNothing() {
        float[] logits = {5, 1, 4, 0, 1};
        BitSet some = new BitSet();
        some.set(1);
        some.set(3);
        some.set(4);
        TokenMask mask = TokenMask.of(some);
        assertThat(sampler.choose(logits, 0, 5, state(options(0, 0, 1, 0, 1, 0)), mask))
                .isEqualTo(1);
        // 1 / 1.5 < 1: token 1 was seen
        assertThat(sampler.choose(logits, 0, 5, state(options(0, 0, 1, 0, 1.5, 0), 1), mask))
                .isEqualTo(4);
        Set<Integer> kept = new TreeSet<>();
        for (int row = 0; row < 200; row++) {
            SamplerState state = new SamplerState(options(1, 2, 0.9, 0.1, 1, 3), row, new int[0]);
            kept.add(sampler.choose(logits, 0, 5, state, mask));
        }
        assertThat(kept).as("top-k of those that are left").containsExactly(1, 4);
        for (int row = 0; row < 200; row++) {
            SamplerState state = new SamplerState(options(50, 4, 1, 0, 1, 3), row, new int[0]);
            assertThat(some.get(sampler.choose(logits, 0, 5, state, mask))).isTrue();
        }
        assertThat(logits).containsExactly(5, 1, 4, 0, 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 63, 64, 65, 127, 128, 1000})
    void aMaskIsWhatItsBitsAre(int vocabulary) {
        Random random = new Random(vocabulary);
        for (double share : new double[] {0, 0.02, 0.5, 1}) {
            BitSet ids = new BitSet();
            float[] logits = new float[vocabulary];
            float[] masked = new float[vocabulary];
            int best = -1;
            for (int id = 0; id < vocabulary; id++) {
                ids.set(id, random.nextDouble() < share);
                logits[id] = random.nextInt(20);
                masked[id] = ids.get(id) ? logits[id] : Float.NEGATIVE_INFINITY;
                best = ids.get(id) && (best < 0 || logits[id] > logits[best]) ? id : best;
            }
            ids.set(vocabulary + 70);
            TokenMask mask = TokenMask.of(ids);
            assertThat(mask.isEmpty(vocabulary)).isEqualTo(best < 0);
            assertThat(mask.highest(logits, 0, vocabulary)).isEqualTo(best);
            mask.silence(logits, vocabulary);
            assertThat(logits).isEqualTo(masked);
        }
    }

    @Test
    void repetitionPenaltyDividesPositiveAndMultipliesNegativeLogits() {
        float[] logits = {2.0f, 1.9f, -1.0f, -1.1f};
        SamplerState state = state(options(0, 0, 1, 0, 1.2, 0), 0, 0);
        // 2.0 / 1.2 = 1.67 < 1.9
        assertThat(sampler.choose(logits, 0, 4, state)).isEqualTo(1);
        state.accept(1);
        // 1.9 / 1.2 = 1.58 < 1.67
        assertThat(sampler.choose(logits, 0, 4, state)).isEqualTo(0);
        float[] negative = {-1.0f, -1.1f};
        // -1.0 * 1.2 = -1.2 < -1.1
        assertThat(sampler.choose(negative, 0, 2, state(options(0, 0, 1, 0, 1.2, 0), 0)))
                .isEqualTo(1);
        assertThat(logits).containsExactly(2.0f, 1.9f, -1.0f, -1.1f);
    }

    @Test
    void drawsFollowTheDistribution() {
        // Weights 1 : 2 : 5 at temperature 2.
        float[] logits = {0, 2 * (float) Math.log(2), 2 * (float) Math.log(5)};
        int draws = 20_000;
        int[] counts = new int[3];
        SamplerState state = state(options(2, 0, 1, 0, 1, 9));
        for (int k = 0; k < draws; k++) {
            int token = sampler.choose(logits, 0, 3, state);
            counts[token]++;
            state.accept(token);
        }
        double[] expected = {1 / 8.0, 2 / 8.0, 5 / 8.0};
        for (int k = 0; k < 3; k++) {
            assertThat(counts[k] / (double) draws).isCloseTo(expected[k], within(0.02));
        }
    }

    @Test
    void choicesDependOnSeedRowAndStepAlone() {
        float[] logits = new float[500];
        GenerationOptions options = options(1, 0, 1, 0, 1, 5);
        int[] first = choices(new Sampler(), logits, options, 7);
        sampler.choose(new float[9000], 0, 9000, state(options));
        assertThat(choices(sampler, logits, options, 7)).isEqualTo(first);
        assertThat(choices(sampler, logits, options, 8)).isNotEqualTo(first);
        assertThat(choices(sampler, logits, options(1, 0, 1, 0, 1, 6), 7)).isNotEqualTo(first);
    }

    private static int[] choices(Sampler sampler, float[] logits, GenerationOptions options, long row) {
        SamplerState state = new SamplerState(options, row, new int[0]);
        return IntStream.range(0, 20)
                .map(step -> {
                    int token = sampler.choose(logits, 0, logits.length, state);
                    state.accept(token);
                    return token;
                })
                .toArray();
    }

    /** Against the plain definition with full sorts in double precision. */
    @Test
    void everyCombinationAgreesWithItsDefinition() {
        Random random = new Random(3);
        int compared = 0;
        for (int size : new int[] {1, 2, 3, 7, 31, 64, 65, 1021, 2048}) {
            for (int topK : new int[] {0, 1, 5, 64, 5000}) {
                for (double topP : new double[] {1, 0.95, 0.5, 0.01}) {
                    for (double minP : new double[] {0, 0.05, 0.9}) {
                        GenerationOptions options = options(0.8, topK, topP, minP, 1.1, random.nextLong());
                        float[] logits = new float[size];
                        for (int k = 0; k < size; k++) {
                            // Coarse steps make ties.
                            logits[k] = Math.round(random.nextGaussian() * 12) / 4f;
                        }
                        int[] prompt = {0, size / 2};
                        SamplerState state = state(options, prompt);
                        int expected = definition(logits, options, prompt, state.uniform());
                        assertThat(sampler.choose(logits, 0, size, state))
                                .as("size %d, %s", size, options)
                                .isEqualTo(expected);
                        compared++;
                    }
                }
            }
        }
        assertThat(compared).isEqualTo(9 * 5 * 4 * 3);
    }

    private static int definition(float[] logits, GenerationOptions options, int[] prompt, double uniform) {
        double[] scores = new double[logits.length];
        for (int k = 0; k < scores.length; k++) {
            scores[k] = logits[k];
        }
        Arrays.stream(prompt)
                .distinct()
                .forEach(id -> scores[id] = scores[id] > 0
                        ? scores[id] / options.repetitionPenalty()
                        : scores[id] * options.repetitionPenalty());
        double max = Arrays.stream(scores).max().orElseThrow();
        double[] weights = Arrays.stream(scores)
                .map(score -> Math.exp((score - max) / options.temperature()))
                .toArray();
        Integer[] order = IntStream.range(0, weights.length).boxed().toArray(Integer[]::new);
        Arrays.sort(
                order, Comparator.<Integer>comparingDouble(id -> -weights[id]).thenComparing(id -> id));
        int k = options.topK() == 0 ? weights.length : Math.min(options.topK(), weights.length);
        double least = weights[order[k - 1]];
        boolean[] kept = new boolean[weights.length];
        double total = Arrays.stream(weights).filter(weight -> weight >= least).sum();
        double sum = 0;
        for (int id : order) {
            if (weights[id] >= least && (sum < options.topP() * total || options.topP() == 1 || sum == 0)) {
                kept[id] = weights[id] >= options.minP();
                sum += weights[id];
            }
        }
        double left = uniform
                * IntStream.range(0, kept.length)
                        .filter(id -> kept[id])
                        .mapToDouble(id -> weights[id])
                        .sum();
        int last = -1;
        for (int id = 0; id < kept.length; id++) {
            if (kept[id]) {
                last = id;
                left -= weights[id];
                if (left < 0) {
                    return id;
                }
            }
        }
        return last;
    }

    @Test
    void rowKeysAreTheBeginningOfSha256() {
        // echo -n abc | sha256sum
        assertThat(RowKeys.of("abc")).isEqualTo(0xba7816bf8f01cfeaL);
        // printf '\0\0\0\1' | sha256sum
        assertThat(RowKeys.of(new int[] {1})).isEqualTo(0xb40711a88c703975L);
    }
}
