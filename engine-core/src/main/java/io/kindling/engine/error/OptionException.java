package io.kindling.engine.error;

import java.util.List;

/** One or more bad options, all reported together. */
public final class OptionException extends KindlingException {
    private final List<String> problems;

    public OptionException(List<String> problems) {
        super(
                ErrorCode.INVALID_OPTION,
                problems.size() == 1
                        ? problems.get(0)
                        : problems.size() + " bad options: " + String.join("; ", problems));
        this.problems = List.copyOf(problems);
    }

    public OptionException(String problem) {
        this(List.of(problem));
    }

    public List<String> problems() {
        return problems;
    }
}
