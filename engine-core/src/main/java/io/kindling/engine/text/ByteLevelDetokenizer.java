package io.kindling.engine.text;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.function.IntPredicate;

/** For byte-level vocabularies: joins the bytes of tokens and decodes them as UTF-8, malformed ones to U+FFFD. */
final class ByteLevelDetokenizer implements IncrementalDetokenizer {
    private static final int LONGEST_CHARACTER = 4;

    private final TokenBytes tokens;
    private final IntPredicate skipped;
    private final CharsetDecoder decoder = StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    private final StringBuilder text = new StringBuilder();
    private byte[] unfinished = new byte[0];

    ByteLevelDetokenizer(TokenBytes tokens, IntPredicate skipped) {
        this.tokens = tokens;
        this.skipped = skipped;
    }

    @Override
    public String add(int tokenId) {
        if (skipped.test(tokenId)) {
            return "";
        }
        byte[] added = tokens.of(tokenId);
        ByteBuffer bytes = ByteBuffer.allocate(unfinished.length + added.length);
        bytes.put(unfinished).put(added).flip();
        CharBuffer characters = CharBuffer.allocate(bytes.remaining() + LONGEST_CHARACTER);
        // Without end of input the decoder leaves the bytes of an unfinished character in the buffer.
        decoder.reset().decode(bytes, characters, false);
        unfinished = new byte[bytes.remaining()];
        bytes.get(unfinished);
        String piece = characters.flip().toString();
        text.append(piece);
        return piece;
    }

    @Override
    public String text() {
        return text.toString();
    }

    @Override
    public boolean hasUnfinishedCharacter() {
        return unfinished.length > 0;
    }
}
