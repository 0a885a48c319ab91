package io.kindling.cli;

/**
 * Sends the engine's log to standard error, one short line a message, unless the process already logs somewhere. The
 * backend is named by property and not found as a service, so that it never competes with Spark's.
 */
final class StderrLogging {
    private StderrLogging() {}

    static void install() {
        setDefault("slf4j.provider", "org.slf4j.simple.SimpleServiceProvider");
        setDefault("slf4j.internal.verbosity", "ERROR");
        setDefault("org.slf4j.simpleLogger.defaultLogLevel", "warn");
        setDefault("org.slf4j.simpleLogger.log.io.kindling", "info");
        setDefault("org.slf4j.simpleLogger.showThreadName", "false");
        setDefault("org.slf4j.simpleLogger.showLogName", "false");
    }

    private static void setDefault(String property, String value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }
}
