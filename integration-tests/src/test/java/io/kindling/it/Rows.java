package io.kindling.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Two hundred rows, and reading what jobs make of them. */
final class Rows {
    static final ObjectMapper JSON = new ObjectMapper();

    private static final List<String> SUBJECTS = List.of(
            "the sea",
            "a violin",
            "winter",
            "Lisbon",
            "bread",
            "the number seven",
            "a lighthouse",
            "tea",
            "gravity",
            "a bicycle",
            "the moon",
            "honey",
            "chess",
            "a river",
            "copper",
            "the alphabet",
            "a storm",
            "sleep",
            "paper",
            "an orchard");
    private static final List<String> PATTERNS = List.of(
            "Tell me about %s.",
            "What is %s?",
            "One sentence about %s:",
            "A poem that begins with %s",
            "Why do people like %s?",
            "%s is",
            "Q: Where would you find %s?\nA:",
            "List three words for %s.",
            "Once upon a time, %s",
            "Write a question about %s.");

    private Rows() {}

    static List<String> prompts() {
        List<String> prompts = new ArrayList<>();
        for (String pattern : PATTERNS) {
            for (String subject : SUBJECTS) {
                prompts.add(pattern.formatted(subject));
            }
        }
        return prompts;
    }

    /** Lines {@code {"id", "prompt"}}, as both the command line and Spark read them. */
    static Path write(Path file, List<String> prompts) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < prompts.size(); i++) {
            ObjectNode line = JSON.createObjectNode();
            line.put("id", "r" + i);
            line.put("prompt", prompts.get(i));
            lines.add(line.toString());
        }
        try {
            return Files.write(file, lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@code id} to a field of every line of a file, or of the files that Spark wrote to a folder; null where it is absent. */
    static Map<String, String> read(Path path, String field) {
        Map<String, String> values = new TreeMap<>();
        for (JsonNode line : lines(path)) {
            JsonNode value = line.get(field);
            values.put(line.get("id").asText(), value == null || value.isNull() ? null : value.asText());
        }
        return values;
    }

    static List<JsonNode> lines(Path path) {
        try {
            List<JsonNode> lines = new ArrayList<>();
            List<Path> files;
            try (Stream<Path> children = Files.walk(path)) {
                files = children.filter(Files::isRegularFile)
                        .filter(file -> file.toString().matches(".*\\.jsonl?"))
                        .sorted()
                        .toList();
            }
            for (Path file : files) {
                for (String line : Files.readAllLines(file)) {
                    lines.add(JSON.readTree(line));
                }
            }
            return lines;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
