package io.kindling.cuda.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JCudaLoaderTest {
    private static final String TEMPORARY = "java.io.tmpdir";

    @TempDir
    Path folder;

    private final String usual = System.getProperty(TEMPORARY);

    @BeforeEach
    void useFolder() {
        System.setProperty(TEMPORARY, folder.toString());
    }

    @AfterEach
    void useUsualFolder() {
        System.setProperty(TEMPORARY, usual);
    }

    private static Object load() {
        try {
            return JCudaLoader.load();
        } catch (LinkageError unloadable) {
            return unloadable.getMessage();
        }
    }

    @Test
    void anyNumberOfClassLoadersLoadCopiesThatDoNotStay() {
        for (Object loaded : new Object[] {load(), load()}) {
            if (loaded instanceof String message) {
                assertThat(message)
                        .as("without a driver")
                        .contains(folder + "/kindling-", "libcuda.so.1")
                        .doesNotContain("already loaded");
            } else {
                assertThat(loaded.getClass().getClassLoader()).isInstanceOf(JCudaLoader.class);
                assertThat(((DriverCalls) loaded).errorName(0)).isEqualTo("CUDA_SUCCESS");
            }
        }
        assertThat(folder).isEmptyDirectory();
    }
}
