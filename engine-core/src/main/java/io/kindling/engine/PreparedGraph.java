package io.kindling.engine;

import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.optimize.FunctionInliner;
import io.kindling.engine.optimize.Optimizer;
import java.util.Optional;

/** From the graph of a file to the one that is planned. */
final class PreparedGraph {
    private PreparedGraph() {}

    /**
     * Inlines functions, and optimises where the options say so.
     *
     * @throws io.kindling.engine.error.OptionException for a pass to disable that there is not
     */
    static OnnxModel of(OnnxModel model, EngineOptions options) {
        Optimizer optimizer = Optimizer.standard(Optional.empty(), options.disabledPasses());
        OnnxModel inlined = FunctionInliner.inline(model);
        return options.optimize() ? optimizer.optimize(inlined) : inlined;
    }
}
