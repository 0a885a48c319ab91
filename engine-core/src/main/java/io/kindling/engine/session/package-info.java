/** Planning, memory plan, execution, control flow and bindings; names no provider. */
package io.kindling.engine.session;
