package io.kindling.engine.generate;

import io.kindling.engine.DeviceBinding;
import io.kindling.engine.Session;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.metadata.DecoderIo;
import io.kindling.engine.optimize.SingleTripScans;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The decode-inline sibling: a second executor of a decoder for steps of one token, in which recurrent Scans make one trip and
 * their bodies stand in line ({@link SingleTripScans}). It has the graph's ports and shares its weights, and is built at the
 * first such step: what never decodes, or has no such Scan, never pays for it. Where it cannot be built, or a step shows that a
 * Scan does not run over the tokens, the graph itself goes on alone.
 */
final class DecodeInline implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DecodeInline.class);

    private enum State {
        UNTRIED,
        ENABLED,
        DISABLED
    }

    private final OnnxModel model;
    private final Function<OnnxModel, Session> planner;
    private State state;
    private Session session;
    private DeviceBinding binding;

    private DecodeInline(State state, OnnxModel model, Function<OnnxModel, Session> planner) {
        this.state = state;
        this.model = model;
        this.planner = planner;
    }

    /** None, for ever. */
    static DecodeInline off() {
        return new DecodeInline(State.DISABLED, null, null);
    }

    /**
     * One that is yet to be built.
     *
     * @param model the decoder as it is planned
     * @param planner plans a graph over the weights of that decoder
     */
    static DecodeInline enable(OnnxModel model, DecoderIo io, Function<OnnxModel, Session> planner) {
        // A flag that is computed anew for every step chooses a branch; it is no part of a step that was proven the
        // same.
        return io.useCacheBranch().isPresent() ? off() : new DecodeInline(State.UNTRIED, model, planner);
    }

    /** The model with its recurrent Scans in line; empty when it has none. */
    static Optional<OnnxModel> sibling(OnnxModel model) {
        Graph inlined = new SingleTripScans().apply(model.graph());
        return inlined == model.graph()
                ? Optional.empty()
                : Optional.of(new OnnxModel(
                        model.source(),
                        model.irVersion(),
                        model.opsetImports(),
                        inlined,
                        model.functions(),
                        model.metadata()));
    }

    /** Whether steps of one token run here. */
    boolean isReady() {
        return state == State.ENABLED;
    }

    /** The binding that a step of so many tokens is to use; empty for that of the graph itself. */
    Optional<DeviceBinding> route(int tokens) {
        if (tokens != 1 || state == State.DISABLED) {
            return Optional.empty();
        }
        if (state == State.UNTRIED) {
            build();
        }
        return Optional.ofNullable(binding);
    }

    private void build() {
        state = State.DISABLED;
        try {
            Optional<OnnxModel> inlined = sibling(model);
            if (inlined.isPresent()) {
                session = planner.apply(inlined.get());
                binding = session.newBinding();
                state = State.ENABLED;
            }
        } catch (KindlingException fault) {
            LOG.warn("steps of one token run on the graph itself: it cannot be planned with its Scans in line", fault);
        }
    }

    /** Gives the sibling up after a step on it failed. */
    void disable(KindlingException fault) {
        LOG.warn("steps of one token run on the graph itself from now on: with its Scans in line one failed", fault);
        close();
    }

    @Override
    public void close() {
        state = State.DISABLED;
        if (binding != null) {
            binding.close();
            session.close();
            binding = null;
        }
    }
}
