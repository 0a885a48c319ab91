package io.kindling.spark;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class ConnectorArrowsTest {
    private static final JavaClasses CONNECTOR = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.kindling.spark", "io.kindling.cli");

    /**
     * Plans, expressions and rules have Scala collections in their signatures, which differ between Scala versions: they
     * belong to the shims. The rows and exceptions of Spark's Java interfaces live in the same packages and are the same
     * in all versions.
     */
    @Test
    void theCoreUsesNoCatalystTrees() {
        DescribedPredicate<JavaClass> trees = resideInAPackage("org.apache.spark.sql.catalyst..")
                .and(not(nameMatching("(\\[L)?org\\.apache\\.spark\\.sql\\.catalyst\\.(InternalRow;?"
                        + "|util\\.(ArrayBasedMapData|ArrayData|GenericArrayData|MapData)|analysis\\.NoSuch\\w+Exception"
                        + "|expressions\\.(GenericInternalRow|GenericRowWithSchema))")));
        noClasses().should().dependOnClassesThat(trees).check(CONNECTOR);
    }

    @Test
    void theCommandLineRunsWithoutSpark() {
        noClasses()
                .that()
                .resideInAPackage("io.kindling.cli..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.apache.spark..", "scala..")
                .check(CONNECTOR);
    }

    @Test
    void executorCodeReadsNoSessionConfiguration() {
        noClasses()
                .that()
                .resideInAnyPackage("io.kindling.spark.runtime..", "io.kindling.spark.metrics..")
                .should()
                .dependOnClassesThat()
                .haveNameMatching("org\\.apache\\.spark\\.sql\\.(internal\\.SQLConf|RuntimeConfig)")
                .check(CONNECTOR);
    }

    @Test
    void onlyTheRuntimeLoadsModels() {
        noClasses()
                .that()
                .resideInAPackage("io.kindling.spark..")
                .and()
                .resideOutsideOfPackage("io.kindling.spark.runtime..")
                .should()
                .dependOnClassesThat()
                .haveNameMatching("io\\.kindling\\.engine\\.Model")
                .check(CONNECTOR);
    }
}
