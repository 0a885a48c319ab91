"""Random blocks of every quantised GGUF type with the values that ggml's own Python package reads from them.

    make_gguf_blocks.py OUT_DIR     OUT_DIR/TYPE.blocks: rows of blocks; OUT_DIR/TYPE.values: float32, row-major

Prints one JSON object: type name -> [code, elements a block, bytes a block] of all types the package knows.
"""
import json
import pathlib
import sys

import gguf
import numpy as np

out = pathlib.Path(sys.argv[1])
ROWS, COLUMNS = 7, 512
# Where a block has half-precision factors; other bytes are free.
HALVES = {"Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0], "Q2_K": [80, 82], "Q3_K": [108],
          "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208], "IQ4_NL": [0], "IQ4_XS": [0]}
random = np.random.default_rng(11)
for name, halves in HALVES.items():
    kind = gguf.GGMLQuantizationType[name]
    elements, size = gguf.GGML_QUANT_SIZES[kind]
    blocks = random.integers(0, 256, (ROWS * COLUMNS // elements, size), dtype=np.uint8)
    for at in halves:
        factors = (random.standard_normal(len(blocks)) / 64).astype(np.float16)
        factors[::11] = 0
        blocks[:, at:at + 2] = factors.view(np.uint8).reshape(-1, 2)
    (out / f"{name}.blocks").write_bytes(blocks.tobytes())
    gguf.dequantize(blocks.reshape(ROWS, -1), kind).astype("<f4").tofile(out / f"{name}.values")
print(json.dumps({kind.name: [int(kind), *size] for kind, size in gguf.GGML_QUANT_SIZES.items()}))
