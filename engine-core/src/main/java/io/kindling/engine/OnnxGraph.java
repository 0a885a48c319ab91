package io.kindling.engine;

import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.onnx.OnnxLoader;
import io.kindling.engine.session.GraphSession;
import io.kindling.engine.session.SessionOptions;
import java.nio.file.Path;

/**
 * One graph file, loaded and planned, whatever it is for: its ports are used by name and no roles are resolved. For models
 * with tokenizer and generation see {@link Model}.
 */
public final class OnnxGraph implements AutoCloseable {
    private final OnnxModel model;
    private final Devices.Lease device;
    private final GraphSession session;

    private OnnxGraph(OnnxModel model, Devices.Lease device, GraphSession session) {
        this.model = model;
        this.device = device;
        this.session = session;
    }

    /**
     * @throws io.kindling.engine.error.KindlingException NOT_FOUND, MODEL_INVALID or UNSUPPORTED for the file,
     *     DEVICE_UNAVAILABLE for the device
     */
    public static OnnxGraph open(Path file, EngineOptions options) {
        OnnxModel model = OnnxLoader.load(file);
        OnnxModel prepared = PreparedGraph.of(model, options);
        Devices.Lease device = Devices.open(options);
        try {
            GraphSession session = GraphSession.create(
                    prepared, device.provider(), new SessionOptions(options.precision(), options.randomSeed()));
            return new OnnxGraph(model, device, session);
        } catch (RuntimeException | Error fault) {
            device.close();
            throw fault;
        }
    }

    /**
     * Keeps the device open until closed, so that graphs opened one after the other share its threads.
     *
     * @throws io.kindling.engine.error.KindlingException DEVICE_UNAVAILABLE
     */
    public static HeldDevice holdDevice(EngineOptions options) {
        return Devices.open(options)::close;
    }

    /** A device that stays open. */
    public interface HeldDevice extends AutoCloseable {
        @Override
        void close();
    }

    /** The graph as the file has it. */
    public OnnxModel model() {
        return model;
    }

    public Session session() {
        return session;
    }

    /** The device and its kernel set, in words. */
    public String deviceDescription() {
        return device.provider().description();
    }

    /** Bindings must be closed before. */
    @Override
    public void close() {
        session.close();
        device.close();
    }
}
