/** The engine's facade: models, sessions, device bindings, generation, and the records they take and give. */
package io.kindling.engine;
