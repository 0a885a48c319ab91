/** Jinja2 for chat templates: lexer, parser and interpreter, without access to anything but the values they are given. */
package io.kindling.engine.text.jinja;
