package io.kindling.engine;

import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.optimize.FunctionInliner;
import io.kindling.engine.optimize.Optimizer;

/** From the graph of a file to the one that is planned. */
final class PreparedGraph {
    private PreparedGraph() {}

    /**
     * Inlines functions, and optimises where the options say so; constants are folded with the CPU's reference kernels.
     *
     * @throws io.kindling.engine.error.OptionException for a pass to disable that there is not
     */
    static OnnxModel of(OnnxModel model, EngineOptions options) {
        Optimizer.requireKnown(options.disabledPasses());
        OnnxModel inlined = FunctionInliner.inline(model);
        if (!options.optimize()) {
            return inlined;
        }
        try (Devices.Lease reference = Devices.openReference()) {
            KernelEvaluator evaluator = new KernelEvaluator(reference.provider(), inlined.opsetImports());
            return Optimizer.standard(evaluator, options.disabledPasses()).optimize(inlined);
        }
    }
}
