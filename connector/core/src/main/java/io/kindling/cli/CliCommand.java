package io.kindling.cli;

import io.kindling.engine.OptionValues;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * What all commands have in common. A command that needs Spark keeps Spark's types out of its own fields and method
 * signatures, so that the others run without it.
 */
public abstract class CliCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Option(names = "--help", usageHelp = true, description = "Shows this help.")
    private boolean help;

    @Option(names = "--verbose", description = "Shows stack traces and details.")
    private boolean verbose;

    private final OptionFlags options;

    protected CliCommand(OptionFlags options) {
        this.options = options;
    }

    final OptionFlags options() {
        return options;
    }

    /** The values of the flags that come from the option table. */
    protected final OptionValues optionValues() {
        return options.read(spec.commandLine().getParseResult());
    }

    /** Results. */
    protected final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    /** Messages. */
    protected final PrintWriter err() {
        return spec.commandLine().getErr();
    }

    protected final boolean verbose() {
        return verbose;
    }

    /** To be thrown when the flags do not fit together. */
    protected final ParameterException usageError(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
