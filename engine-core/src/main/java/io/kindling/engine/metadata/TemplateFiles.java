package io.kindling.engine.metadata;

import com.fasterxml.jackson.databind.JsonNode;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds the chat templates of a package: {@code chat_template.jinja} and {@code additional_chat_templates/NAME.jinja}; without these
 * {@code chat_template} of {@code tokenizer_config.json}, a text or a list of {@code {name, template}}; without it that of
 * {@code chat_template.json}, where processors kept theirs.
 */
final class TemplateFiles {
    private static final String DEFAULT = "default";
    private static final String FIELD = "chat_template";
    private static final String SUFFIX = ".jinja";

    private TemplateFiles() {}

    /** Texts by name. */
    static Map<String, String> read(Path root, Optional<MetadataFile> tokenizerConfig) {
        Map<String, String> templates = files(root);
        if (templates.isEmpty()) {
            tokenizerConfig.ifPresent(file -> templates.putAll(field(file)));
        }
        if (templates.isEmpty()) {
            MetadataFile.json(root.resolve("chat_template.json")).ifPresent(file -> templates.putAll(field(file)));
        }
        return templates;
    }

    private static Map<String, String> files(Path root) {
        Map<String, String> templates = new LinkedHashMap<>();
        Path single = root.resolve(FIELD + SUFFIX);
        if (Files.isRegularFile(single)) {
            templates.put(DEFAULT, text(single));
        }
        Path folder = root.resolve("additional_chat_templates");
        if (Files.isDirectory(folder)) {
            for (Path file : list(folder)) {
                String name = file.getFileName().toString();
                if (name.endsWith(SUFFIX) && Files.isRegularFile(file)) {
                    templates.put(name.substring(0, name.length() - SUFFIX.length()), text(file));
                }
            }
        }
        return templates;
    }

    private static List<Path> list(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        } catch (IOException unreadable) {
            throw new KindlingException(
                    ErrorCode.IO, "cannot list the folder '" + folder + "': " + unreadable.getMessage(), unreadable);
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new KindlingException(
                    ErrorCode.TEMPLATE,
                    "cannot read the chat template '" + file + "' as UTF-8 text: " + unreadable.getMessage(),
                    unreadable);
        }
    }

    private static Map<String, String> field(MetadataFile file) {
        Map<String, String> templates = new LinkedHashMap<>();
        JsonNode field = file.at(FIELD);
        if (!field.isArray()) {
            file.text(FIELD).ifPresent(text -> templates.put(DEFAULT, text));
            return templates;
        }
        for (JsonNode named : field) {
            if (!named.path("name").isTextual() || !named.path("template").isTextual()) {
                throw file.invalid(FIELD, "must be a text or a list of {name, template}, not with " + named);
            }
            templates.put(named.get("name").textValue(), named.get("template").textValue());
        }
        return templates;
    }
}
