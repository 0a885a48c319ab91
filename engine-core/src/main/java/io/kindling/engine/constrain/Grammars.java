package io.kindling.engine.constrain;

import io.kindling.engine.JsonShape;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.sample.TokenMask;
import io.kindling.engine.text.TokenBytes;
import io.kindling.engine.text.Tokenizer;
import java.util.BitSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The shapes that one engine holds answers to, each compiled once. Many threads may ask for grammars; only one, the engine's, may
 * follow them.
 */
public final class Grammars {
    private static final int MOST_SHAPES = 256;
    /** What all states with masks may take before they are forgotten: many thousands of a vocabulary of 49,152. */
    private static final long MOST_BYTES = 64L << 20;
    /** About what a state takes beside its mask, with those that were met on the way to the mask. */
    private static final int STATE_BYTES = 4096;

    private final Tokenizer tokenizer;
    private final Set<Integer> stopIds;
    private final Map<JsonShape, Grammar> grammars = new ConcurrentHashMap<>();
    private volatile TokenTrie trie;
    /** Written before {@link #trie} and read behind it. */
    private TokenBytes vocabulary;

    private long bytes;

    /** @param stopIds tokens that end an answer; allowed where it is whole */
    public Grammars(Tokenizer tokenizer, Set<Integer> stopIds) {
        this.tokenizer = tokenizer;
        this.stopIds = Set.copyOf(stopIds);
    }

    /**
     * The grammar of a shape.
     *
     * @throws KindlingException CONSTRAINT when the bytes of this tokenizer's tokens cannot be told
     */
    public Grammar of(JsonShape shape) {
        if (trie == null) {
            readVocabulary();
        }
        Grammar known = grammars.get(shape);
        if (known != null) {
            return known;
        }
        if (grammars.size() >= MOST_SHAPES) {
            grammars.clear();
        }
        return grammars.computeIfAbsent(shape, made -> new Grammar(this, Shapes.start(made)));
    }

    private synchronized void readVocabulary() {
        if (trie == null) {
            vocabulary = tokenizer
                    .tokenBytes()
                    .orElseThrow(
                            () -> new KindlingException(
                                    ErrorCode.CONSTRAINT,
                                    "an answer cannot be held to a form: in this model's tokenizer a token's text depends on its"
                                            + " neighbours; leave out response_format, or use generate in the place of extract"));
            trie = new TokenTrie(vocabulary);
        }
    }

    /** What may come behind a state. */
    TokenMask allowed(Node state) {
        TokenMask mask = state.allowed();
        if (mask == null) {
            mask = mask(trie.allowed(state), state);
            state.allow(mask);
        }
        return mask;
    }

    /** What may come first: some tokenizers drop a blank there. */
    TokenMask allowedFirst(Node start) {
        BitSet allowed = new BitSet();
        for (int id = 0; id < vocabulary.size(); id++) {
            allowed.set(id, walk(start, id, true) != Node.DEAD);
        }
        return mask(allowed, start);
    }

    private TokenMask mask(BitSet allowed, Node state) {
        // Some files do not say that an end token is special, so that it has a text, which no answer may hold.
        stopIds.forEach(id -> allowed.set(id, state.mayEnd()));
        TokenMask mask = TokenMask.of(allowed);
        bytes += mask.bytes() + STATE_BYTES;
        if (bytes > MOST_BYTES) {
            grammars.clear();
            bytes = 0;
        }
        return mask;
    }

    /** The state behind a token; DEAD for one that has no bytes. */
    Node walk(Node from, int token, boolean first) {
        byte[] bytes = (first ? vocabulary.first(token) : vocabulary.of(token)).orElse(new byte[0]);
        Node state = bytes.length == 0 ? Node.DEAD : from;
        for (byte value : bytes) {
            state = state.next(value & 0xFF);
        }
        return state;
    }

    boolean stops(int token) {
        return stopIds.contains(token);
    }
}
