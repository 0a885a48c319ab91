package io.kindling.engine.text.jinja;

import java.util.Map;

/** The object of {@code namespace()}, whose attributes can be set from inner scopes. */
record Namespace(Map<String, Object> attributes) {}
