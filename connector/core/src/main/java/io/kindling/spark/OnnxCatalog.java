package io.kindling.spark;

import io.kindling.spark.functions.PromptFunction;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.analysis.NoSuchFunctionException;
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException;
import org.apache.spark.sql.connector.catalog.FunctionCatalog;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * The SQL functions of Kindling, without a namespace: {@code onnx.generate(…)}. The session extension registers it as
 * {@code onnx}; by hand it is {@code spark.sql.catalog.onnx=io.kindling.spark.OnnxCatalog}.
 */
public final class OnnxCatalog implements FunctionCatalog {
    /** The name that the extension gives the catalog. */
    public static final String DEFAULT_NAME = "onnx";

    private static final Map<String, UnboundFunction> FUNCTIONS = functions();
    private String name = DEFAULT_NAME;

    private static Map<String, UnboundFunction> functions() {
        Map<String, UnboundFunction> functions = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (UnboundFunction function : PromptFunction.all()) {
            functions.put(function.name(), function);
        }
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
        if (namespace.length > 0) {
            throw new NoSuchNamespaceException(namespace);
        }
        return FUNCTIONS.keySet().stream()
                .map(function -> Identifier.of(namespace, function))
                .toArray(Identifier[]::new);
    }

    @Override
    public UnboundFunction loadFunction(Identifier identifier) throws NoSuchFunctionException {
        UnboundFunction function = identifier.namespace().length == 0 ? FUNCTIONS.get(identifier.name()) : null;
        if (function == null) {
            throw new NoSuchFunctionException(identifier);
        }
        return function;
    }
}
