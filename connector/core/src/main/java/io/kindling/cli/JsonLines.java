package io.kindling.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Files of one JSON object a line. Output is ASCII: nothing depends on a locale, and lone surrogates survive. */
final class JsonLines {
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private JsonLines() {}

    /** One line of a file; {@code number} counts from 1. */
    record Line(int number, ObjectNode object) {}

    static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    static String write(Object value) {
        try {
            return MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Any JSON document. */
    static JsonNode tree(String text) throws JsonProcessingException {
        return MAPPER.readTree(text);
    }

    /** A node as Java's maps, lists, strings, numbers, booleans and null. */
    static Object plain(JsonNode node) {
        return MAPPER.convertValue(node, Object.class);
    }

    /**
     * All lines that are not blank.
     *
     * @throws KindlingException NOT_FOUND or IO, naming file and line
     */
    static List<Line> read(Path file) {
        List<Line> lines = new ArrayList<>();
        int number = 0;
        for (String text : readLines(file)) {
            number++;
            if (text.isBlank()) {
                continue;
            }
            try {
                JsonNode node = MAPPER.readTree(text);
                if (!(node instanceof ObjectNode object)) {
                    throw malformed(file, number, "a JSON object is expected", null);
                }
                lines.add(new Line(number, object));
            } catch (JsonProcessingException problem) {
                throw malformed(file, number, problem.getOriginalMessage(), problem);
            }
        }
        return lines;
    }

    static KindlingException malformed(Path file, int line, String problem, Throwable cause) {
        return new KindlingException(ErrorCode.IO, file + ": line " + line + ": " + problem, cause);
    }

    /** One line of a file of cases: what it holds, or what is wrong with it. */
    record Case(ObjectNode object, String problem) {}

    /**
     * All lines that are not blank; one that holds no JSON object is a case by itself, so that it costs no other its answer.
     *
     * @throws KindlingException NOT_FOUND or IO, naming the file
     */
    static List<Case> cases(Path file) {
        List<Case> cases = new ArrayList<>();
        int number = 0;
        for (String text : readLines(file)) {
            number++;
            if (!text.isBlank()) {
                cases.add(oneCase(text, number));
            }
        }
        return cases;
    }

    private static Case oneCase(String text, int number) {
        try {
            return MAPPER.readTree(text) instanceof ObjectNode object
                    ? new Case(object, "")
                    : new Case(null, "line " + number + ": a JSON object is expected");
        } catch (JsonProcessingException problem) {
            return new Case(null, "line " + number + ": " + problem.getOriginalMessage());
        }
    }

    /** Lines without a byte order mark. */
    private static List<String> readLines(Path file) {
        try {
            List<String> lines = new ArrayList<>(Files.readAllLines(file));
            if (!lines.isEmpty() && lines.get(0).startsWith("\uFEFF")) {
                lines.set(0, lines.get(0).substring(1));
            }
            return lines;
        } catch (MalformedInputException notText) {
            throw new KindlingException(ErrorCode.IO, file + ": is no UTF-8 text; save it as UTF-8", notText);
        } catch (NoSuchFileException missing) {
            throw new KindlingException(ErrorCode.NOT_FOUND, file + ": no such file", missing);
        } catch (IOException problem) {
            throw new KindlingException(ErrorCode.IO, file + ": cannot be read: " + problem, problem);
        }
    }
}
