/** Exception types with codes. Depends on nothing. */
package io.kindling.engine.error;
