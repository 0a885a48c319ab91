package io.kindling.engine;

import io.kindling.engine.embed.BatchingEncoder;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.generate.GenerationEngines;
import io.kindling.engine.generate.PathChoice;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.metadata.EncoderIo;
import io.kindling.engine.metadata.EncoderResolver;
import io.kindling.engine.metadata.ModelPackage;
import io.kindling.engine.metadata.PackageFiles;
import io.kindling.engine.metadata.PackageResolver;
import io.kindling.engine.onnx.OnnxLoader;
import io.kindling.engine.session.GraphSession;
import io.kindling.engine.session.ModelWeights;
import io.kindling.engine.session.SessionOptions;
import io.kindling.engine.text.Tokenizer;
import java.nio.file.Path;
import java.util.Optional;

/**
 * An opened model package: its files read, its ports resolved, its device open, its tokenizer being loaded. Session and generation
 * engine are made when first asked for, over one copy of the weights. Thread-safe.
 */
public final class Model implements AutoCloseable {
    private final EngineOptions options;
    private final OnnxModel graph;
    private final OnnxModel prepared;
    private final ModelPackage modelPackage;
    private final Devices.Lease device;
    private final ModelWeights weights;
    private final Optional<TokenizerLoad> tokenizer;
    private GraphSession session;
    private GenerationEngine generation;
    private BatchingEncoder encoder;
    private boolean closed;

    private Model(
            EngineOptions options,
            OnnxModel graph,
            OnnxModel prepared,
            ModelPackage modelPackage,
            Devices.Lease device,
            Optional<TokenizerLoad> tokenizer) {
        this.options = options;
        this.graph = graph;
        this.prepared = prepared;
        this.modelPackage = modelPackage;
        this.device = device;
        this.tokenizer = tokenizer;
        weights = new ModelWeights(device.provider());
    }

    /**
     * Opens a package folder, an {@code .onnx} file, or a {@code .gguf} file, which is converted once into the cache folder
     * of {@link GgufPackages}.
     *
     * @throws KindlingException NOT_FOUND, MODEL_INVALID, UNSUPPORTED or UNRESOLVED for the package, DEVICE_UNAVAILABLE for
     *     the device
     */
    public static Model open(Path location, EngineOptions options) {
        PackageFiles files =
                PackageFiles.locate(GgufPackages.isGguf(location) ? GgufPackages.packageOf(location) : location);
        OnnxModel graph = OnnxLoader.load(files.modelFile());
        ModelPackage modelPackage = PackageResolver.resolve(files, graph);
        Optional<TokenizerLoad> tokenizer = modelPackage.tokenizerFile().map(TokenizerLoad::begin);
        try {
            OnnxModel prepared = PreparedGraph.of(graph, options);
            return new Model(options, graph, prepared, modelPackage, Devices.open(options), tokenizer);
        } catch (RuntimeException | Error failed) {
            tokenizer.ifPresent(TokenizerLoad::close);
            throw failed;
        }
    }

    public ModelPackage modelPackage() {
        return modelPackage;
    }

    /** The graph as the file has it. */
    public OnnxModel graph() {
        return graph;
    }

    public EngineOptions options() {
        return options;
    }

    /** The device and its kernel set, in words. */
    public String deviceDescription() {
        return device.provider().description();
    }

    /** How generation runs this model and why; empty for what is no decoder. */
    public Optional<PathChoice> executionPath() {
        return modelPackage.decoder().map(io -> PathChoice.choose(prepared, io, options.path()));
    }

    /** Bytes of the weights as their files hold them, as far as they are in use. */
    public long weightBytes() {
        return weights.weightBytes();
    }

    /** Bytes of the layouts that kernels made of the weights. */
    public long prepackedBytes() {
        return weights.prepackedBytes();
    }

    /** @throws KindlingException TOKENIZER when the package has none or it is malformed */
    public synchronized Tokenizer tokenizer() {
        refuseClosed();
        return tokenizer
                .orElseThrow(() -> TextModel.missing(modelPackage.root()))
                .get();
    }

    /** The planned graph: functions inlined, optimised where the options say so. */
    public synchronized Session session() {
        refuseClosed();
        if (session == null) {
            session = GraphSession.create(
                    prepared, weights, new SessionOptions(options.precision(), options.randomSeed()));
        }
        return session;
    }

    /**
     * The engine that all callers of this model share.
     *
     * @throws KindlingException UNSUPPORTED when the model is no decoder, TOKENIZER without a tokenizer
     */
    public synchronized GenerationEngine generation() {
        refuseClosed();
        if (generation == null) {
            generation = GenerationEngines.create(prepared, modelPackage, weights, tokenizer(), options);
        }
        return generation;
    }

    /**
     * The encoder that all callers of this model share.
     *
     * @throws KindlingException UNSUPPORTED when the model is no text encoder, TOKENIZER without a tokenizer
     */
    public synchronized TextEncoder encoder() {
        refuseClosed();
        if (encoder == null) {
            EncoderIo io = EncoderResolver.resolve(modelPackage.root(), graph);
            SessionOptions planning = SessionOptions.ofEncoder(options.precision(), options.randomSeed());
            GraphSession encoding = GraphSession.create(prepared, weights, planning);
            try {
                encoder = new BatchingEncoder(
                        io, encoding, tokenizer(), device.provider().allocator(), options.maxBatch());
            } catch (RuntimeException | Error failed) {
                encoding.close();
                throw failed;
            }
        }
        return encoder;
    }

    private void refuseClosed() {
        if (closed) {
            throw new KindlingException(ErrorCode.CANCELLED, "the model in '" + modelPackage.root() + "' is closed");
        }
    }

    /** Cancels what is running and frees everything; bindings must be closed before. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (generation != null) {
            generation.close();
        }
        if (encoder != null) {
            encoder.close();
        }
        if (session != null) {
            session.close();
        }
        tokenizer.ifPresent(TokenizerLoad::close);
        weights.close();
        device.close();
    }
}
