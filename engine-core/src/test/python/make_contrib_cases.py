#!/usr/bin/env python3
"""Writes one-node cases of com.microsoft and ai.onnx.ml operators with ONNX Runtime's outputs (CPU, graph optimisations off).

    make_contrib_cases.py OUT          OUT/NAME/model.onnx, test_data_set_0/{input,output}_K.pb and case.json

Each case is an operator in one combination of attributes, types and shapes. What ONNX Runtime does not compute on the CPU is
computed here with numpy from the schema's text. Prints the number of cases.
"""
import json
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import contrib_attention
import contrib_dense
import contrib_forms
import contrib_ml
import contrib_quantised
import contrib_search
import contrib_sequence


class Writer:
    """Collects cases; `add` is what the family modules call."""

    def __init__(self, out: pathlib.Path):
        self.out = out
        self.count = 0

    def add(self, name, op, inputs, attributes=None, outputs=1, constants=(), want=None, domain="com.microsoft", kind=None, mend=None, **tolerance):
        """
        inputs      arrays, None for an absent one; those whose position is in `constants` become initializers
        outputs     how many there are, or for each whether it is asked for (None: it is there, but not compared)
        want        expected outputs where ONNX Runtime has none
        kind        numpy type of all outputs, where it does not follow from the inputs
        mend        makes defined what ONNX Runtime leaves undefined in its outputs
        tolerance   rtol, atol, int_tolerance

        Gives the expected outputs.
        """
        flags = [True] * outputs if isinstance(outputs, int) else outputs
        names = ["" if array is None else f"x{k}" for k, array in enumerate(inputs)]
        results = ["" if flag is False else f"y{k}" for k, flag in enumerate(flags)]
        node = helper.make_node(op, names, results, domain=domain, **(attributes or {}))
        tensors = {n: numpy_helper.from_array(np.asarray(a), n) for n, a in zip(names, inputs) if a is not None}
        fixed = {names[k] for k in constants if k < len(names)}
        ports = [helper.make_tensor_value_info(n, t.data_type, list(t.dims)) for n, t in tensors.items() if n not in fixed]
        asked = [r for r, flag in zip(results, flags) if flag]
        info = onnx.ValueInfoProto() if kind is None else helper.make_tensor_value_info("", helper.np_dtype_to_tensor_dtype(np.dtype(kind)), None)
        graph = helper.make_graph(
            [node], name, ports, [onnx.ValueInfoProto(name=r, type=info.type) for r in asked], [t for n, t in tensors.items() if n in fixed])
        model = helper.make_model(
            graph, ir_version=10, opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1), helper.make_opsetid("ai.onnx.ml", 3)])
        if want is None:
            options = onnxruntime.SessionOptions()
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
            options.log_severity_level = 3
            session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
            want = session.run(None, {p.name: numpy_helper.to_array(tensors[p.name]) for p in ports})
            want = mend(want) if mend else want
        for port, array in zip(graph.output, want):
            kind = helper.np_dtype_to_tensor_dtype(np.asarray(array).dtype)
            port.CopyFrom(helper.make_tensor_value_info(port.name, kind, [None] * np.ndim(array)))
        del model.graph.output[:]
        model.graph.output.extend(graph.output)
        folder = self.out / name / "test_data_set_0"
        folder.mkdir(parents=True)
        (folder.parent / "model.onnx").write_bytes(model.SerializeToString())
        (folder.parent / "case.json").write_text(json.dumps(tolerance))
        for k, port in enumerate(ports):
            (folder / f"input_{k}.pb").write_bytes(tensors[port.name].SerializeToString())
        for k, array in enumerate(want):
            (folder / f"output_{k}.pb").write_bytes(numpy_helper.from_array(np.asarray(array), asked[k]).SerializeToString())
        self.count += 1
        return want


if __name__ == "__main__":
    writer = Writer(pathlib.Path(sys.argv[1]))
    for family in (contrib_quantised, contrib_attention, contrib_dense, contrib_sequence, contrib_ml, contrib_forms, contrib_search):
        family.cases(writer, np.random.default_rng(7))
    print(writer.count)
