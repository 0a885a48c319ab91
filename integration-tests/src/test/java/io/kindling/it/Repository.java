package io.kindling.it;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Places of this repository, and the real model. */
final class Repository {
    static final Path ROOT =
            Path.of(System.getProperty("kindling.repository")).toAbsolutePath().normalize();
    static final Path JAR = ROOT.resolve("connector/target/kindling.jar");
    static final Path EXAMPLES_JAR = ROOT.resolve("examples/target/kindling-examples.jar");

    private static Path model;
    private static Path encoder;

    private Repository() {}

    /** SmolLM2-135M-Instruct, made on first use unless {@code -Dkindling.test.model} names a folder. */
    static synchronized Path model() {
        if (model == null) {
            String given = System.getProperty("kindling.test.model", "");
            model = given.isEmpty()
                    ? Path.of(python("tools/testmodel.py", JAR.toString()))
                    : Path.of(given).toAbsolutePath();
        }
        if (!Files.isDirectory(model)) {
            throw new IllegalStateException("no model at " + model);
        }
        return model;
    }

    /** all-MiniLM-L6-v2, made on first use. */
    static synchronized Path encoder() {
        if (encoder == null) {
            encoder = Path.of(python("tools/testmodel.py", "--encoder"));
        }
        return encoder;
    }

    /** The classifier of tickets that the examples train, in a folder below this one. */
    static Path ticketClassifier(Path folder) {
        Path classifier = folder.resolve("queues");
        Processes.run(
                        ROOT,
                        Map.of(),
                        python("tools/pyenv.py", "oracle"),
                        "examples/train_classifier.py",
                        encoder().toString(),
                        "examples/data/tickets.csv",
                        classifier.toString())
                .orFail();
        return classifier;
    }

    /** The last line that one of the repository's own scripts prints. */
    static String python(String... command) {
        String[] whole = new String[command.length + 1];
        whole[0] = "python3";
        System.arraycopy(command, 0, whole, 1, command.length);
        return Processes.run(ROOT, Map.of(), whole).orFail().lastLine();
    }
}
