#!/usr/bin/env python3
"""Writes backend node cases of the onnx package as files: OUT/NAME/model.onnx and OUT/NAME/test_data_set_I/{input,output}_K.pb.

    write_node_cases.py NAMES OUT      NAMES lists one case a line; anything behind the first blank of a line is ignored

OUT appears as a whole or not at all. Names that the package does not have are an error.
"""
import os
import pathlib
import shutil
import sys
import tempfile

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases


def message(value, info):
    """The protobuf message of a value, by the declared type of its port."""
    if isinstance(value, onnx.TensorProto):
        return value
    kind = info.type.WhichOneof("value")
    if kind == "sequence_type":
        return numpy_helper.from_list(value, info.name)
    if kind == "optional_type":
        return numpy_helper.from_optional(value, info.name)
    return numpy_helper.from_array(np.asarray(value), info.name)


def write_case(case, folder):
    folder.mkdir()
    (folder / "model.onnx").write_bytes(case.model.SerializeToString(deterministic=True))
    graph = case.model.graph
    for index, (inputs, outputs) in enumerate(case.data_sets):
        data = folder / f"test_data_set_{index}"
        data.mkdir()
        for prefix, values, infos in (("input", inputs, graph.input), ("output", outputs, graph.output)):
            for position, value in enumerate(values):
                encoded = message(value, infos[position]).SerializeToString(deterministic=True)
                (data / f"{prefix}_{position}.pb").write_bytes(encoded)


def main(names_file, out):
    wanted = {line.split()[0] for line in open(names_file) if line.strip()}
    out = pathlib.Path(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    partial = pathlib.Path(tempfile.mkdtemp(dir=out.parent))
    try:
        for case in collect_testcases(None):
            if case.name in wanted:
                wanted.remove(case.name)
                write_case(case, partial / case.name)
        if wanted:
            raise SystemExit(f"onnx {onnx.__version__} has no case named {', '.join(sorted(wanted))}")
        os.rename(partial, out)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
