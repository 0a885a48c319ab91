/** Counter-based random numbers, for samplers and random operators alike. */
package io.kindling.engine.random;
