/** The one place with native methods: loading, self-test and dispatch by CPU feature. */
package io.kindling.engine.cpu.simd;
