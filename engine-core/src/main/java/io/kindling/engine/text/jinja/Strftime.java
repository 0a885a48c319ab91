package io.kindling.engine.text.jinja;

import java.time.LocalDateTime;
import java.time.format.TextStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.IsoFields;
import java.util.Locale;

/** Python's {@code datetime.strftime} in the C locale, for times without zone; {@code %-d} and the like leave out padding. */
final class Strftime {
    private Strftime() {}

    static String format(LocalDateTime time, String pattern) {
        TextBuffer out = new TextBuffer();
        for (int k = 0; k < pattern.length(); k++) {
            char c = pattern.charAt(k);
            if (c != '%' || k + 1 == pattern.length()) {
                out.append(String.valueOf(c));
                continue;
            }
            char code = pattern.charAt(++k);
            boolean bare = code == '-' && k + 1 < pattern.length();
            if (bare) {
                code = pattern.charAt(++k);
            }
            String field = field(time, code);
            out.append(bare ? field.replaceFirst("^[0 ]+(?=.)", "") : field);
        }
        return out.toString();
    }

    private static String field(LocalDateTime time, char code) {
        return switch (code) {
            case 'Y' -> Integer.toString(time.getYear());
            case 'y' -> two(time.getYear() % 100);
            case 'C' -> two(time.getYear() / 100);
            case 'm' -> two(time.getMonthValue());
            case 'd' -> two(time.getDayOfMonth());
            case 'e' -> String.format("%2d", time.getDayOfMonth());
            case 'H' -> two(time.getHour());
            case 'I' -> two(time.get(ChronoField.CLOCK_HOUR_OF_AMPM));
            case 'M' -> two(time.getMinute());
            case 'S' -> two(time.getSecond());
            case 'f' -> String.format("%06d", time.getNano() / 1000);
            case 'j' -> String.format("%03d", time.getDayOfYear());
            case 'B' -> time.getMonth().getDisplayName(TextStyle.FULL, Locale.ENGLISH);
            case 'b', 'h' ->
                time.getMonth().getDisplayName(TextStyle.FULL, Locale.ENGLISH).substring(0, 3);
            case 'A' -> time.getDayOfWeek().getDisplayName(TextStyle.FULL, Locale.ENGLISH);
            case 'a' ->
                time.getDayOfWeek()
                        .getDisplayName(TextStyle.FULL, Locale.ENGLISH)
                        .substring(0, 3);
            case 'p' -> time.getHour() < 12 ? "AM" : "PM";
            case 'P' -> time.getHour() < 12 ? "am" : "pm";
            case 'k' -> String.format("%2d", time.getHour());
            case 'l' -> String.format("%2d", time.get(ChronoField.CLOCK_HOUR_OF_AMPM));
            case 'u' -> Integer.toString(time.getDayOfWeek().getValue());
            case 'w' -> Integer.toString(time.getDayOfWeek().getValue() % 7);
            case 'U' -> two((time.getDayOfYear() + 6 - time.getDayOfWeek().getValue() % 7) / 7);
            case 'W' -> two((time.getDayOfYear() + 6 - (time.getDayOfWeek().getValue() + 6) % 7) / 7);
            case 'V' -> two(time.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR));
            case 'G' -> Integer.toString(time.get(IsoFields.WEEK_BASED_YEAR));
            case 'F' -> format(time, "%Y-%m-%d");
            case 'T', 'X' -> format(time, "%H:%M:%S");
            case 'R' -> format(time, "%H:%M");
            case 'D', 'x' -> format(time, "%m/%d/%y");
            case 'c' -> format(time, "%a %b %e %H:%M:%S %Y");
            case 'z', 'Z' -> "";
            case 'n' -> "\n";
            case 't' -> "\t";
            case '%' -> "%";
            default -> "%" + code;
        };
    }

    private static String two(int number) {
        return (number < 10 ? "0" : "") + number;
    }
}
