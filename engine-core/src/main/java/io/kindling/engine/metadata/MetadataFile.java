package io.kindling.engine.metadata;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.ModelException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/** A metadata file, read field by field. Fields are dotted paths; every complaint names file and field. */
final class MetadataFile {
    // Hugging Face files are written by Python, which has NaN and Infinity.
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .build();

    private static final int MAX_YAML_VALUES = 1 << 20;
    private static final int MAX_YAML_DEPTH = 100;

    private final Path file;
    private final JsonNode root;

    private MetadataFile(Path file, JsonNode root) {
        this.file = file;
        this.root = root;
    }

    /** @throws ModelException when the file is there but holds no JSON object */
    static Optional<MetadataFile> json(Path file) {
        return read(file, text -> parseJson(file, text));
    }

    private static JsonNode parseJson(Path file, String text) {
        try {
            return MAPPER.readTree(text);
        } catch (JsonProcessingException malformed) {
            throw malformed(file, "is no JSON: " + malformed.getOriginalMessage(), malformed);
        }
    }

    /**
     * A file that holds a JSON array, which becomes the field {@code items}.
     *
     * @throws ModelException when the file is there but holds no JSON array
     */
    static Optional<MetadataFile> array(Path file) {
        return read(file, text -> {
            JsonNode items = parseJson(file, text);
            if (!items.isArray()) {
                throw malformed(file, "must hold a list", null);
            }
            return MAPPER.createObjectNode().set("items", items);
        });
    }

    /** @throws ModelException when the file is there but holds no YAML mapping */
    static Optional<MetadataFile> yaml(Path file) {
        return read(file, text -> {
            try {
                Yaml yaml = new Yaml(new SafeConstructor(new LoaderOptions()));
                Object content = yaml.load(text);
                requireSmall(file, content, 0, new int[1]);
                return MAPPER.valueToTree(content);
            } catch (YAMLException | IllegalArgumentException | ClassCastException malformed) {
                // SnakeYAML casts a node to what its tag says (!!set 16) before it looks at it.
                throw malformed(file, "is no YAML: " + malformed.getMessage(), malformed);
            }
        });
    }

    /** Aliases let a small YAML file stand for a tree without end. */
    private static void requireSmall(Path file, Object value, int depth, int[] values) {
        if (++values[0] > MAX_YAML_VALUES || depth > MAX_YAML_DEPTH) {
            throw malformed(
                    file,
                    "stands for more than " + MAX_YAML_VALUES + " values or nests them more than " + MAX_YAML_DEPTH
                            + " deep, aliases written out; write it with fewer aliases",
                    null);
        }
        if (value instanceof Map<?, ?> map) {
            map.forEach((key, entry) -> {
                requireSmall(file, key, depth + 1, values);
                requireSmall(file, entry, depth + 1, values);
            });
        } else if (value instanceof Collection<?> items) {
            items.forEach(item -> requireSmall(file, item, depth + 1, values));
        }
    }

    private interface Parser {
        JsonNode parse(String text);
    }

    private static Optional<MetadataFile> read(Path file, Parser parser) {
        if (!Files.isRegularFile(file)) {
            return Optional.empty();
        }
        String text;
        try {
            text = Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw malformed(file, "cannot be read as UTF-8 text: " + unreadable.getMessage(), unreadable);
        }
        JsonNode root = parser.parse(text);
        if (root == null || !root.isObject()) {
            throw malformed(file, "must hold an object with named fields", null);
        }
        return Optional.of(new MetadataFile(file, root));
    }

    private static ModelException malformed(Path file, String problem, Throwable cause) {
        return new ModelException(ErrorCode.MODEL_INVALID, file.toString(), "", problem, cause);
    }

    Path file() {
        return file;
    }

    String name() {
        return file.getFileName().toString();
    }

    /** The names of its fields. */
    List<String> fields() {
        List<String> names = new ArrayList<>();
        root.fieldNames().forEachRemaining(names::add);
        return names;
    }

    /** A missing node when any part of the path is absent or null. */
    JsonNode at(String path) {
        JsonNode node = root;
        for (String part : path.split("\\.")) {
            node = node.path(part);
        }
        return node.isNull() ? MissingNode.getInstance() : node;
    }

    boolean has(String path) {
        return !at(path).isMissingNode();
    }

    Optional<String> text(String path) {
        JsonNode node = at(path);
        if (node.isMissingNode()) {
            return Optional.empty();
        }
        if (!node.isTextual()) {
            throw invalid(path, "must be a text, not " + node);
        }
        return Optional.of(node.textValue());
    }

    /** The place below {@code root} that a field names; it need not be there, nor lie in {@code root}. */
    Path path(Path root, String field, String name) {
        try {
            return root.resolve(name).normalize();
        } catch (InvalidPathException noPath) {
            throw new ModelException(ErrorCode.MODEL_INVALID, file.toString(), field, "names no path", noPath);
        }
    }

    List<String> texts(String path) {
        JsonNode node = at(path);
        if (node.isMissingNode()) {
            return List.of();
        }
        if (!node.isArray()) {
            throw invalid(path, "must be a list of texts, not " + node);
        }
        List<String> texts = new ArrayList<>();
        for (JsonNode item : node) {
            if (!item.isTextual()) {
                throw invalid(path, "must be a list of texts, not " + node);
            }
            texts.add(item.textValue());
        }
        return texts;
    }

    OptionalInt integer(String path) {
        JsonNode node = at(path);
        if (node.isMissingNode()) {
            return OptionalInt.empty();
        }
        if (!node.isIntegralNumber() || !node.canConvertToInt()) {
            throw invalid(path, "must be a 32-bit integer, not " + node);
        }
        return OptionalInt.of(node.intValue());
    }

    /** A positive integer; absent when it is not there. */
    OptionalInt size(String path) {
        OptionalInt value = integer(path);
        if (value.isPresent() && value.getAsInt() <= 0) {
            throw invalid(path, "must be positive, not " + value.getAsInt());
        }
        return value;
    }

    /** Token ids, written as one number or as a list. */
    Set<Integer> ids(String path) {
        JsonNode node = at(path);
        Set<Integer> ids = new LinkedHashSet<>();
        if (node.isMissingNode()) {
            return ids;
        }
        Iterable<JsonNode> items = node.isArray() ? node : List.of(node);
        for (JsonNode item : items) {
            if (!item.isIntegralNumber() || !item.canConvertToInt()) {
                throw invalid(path, "must be a token id or a list of them, not " + node);
            }
            // Some exporters write -1 for none.
            if (item.intValue() >= 0) {
                ids.add(item.intValue());
            }
        }
        return ids;
    }

    /** The fields of an object that are not among {@code known}; none when there is no such object. */
    List<String> unknownFields(String path, Collection<String> known) {
        JsonNode node = path.isEmpty() ? root : at(path);
        List<String> unknown = new ArrayList<>();
        node.fieldNames().forEachRemaining(name -> {
            if (!known.contains(name)) {
                unknown.add(path.isEmpty() ? name : path + "." + name);
            }
        });
        return unknown;
    }

    ModelException invalid(String path, String problem) {
        return new ModelException(ErrorCode.MODEL_INVALID, file.toString(), path, problem);
    }

    ModelException unsupported(String path, String problem) {
        return new ModelException(ErrorCode.UNSUPPORTED, file.toString(), path, problem);
    }

    ModelException unresolved(String path, String problem) {
        return new ModelException(ErrorCode.UNRESOLVED, file.toString(), path, problem);
    }
}
