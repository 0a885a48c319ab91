package io.kindling.engine;

import java.io.Serializable;

/** What an answer is: a text of any form, or a JSON value of a shape that decoding is held to. */
public sealed interface ResponseFormat extends Serializable {
    /** No constraint. */
    ResponseFormat TEXT = new Text();

    /** Any text. */
    record Text() implements ResponseFormat {}

    /** A JSON value and nothing else. */
    record Json(JsonShape shape) implements ResponseFormat {}
}
