package io.kindling.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A fenced block of a page.
 *
 * @param place page and line of its first line
 * @param language the word after the fence, or nothing
 */
record Snippet(String place, String language, String text) {
    /** Those of the README and of all pages, in their order. */
    static List<Snippet> ofAllPages() {
        try (Stream<Path> docs = Files.list(Repository.ROOT.resolve("docs"))) {
            List<Path> pages =
                    new ArrayList<>(docs.filter(file -> file.toString().endsWith(".md"))
                            .sorted()
                            .toList());
            pages.add(0, Repository.ROOT.resolve("README.md"));
            pages.add(Repository.ROOT.resolve("connector/python/README.md"));
            List<Snippet> snippets = new ArrayList<>();
            for (Path page : pages) {
                read(page, snippets);
            }
            return snippets;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void read(Path page, List<Snippet> snippets) throws IOException {
        List<String> lines = Files.readAllLines(page);
        for (int start = 0; start < lines.size(); start++) {
            if (lines.get(start).startsWith("```")) {
                int end = start + 1;
                while (!lines.get(end).startsWith("```")) {
                    end++;
                }
                snippets.add(new Snippet(
                        Repository.ROOT.relativize(page) + ":" + (start + 2),
                        lines.get(start).substring(3).trim(),
                        String.join("\n", lines.subList(start + 1, end))));
                start = end;
            }
        }
    }

    /** With other words in the place of some. */
    Snippet with(Map<String, String> replacements) {
        String changed = text;
        for (var words : replacements.entrySet()) {
            changed = changed.replace(words.getKey(), words.getValue());
        }
        return new Snippet(place, language, changed);
    }
}
