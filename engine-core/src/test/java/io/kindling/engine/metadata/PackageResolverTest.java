package io.kindling.engine.metadata;

import static io.kindling.engine.metadata.TestGraphs.port;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.error.ModelException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.metadata.DecoderIo.Kind;
import io.kindling.engine.metadata.DecoderIo.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PackageResolverTest {
    private static final ValueInfo TOKENS = port("input_ids", DataType.INT64, "batch", "sequence");
    private static final ValueInfo MASK = port("attention_mask", DataType.INT64, "batch", "total");
    private static final ValueInfo LOGITS = port("logits", DataType.FLOAT, "batch", "sequence", 320);
    private static final OnnxModel DECODER = TestGraphs.model(
            List.of(
                    TOKENS,
                    MASK,
                    cache("cache_a", "past"),
                    cache("cache_b", "past"),
                    port("conv", DataType.FLOAT, "batch", 8, 3)),
            List.of(
                    LOGITS,
                    cache("next_a", "total"),
                    cache("next_b", "total"),
                    port("next_conv", DataType.FLOAT, "batch", 8, 3)),
            List.of());

    @TempDir
    Path folder;

    @BeforeEach
    void aGraphFile() throws IOException {
        write("model.onnx", "");
    }

    private static ValueInfo cache(String name, String length) {
        return port(name, DataType.FLOAT, "batch", 2, length, 16);
    }

    private void write(String name, String content) throws IOException {
        Files.writeString(folder.resolve(name), content);
    }

    private ModelPackage resolve(OnnxModel model) {
        return PackageResolver.resolve(PackageFiles.locate(folder), model);
    }

    @Test
    void bareGraphWithTwoIntegerInputsIsAmbiguous() {
        OnnxModel model = TestGraphs.model(List.of(TOKENS, MASK), List.of(LOGITS), List.of());
        ModelPackage resolved = resolve(model);
        assertThat(resolved.decoder()).isEmpty();
        assertThat(resolved.decoderProblem())
                .contains("cannot resolve model.io.token_input from tensor shape because 2 ports match: "
                        + "[(\"input_ids\", Int64, [-1, -1]), (\"attention_mask\", Int64, [-1, -1])]; "
                        + "declare the exact graph port in model.io.token_input");
    }

    @Test
    void bareGraphWithOneTokenInputLacksOnlyItsStates() {
        ModelPackage resolved = resolve(TestGraphs.model(List.of(TOKENS), List.of(LOGITS), List.of()));
        assertThat(resolved.decoderProblem().orElseThrow())
                .contains("token input 'input_ids'")
                .contains("declare kv_inputs and kv_outputs (or state_pairs)");
        assertThat(resolved.resolvedBy()).isEqualTo("tensor shapes of the bare graph");
    }

    @Test
    void bareGraphWithoutLogitsSaysSo() {
        ValueInfo empty = port("logits", DataType.FLOAT, "batch", 0);
        ModelPackage resolved = resolve(TestGraphs.model(List.of(TOKENS), List.of(empty), List.of()));
        assertThat(resolved.decoderProblem())
                .contains("cannot resolve model.io.logits_output from tensor shape because 0 ports match: []; "
                        + "declare the exact graph port in model.io.logits_output");
    }

    @ParameterizedTest
    @ValueSource(strings = {"inference_metadata.yaml", "inference_metadata.yml", "inference_metadata.json"})
    void sidecarNamesPortsAndGoesFirst(String name) throws IOException {
        // JSON is YAML, so one text serves all three names.
        write(name, """
                {"schema_version": "v1", "model": {"max_sequence_length": 99, "io": {
                  "attention_mask_input": "attention_mask",
                  "kv_inputs": ["cache_a", "cache_b"], "kv_outputs": ["next_a", "next_b"],
                  "state_pairs": [{"input": "conv", "output": "next_conv"}]}}}""");
        write("genai_config.json", "{\"model\": {\"context_length\": 5, \"eos_token_id\": [7, 8]}}");
        write("generation_config.json", "{\"eos_token_id\": 9}");
        write("config.json", "{\"eos_token_id\": 7}");
        ModelPackage resolved = resolve(DECODER);
        assertThat(resolved.resolvedBy()).isEqualTo(name);
        assertThat(resolved.contextLength()).isEqualTo(OptionalInt.of(99));
        assertThat(resolved.stopIds()).containsExactlyInAnyOrder(7, 8, 9);
        assertThat(resolved.decoder())
                .contains(new DecoderIo(
                        "input_ids",
                        Optional.of("attention_mask"),
                        Optional.empty(),
                        Optional.empty(),
                        "logits",
                        List.of(
                                new State("cache_a", "next_a", Kind.KEY, 0, 2, List.of(1L, 2L, 0L, 16L)),
                                new State("cache_b", "next_b", Kind.VALUE, 0, 2, List.of(1L, 2L, 0L, 16L)),
                                new State("conv", "next_conv", Kind.FIXED, 0, -1, List.of(1L, 8L, 3L)))));
    }

    @Test
    void yamlGoesBeforeYmlBeforeJson() throws IOException {
        write("inference_metadata.json", "{\"model\": {\"max_sequence_length\": 3}}");
        assertThat(resolve(DECODER).contextLength()).hasValue(3);
        write("inference_metadata.yml", "model: {max_sequence_length: 2}");
        assertThat(resolve(DECODER).contextLength()).hasValue(2);
        write("inference_metadata.yaml", "model:\n  max_sequence_length: 1\n");
        assertThat(resolve(DECODER).contextLength()).hasValue(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "model: {io: {token_input: ids}} | UNRESOLVED | model.io.token_input: declares port 'ids', but the graph exposes [input_ids, attention_mask, cache_a, cache_b, conv]",
                "model: {io: {kv_inputs: [cache_a], kv_outputs: []}} | MODEL_INVALID | model.io.kv_inputs: io.kv_inputs (1) and io.kv_outputs (0) must have equal length for positional pairing",
                "model: {io: {kv_ownership: shared}} | UNSUPPORTED | model.io.kv_ownership: 'shared' is not supported, only 'owned' is",
                "model: {io: {tokens: x}} | MODEL_INVALID | model.io.tokens: is no field of the schema",
                "model: {max_sequence_length: -4} | MODEL_INVALID | model.max_sequence_length: must be positive, not -4",
                "modle: {} | MODEL_INVALID | modle: is no field of the schema",
                "[1] | MODEL_INVALID | must hold an object with named fields",
                "model: {io: {token_input: [1]}} | MODEL_INVALID | model.io.token_input: must be a text, not [1]",
            })
    void badSidecarIsNamedWithItsField(String yaml, ErrorCode code, String message) throws IOException {
        write("inference_metadata.yaml", yaml);
        assertThatThrownBy(() -> resolve(DECODER))
                .isInstanceOfSatisfying(ModelException.class, refused -> assertThat(refused.code())
                        .isEqualTo(code))
                .hasMessage(folder.resolve("inference_metadata.yaml") + ": " + message);
    }

    @Test
    void malformedJsonIsNamed() throws IOException {
        write("config.json", "{\"a\": ");
        assertThatThrownBy(() -> resolve(DECODER))
                .isInstanceOf(ModelException.class)
                .hasMessageStartingWith(folder.resolve("config.json") + ": is no JSON: ");
    }

    @Test
    void unknownGenaiPortsAreWarningsAndLayersMayHaveGaps() throws IOException {
        write("genai_config.json", """
                {"model": {"decoder": {"head_size": 16, "inputs": {"mystery": "x", "past_key_names": "k%d", "past_value_names": "v%d"},
                  "outputs": {"present_key_names": "nk%d", "present_value_names": "nv%d"}}}, "search": {"max_length": 77}}""");
        OnnxModel model = TestGraphs.model(
                List.of(TOKENS, headless("k3", "past"), headless("v3", "past")),
                List.of(LOGITS, headless("nk3", "total"), headless("nv3", "total")),
                List.of());
        ModelPackage resolved = resolve(model);
        assertThat(resolved.decoder().orElseThrow().states())
                .containsExactly(
                        new State("k3", "nk3", Kind.KEY, 3, 2, List.of(1L, 2L, 0L, 16L)),
                        new State("v3", "nv3", Kind.VALUE, 3, 2, List.of(1L, 2L, 0L, 16L)));
        assertThat(resolved.contextLength()).hasValue(77);
        assertThat(resolved.warnings())
                .containsExactly("genai_config.json: model.decoder.inputs.mystery is not known and ignored");
    }

    private static ValueInfo headless(String name, String length) {
        return port(name, DataType.FLOAT, "batch", 2, length, "kv_cache_dim");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'past_key_names': 'k'} | {} | model.decoder.inputs.past_key_names: must have exactly one %d for the layer, not 'k'",
                "{'past_key_names': 'cache_%d%d'} | {} | model.decoder.inputs.past_key_names: must have exactly one %d for the layer, not 'cache_%d%d'",
                "{'input_ids': 'ids'} | {} | model.decoder.inputs.input_ids: declares port 'ids', but the graph exposes [input_ids, k0]",
                "{'past_key_names': 'k%d'} | {} | model.decoder.outputs.present_key_names: the graph has past layers [0] but present layers []",
                "{'past_key_names': 'k%d'} | {'present_key_names': 'n%d'} | model.decoder.inputs: keys come for the layers [0] but values for []",
            })
    void badGenaiPortsAreNamedWithTheirField(String inputs, String outputs, String message) throws IOException {
        write(
                "genai_config.json",
                ("{'model': {'decoder': {'inputs': " + inputs + ", 'outputs': " + outputs + "}}}").replace('\'', '"'));
        OnnxModel model = TestGraphs.model(
                List.of(TOKENS, cache("k0", "past")), List.of(LOGITS, cache("n0", "total")), List.of());
        assertThatThrownBy(() -> resolve(model))
                .isInstanceOf(ModelException.class)
                .hasMessage(folder.resolve("genai_config.json") + ": " + message);
    }

    @Test
    void packagesOfSeveralGraphsSayWhyTheyAreNoDecoders() throws IOException {
        write("genai_config.json", "{\"model\": {\"decoder\": {}, \"encoder\": {}}}");
        assertThat(resolve(DECODER).decoderProblem())
                .contains("the package has a part 'encoder' beside its decoder; only single decoders generate text");
    }

    @Test
    void openHeadSizeWithoutMetadataIsAnError() throws IOException {
        write("genai_config.json", "{\"model\": {\"decoder\": {}}}");
        OnnxModel model = TestGraphs.model(
                List.of(TOKENS, headless("past_key_values.0.key", "past"), headless("past_key_values.0.value", "past")),
                List.of(LOGITS, headless("present.0.key", "total"), headless("present.0.value", "total")),
                List.of());
        assertThatThrownBy(() -> resolve(model))
                .isInstanceOf(KindlingException.class)
                .hasMessageContaining("'past_key_values.0.key'")
                .hasMessageContaining("declare head_size");
    }

    @Test
    void stopIdsIncludeTheTokenizersEndToken() throws IOException {
        write("tokenizer.json", "{\"added_tokens\": [{\"id\": 41, \"content\": \"<end>\"}], \"model\": {}}");
        write(
                "tokenizer_config.json",
                "{\"eos_token\": {\"content\": \"<end>\"}, \"bos_token\": \"<begin>\", \"model_max_length\": 1e30}");
        write("config.json", "{\"eos_token_id\": null, \"unheard_of\": Infinity}");
        write("generation_config.json", "{\"eos_token_id\": [1, 2]}");
        ModelPackage resolved = resolve(DECODER);
        assertThat(resolved.stopIds()).containsExactlyInAnyOrder(1, 2, 41);
        assertThat(resolved.chatTemplates().specialTokens())
                .isEqualTo(Map.of("eos_token", "<end>", "bos_token", "<begin>"));
        assertThat(resolved.contextLength()).isEmpty();
        assertThat(resolved.tokenizerFile()).contains(folder.resolve("tokenizer.json"));
    }

    @Test
    void severalGraphsWithoutAPreferredNameAreListed() throws IOException {
        Files.delete(folder.resolve("model.onnx"));
        write("decoder_model.onnx", "");
        write("encoder_model.onnx", "");
        assertThatThrownBy(() -> PackageFiles.locate(folder))
                .hasMessage(
                        "the folder '" + folder + "' holds several graphs and none is named model.onnx or "
                                + "decoder_model_merged.onnx: [decoder_model.onnx, encoder_model.onnx]; give the path of the one to run");
        write("decoder_model_merged.onnx", "");
        assertThat(PackageFiles.locate(folder).modelFile()).isEqualTo(folder.resolve("decoder_model_merged.onnx"));
        write("genai_config.json", "{\"model\": {\"decoder\": {\"filename\": \"decoder_model.onnx\"}}}");
        assertThat(PackageFiles.locate(folder).modelFile()).isEqualTo(folder.resolve("decoder_model.onnx"));
        assertThat(PackageFiles.locate(folder.resolve("encoder_model.onnx")).root())
                .isEqualTo(folder.toAbsolutePath());
    }

    @Test
    void graphsMayLieOneFolderBelow() throws IOException {
        Files.move(
                folder.resolve("model.onnx"),
                Files.createDirectory(folder.resolve("onnx")).resolve("other.onnx"));
        assertThat(PackageFiles.locate(folder).modelFile()).isEqualTo(folder.resolve("onnx/other.onnx"));
    }

    @Test
    void graphOutsideThePackageIsRefused() throws IOException {
        Path inside = Files.createDirectory(folder.resolve("package"));
        Files.writeString(
                inside.resolve("genai_config.json"), "{\"model\": {\"decoder\": {\"filename\": \"../model.onnx\"}}}");
        assertThatThrownBy(() -> PackageFiles.locate(inside))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("model.decoder.filename")
                .hasMessageContaining("lies outside the package");
    }

    @Test
    void missingModelsAreNamed() {
        assertThatThrownBy(() -> PackageFiles.locate(folder.resolve("absent")))
                .hasMessageContaining("neither a folder nor a file");
    }
}
