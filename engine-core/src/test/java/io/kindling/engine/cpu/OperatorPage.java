package io.kindling.engine.cpu;

import io.kindling.engine.cpu.simd.NativeBackend;
import io.kindling.engine.provider.KernelFactory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** {@code OPERATORS.md}, from the kernel registry and the operators that the onnx package and ONNX Runtime define. */
final class OperatorPage {
    private static final Map<String, String> NOTES = Map.ofEntries(
            Map.entry("BeamSearch", "decoders in the form of GPT; the output of all scores is refused"),
            Map.entry("Bernoulli", "seed: option `random_seed` where the node has none"),
            Map.entry("Cast", "numbers become strings as ONNX Runtime writes them: `1`, not `1.0`"),
            Map.entry("Dropout", "versions before 12 always mean inference"),
            Map.entry("GreedySearch", "decoders in the form of GPT"),
            Map.entry(
                    "ImageDecoder", "PNG, JPEG, BMP, PNM and TIFF; not WebP and JPEG 2000, which the JDK cannot read"),
            Map.entry("Multinomial", "seed: option `random_seed` where the node has none"),
            Map.entry("RandomNormal", "seed: option `random_seed` where the node has none"),
            Map.entry("RandomNormalLike", "seed: option `random_seed` where the node has none"),
            Map.entry("RandomUniform", "seed: option `random_seed` where the node has none"),
            Map.entry("RandomUniformLike", "seed: option `random_seed` where the node has none"),
            Map.entry("SimplifiedLayerNormalization", "as exporters for ONNX Runtime write it"));

    /** Operators that the executor runs without a kernel. */
    static final Set<String> WITH_BODIES = Set.of(
            "If",
            "Loop",
            "Scan",
            "SequenceMap",
            "ai.onnx.preview::FlexAttention",
            "com.microsoft::BeamSearch",
            "com.microsoft::GreedySearch");

    /** Names for sets of types; the longest that fit are taken. */
    private static final Map<String, List<String>> GROUPS = new LinkedHashMap<>();

    static {
        GROUPS.put("floats", List.of("float", "double", "float16", "bfloat16"));
        GROUPS.put("integers", List.of("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"));
        GROUPS.put("float8", List.of("float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz"));
        GROUPS.put("float6", List.of("float6e2m3", "float6e3m2"));
        GROUPS.put("complex", List.of("complex64", "complex128"));
    }

    /** One since-version of an operator. */
    record Definition(String domain, String name, int since, boolean deprecated, String types) {
        String key() {
            return domain.isEmpty() ? name : domain + "::" + name;
        }
    }

    private OperatorPage() {}

    static List<Definition> definitions() throws IOException {
        List<Definition> definitions = new ArrayList<>();
        for (String[] line : lines("operators.tsv")) {
            definitions.add(
                    new Definition(line[0], line[1], Integer.parseInt(line[2]), line[3].equals("deprecated"), line[4]));
        }
        return definitions;
    }

    /** Why operators are not run, by {@code domain::Name}. */
    static Map<String, String> reasons() throws IOException {
        Map<String, String> reasons = new TreeMap<>();
        for (String[] line : lines("operators-not-run.tsv")) {
            reasons.put(line[0] + "::" + line[1], line[2]);
        }
        return reasons;
    }

    private static List<String[]> lines(String resource) throws IOException {
        try (InputStream in = OperatorPage.class.getResourceAsStream(resource)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(line -> line.split("\t", -1))
                    .toList();
        }
    }

    static String markdown() throws IOException {
        Map<String, TreeSet<Integer>> registered = new TreeMap<>();
        Set<String> accelerated = new TreeSet<>();
        KernelPool pool = new KernelPool(1);
        NativeBackend backend = new NativeBackend();
        KernelFactory reference = request -> context -> {};
        CpuKernels.register(pool, (domain, name, since, factory) -> {
            String key = domain.isEmpty() ? name : domain + "::" + name;
            registered.computeIfAbsent(key, k -> new TreeSet<>()).add(since);
            if (backend.accelerate(domain, name, since, reference, pool) != reference) {
                accelerated.add(key);
            }
        });
        pool.close();
        WITH_BODIES.forEach(key -> registered.put(key, new TreeSet<>(Set.of(1))));
        Map<String, List<Definition>> defined = definitions().stream()
                .collect(Collectors.groupingBy(Definition::key, HashMap::new, Collectors.toList()));
        StringBuilder page = new StringBuilder(PREFACE);
        for (String domain :
                List.of("", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training", "com.microsoft")) {
            page.append("\n## ").append(domain.isEmpty() ? "ai.onnx" : domain).append("\n\n");
            page.append("| operator | since versions | element types | kernels | notes |\n");
            page.append("| --- | --- | --- | --- | --- |\n");
            registered.forEach((key, versions) -> {
                String own = key.contains("::") ? key.substring(0, key.indexOf("::")) : "";
                if (own.equals(domain)) {
                    page.append(row(
                            key,
                            defined.getOrDefault(key, List.of()),
                            versions,
                            WITH_BODIES.contains(key) ? "graph" : accelerated.contains(key) ? "native, Java" : "Java"));
                }
            });
        }
        page.append("\n## Not run\n\n| operator | reason |\n| --- | --- |\n");
        reasons().forEach((key, reason) -> page.append("| ")
                .append(key)
                .append(" | ")
                .append(reason)
                .append(" |\n"));
        return page.toString();
    }

    private static final String PREFACE = """
            # Operators

            The operators that run on the CPU. The page is made from the kernel registry, and a test keeps it equal to that. Every version of
            an operator in onnx 1.23.2 (opsets 1 to 28) runs as that version defines it, all but `Gradient`, and so do the operators of ONNX
            Runtime 1.32 that are listed. The last section lists those that do not run: a model that has one is refused when it is loaded, with
            the operator's name.

            Element types are those of the newest version: *floats* are float, double, float16 and bfloat16; *integers* int8 to int64 and
            uint8 to uint64; *float8* e4m3fn, e4m3fnuz, e5m2 and e5m2fnuz; *float6* e2m3 and e3m2; *complex* complex64 and complex128. Small
            random cases of every version in every type run against ONNX Runtime and the ONNX reference:

            ```
            $(python3 tools/pyenv.py oracle) engine-core/src/test/python/operator_cases.py cases
            java -jar connector/target/kindling.jar conformance cases
            ```

            The first command makes more than 20,000 cases; `cases/cases.tsv` names the oracle of each and says where oracles differ,
            `cases/without_oracle.tsv` lists what neither computes. A recorded part of them is a test.

            *Kernels*: there is a Java kernel for everything; a native one takes its place where types and shapes suit it. *graph*: the
            executor runs the operator, whose bodies are graphs of their own.
            """;

    private static String row(String key, List<Definition> definitions, TreeSet<Integer> registered, String kernels) {
        String name = key.substring(key.lastIndexOf(':') + 1);
        Set<String> versions = new LinkedHashSet<>();
        (definitions.isEmpty() ? registered.stream() : definitions.stream().map(Definition::since))
                .sorted()
                .forEach(version -> versions.add(version.toString()));
        String types = definitions.isEmpty()
                ? ""
                : types(definitions.get(definitions.size() - 1).types());
        return "| " + name + " | " + String.join(", ", versions) + " | " + types + " | " + kernels + " | "
                + NOTES.getOrDefault(name, "") + " |\n";
    }

    private static String types(String constraints) {
        List<String> shown = new ArrayList<>();
        for (String constraint : constraints.isEmpty() ? new String[0] : constraints.split(";")) {
            String[] sides = constraint.split("=", 2);
            shown.add(sides[0] + ": " + grouped(new LinkedHashSet<>(Arrays.asList(sides[1].split(",(?![^(]*\\))")))));
        }
        return String.join("; ", shown);
    }

    private static String grouped(Set<String> types) {
        List<String> shown = new ArrayList<>();
        GROUPS.forEach((group, members) -> {
            if (types.containsAll(members)) {
                types.removeAll(members);
                shown.add(group);
            }
        });
        boolean sequences = types.removeIf(type -> type.startsWith("seq("));
        boolean optionals = types.removeIf(type -> type.startsWith("optional("));
        shown.addAll(types);
        if (sequences) {
            shown.add("sequences");
        }
        if (optionals) {
            shown.add("optionals");
        }
        return String.join(", ", shown);
    }
}
