package io.kindling.engine.optimize.ragged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.optimize.ragged.Fact.Entries;
import io.kindling.engine.optimize.ragged.Fact.EntrySizes;
import io.kindling.engine.optimize.ragged.Fact.Fixed;
import io.kindling.engine.optimize.ragged.Fact.Sizes;
import io.kindling.engine.optimize.ragged.Fact.Tokens;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Two choices a token, [2, S] of ones where they are this expert. */
class EntryRulesTest {
    private static final Tokens CHOSEN = new Tokens(List.of(Size.of(2), Size.FED), 1);
    private static final Tokens HIDDEN = new Tokens(List.of(Size.FED, Size.of(8)), 0);
    private static final Tokens WEIGHTS = new Tokens(List.of(Size.FED.times(2), Size.of(1)), 0);

    private static List<Fact> apply(String op, Map<String, Attribute> attributes, Fact... inputs) {
        int outputs = op.equals("Split") ? 2 : 1;
        List<String> names = List.of("a", "b").subList(0, outputs);
        Node node = new Node(op, "", op, List.of("x", "y", "z").subList(0, inputs.length), names, attributes);
        assertThat(EntryRules.concerns(node, Arrays.asList(inputs))).isTrue();
        return EntryRules.apply(node, Arrays.asList(inputs), new TokenRules(18));
    }

    private static Fact one(String op, Map<String, Attribute> attributes, Fact... inputs) {
        return apply(op, attributes, inputs).get(0);
    }

    private static Map<String, Attribute> axis(long value) {
        return Map.of("axis", Attribute.of(value));
    }

    /** Which choice and which token, as vectors. */
    private static List<Fact> places() {
        Fact found = one("NonZero", Map.of(), CHOSEN);
        Fact turned = one("Transpose", Map.of("perm", Attribute.of(1L, 0L)), found);
        Fact last = Fixed.of(TensorData.ofLongs(new long[] {1}, 1));
        return apply("Split", axis(1), turned).stream()
                .map(part -> one("Squeeze", Map.of(), part, last))
                .toList();
    }

    private static Fact number(long value) {
        return new Sizes(List.of(Size.of(value)), false);
    }

    @Test
    void tokensAreTakenAndPutBackWhereTheyCameFrom() {
        Fact token = places().get(1);
        Entries taken = (Entries) one("Gather", axis(0), HIDDEN, token);
        assertThat(taken.at()).isEqualTo(HIDDEN);
        Entries product = (Entries) one("MatMul", Map.of(), taken, Fixed.ofShape(List.of(8L, 8L)));
        Fact size = one("Shape", Map.of(), product);
        assertThat(size).isEqualTo(new EntrySizes("a", new Sizes(List.of(Size.FED, Size.of(8)), false)));
        Fact column = one("Unsqueeze", Map.of(), token, Fixed.of(TensorData.ofLongs(new long[] {1}, 1)));
        Fact wide = one("Expand", Map.of(), column, size);
        assertThat(one("ScatterElements", axis(0), HIDDEN, wide, product)).isEqualTo(HIDDEN);
        assertThat(one("ScatterND", Map.of(), HIDDEN, column, product)).isEqualTo(HIDDEN);
    }

    @Test
    void aPlaceAmongSeveralSlicesOfATokenIsMadeOfBothCoordinates() {
        List<Fact> places = places();
        Fact slices = one("Mul", Map.of(), places.get(1), number(2));
        Fact place = one("Add", Map.of(), places.get(0), slices);
        assertThat(((Entries) one("Gather", axis(0), WEIGHTS, place)).at())
                .isEqualTo(new Tokens(List.of(Size.FED, Size.of(1)), 0));
        for (Fact wrong : List.of(places.get(0), places.get(1), one("Mul", Map.of(), places.get(1), number(3)))) {
            assertThatThrownBy(() -> one("Gather", axis(0), WEIGHTS, wrong))
                    .isInstanceOf(Refusal.class)
                    .hasMessageContaining("gathers across tokens");
        }
        assertThatThrownBy(() -> one("Gather", axis(0), HIDDEN, place)).hasMessageContaining("gathers across tokens");
    }

    @Test
    void whatDependsOnOtherTokensIsRefused() {
        List<Fact> places = places();
        Entries taken = (Entries) one("Gather", axis(0), HIDDEN, places.get(1));
        assertThatThrownBy(() -> one("Cos", Map.of(), places.get(1))).hasMessageContaining("computes with the places");
        assertThatThrownBy(() -> one("Add", Map.of(), taken, places.get(1)))
                .hasMessageContaining("computes with the places");
        assertThatThrownBy(() -> one("Add", Map.of(), taken, HIDDEN))
                .hasMessageContaining("combines some of the tokens with what belongs to all");
        assertThatThrownBy(() -> one("Add", Map.of(), taken, Entries.of("other", taken.at())))
                .hasMessageContaining("combines different lists of tokens");
        assertThatThrownBy(() -> one("Softmax", axis(0), taken)).hasMessageContaining("works along the token axis");
        Fact size = one("Shape", Map.of(), taken);
        for (List<Fact> inputs :
                List.of(List.of(taken, size), List.of(size, number(2), number(3)), List.of(size, size))) {
            assertThatThrownBy(() -> one("Max", Map.of(), inputs.toArray(Fact[]::new)))
                    .isInstanceOf(Refusal.class);
        }
        assertThat(one("Add", Map.of(), size, number(1))).isInstanceOf(EntrySizes.class);
        assertThatThrownBy(() -> one("Shape", Map.of(), size)).isInstanceOf(Refusal.class);
        assertThatThrownBy(
                        () -> one("Transpose", Map.of("perm", Attribute.of(0L, 1L)), one("NonZero", Map.of(), CHOSEN)))
                .hasMessageContaining("does something with the places of tokens");
    }
}
