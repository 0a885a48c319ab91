package io.kindling.engine.constrain;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.sample.TokenMask;

/** How far one answer has come in its grammar. Not thread-safe, and neither are two answers of one engine. */
public final class GrammarState {
    private final Grammar grammar;
    private Node state;
    private int tokens;
    private boolean ended;

    GrammarState(Grammar grammar) {
        this.grammar = grammar;
        state = grammar.start();
    }

    /**
     * The tokens that may come next.
     *
     * @param vocabulary how many tokens there are to choose from
     * @throws KindlingException CONSTRAINT when there is none
     */
    public TokenMask allowed(int vocabulary) {
        TokenMask allowed = tokens == 0 ? grammar.first() : grammar.owner().allowed(state);
        if (allowed.isEmpty(vocabulary)) {
            throw new KindlingException(
                    ErrorCode.CONSTRAINT,
                    "no token of the model's vocabulary can go on with the JSON behind " + tokens
                            + " tokens of the answer; the tokenizer lacks characters that the schema asks for: change the"
                            + " schema or the model");
        }
        return allowed;
    }

    /** Takes the next token, which is allowed. */
    public void accept(int token) {
        if (grammar.owner().stops(token) && state.mayEnd()) {
            ended = true;
            return;
        }
        Node next = grammar.owner().walk(state, token, tokens == 0);
        if (next == Node.DEAD) {
            throw new IllegalArgumentException("token " + token + " is not allowed here");
        }
        state = next;
        tokens++;
        ended = state.mustEnd();
    }

    /** Whether the answer is whole and nothing may follow. */
    public boolean isEnded() {
        return ended;
    }
}
