package io.kindling.engine.metadata;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.text.ChatTemplates;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The text half of a model package; its graph need not be there.
 *
 * @param root the folder
 * @param tokenizerFile {@code tokenizer.json}
 * @param chatTemplates the templates and the special tokens that they read
 */
public record TextFiles(Path root, Optional<Path> tokenizerFile, ChatTemplates chatTemplates) {
    /**
     * Finds it.
     *
     * @param location a folder, or a file whose folder is the package
     * @throws KindlingException NOT_FOUND when there is no such place, MODEL_INVALID or TEMPLATE for malformed files
     */
    public static TextFiles open(Path location) {
        if (!Files.exists(location)) {
            throw new KindlingException(
                    ErrorCode.NOT_FOUND, "there is no model '" + location + "': neither a folder nor a file");
        }
        Path root = Files.isDirectory(location)
                ? location
                : location.toAbsolutePath().getParent();
        Path tokenizer = root.resolve("tokenizer.json");
        return new TextFiles(
                root,
                Files.isRegularFile(tokenizer) ? Optional.of(tokenizer) : Optional.empty(),
                templates(
                        root,
                        MetadataFile.json(root.resolve("tokenizer_config.json")),
                        MetadataFile.json(root.resolve("special_tokens_map.json"))));
    }

    /** The templates of a package that is being resolved. */
    static ChatTemplates templates(PackageFiles files) {
        return templates(files.root(), files.tokenizerConfig(), files.specialTokens());
    }

    private static ChatTemplates templates(
            Path root, Optional<MetadataFile> tokenizerConfig, Optional<MetadataFile> specialTokens) {
        return new ChatTemplates(
                "the model in '" + root + "'",
                TemplateFiles.read(root, tokenizerConfig),
                SpecialTokens.read(tokenizerConfig, specialTokens));
    }
}
