package io.kindling.engine.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Packages of real exporters; the initial states were tried with ONNX Runtime: see src/test/python/make_exports.py. */
class ExportsTest {
    @TempDir
    Path temp;

    @Test
    void everyDecoderResolvesWithTheStatesThatOnnxRuntimeAccepts() throws Exception {
        int decoders = 0;
        for (JsonNode line : exports()) {
            if (!line.has("states")) {
                continue;
            }
            ModelPackage resolved = resolve(line);
            String name = line.get("name").asText();
            assertThat(resolved.decoder())
                    .as(name + " " + resolved.decoderProblem())
                    .isPresent();
            DecoderIo io = resolved.decoder().get();
            Map<String, String> found = new TreeMap<>();
            for (DecoderIo.State state : io.states()) {
                found.put(state.input(), state.output() + state.initialShape());
                int axis = state.initialShape().indexOf(0L);
                assertThat(state.sequenceAxis()).as(name + " " + state).isEqualTo(axis);
                assertThat(state.kind())
                        .as(name + " " + state)
                        .isEqualTo(
                                axis < 0
                                        ? DecoderIo.Kind.FIXED
                                        : state.input().endsWith("key") ? DecoderIo.Kind.KEY : DecoderIo.Kind.VALUE);
                assertThat(state.input()).contains("." + state.layer() + ".");
            }
            Map<String, String> expected = new TreeMap<>();
            for (JsonNode state : line.get("states")) {
                List<Long> shape = new ArrayList<>();
                state.get(2).forEach(size -> shape.add(size.asLong()));
                expected.put(state.get(0).asText(), state.get(1).asText() + shape);
            }
            assertThat(found).as(name).isEqualTo(expected);
            assertThat(io.tokenInput()).isEqualTo("input_ids");
            assertThat(io.logits()).isEqualTo("logits");
            List<String> roles = new ArrayList<>(found.keySet());
            roles.add(io.tokenInput());
            io.attentionMask().ifPresent(roles::add);
            io.positionIds().ifPresent(roles::add);
            io.useCacheBranch().ifPresent(roles::add);
            List<String> inputs = new ArrayList<>();
            line.get("inputs").forEach(port -> inputs.add(port.get(0).asText()));
            assertThat(roles).as(name).containsExactlyInAnyOrderElementsOf(inputs);
            assertThat(resolved.resolvedBy())
                    .isEqualTo(
                            name.contains("genai") ? "genai_config.json" : "config.json and the exporters' port names");
            assertThat(resolved.stopIds()).as(name).containsExactly(2);
            assertThat(resolved.chatTemplates().specialToken("bos_token")).contains("<s>");
            assertThat(resolved.chatTemplates().specialToken("eos_token")).contains("</s>");
            assertThat(resolved.warnings()).as(name).isEmpty();
            assertThat(resolved.contextLength()).as(name).hasValue(256);
            decoders++;
        }
        assertThat(decoders).isEqualTo(38);
    }

    @Test
    void encoderDecodersSayWhyTheyAreNoDecoders() throws Exception {
        Map<String, String> problems = exports().stream()
                .filter(line -> !line.has("states"))
                .collect(Collectors.toMap(
                        line -> line.get("name").asText(),
                        line -> resolve(line).decoderProblem().orElse("none")));
        assertThat(problems)
                .isEqualTo(
                        Map.of(
                                "bart-optimum",
                                "the graph is one half of an encoder-decoder (input 'encoder_attention_mask'), which is not supported",
                                "t5-optimum",
                                "the graph is one half of an encoder-decoder (input 'encoder_attention_mask'), which is not supported",
                                "whisper-optimum",
                                "the graph is one half of an encoder-decoder (input 'encoder_hidden_states'), which is not supported"));
    }

    private ModelPackage resolve(JsonNode line) {
        try {
            Path folder = Files.createDirectories(temp.resolve(line.get("name").asText()));
            Files.createFile(folder.resolve(line.get("graph").asText()));
            for (Map.Entry<String, JsonNode> file : line.get("files").properties()) {
                Files.writeString(folder.resolve(file.getKey()), file.getValue().toString());
            }
            PackageFiles files = PackageFiles.locate(folder);
            assertThat(files.modelFile())
                    .isEqualTo(folder.resolve(line.get("graph").asText()));
            return PackageResolver.resolve(files, TestGraphs.model(line));
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }

    private static List<JsonNode> exports() throws IOException, URISyntaxException {
        ObjectMapper mapper = new ObjectMapper();
        List<JsonNode> lines = new ArrayList<>();
        for (String line : Files.readAllLines(
                Path.of(ExportsTest.class.getResource("exports.jsonl").toURI()))) {
            lines.add(mapper.readTree(line));
        }
        return lines;
    }
}
