package io.kindling.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

/** What a command printed and returned. */
public record CommandRun(int exitCode, String out, String err) {
    public static CommandRun of(Object... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        String[] texts = java.util.Arrays.stream(args).map(String::valueOf).toArray(String[]::new);
        int exitCode = Main.run(new PrintWriter(out), new PrintWriter(err), texts);
        return new CommandRun(exitCode, out.toString(), err.toString());
    }

    List<String> outLines() {
        return out.lines().toList();
    }
}
