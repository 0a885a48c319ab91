package io.kindling.cuda;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class CudaArrowsTest {
    private static final JavaClasses CUDA = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.kindling.cuda");

    @Test
    void onlyTheDriverPackageUsesJcuda() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.kindling.cuda.driver..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("jcuda..")
                .check(CUDA);
    }

    @Test
    void theDriverPackageDoesNotKnowTheEngine() {
        noClasses()
                .that()
                .resideInAPackage("io.kindling.cuda.driver..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.kindling.engine..")
                .check(CUDA);
    }

    @Test
    void theProviderKnowsNoLoaderAndNoSession() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.kindling.engine",
                        "io.kindling.engine.onnx..",
                        "io.kindling.engine.session..",
                        "io.kindling.engine.cpu..",
                        "io.kindling.engine.generate..")
                .check(CUDA);
    }
}
