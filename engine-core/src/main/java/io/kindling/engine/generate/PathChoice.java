package io.kindling.engine.generate;

import io.kindling.engine.EngineOptions.ExecutionPath;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.metadata.DecoderIo;
import io.kindling.engine.optimize.ragged.RaggedLowering;
import io.kindling.engine.optimize.ragged.RaggedModel;
import java.util.Optional;

/**
 * How a decoder will run and why.
 *
 * @param path DENSE or RAGGED
 * @param reason in words, for inspect
 * @param lowered the packed graph, on the RAGGED path
 */
public record PathChoice(ExecutionPath path, String reason, Optional<RaggedModel> lowered) {
    /**
     * Takes the path asked for; AUTO takes RAGGED where the graph allows it.
     *
     * @throws KindlingException UNSUPPORTED when RAGGED is asked for and not possible
     */
    public static PathChoice choose(OnnxModel model, DecoderIo io, ExecutionPath wanted) {
        if (wanted == ExecutionPath.DENSE) {
            return new PathChoice(ExecutionPath.DENSE, "asked for", Optional.empty());
        }
        RaggedLowering.Outcome outcome = RaggedLowering.lower(model, io);
        if (outcome.lowered().isPresent()) {
            return new PathChoice(
                    ExecutionPath.RAGGED,
                    outcome.lowered().get().states().isEmpty()
                            ? "only attention mixes tokens, and it runs on pages"
                            : "only attention and recurrences mix tokens; they run on pages and on states of their own",
                    outcome.lowered());
        }
        if (wanted == ExecutionPath.RAGGED) {
            throw new KindlingException(
                    ErrorCode.UNSUPPORTED,
                    "this decoder cannot take the ragged path: " + outcome.reason() + "; use path auto or dense");
        }
        return new PathChoice(ExecutionPath.DENSE, outcome.reason(), Optional.empty());
    }
}
