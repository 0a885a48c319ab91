package io.kindling.engine.text;

import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The text of each token and which are special. Immutable. */
final class TokenNames {
    private final String[] names;
    private final BitSet special = new BitSet();
    private final Map<String, Integer> added = new LinkedHashMap<>();

    /**
     * Gives added tokens their ids as the tokenizers library does: that of the vocabulary where it has the text, else the next
     * one behind all others. The ids in the file mean nothing.
     */
    TokenNames(Map<String, Integer> vocabulary, List<AddedToken> addedTokens) {
        int next = vocabulary.size();
        for (AddedToken token : addedTokens) {
            if (!added.containsKey(token.content())) {
                Integer known = vocabulary.get(token.content());
                int id = known != null ? known : next;
                added.put(token.content(), id);
                next = Math.max(next, id + 1);
            }
        }
        int size = 1 + Math.max(highest(vocabulary), highest(added));
        names = new String[size];
        vocabulary.forEach((name, id) -> names[id] = name);
        added.forEach((name, id) -> names[id] = name);
        Set<String> specialTexts = new HashSet<>();
        addedTokens.stream().filter(AddedToken::special).forEach(token -> specialTexts.add(token.content()));
        for (int id = 0; id < size; id++) {
            special.set(id, names[id] != null && specialTexts.contains(names[id]));
        }
    }

    private static int highest(Map<String, Integer> ids) {
        return ids.values().stream().mapToInt(Integer::intValue).max().orElse(-1);
    }

    /** Null for ids that no token has. */
    String name(int id) {
        return id < 0 || id >= names.length ? null : names[id];
    }

    /** All ids are below. */
    int size() {
        return names.length;
    }

    boolean isSpecial(int id) {
        return id >= 0 && special.get(id);
    }

    /** Id of an added token. */
    int addedId(String content) {
        return added.get(content);
    }
}
