package io.kindling.bundle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What is in the jar that users add to Spark, and under which names. */
class ShadedJarIT {
    private static JarFile jar;

    @BeforeAll
    static void open() throws IOException {
        jar = new JarFile(System.getProperty("kindling.jar"));
    }

    @AfterAll
    static void close() throws IOException {
        jar.close();
    }

    private static List<String> names() {
        return jar.stream()
                .filter(entry -> !entry.isDirectory())
                .map(entry -> entry.getName())
                .toList();
    }

    private static String service(String type) throws IOException {
        try (var in = jar.getInputStream(jar.getJarEntry("META-INF/services/" + type))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        }
    }

    @Test
    void classesLieInTheseTopLevelPackagesOnly() {
        Set<String> packages = new TreeSet<>();
        for (String name : names()) {
            if (name.endsWith(".class") && !name.startsWith("META-INF/")) {
                String[] parts = name.split("/");
                packages.add(
                        parts.length == 1
                                ? "(default)"
                                : parts[0].equals("jcuda") ? "jcuda" : parts[0] + "." + parts[1]);
            }
        }
        assertThat(packages).containsExactly("ai.djl", "com.sun", "io.kindling", "jcuda", "org.slf4j");
        assertThat(names()).noneMatch(name -> name.startsWith("com/sun/") && !name.startsWith("com/sun/jna/"));
    }

    @Test
    void whatSparkShipsTooIsRelocated() {
        Set<String> relocated = new TreeSet<>();
        String prefix = "io/kindling/shaded/";
        for (String name : names()) {
            if (name.startsWith(prefix) && name.endsWith(".class")) {
                String[] parts = name.substring(prefix.length()).split("/");
                relocated.add(parts[0].equals("picocli") ? "picocli" : parts[0] + "." + parts[1] + "." + parts[2]);
            }
        }
        assertThat(relocated)
                .contains(
                        "com.google.protobuf",
                        "com.google.gson",
                        "com.fasterxml.jackson",
                        "org.yaml.snakeyaml",
                        "picocli")
                .allMatch(
                        name -> name.matches(
                                "picocli|org\\.yaml\\.snakeyaml|com\\.fasterxml\\.jackson|org\\.apache\\.commons|com\\.google\\.\\w+"));
    }

    @Test
    void nothingOfScalaOrSparkIsInside() {
        assertThat(names())
                .noneMatch(name -> name.startsWith("scala/") || name.startsWith("org/apache/"))
                .noneMatch(name -> name.endsWith(".SF") || name.endsWith(".RSA"));
    }

    @Test
    void sparkFindsTheExtensionAndNoLoggingBackend() throws IOException {
        assertThat(service("org.apache.spark.sql.SparkSessionExtensionsProvider"))
                .isEqualTo("io.kindling.spark.KindlingExtensions");
        assertThat(jar.getJarEntry("META-INF/services/org.slf4j.spi.SLF4JServiceProvider"))
                .isNull();
        assertThat(jar.getJarEntry("org/slf4j/simple/SimpleServiceProvider.class"))
                .isNotNull();
    }

    @Test
    void theManifestNamesTheCommandLine() throws IOException {
        assertThat(jar.getManifest().getMainAttributes().getValue("Main-Class")).isEqualTo("io.kindling.cli.Main");
        assertThat(jar.getJarEntry("io/kindling/cli/Main.class")).isNotNull();
    }
}
