package io.kindling.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.kindling.engine.DeviceBinding;
import io.kindling.engine.EngineOptions;
import io.kindling.engine.OnnxGraph;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.onnx.OnnxValueFiles;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * One case in the layout of ONNX's backend tests: {@code model.onnx} and folders {@code test_data_set_I} of
 * {@code input_K.pb} and {@code output_K.pb}, K being positions in the graph. {@code case.json}, where there is one, may
 * widen the tolerances ({@code rtol}, {@code atol}, {@code int_tolerance}).
 *
 * <p>With several sets, inputs that in every later set hold what some output of the set before holds are state: such a
 * case is run once with each set by itself and once on one binding, outputs bound as the next inputs.
 */
final class ConformanceCase {
    private static final Set<String> RANDOM = Set.of(
            "test_training_dropout",
            "test_training_dropout_default",
            "test_training_dropout_mask",
            "test_training_dropout_default_mask");

    private final Path folder;
    private final String name;

    ConformanceCase(Path folder) {
        this.folder = folder;
        this.name = folder.getFileName().toString();
    }

    /** @param inputs by position in the graph, as are {@code outputs} */
    private record DataSet(List<Value> inputs, List<Value> outputs) {}

    static boolean isCase(Path folder) {
        return Files.isRegularFile(folder.resolve("model.onnx"));
    }

    String name() {
        return name;
    }

    /** Whether there is anything to compare with. */
    boolean hasData() {
        return !setFolders().isEmpty();
    }

    /** {@code pass}, {@code fail: …} or {@code unsupported: …}. */
    String outcome(EngineOptions options) {
        try (OnnxGraph graph = OnnxGraph.open(folder.resolve("model.onnx"), options)) {
            return run(graph).map(difference -> "fail: " + difference).orElse("pass");
        } catch (KindlingException fault) {
            return (fault.code() == ErrorCode.UNSUPPORTED ? "unsupported: " : "fail: ") + fault.getMessage();
        } catch (IOException | UncheckedIOException unreadable) {
            return "fail: " + unreadable;
        } catch (RuntimeException | StackOverflowError | AssertionError defect) {
            return "fail: INTERNAL: " + defect;
        }
    }

    private Optional<String> run(OnnxGraph graph) throws IOException {
        List<ValueInfo> inputs = graph.session().inputs();
        List<ValueInfo> outputs = graph.session().outputs();
        List<DataSet> sets = new ArrayList<>();
        for (Path set : setFolders()) {
            sets.add(new DataSet(read(set, "input_", inputs), read(set, "output_", outputs)));
        }
        ValueComparison comparison = comparison();
        for (int set = 0; set < sets.size(); set++) {
            Map<String, Value> fed = new LinkedHashMap<>();
            for (int k = 0; k < inputs.size(); k++) {
                fed.put(inputs.get(k).name(), sets.get(set).inputs().get(k));
            }
            Optional<String> difference =
                    compare(comparison, outputs, graph.session().run(fed), sets.get(set), "set " + set);
            if (difference.isPresent()) {
                return difference;
            }
        }
        Map<Integer, Integer> state = stateInputs(sets);
        return state.isEmpty() ? Optional.empty() : runBound(graph, sets, state, comparison);
    }

    /** Runs all sets on one binding; {@code state} maps input positions to the output positions they continue. */
    private Optional<String> runBound(
            OnnxGraph graph, List<DataSet> sets, Map<Integer, Integer> state, ValueComparison comparison) {
        List<ValueInfo> inputs = graph.session().inputs();
        List<ValueInfo> outputs = graph.session().outputs();
        List<Tensor> carried = new ArrayList<>();
        try (DeviceBinding binding = graph.session().newBinding()) {
            for (int set = 0; set < sets.size(); set++) {
                for (int k = 0; k < inputs.size(); k++) {
                    if (set == 0 || !state.containsKey(k)) {
                        binding.bindInput(
                                inputs.get(k).name(), sets.get(set).inputs().get(k));
                    }
                }
                binding.run();
                Map<String, Value> got = new LinkedHashMap<>();
                for (ValueInfo output : outputs) {
                    got.put(output.name(), binding.output(output.name()));
                }
                Optional<String> difference =
                        compare(comparison, outputs, got, sets.get(set), "set " + set + " with state bound");
                if (difference.isPresent()) {
                    return difference;
                }
                state.forEach((input, output) -> {
                    Tensor next = binding.takeOutput(outputs.get(output).name());
                    carried.add(next);
                    binding.bindInput(inputs.get(input).name(), next);
                });
            }
        } finally {
            carried.forEach(Tensor::close);
        }
        return Optional.empty();
    }

    private Optional<String> compare(
            ValueComparison comparison, List<ValueInfo> ports, Map<String, Value> got, DataSet want, String where) {
        boolean random = RANDOM.contains(name) || name.startsWith("test_bernoulli");
        for (int k = 0; k < ports.size(); k++) {
            Value value = got.get(ports.get(k).name());
            Value expected = want.outputs().get(k);
            Optional<String> difference =
                    random ? ValueComparison.typeDifference(value, expected) : comparison.difference(value, expected);
            if (difference.isPresent()) {
                String port = ports.get(k).name();
                return difference.map(text -> where + ", output '" + port + "': " + text);
            }
        }
        return Optional.empty();
    }

    private static Map<Integer, Integer> stateInputs(List<DataSet> sets) {
        Map<Integer, Integer> state = new LinkedHashMap<>();
        if (sets.size() < 2) {
            return state;
        }
        for (int input = 0; input < sets.get(0).inputs().size(); input++) {
            for (int output = 0; output < sets.get(0).outputs().size(); output++) {
                if (!state.containsValue(output) && continues(sets, input, output)) {
                    state.put(input, output);
                    break;
                }
            }
        }
        return state;
    }

    private static boolean continues(List<DataSet> sets, int input, int output) {
        for (int set = 1; set < sets.size(); set++) {
            Value next = sets.get(set).inputs().get(input);
            Value previous = sets.get(set - 1).outputs().get(output);
            if (!(next instanceof Tensor)
                    || ValueComparison.STRICT.difference(previous, next).isPresent()) {
                return false;
            }
        }
        return true;
    }

    private List<Path> setFolders() {
        try (Stream<Path> children = Files.list(folder)) {
            return children.filter(child -> child.getFileName().toString().matches("test_data_set_\\d+"))
                    .sorted(java.util.Comparator.comparingInt(child ->
                            Integer.parseInt(child.getFileName().toString().substring(14))))
                    .toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static List<Value> read(Path set, String prefix, List<ValueInfo> ports) {
        List<Value> values = new ArrayList<>();
        for (int k = 0; k < ports.size(); k++) {
            values.add(OnnxValueFiles.read(
                    set.resolve(prefix + k + ".pb"), ports.get(k).type()));
        }
        return values;
    }

    private ValueComparison comparison() throws IOException {
        Path file = folder.resolve("case.json");
        if (!Files.exists(file)) {
            return ValueComparison.STRICT;
        }
        JsonNode settings = JsonLines.tree(Files.readString(file));
        return new ValueComparison(
                settings.path("rtol").asDouble(0),
                settings.path("atol").asDouble(0),
                settings.path("int_tolerance").asLong(0));
    }
}
