package io.kindling.engine.gguf;

/** The metadata of a file's architecture, whose keys begin with its name; numbers are checked against their range. */
final class Metadata {
    private final GgufFile file;
    private final String prefix;

    Metadata(GgufFile file, String architecture) {
        this.file = file;
        prefix = architecture + ".";
    }

    GgufFile file() {
        return file;
    }

    String name(String key) {
        return "metadata " + prefix + key;
    }

    boolean has(String key) {
        return file.metadata().containsKey(prefix + key);
    }

    int size(String key, int maximum) {
        long value = file.require(prefix + key, Long.class);
        if (value < 1 || value > maximum) {
            throw file.invalid(name(key), "is " + value + ", expected 1 to " + maximum);
        }
        return (int) value;
    }

    int size(String key, int maximum, int absent) {
        return has(key) ? size(key, maximum) : absent;
    }

    String text(String key, String absent) {
        return file.find(prefix + key, String.class).orElse(absent);
    }

    double positive(String key) {
        if (!has(key)) {
            throw file.invalid(name(key), "is missing");
        }
        return positive(key, 0);
    }

    /** A number above zero. */
    double positive(String key, double absent) {
        double value = number(key, absent);
        if (!(value > 0 && value < 1e30)) {
            throw file.invalid(name(key), "is " + value + ", expected a number above 0");
        }
        return value;
    }

    /** A number above zero, or zero for none. */
    double optional(String key) {
        double value = number(key, 0);
        return value == 0 ? 0 : positive(key, value);
    }

    private double number(String key, double absent) {
        Object value = file.metadata().get(prefix + key);
        return value instanceof Long whole
                ? whole.doubleValue()
                : file.find(prefix + key, Double.class).orElse(absent);
    }

    /** Refuses a key that changes what the model computes. */
    void refuse(String key, String meaning) {
        Object value = file.metadata().get(prefix + key);
        boolean neutral = value == null || value.equals(0L) || value.equals(0.0) || value.equals(false);
        if (!neutral) {
            throw file.unsupported(name(key), "is " + GgufFile.abbreviated(value) + "; " + meaning);
        }
    }
}
