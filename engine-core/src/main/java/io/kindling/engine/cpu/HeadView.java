package io.kindling.engine.cpu;

import io.kindling.engine.provider.Tensor;

/** Vectors of attention heads inside a tensor, by batch, head and row. Strides count elements. */
record HeadView(Tensor tensor, int offset, int batchStride, int headStride, int rowStride, int size) {
    /** {@code [batch, rows, heads · size]}. */
    static HeadView packed(Tensor tensor, int heads) {
        int size = (int) tensor.dim(2) / heads;
        return new HeadView(tensor, 0, (int) (tensor.dim(1) * tensor.dim(2)), size, (int) tensor.dim(2), size);
    }

    /** {@code [batch, heads, rows, size]}. */
    static HeadView headsFirst(Tensor tensor) {
        int size = (int) tensor.dim(3);
        int head = (int) tensor.dim(2) * size;
        return new HeadView(tensor, 0, (int) tensor.dim(1) * head, head, size, size);
    }

    /** Either, by rank. */
    static HeadView of(Tensor tensor, int heads) {
        return tensor.rank() == 4 ? headsFirst(tensor) : packed(tensor, heads);
    }

    int index(int batch, int head, int row) {
        return offset + batch * batchStride + head * headStride + row * rowStride;
    }

    void load(int batch, int head, int row, float[] target, int at) {
        TensorIo.load(tensor, index(batch, head, row), target, at, size);
    }

    void store(float[] source, int at, int batch, int head, int row) {
        TensorIo.store(source, at, tensor, index(batch, head, row), size);
    }
}
