package io.kindling.engine.gguf;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.ModelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A model in one GGUF file, or in several, which llama.cpp's {@code gguf-split} names {@code NAME-00001-of-0000N.gguf}: the first has
 * the metadata, all have tensors, and {@code split.no}, {@code split.count} and {@code split.tensors.count} say what belongs together.
 */
public final class GgufParts {
    private static final Pattern NAME = Pattern.compile("(.*)-(\\d{5})-of-(\\d{5})\\.gguf");
    private static final String COUNT = "split.count";

    private GgufParts() {}

    /** The names of all parts of a model by the name of one; the name alone for a model in one file. */
    public static List<String> names(String name) {
        Matcher split = NAME.matcher(name);
        if (!split.matches()) {
            return List.of(name);
        }
        int count = Integer.parseInt(split.group(3));
        List<String> names = new ArrayList<>();
        for (int part = 1; part <= count; part++) {
            names.add(String.format(Locale.ROOT, "%s-%05d-of-%05d.gguf", split.group(1), part, count));
        }
        return names;
    }

    /** The files of a model by one of them, whether they are there or not. */
    public static List<Path> files(Path file) {
        return names(file.getFileName().toString()).stream()
                .map(file::resolveSibling)
                .toList();
    }

    /**
     * The header of the whole model.
     *
     * @param file the only file, or any part
     * @throws ModelException naming the part at fault
     */
    static GgufFile read(Path file) {
        List<Path> parts = files(file);
        if (parts.isEmpty()) {
            throw new ModelException(
                    ErrorCode.MODEL_INVALID, file.toString(), "", "is named as part of a model in 0 files");
        }
        for (Path part : parts) {
            if (parts.size() > 1 && !Files.isRegularFile(part)) {
                throw new ModelException(
                        ErrorCode.NOT_FOUND,
                        file.toString(),
                        "",
                        "is one of " + parts.size() + " parts, of which '" + part.getFileName()
                                + "' is missing; put all parts into one folder");
            }
        }
        GgufFile first = GgufReader.read(parts.get(0));
        Map<String, GgufTensor> tensors = new LinkedHashMap<>(first.tensors());
        check(first, 0, parts.size());
        for (int number = 1; number < parts.size(); number++) {
            GgufFile part = GgufReader.read(parts.get(number));
            check(part, number, parts.size());
            part.tensors().forEach((name, tensor) -> {
                if (tensors.put(name, tensor) != null) {
                    throw part.invalid("tensor '" + name + "'", "is in an earlier part too");
                }
            });
        }
        long wanted = first.find("split.tensors.count", Long.class).orElse((long) tensors.size());
        if (wanted != tensors.size()) {
            throw first.invalid(
                    "metadata split.tensors.count", "is " + wanted + ", but the parts hold " + tensors.size());
        }
        return new GgufFile(first.path(), first.metadata(), tensors);
    }

    private static void check(GgufFile part, int number, int parts) {
        Optional<Long> count = part.find(COUNT, Long.class);
        if (parts == 1 && count.orElse(0L) > 1) {
            throw part.invalid(
                    "metadata " + COUNT,
                    "is " + count.get()
                            + ", so the model has further files; name them NAME-00001-of-0000N.gguf as they were");
        }
        if (parts > 1 && count.orElse(0L) != parts) {
            throw part.invalid(
                    "metadata " + COUNT,
                    "is " + count.map(String::valueOf).orElse("missing") + ", but the name says " + parts);
        }
        long no = part.find("split.no", Long.class).orElse((long) number);
        if (parts > 1 && no != number) {
            throw part.invalid("metadata split.no", "is " + no + ", but the name says part " + (number + 1));
        }
    }
}
