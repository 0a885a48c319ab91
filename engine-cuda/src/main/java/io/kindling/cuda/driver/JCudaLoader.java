package io.kindling.cuda.driver;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Loads JCuda and {@link JCudaCalls} in a class loader of their own, which hands JCuda a private copy of its native library and
 * removes it once it is loaded. Left to itself, JCuda writes the library into the temporary folder by one name for all processes and
 * leaves it there; and the JVM refuses one file to two class loaders, of which a Spark driver may have several.
 */
final class JCudaLoader extends ClassLoader {
    private static final String FOLDER_PROPERTY = "kindling.native.dir";
    private static final String LIBRARIES = "lib/";

    private final List<Path> copies = new ArrayList<>();

    private JCudaLoader() {
        super(JCudaLoader.class.getClassLoader());
    }

    /** @throws LinkageError when the library or the driver is missing */
    static DriverCalls load() {
        JCudaLoader loader = new JCudaLoader();
        try {
            return (DriverCalls) Class.forName(JCudaCalls.class.getName(), true, loader)
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (InvocationTargetException failed) {
            throw failed.getCause() instanceof LinkageError unloadable
                    ? unloadable
                    : new LinkageError("JCuda does not start: " + failed.getCause(), failed.getCause());
        } catch (ReflectiveOperationException broken) {
            throw new LinkageError("JCuda is not in the jar: " + broken, broken);
        } finally {
            loader.removeCopies();
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith("jcuda.") && !name.equals(JCudaCalls.class.getName())) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        try (InputStream file = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (file == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] content = file.readAllBytes();
            return defineClass(name, content, 0, content.length, getClass().getProtectionDomain());
        } catch (IOException unreadable) {
            throw new ClassNotFoundException(name, unreadable);
        }
    }

    @Override
    protected String findLibrary(String name) {
        String file = System.mapLibraryName(name);
        try (InputStream library = getParent().getResourceAsStream(LIBRARIES + file)) {
            if (library == null) {
                return null; // the JVM looks along java.library.path
            }
            String folder = System.getProperty(FOLDER_PROPERTY, System.getProperty("java.io.tmpdir"));
            Path copy = Files.createTempFile(Files.createDirectories(Path.of(folder)), "kindling-", "-" + file);
            copies.add(copy);
            Files.copy(library, copy, StandardCopyOption.REPLACE_EXISTING);
            return copy.toAbsolutePath().toString();
        } catch (IOException unwritable) {
            throw new LinkageError("cannot write a copy of " + file + ": " + unwritable, unwritable);
        }
    }

    /** Hides the libraries from JCuda, which would write one that does not load a second time, and leave it. */
    @Override
    public URL getResource(String name) {
        return name.startsWith(LIBRARIES) ? null : super.getResource(name);
    }

    /** A loaded file can go at once, so that a killed process leaves none behind; Windows keeps it until exit. */
    private void removeCopies() {
        for (Path copy : copies) {
            if (!copy.toFile().delete()) {
                copy.toFile().deleteOnExit();
            }
        }
    }
}
