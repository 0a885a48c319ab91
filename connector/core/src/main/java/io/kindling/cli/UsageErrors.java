package io.kindling.cli;

import io.kindling.engine.NearestName;
import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says what is wrong with the arguments and what was probably meant; exit code 2. */
final class UsageErrors implements CommandLine.IParameterExceptionHandler {
    @Override
    public int handleParseException(ParameterException problem, String[] args) {
        CommandLine command = problem.getCommandLine();
        PrintWriter err = command.getErr();
        if (problem instanceof UnmatchedArgumentException unmatched) {
            unmatched.getUnmatched().stream()
                    .limit(1)
                    .forEach(argument -> err.println("kindling: " + unknown(command, argument)));
        } else {
            err.println("kindling: " + problem.getMessage());
        }
        err.println("See '" + command.getCommandSpec().qualifiedName() + " --help'.");
        return CommandLine.ExitCode.USAGE;
    }

    private static String unknown(CommandLine command, String argument) {
        if (argument.startsWith("-")) {
            String name = argument.split("=", 2)[0];
            List<String> flags = command.getCommandSpec().options().stream()
                    .map(option -> option.longestName())
                    .collect(Collectors.toList());
            return "unknown flag '" + name + "'" + suggestion(name, flags);
        }
        if (!command.getSubcommands().isEmpty()) {
            return "unknown command '" + argument + "'"
                    + suggestion(argument, List.copyOf(command.getSubcommands().keySet()));
        }
        return "unexpected argument '" + argument + "'";
    }

    private static String suggestion(String name, List<String> known) {
        return NearestName.of(name, known)
                .map(nearest -> ", did you mean '" + nearest + "'?")
                .orElse("");
    }
}
