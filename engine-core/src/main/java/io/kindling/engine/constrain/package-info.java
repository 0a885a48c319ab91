/** Holds answers to a form: JSON shapes as automata over bytes, and the tokens that each of their states allows. */
package io.kindling.engine.constrain;
