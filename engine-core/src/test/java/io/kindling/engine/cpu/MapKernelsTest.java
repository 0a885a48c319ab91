package io.kindling.engine.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import java.util.List;
import org.junit.jupiter.api.Test;

class MapKernelsTest {
    private static OneNode ml(String operator) {
        return OneNode.of("ai.onnx.ml", 3, operator);
    }

    private static Attribute texts(String... values) {
        return new Attribute.StringsValue(List.of(values).stream()
                .map(text -> (Attribute.StringValue) Attribute.of(text))
                .toList());
    }

    /** The example of the operator's schema. */
    @Test
    void dictionariesBecomeRowsOfTheVocabulary() {
        Value.Map map =
                new Value.Map(Tensor.ofStrings(new long[] {2}, "a", "c"), Tensor.ofFloats(new long[] {2}, 4, 8));
        Tensor row = ml("DictVectorizer")
                .with("string_vocabulary", texts("a", "c", "b", "z"))
                .run(map);
        assertThat(row.shape()).containsExactly(1, 4);
        assertThat(OneNode.floats(row)).containsExactly(4, 8, 0, 0);
    }

    @Test
    void mapsAreCastInTheOrderOfTheirKeysOrToTheirPlaces() {
        Value.Map map = new Value.Map(
                Tensor.ofLongs(new long[] {3}, 4, 0, 2), Tensor.ofFloats(new long[] {3}, 1.5f, 2.5f, 3.5f));
        assertThat(OneNode.floats(ml("CastMap").run(map))).containsExactly(2.5f, 3.5f, 1.5f);
        OneNode sparse = ml("CastMap").with("map_form", Attribute.of("SPARSE")).with("max_map", 5);
        assertThat(OneNode.floats(sparse.run(map))).containsExactly(2.5f, 0, 3.5f, 0, 1.5f);
        assertThatThrownBy(() -> ml("CastMap").run(Tensor.ofFloats(new long[] {1}, 1)))
                .hasMessageContaining("must be a map");
    }

    @Test
    void rowsOfScoresBecomeMapsByClass() {
        Value value = ml("ZipMap")
                .with("classlabels_strings", texts("no", "yes"))
                .runAll(Tensor.ofFloats(new long[] {2, 2}, 0.25f, 0.75f, 0.5f, 0.5f))
                .get(0);
        List<Value> maps = ((Value.Sequence) value).elements();
        assertThat(maps).hasSize(2);
        Value.Map first = (Value.Map) maps.get(0);
        assertThat(first.keys().strings()).containsExactly("no", "yes");
        assertThat(OneNode.floats(first.values())).containsExactly(0.25f, 0.75f);
    }
}
