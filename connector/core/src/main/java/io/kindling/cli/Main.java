package io.kindling.cli;

import io.kindling.spark.job.GenerateTable;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Entry point of the jar. Exit codes: 0 success, 2 wrong usage or bad options, 1 anything else. Results go to standard
 * output, messages to standard error.
 */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        StderrLogging.install();
        int exitCode;
        // Files, pipes and JSON are UTF-8 whatever the locale says.
        try (PrintWriter out = new PrintWriter(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
                PrintWriter err =
                        new PrintWriter(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8)) {
            exitCode = run(out, err, args);
        }
        System.exit(exitCode);
    }

    /** Runs one command and returns its exit code. */
    static int run(PrintWriter out, PrintWriter err, String... args) {
        CommandLine line = new CommandLine(new Root());
        for (CliCommand command : commands()) {
            CommandLine sub = new CommandLine(command);
            command.options().addTo(sub.getCommandSpec());
            line.addSubcommand(sub);
        }
        line.registerConverter(Path.class, new LocalPath());
        line.setOut(out);
        line.setErr(err);
        line.setExpandAtFiles(false);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setUsageHelpAutoWidth(true);
        line.setParameterExceptionHandler(new UsageErrors());
        line.setExecutionExceptionHandler(new CommandErrors());
        int exitCode = line.execute(OptionFlags.normalized(args));
        out.flush();
        err.flush();
        return exitCode;
    }

    private static List<CliCommand> commands() {
        return List.of(
                new InspectCommand(),
                new ConvertCommand(),
                new RunCommand(),
                new ConformanceCommand(),
                new GenerateCommand(),
                new TokenizeCommand(),
                new TemplateCommand(),
                new BenchCommand(),
                new GenerateTable());
    }

    @Command(
            name = "kindling",
            description = "ONNX inference and text generation with Kindling's own engine.",
            mixinStandardHelpOptions = true,
            versionProvider = Version.class,
            synopsisSubcommandLabel = "COMMAND")
    private static final class Root implements Runnable {
        @Spec
        private CommandSpec spec;

        @Override
        public void run() {
            throw new ParameterException(spec.commandLine(), "a command is missing");
        }
    }

    private static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Main.class.getPackage().getImplementationVersion();
            return new String[] {"kindling " + (version == null ? "(not run from its jar)" : version)};
        }
    }
}
