package io.kindling.engine.generate;

import io.kindling.engine.EngineOptions;
import io.kindling.engine.GenerationEngine;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.metadata.DecoderIo;
import io.kindling.engine.metadata.ModelPackage;
import io.kindling.engine.session.GraphSession;
import io.kindling.engine.session.ModelWeights;
import io.kindling.engine.session.SessionOptions;
import io.kindling.engine.text.Tokenizer;

/** Opens generation engines. */
public final class GenerationEngines {
    private static final long LEAST_BUDGET = 256L << 20;

    private GenerationEngines() {}

    /**
     * An engine for a decoder. It plans graphs of its own over the weights it is given, and owns neither them nor the
     * tokenizer: both must outlive it.
     *
     * @param model the exported graph, optimised or not
     * @throws KindlingException UNRESOLVED when the package is no decoder, or its ports cannot be told
     */
    public static GenerationEngine create(
            OnnxModel model, ModelPackage resolved, ModelWeights weights, Tokenizer tokenizer, EngineOptions options) {
        DecoderIo io = resolved.decoder()
                .orElseThrow(() -> new KindlingException(
                        ErrorCode.UNRESOLVED,
                        "the model in '" + resolved.root() + "' cannot generate: "
                                + resolved.decoderProblem().orElse("it is no decoder")
                                + "; embed makes vectors of texts, classify names classes, run takes any graph"));
        PathChoice choice = PathChoice.choose(model, io, options.path());
        SessionOptions planning = new SessionOptions(options.precision(), options.randomSeed());
        Decoder decoder = choice.lowered()
                .<Decoder>map(lowered -> new RaggedDecoder(
                        lowered,
                        GraphSession.create(lowered.model(), weights, planning),
                        weights.provider(),
                        budget(options),
                        options.maxBatch(),
                        options.prefixCache()))
                .orElseGet(() -> new DenseDecoder(
                        GraphSession.create(model, weights, planning),
                        options.decodeInline()
                                ? DecodeInline.enable(model, io, graph -> GraphSession.create(graph, weights, planning))
                                : DecodeInline.off(),
                        io,
                        weights.provider(),
                        budget(options)));
        return new BatchingEngine(decoder, resolved, tokenizer, options);
    }

    /** A quarter of what memory is free, where no budget is set. */
    private static long budget(EngineOptions options) {
        if (options.kvBudgetBytes() > 0) {
            return options.kvBudgetBytes();
        }
        long free = java.lang.management.ManagementFactory.getOperatingSystemMXBean()
                        instanceof com.sun.management.OperatingSystemMXBean system
                ? system.getFreeMemorySize()
                : Runtime.getRuntime().maxMemory();
        return Math.max(LEAST_BUDGET, free / 4);
    }
}
