package io.kindling.engine.text.jinja;

import java.util.List;

/** What lazy filters such as {@code map} give: it can be iterated, but has no length and no elements to index. */
record Generator(List<Object> items) {}
