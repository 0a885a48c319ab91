package io.kindling.engine;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which package of the engine may not know which: every line is one room of the house and what it must not touch. */
class EngineArrowsTest {
    private static final JavaClasses ENGINE = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.kindling.engine");

    @ParameterizedTest
    @CsvSource({
        // room, rooms it must not depend on; "engine" is the facade's own package
        "error, engine ir onnx gguf shape optimize provider cpu session metadata text sample generate profile",
        "random, engine error ir onnx gguf shape optimize provider cpu session metadata text sample generate",
        "ir, engine onnx gguf shape optimize provider cpu session metadata text sample generate",
        "onnx, engine cpu session text sample generate",
        "gguf, engine provider cpu session sample generate",
        "shape, engine onnx provider cpu session metadata text sample generate",
        "optimize, engine onnx provider cpu session text sample generate",
        "provider, engine onnx gguf shape optimize cpu session metadata text sample generate",
        "cpu, engine onnx gguf shape optimize session metadata text sample generate",
        "session, onnx gguf cpu metadata text sample generate",
        "metadata, provider cpu session sample generate",
        "text, constrain onnx gguf shape optimize provider cpu session sample generate",
        "constrain, ir onnx gguf shape optimize provider cpu session metadata generate",
        "sample, constrain onnx gguf shape optimize cpu session metadata text generate",
        "generate, onnx gguf cpu",
        "embed, onnx gguf cpu sample generate",
    })
    void aRoomDoesNotTouch(String room, String others) {
        String[] forbidden = Arrays.stream(others.trim().split(" "))
                .map(other -> other.equals("engine") ? "io.kindling.engine" : "io.kindling.engine." + other + "..")
                .toArray(String[]::new);
        noClasses()
                .that()
                .resideInAPackage("io.kindling.engine." + room + "..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(forbidden)
                .allowEmptyShould(true)
                .check(ENGINE);
    }

    @Test
    void onlyTheLoaderKnowsProtobuf() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.kindling.engine.onnx..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("com.google.protobuf..", "io.kindling.engine.onnx.proto..")
                .check(ENGINE);
    }

    @Test
    void nativeMethodsHaveOneHome() {
        methods()
                .that()
                .haveModifier(JavaModifier.NATIVE)
                .should()
                .beDeclaredInClassesThat()
                .resideInAPackage("io.kindling.engine.cpu.simd")
                .allowEmptyShould(true)
                .check(ENGINE);
    }

    @Test
    void noRoomKnowsSparkOrCuda() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.apache.spark..", "jcuda..", "io.kindling.spark..", "io.kindling.cuda..")
                .check(ENGINE);
    }

    @Test
    void theRulesSeeTheEngine() {
        assertThat(ENGINE.contain(EngineOptions.class)).isTrue();
        assertThat(ENGINE.size()).isGreaterThan(50);
    }
}
