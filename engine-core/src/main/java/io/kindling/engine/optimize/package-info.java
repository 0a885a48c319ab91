/** Graph to graph passes, each a class with its own tests; knows no provider. */
package io.kindling.engine.optimize;
