package io.kindling.engine.cpu;

import io.kindling.engine.ir.PagedAttention;
import io.kindling.engine.provider.KernelFactory;

/** Every Java kernel, by operator family. */
final class CpuKernels {
    /** Where families put their factories; see {@link io.kindling.engine.provider.KernelRegistry#register}. */
    @FunctionalInterface
    interface Registrar {
        void register(String domain, String opType, int sinceVersion, KernelFactory factory);
    }

    private CpuKernels() {}

    static void register(KernelPool pool, Registrar registrar) {
        registrar.register("com.microsoft", "MatMulNBits", 1, request -> MatMulNBitsKernel.create(request, pool));
        registrar.register("com.microsoft", "GatherBlockQuantized", 1, GatherBlockQuantizedKernel::create);
        registrar.register(
                "com.microsoft", "GroupQueryAttention", 1, request -> GroupQueryAttentionKernel.create(request, pool));
        registrar.register(
                PagedAttention.DOMAIN,
                PagedAttention.OP_TYPE,
                (int) PagedAttention.OPSET,
                request -> PagedAttentionKernel.create(request, pool));
        NormalizationKernels.register(registrar);
        BinaryKernels.register(registrar);
        UnaryKernels.register(registrar);
        CastKernels.register(registrar);
        ShapeKernels.register(registrar);
        GatherKernels.register(registrar);
        ReduceKernels.register(registrar);
        LayoutKernels.register(registrar);
        WindowFunctionKernels.register(registrar);
        registrar.register("", "Resize", 10, ResizeKernel::create);
        registrar.register("", "Upsample", 1, ResizeKernel::create);
        registrar.register("", "Einsum", 12, EinsumKernel::create);
        for (String recurrent : new String[] {"RNN", "GRU", "LSTM"}) {
            registrar.register("", recurrent, 1, RecurrentKernel::create);
        }
        registrar.register("", "ConvTranspose", 1, request -> ConvTransposeKernel.create(request, pool));
        LossKernels.register(registrar);
        PoolKernels.register(registrar);
        PadKernels.register(registrar);
        SequenceKernels.register(registrar);
        FeatureNormalizationKernels.register(registrar);
        LinearAttentionKernel.register(registrar, pool);
        CausalConvKernel.register(registrar, pool);
        GeneratorKernels.register(registrar);
        ConvKernels.register(registrar, pool);
        ContribKernels.register(registrar);
        ScatterKernels.register(registrar);
        SoftmaxKernels.register(registrar);
        MatMulKernels.register(registrar, pool);
        IntegerMatMulKernels.register(registrar, pool);
        QuantizeKernels.register(registrar);
        QLinearKernels.register(registrar);
        registrar.register("com.microsoft", "DynamicQuantizeLSTM", 1, DynamicQuantizeLstmKernel::create);
        MatrixKernels.register(registrar);
        GateKernels.register(registrar);
        DecodingKernels.register(registrar);
        DiffusionKernels.register(registrar);
        registrar.register("com.microsoft", "Tokenizer", 1, TokenizerKernel::create);
        EmbeddingKernels.register(registrar);
        PositionBiasKernels.register(registrar);
        registrar.register("com.microsoft", "MRotaryEmbedding", 1, MultimodalRotaryKernel::create);
        registrar.register("com.microsoft", "GatedDeltaNet", 1, request -> GatedDeltaNetKernel.create(request, pool));
        registrar.register("com.microsoft", "MatMulBnb4", 1, request -> Bnb4Kernel.create(request, pool));
        registrar.register("com.microsoft", "MoE", 1, request -> MoeKernel.create(request, pool));
        registrar.register("com.microsoft", "QMoE", 1, request -> MoeKernel.create(request, pool));
        TreeEnsembleKernel.register(registrar, pool);
        LinearModelKernels.register(registrar, pool);
        SvmKernels.register(registrar, pool);
        FeatureKernels.register(registrar);
        LabelKernels.register(registrar);
        MapKernels.register(registrar);
        RotaryKernels.register(registrar);
        MultiHeadAttentionKernel.register(registrar, pool);
        ProjectedAttentionKernel.register(registrar, pool);
        PackedSequences.register(registrar, pool);
        registrar.register(
                "com.microsoft",
                "DecoderMaskedMultiHeadAttention",
                1,
                request -> DecoderAttentionKernel.create(request, pool));
        StringKernels.register(registrar);
        registrar.register("", "TfIdfVectorizer", 9, TfIdfVectorizerKernel::create);
        registrar.register("", "Unique", 11, UniqueKernel::create);
        registrar.register("", "GridSample", 16, GridSampleKernel::create);
        registrar.register("", "AffineGrid", 20, AffineGridKernel::create);
        registrar.register("", "NonMaxSuppression", 10, NonMaxSuppressionKernel::create);
        registrar.register("", "DeformConv", 19, request -> DeformConvKernel.create(request, pool));
        registrar.register("", "ImageDecoder", 20, ImageDecoderKernel::create);
        registrar.register("", "Det", 11, request -> DeterminantKernel::run);
        RoiKernels.register(registrar);
        FoldKernels.register(registrar);
        FourierKernels.register(registrar, pool);
        registrar.register("", "MelWeightMatrix", 17, MelWeightKernel::create);
        RandomKernels.register(registrar);
        TrainingKernels.register(registrar);
        registrar.register("", "Attention", 23, request -> AttentionKernel.create(request, pool));
    }
}
