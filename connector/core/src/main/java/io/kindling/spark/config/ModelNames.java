package io.kindling.spark.config;

import io.kindling.engine.NearestName;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import java.io.Serializable;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Models by the names of {@code spark.kindling.model.<alias>}.
 *
 * @param aliases alias to URI
 */
public record ModelNames(Map<String, String> aliases) implements Serializable {
    /** Most aliases that a message names. */
    private static final int SHOWN = 12;

    public ModelNames {
        aliases = Map.copyOf(aliases);
    }

    /**
     * As {@link #uri(String)}, where {@code --files} and {@code --archives} bring models by plain names.
     *
     * @throws KindlingException NOT_FOUND for an empty one, and for a plain name that is no alias and nothing brought
     */
    public String uri(String model, Distribution distribution) {
        boolean brought = distribution == Distribution.FILES && !aliases.containsKey(model) && !model.isBlank();
        return brought ? model : uri(model);
    }

    /**
     * The URI of a model given as alias or URI.
     *
     * @throws KindlingException NOT_FOUND for an empty one, and for a plain name that is no alias
     */
    public String uri(String model) {
        String uri = aliases.get(model);
        if (uri == null ? model.isBlank() : uri.isBlank()) {
            throw new KindlingException(
                    ErrorCode.NOT_FOUND,
                    uri == null
                            ? "the name of the model is empty; give an alias or a URI"
                            : SparkOptions.MODEL_PREFIX + model + " is empty; set it to the model's URI");
        }
        if (uri != null) {
            return uri;
        }
        if (model.indexOf('/') >= 0 || model.indexOf(':') >= 0 || model.indexOf('.') >= 0) {
            return model;
        }
        String meant = NearestName.of(model, aliases.keySet())
                .map(nearest -> ", did you mean '" + nearest + "'? Or ")
                .orElse(": ");
        throw new KindlingException(
                ErrorCode.NOT_FOUND,
                "no model is named '" + model + "'" + meant + "set " + SparkOptions.MODEL_PREFIX + model
                        + " to its URI (" + known() + "), or give the URI itself");
    }

    private String known() {
        if (aliases.isEmpty()) {
            return "none is set";
        }
        int more = aliases.size() - SHOWN;
        return "set are "
                + new TreeSet<>(aliases.keySet()).stream().limit(SHOWN).collect(Collectors.joining(", "))
                + (more > 0 ? " and " + more + " more" : "");
    }
}
