package io.kindling.spark;

import io.kindling.engine.NearestName;
import io.kindling.engine.error.KindlingException;
import io.kindling.spark.config.ModelNames;
import io.kindling.spark.config.Refusals;
import io.kindling.spark.config.SessionSettings;
import io.kindling.spark.functions.CatalogFunction;
import io.kindling.spark.functions.PromptFunction;
import io.kindling.spark.functions.RunFunction;
import io.kindling.spark.source.CatalogTables;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.NoSuchFunctionException;
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.connector.catalog.FunctionCatalog;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.NamespaceChange;
import org.apache.spark.sql.connector.catalog.SupportsNamespaces;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * Functions and models in SQL. Without a namespace: {@code onnx.generate(…)}. A namespace is a model, by alias or, in backticks, by
 * URI: {@code onnx.minilm.run(…)}, {@code SELECT * FROM onnx.minilm.ports}. The session extension registers it as {@code onnx}; by hand
 * it is {@code spark.sql.catalog.onnx=io.kindling.spark.OnnxCatalog}.
 */
public final class OnnxCatalog implements FunctionCatalog, TableCatalog, SupportsNamespaces {
    /** The name that the extension gives the catalog. */
    public static final String DEFAULT_NAME = "onnx";

    private static final Map<String, CatalogFunction> FUNCTIONS = functions();
    private String name = DEFAULT_NAME;

    private static Map<String, CatalogFunction> functions() {
        Map<String, CatalogFunction> functions = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        PromptFunction.all().forEach(function -> functions.put(function.name(), function));
        RunFunction.ofAnyModel().forEach(function -> functions.put(function.name(), function));
        return functions;
    }

    @Override
    public void initialize(String catalogName, CaseInsensitiveStringMap options) {
        name = catalogName;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Identifier[] listFunctions(String[] namespace) throws NoSuchNamespaceException {
        requireNamespace(namespace);
        return namespace.length > 0
                ? new Identifier[] {Identifier.of(namespace, RunFunction.NAME)}
                : FUNCTIONS.keySet().stream()
                        .map(function -> Identifier.of(namespace, function))
                        .toArray(Identifier[]::new);
    }

    @Override
    public UnboundFunction loadFunction(Identifier identifier) {
        return find(identifier).orElseThrow(() -> noFunction(identifier));
    }

    /** In place of {@link NoSuchFunctionException}, of which Spark makes a message that names nothing there is. */
    private RuntimeException noFunction(Identifier identifier) {
        String asked = identifier.name();
        String message;
        if (identifier.namespace().length > 0) {
            String model = String.join(".", name, model(identifier.namespace()));
            message = model + " has no function '" + asked + "', only " + model + ".run"
                    + (FUNCTIONS.containsKey(asked)
                            ? "; write " + name + '.' + asked + "('" + model(identifier.namespace()) + "', …)"
                            : "");
        } else {
            message = name + " has no function '" + asked + "'" + instead(asked, FUNCTIONS.keySet());
        }
        return Refusals.of(message, "UNRESOLVED_ROUTINE");
    }

    private static String instead(String asked, Collection<String> known) {
        String meant = NearestName.of(asked.toLowerCase(Locale.ROOT), known)
                .map(nearest -> ", did you mean '" + nearest + "'? It has ")
                .orElse("; it has ");
        return meant + String.join(", ", known);
    }

    private static Optional<CatalogFunction> find(Identifier identifier) {
        String[] namespace = identifier.namespace();
        if (namespace.length == 0) {
            return Optional.ofNullable(FUNCTIONS.get(identifier.name()));
        }
        return identifier.name().equalsIgnoreCase(RunFunction.NAME)
                ? Optional.of(RunFunction.of(model(namespace)))
                : Optional.empty();
    }

    /** Whether a session has this catalog under a name. */
    public static boolean isNamed(String catalog, SparkSession session) {
        return session.conf().get("spark.sql.catalog." + catalog, "").equals(OnnxCatalog.class.getName());
    }

    /** A function by its full name, the catalog's first; empty for those of others and for unknown ones. */
    public static Optional<CatalogFunction> find(List<String> name, SparkSession session) {
        if (name.size() < 2 || !isNamed(name.get(0), session)) {
            return Optional.empty();
        }
        int last = name.size() - 1;
        return find(Identifier.of(name.subList(1, last).toArray(String[]::new), name.get(last)));
    }

    /** Aliases may have dots. */
    private static String model(String[] namespace) {
        return String.join(".", namespace);
    }

    private static ModelNames models() {
        return SessionSettings.of(SparkSession.active()).models();
    }

    private static Optional<String> uri(String[] namespace) {
        try {
            return Optional.of(models().uri(model(namespace)));
        } catch (KindlingException unknown) {
            return Optional.empty();
        }
    }

    private static void requireNamespace(String[] namespace) throws NoSuchNamespaceException {
        if (namespace.length > 0 && uri(namespace).isEmpty()) {
            throw new NoSuchNamespaceException(namespace);
        }
    }

    @Override
    public boolean namespaceExists(String[] namespace) {
        return namespace.length == 0 || uri(namespace).isPresent();
    }

    @Override
    public String[][] listNamespaces() {
        return new TreeSet<>(models().aliases().keySet())
                .stream().map(alias -> new String[] {alias}).toArray(String[][]::new);
    }

    @Override
    public String[][] listNamespaces(String[] namespace) throws NoSuchNamespaceException {
        requireNamespace(namespace);
        return namespace.length == 0 ? listNamespaces() : new String[][] {};
    }

    @Override
    public Map<String, String> loadNamespaceMetadata(String[] namespace) throws NoSuchNamespaceException {
        requireNamespace(namespace);
        return namespace.length == 0
                ? Map.of(
                        SupportsNamespaces.PROP_COMMENT,
                        "Models set by spark.kindling.model.<alias>, and functions of them")
                : Map.of(
                        SupportsNamespaces.PROP_LOCATION,
                        uri(namespace).orElseThrow(),
                        SupportsNamespaces.PROP_COMMENT,
                        "An ONNX model");
    }

    @Override
    public Identifier[] listTables(String[] namespace) throws NoSuchNamespaceException {
        requireNamespace(namespace);
        List<String> tables = namespace.length == 0 ? CatalogTables.ofAll() : CatalogTables.ofAModel();
        return tables.stream().map(table -> Identifier.of(namespace, table)).toArray(Identifier[]::new);
    }

    @Override
    public Table loadTable(Identifier identifier) {
        String[] namespace = identifier.namespace();
        String table = identifier.name();
        if (namespace.length == 0) {
            return CatalogTables.ofAll(name, table, models(), FUNCTIONS.values())
                    .orElseThrow(() -> noTable(name, table, CatalogTables.ofAll()));
        }
        String model = model(namespace);
        String owner = name + '.' + model;
        String uri = Refusals.orOf(owner, () -> models().uri(model));
        return CatalogTables.ofAModel(owner + '.' + table, table, uri)
                .orElseThrow(() -> noTable(owner, table, CatalogTables.ofAModel()));
    }

    @Override
    public boolean tableExists(Identifier identifier) {
        List<String> tables = identifier.namespace().length == 0 ? CatalogTables.ofAll() : CatalogTables.ofAModel();
        return namespaceExists(identifier.namespace()) && tables.stream().anyMatch(identifier.name()::equalsIgnoreCase);
    }

    /** In place of {@link NoSuchTableException}, of which Spark makes a message that names nothing there is. */
    private RuntimeException noTable(String owner, String asked, List<String> tables) {
        String ofAModel = CatalogTables.ofAModel().contains(asked) ? "; write " + name + ".<model>." + asked : "";
        return Refusals.of(
                owner + " has no table '" + asked + "'" + instead(asked, tables) + ofAModel, "TABLE_OR_VIEW_NOT_FOUND");
    }

    private static RuntimeException readOnly() {
        return Refusals.of(
                "the catalog of models is read only: set spark.kindling.model.<alias> to a model's URI to add one");
    }

    @Override
    public void createNamespace(String[] namespace, Map<String, String> metadata) {
        throw readOnly();
    }

    @Override
    public void alterNamespace(String[] namespace, NamespaceChange... changes) {
        throw readOnly();
    }

    @Override
    public boolean dropNamespace(String[] namespace, boolean cascade) {
        throw readOnly();
    }

    @Override
    @Deprecated
    public Table createTable(
            Identifier identifier, StructType schema, Transform[] partitions, Map<String, String> properties) {
        throw readOnly();
    }

    @Override
    public Table alterTable(Identifier identifier, TableChange... changes) {
        throw readOnly();
    }

    @Override
    public boolean dropTable(Identifier identifier) {
        throw readOnly();
    }

    @Override
    public void renameTable(Identifier from, Identifier to) {
        throw readOnly();
    }
}
