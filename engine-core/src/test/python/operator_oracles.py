"""Expected outputs of operator cases, by ONNX Runtime or the ONNX reference; see operator_cases.py."""
import warnings

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from operator_forms import FLOATS, SMALL_FLOATS, TYPES, Optional, Sequence, parsed, type_name, type_of


def build(schema, version, inputs, attributes, flags, constants=(), operator=None):
    names = ["" if value is None else f"x{k}" for k, value in enumerate(inputs)]
    results = ["" if flag is False else f"y{k}" for k, flag in enumerate(flags)]
    node = helper.make_node(operator or schema.name, names, results, domain=schema.domain, **attributes)
    ports, initializers = [], []
    for k, value in enumerate(inputs):
        if value is not None and k in constants:
            initializers.append(numpy_helper.from_array(np.asarray(value), names[k]))
        elif value is not None:
            ports.append(helper.make_value_info(names[k], type_of(value)))
    graph = helper.make_graph([node], "case", ports, [onnx.ValueInfoProto(name=r) for r, f in zip(results, flags) if f], initializers)
    imports = [helper.make_opsetid(schema.domain, version)]
    if schema.domain:
        imports.append(helper.make_opsetid("", 22))
    return helper.make_model(graph, ir_version=13, opset_imports=imports)


def feeds(model, inputs, constants):
    values = {f"x{k}": value for k, value in enumerate(inputs) if value is not None and k not in constants}
    return {p.name: values[p.name] for p in model.graph.input}


def plain(value):
    """For the oracles: an optional as what it holds, a sequence as a list."""
    if isinstance(value, Optional):
        return plain(value.value)
    return [plain(v) for v in value] if isinstance(value, Sequence) else value


def runtime(model, values):
    for port in model.graph.input:
        kind = port.type
        while kind.WhichOneof("value") in ("sequence_type", "optional_type"):
            kind = getattr(kind, kind.WhichOneof("value")).elem_type
        if kind.tensor_type.elem_type > TensorProto.DOUBLE and kind.tensor_type.elem_type not in (TensorProto.UINT32, TensorProto.UINT64):
            raise NotImplementedError("not a type of numpy that ONNX Runtime takes")
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    model = onnx.ModelProto.FromString(model.SerializeToString())
    model.ir_version = min(model.ir_version, 11)
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    return session.run(None, {name: plain(value) for name, value in values.items()})


def reference(model, values):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ReferenceEvaluator(model).run(None, {name: plain(value) for name, value in values.items()})


ORACLES = {"onnxruntime": runtime, "reference": reference}


def widened(value):
    if isinstance(value, np.ndarray) and value.dtype != object and type_name(value) in FLOATS:
        return value.astype(np.float32)
    return value


def narrowed(form, flags, results):
    """Outputs of the widened operator in the types of the form."""
    asked = [k for k, flag in enumerate(flags) if flag]
    outputs = form.schema.outputs
    narrow = []
    for k, result in zip(asked, results):
        variable = outputs[min(k, len(outputs) - 1)].type_str
        name = form.type(variable) if variable in form.types else None
        if name in SMALL_FLOATS:
            raise NotImplementedError("rounding to small floats is the operator's own")
        narrow.append(result.astype(TYPES[name]) if name in FLOATS else result)
    return narrow


def same_shape_and_type(got, form, flags):
    """Whether types are as the schema says; oracles forget about them now and then."""
    for k, value in zip([k for k, flag in enumerate(flags) if flag], got):
        outputs = form.schema.outputs
        variable = outputs[min(k, len(outputs) - 1)].type_str
        if value is None:
            return False
        if isinstance(value, (np.ndarray, np.generic)) and form.types.get(variable, variable).startswith("tensor"):
            wanted = form.type(variable) if variable in form.types else parsed(variable)[1]
            if type_name(value) != wanted:
                return False
    return True


def close(a, b):
    if isinstance(a, (list, tuple)) or isinstance(b, (list, tuple)):
        return isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)) and len(a) == len(b) and all(close(x, y) for x, y in zip(a, b))
    if a is None or b is None or isinstance(a, dict):
        return a == b
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape:
        return False
    if type_name(a) not in FLOATS:
        return bool((a.astype(str) == b.astype(str)).all()) if type_name(a) == "string" else bool((a == b).all())
    loose = 2e-2 if type_name(a) not in ("float", "double") else 1e-3
    return bool(np.allclose(a.astype(np.float64), b.astype(np.float64), loose, loose / 100, equal_nan=True))


def expected(form, case):
    """(outputs, oracle) with a remark on differences; raises LookupError where nothing computes the case."""
    operator, version, inputs, attributes = form.schema.name, form.version, case.inputs, case.attributes
    if case.want is not None:
        return case.want, "numpy"
    if case.like:
        operator, version, inputs, attributes = (operator, *case.like) if len(case.like) == 3 else case.like
    found, problems = {}, []
    low = any(isinstance(v, np.ndarray) and v.dtype != object and type_name(v) in FLOATS - {"float"} for v in inputs)
    for wide in ([True, False] if low and case.widen else [False]):
        values = [widened(v) for v in inputs] if wide else inputs
        model = build(form.schema, version, values, attributes, case.flags, case.constants, operator)
        for name, oracle in ORACLES.items():
            label = name + (" in float32" if wide else "") + (f" as {operator}-{version}" if case.like else "")
            try:
                got = oracle(model, feeds(model, values, case.constants))
                got = narrowed(form, case.flags, got) if wide else got
                if same_shape_and_type(got, form, case.flags):
                    found[label] = got
                else:
                    problems.append(f"{label}: types {[getattr(g, 'dtype', type(g)) for g in got]}")
            except Exception as fault:
                problems.append(f"{label}: {type(fault).__name__} {str(fault)[:160]}".replace("\n", " ").replace("\t", " "))
    if not found:
        raise LookupError(" | ".join(problems))
    first = next((label for label in found if case.prefer and label.startswith(case.prefer)), next(iter(found)))
    others = [label for label, got in found.items() if not close(list(got), list(found[first]))]
    return found[first], first + (f" (differs: {', '.join(others)})" if others else "")
