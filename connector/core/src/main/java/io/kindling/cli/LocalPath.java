package io.kindling.cli;

import java.net.URI;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Files and folders of this machine, also as {@code file:} URIs; those of other file systems are Spark's to open. */
final class LocalPath implements ITypeConverter<Path> {
    /** One letter would be a drive. */
    private static final Pattern URI_SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]+):.*", Pattern.DOTALL);

    @Override
    public Path convert(String text) {
        Matcher uri = URI_SCHEME.matcher(text);
        try {
            if (!uri.matches() || Path.of(text).toFile().exists()) {
                return Path.of(text);
            }
            if (uri.group(1).equalsIgnoreCase("file")) {
                URI parsed = URI.create(text);
                if (parsed.getAuthority() == null && parsed.getPath() != null) {
                    return Path.of(parsed.getPath());
                }
            }
        } catch (IllegalArgumentException malformed) {
            throw new TypeConversionException("'" + text + "' is no path: " + malformed.getMessage());
        }
        throw new TypeConversionException(
                "'" + text + "' is not on this machine: this command takes paths and file:/ URIs."
                        + " Spark jobs, generate-table and SQL functions read URIs of all file systems; else copy it here");
    }
}
