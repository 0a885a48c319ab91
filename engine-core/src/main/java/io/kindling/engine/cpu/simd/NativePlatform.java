package io.kindling.engine.cpu.simd;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Names of this platform's library inside the jar: {@code native/<os>-<arch>[-musl]/<file>}. */
record NativePlatform(String folder, String file) {

    static NativePlatform current() {
        return of(System.getProperty("os.name"), System.getProperty("os.arch"), processMaps());
    }

    /** @param processMaps what Linux says is mapped into this process; tells musl from glibc */
    static NativePlatform of(String osName, String osArch, String processMaps) {
        String os = osName.toLowerCase(Locale.ROOT);
        String arch =
                switch (osArch.toLowerCase(Locale.ROOT)) {
                    case "amd64", "x86_64", "x64" -> "x86_64";
                    case "aarch64", "arm64" -> "aarch64";
                    default -> osArch.toLowerCase(Locale.ROOT);
                };
        if (os.startsWith("windows")) {
            return new NativePlatform("windows-" + arch, "kindling.dll");
        }
        if (os.startsWith("mac")) {
            return new NativePlatform("macos-" + arch, "libkindling.dylib");
        }
        String libc = processMaps.contains("ld-musl") || processMaps.contains("libc.musl") ? "-musl" : "";
        return new NativePlatform(os.replace(' ', '-') + "-" + arch + libc, "libkindling.so");
    }

    private static String processMaps() {
        try {
            return Files.readString(Path.of("/proc/self/maps"), StandardCharsets.ISO_8859_1);
        } catch (IOException | SecurityException absent) {
            return "";
        }
    }

    String resource() {
        return "/native/" + folder + "/" + file;
    }
}
