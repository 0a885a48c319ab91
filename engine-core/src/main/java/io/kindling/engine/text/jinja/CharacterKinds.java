package io.kindling.engine.text.jinja;

import java.util.Locale;

/** What Python's text methods tell of characters. */
final class CharacterKinds {
    private CharacterKinds() {}

    static boolean isUpper(String text) {
        return text.codePoints().noneMatch(c -> Character.isLowerCase(c) || Character.isTitleCase(c))
                && text.codePoints().anyMatch(Character::isUpperCase);
    }

    static boolean isLower(String text) {
        return text.codePoints().noneMatch(c -> Character.isUpperCase(c) || Character.isTitleCase(c))
                && text.codePoints().anyMatch(Character::isLowerCase);
    }

    static boolean isTitle(String text) {
        boolean inside = false;
        boolean any = false;
        for (int c : text.codePoints().toArray()) {
            boolean upper = Character.isUpperCase(c) || Character.isTitleCase(c);
            if (upper && inside || Character.isLowerCase(c) && !inside) {
                return false;
            }
            inside = upper || Character.isLowerCase(c);
            any |= inside;
        }
        return any;
    }

    /** Superscripts, circled digits and the like, of 0 to 9. */
    static boolean isOtherDigit(int c) {
        int value = Character.getNumericValue(c);
        return Character.getType(c) == Character.OTHER_NUMBER && value >= 0 && value <= 9;
    }

    static boolean isOtherNumber(int c) {
        return Character.getType(c) == Character.OTHER_NUMBER || Character.getType(c) == Character.LETTER_NUMBER;
    }

    /** Full case folding, character by character: what is written in two ways becomes one. */
    static String folded(String text) {
        StringBuilder folded = new StringBuilder();
        text.codePoints().forEach(c -> Character.toString(c)
                .toUpperCase(Locale.ROOT)
                .codePoints()
                .forEach(upper -> folded.append(Character.toString(upper).toLowerCase(Locale.ROOT))));
        return folded.toString();
    }
}
