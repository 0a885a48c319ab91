package io.kindling.engine.text.jinja;

/** Text marked {@code safe}: adding other text to it escapes that for HTML, as markupsafe does. */
record Markup(String text) {
    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace(">", "&gt;")
                .replace("<", "&lt;")
                .replace("'", "&#39;")
                .replace("\"", "&#34;");
    }
}
