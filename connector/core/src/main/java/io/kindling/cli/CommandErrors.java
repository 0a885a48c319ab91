package io.kindling.cli;

import io.kindling.engine.error.KindlingException;
import io.kindling.engine.error.OptionException;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

/** Reports faults of commands: one message, a stack trace only with {@code --verbose}; exit code 1, or 2 for bad options. */
final class CommandErrors implements CommandLine.IExecutionExceptionHandler {
    @Override
    public int handleExecutionException(Exception fault, CommandLine command, ParseResult parsed) {
        PrintWriter err = command.getErr();
        if (fault instanceof OptionException options) {
            options.problems().forEach(problem -> err.println("kindling: " + problem));
        } else {
            err.println("kindling: " + describe(fault));
        }
        if (command.getCommand() instanceof CliCommand cli && cli.verbose()) {
            fault.printStackTrace(err);
        }
        return fault instanceof OptionException ? CommandLine.ExitCode.USAGE : CommandLine.ExitCode.SOFTWARE;
    }

    /** The code and the message, where the engine gave them. */
    static String describe(Throwable fault) {
        if (fault instanceof KindlingException typed) {
            return typed.code() + ": " + typed.getMessage();
        }
        if (fault instanceof java.io.IOException) {
            return "IO: " + fault.getClass().getSimpleName() + ": " + fault.getMessage();
        }
        return "INTERNAL: " + fault;
    }
}
