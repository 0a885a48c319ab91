package io.kindling.engine.text.jinja;

import java.util.Iterator;
import java.util.Locale;
import java.util.Map;

/** What {@code keys}, {@code values} and {@code items} of a dict give. */
record DictView(Kind kind, Map<?, ?> dict) implements Items.Sized {
    enum Kind {
        KEYS,
        VALUES,
        ITEMS
    }

    @Override
    public int size() {
        return dict.size();
    }

    @Override
    public Iterator<Object> iterator() {
        return dict.entrySet().stream()
                .map(entry -> switch (kind) {
                    case KEYS -> (Object) entry.getKey();
                    case VALUES -> entry.getValue();
                    case ITEMS -> Tuple.of(entry.getKey(), entry.getValue());
                })
                .iterator();
    }

    @Override
    public String typeName() {
        return "dict_" + kind.name().toLowerCase(Locale.ROOT);
    }
}
