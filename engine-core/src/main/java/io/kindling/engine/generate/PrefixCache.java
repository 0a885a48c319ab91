package io.kindling.engine.generate;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Finds the page that holds a block of 16 tokens behind a given beginning. Blocks are compared token by token, so two
 * beginnings are never taken for each other.
 */
final class PrefixCache {
    /** The beginning of every sequence. */
    static final long ROOT = 0;

    /** The beginning of sequences whose keys differ from those of others for their length; see RaggedModel.longFrom. */
    static final long LONG_ROOT = -1;

    /** A block: who stands before it, and its tokens. */
    private record Key(long parent, TokenBlock tokens) {}

    /** Tokens compared by content. */
    private static final class TokenBlock {
        private final int[] ids;
        private final int hash;

        TokenBlock(int[] ids) {
            this.ids = ids;
            hash = Arrays.hashCode(ids);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof TokenBlock block && Arrays.equals(ids, block.ids);
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }

    /** A cached block. */
    record Block(long id, int page) {}

    private final Map<Key, Block> blocks = new HashMap<>();
    private final Map<Integer, Key> byPage = new HashMap<>();
    private long lastId = ROOT;

    /** The block of tokens {@code from} to {@code to} behind {@code parent}, or null. */
    Block find(long parent, int[] ids, int from, int to) {
        return blocks.get(key(parent, ids, from, to));
    }

    /** Remembers that a page holds these tokens; a block that is known already keeps its page. */
    Block add(long parent, int[] ids, int from, int to, int page) {
        Key key = key(parent, ids, from, to);
        Block known = blocks.get(key);
        if (known != null) {
            return known;
        }
        Block block = new Block(++lastId, page);
        blocks.put(key, block);
        byPage.put(page, key);
        return block;
    }

    boolean holds(int page) {
        return byPage.containsKey(page);
    }

    /** Forgets a page. Blocks behind it can no longer be reached and go as their pages are needed. */
    void forget(int page) {
        blocks.remove(byPage.remove(page));
    }

    private static Key key(long parent, int[] ids, int from, int to) {
        return new Key(parent, new TokenBlock(Arrays.copyOfRange(ids, from, to)));
    }
}
