/**
 * What a device offers the engine: buffers, streams, capture, and kernels by domain, operator and version. Knows neither
 * the loader nor sessions.
 */
package io.kindling.engine.provider;
