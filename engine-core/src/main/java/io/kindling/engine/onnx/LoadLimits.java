package io.kindling.engine.onnx;

/**
 * Bounds on what a model file may ask for; generous for real models, small enough that a hostile file cannot exhaust the
 * process.
 *
 * @param modelBytes size of the graph file
 * @param nodes nodes of all graphs together
 * @param nesting depth of subgraphs, types and messages
 * @param tensorBytes size of one tensor
 */
public record LoadLimits(long modelBytes, int nodes, int nesting, long tensorBytes) {
    public static LoadLimits defaults() {
        return new LoadLimits(Integer.MAX_VALUE - 8L, 2_000_000, 64, 1L << 40);
    }
}
