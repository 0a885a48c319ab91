package io.kindling.engine.cpu;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.onnx.OnnxLoader;
import io.kindling.engine.onnx.OnnxValueFiles;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import io.kindling.engine.session.GraphSession;
import io.kindling.engine.session.SessionOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Runs folders of ONNX backend cases: {@code NAME/model.onnx}, {@code NAME/test_data_set_I/input_K.pb} and {@code output_K.pb}, and
 * optionally {@code NAME/case.json} with {@code rtol}, {@code atol} and {@code int_tolerance}.
 */
public final class ConformanceCases {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Provider provider;
    private final SessionOptions options;
    private final Predicate<String> shapeOnly;
    private final Preparation preparation;

    /** Changes the model of a case, whose folder it gets too, before it is planned. */
    public interface Preparation {
        OnnxModel prepare(OnnxModel model, Path folder);
    }

    /** @param shapeOnly cases with random outputs, of which only type and shape are compared */
    public ConformanceCases(Provider provider, SessionOptions options, Predicate<String> shapeOnly) {
        this(provider, options, shapeOnly, (model, folder) -> model);
    }

    /** @param preparation what becomes of a model before it is planned */
    public ConformanceCases(
            Provider provider, SessionOptions options, Predicate<String> shapeOnly, Preparation preparation) {
        this.provider = provider;
        this.options = options;
        this.shapeOnly = shapeOnly;
        this.preparation = preparation;
    }

    /** Outcome by case: {@code pass}, {@code unsupported: …} or {@code fail: …}. */
    public Map<String, String> runAll(Path folder) throws IOException {
        return runAll(folder, name -> true);
    }

    /** Outcomes of the cases of these names. */
    public Map<String, String> runAll(Path folder, Predicate<String> names) throws IOException {
        Map<String, String> outcomes = new TreeMap<>();
        try (Stream<Path> cases = Files.list(folder)) {
            for (Path path : cases.filter(Files::isDirectory).sorted().toList()) {
                String name = path.getFileName().toString();
                if (names.test(name)) {
                    outcomes.put(name, outcome(path));
                }
            }
        }
        return outcomes;
    }

    private String outcome(Path folder) {
        try {
            return run(folder);
        } catch (KindlingException fault) {
            boolean unsupported = fault.code() == ErrorCode.UNSUPPORTED;
            return (unsupported ? "unsupported: " : "fail: ") + fault.getMessage();
        } catch (IOException | RuntimeException fault) {
            return "fail: " + fault;
        }
    }

    private String run(Path folder) throws IOException {
        Path settings = folder.resolve("case.json");
        JsonNode tolerance = Files.exists(settings) ? JSON.readTree(settings.toFile()) : JSON.createObjectNode();
        OnnxModel written = OnnxLoader.load(folder.resolve("model.onnx"));
        OnnxModel model = preparation.prepare(written, folder);
        List<Path> sets;
        try (Stream<Path> children = Files.list(folder)) {
            sets = children.filter(p -> p.getFileName().toString().startsWith("test_data_set_"))
                    .sorted()
                    .toList();
        }
        if (sets.isEmpty()) {
            return "fail: no data set";
        }
        try (GraphSession session = GraphSession.create(model, provider, options)) {
            for (Path set : sets) {
                Map<String, Value> inputs = new LinkedHashMap<>();
                for (int k = 0; k < written.graph().inputs().size(); k++) {
                    ValueInfo input = written.graph().inputs().get(k);
                    if (model.graph().inputs().contains(input)) {
                        inputs.put(input.name(), OnnxValueFiles.read(set.resolve("input_" + k + ".pb"), input.type()));
                    }
                }
                Map<String, Value> outputs = session.run(inputs);
                for (int k = 0; k < model.graph().outputs().size(); k++) {
                    ValueInfo output = model.graph().outputs().get(k);
                    Path file = set.resolve("output_" + k + ".pb");
                    Value want = OnnxValueFiles.read(file, output.type());
                    String difference = difference(
                            outputs.get(output.name()),
                            want,
                            tolerance,
                            shapeOnly.test(folder.getFileName().toString()));
                    if (!difference.isEmpty()) {
                        return "fail: " + set.getFileName() + " " + output.name() + ": " + difference;
                    }
                }
            }
        }
        return "pass";
    }

    private static String difference(Value got, Value want, JsonNode tolerance, boolean shapeOnly) {
        if (want instanceof Value.Sequence wanted) {
            if (!(got instanceof Value.Sequence sequence)
                    || sequence.elements().size() != wanted.elements().size()) {
                return "want " + wanted + ", got " + got;
            }
            for (int k = 0; k < wanted.elements().size(); k++) {
                String inner =
                        difference(sequence.elements().get(k), wanted.elements().get(k), tolerance, shapeOnly);
                if (!inner.isEmpty()) {
                    return "element " + k + ": " + inner;
                }
            }
            return "";
        }
        if (want instanceof Value.Opt wanted) {
            if (!(got instanceof Value.Opt optional)
                    || optional.content().isPresent() != wanted.content().isPresent()) {
                return "want " + wanted + ", got " + got;
            }
            return wanted.content().isEmpty()
                    ? ""
                    : difference(
                            optional.content().orElseThrow(), wanted.content().orElseThrow(), tolerance, shapeOnly);
        }
        Tensor wanted = (Tensor) want;
        if (!(got instanceof Tensor tensor)
                || tensor.type() != wanted.type()
                || !Arrays.equals(tensor.shape(), wanted.shape())) {
            return "want " + wanted + ", got " + got;
        }
        return shapeOnly ? "" : elements(tensor, wanted, tolerance);
    }

    private static String elements(Tensor got, Tensor want, JsonNode tolerance) {
        if (want.type() == DataType.STRING) {
            return Arrays.equals(got.strings(), want.strings())
                    ? ""
                    : "want " + Arrays.toString(want.strings()) + ", got " + Arrays.toString(got.strings());
        }
        if (ComplexNumbers.is(want.type())) {
            return elements(ComplexNumbers.parts(got), ComplexNumbers.parts(want), tolerance);
        }
        int count = (int) want.elementCount();
        double largest = 0;
        boolean floating = want.type().isFloatingPoint();
        for (int k = 0; floating && k < count; k++) {
            double magnitude = Math.abs(TensorIo.getDouble(want, k));
            largest = Double.isFinite(magnitude) ? Math.max(largest, magnitude) : largest;
        }
        double absolute =
                switch (want.type()) {
                    case FLOAT, DOUBLE -> Math.max(1e-5, 1e-6 * largest);
                    case FLOAT16 -> 1e-3;
                    case BFLOAT16 -> 1.6e-2;
                    default -> 0;
                };
        double relative =
                switch (want.type()) {
                    case FLOAT, DOUBLE -> 1e-3;
                    case FLOAT16 -> 2e-3;
                    case BFLOAT16 -> 1.6e-2;
                    default -> 0;
                };
        if (floating) {
            absolute = Math.max(absolute, tolerance.path("atol").asDouble(0));
            relative = Math.max(relative, tolerance.path("rtol").asDouble(0));
        }
        long integers = tolerance.path("int_tolerance").asLong(0);
        for (int k = 0; k < count; k++) {
            boolean close = floating
                    ? close(TensorIo.getDouble(got, k), TensorIo.getDouble(want, k), absolute, relative)
                    : Math.abs(TensorIo.getLong(got, k) - TensorIo.getLong(want, k)) <= integers;
            if (!close) {
                return "element " + k + " of " + want + ": want " + TensorIo.getDouble(want, k) + ", got "
                        + TensorIo.getDouble(got, k);
            }
        }
        return "";
    }

    private static boolean close(double got, double want, double absolute, double relative) {
        if (Double.isNaN(want) || Double.isInfinite(want)) {
            return Double.compare(got, want) == 0;
        }
        return Math.abs(got - want) <= absolute + relative * Math.abs(want);
    }
}
