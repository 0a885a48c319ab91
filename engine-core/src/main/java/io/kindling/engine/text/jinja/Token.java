package io.kindling.engine.text.jinja;

/**
 * A token.
 *
 * @param text of names and operators, as written
 * @param value of data, strings and numbers
 */
record Token(Type type, String text, Object value, Position position) {
    enum Type {
        DATA,
        VARIABLE_BEGIN,
        VARIABLE_END,
        BLOCK_BEGIN,
        BLOCK_END,
        NAME,
        STRING,
        INTEGER,
        FLOAT,
        OPERATOR,
        END
    }

    boolean isName(String name) {
        return type == Type.NAME && text.equals(name);
    }

    boolean isOperator(String operator) {
        return type == Type.OPERATOR && text.equals(operator);
    }

    /** As messages show it. */
    String describe() {
        return switch (type) {
            case END -> "end of template";
            case BLOCK_END, VARIABLE_END -> "end of the tag";
            case DATA -> "text";
            default -> "'" + text + "'";
        };
    }
}
