#!/usr/bin/env python3
"""Writes small random cases of every ONNX operator: for each since-version and each element type that its schema allows.

    operator_cases.py OUT [OPERATOR…]      OUT/NAME/model.onnx, test_data_set_0/{input,output}_K.pb; OUT/cases.tsv tells the oracle
    operator_cases.py OUT.tar.gz           a few cases of each since-version, in a file that is the same every time

Expected outputs come from ONNX Runtime or onnx.reference, whichever computes the case; where an element type is beyond both, from
the same operator in float32, rounded once. Where both compute a case and differ, the line of `cases.tsv` says so. A form that neither
has (the oldest ones) is computed through an equivalent newer form, given with the case. What has no oracle at all is listed in
`without_oracle.tsv`. Prints the number of cases.
"""
import collections
import gzip
import json
import pathlib
import sys
import tarfile
import tempfile
import warnings
import zlib

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

TYPES = {
    "float": np.float32, "double": np.float64, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16,
    "float8e4m3fn": ml_dtypes.float8_e4m3fn, "float8e4m3fnuz": ml_dtypes.float8_e4m3fnuz, "float8e5m2": ml_dtypes.float8_e5m2,
    "float8e5m2fnuz": ml_dtypes.float8_e5m2fnuz, "float8e8m0": ml_dtypes.float8_e8m0fnu, "float4e2m1": ml_dtypes.float4_e2m1fn,
    "float6e2m3": ml_dtypes.float6_e2m3fn, "float6e3m2": ml_dtypes.float6_e3m2fn,
    "int8": np.int8, "int16": np.int16, "int32": np.int32, "int64": np.int64, "uint8": np.uint8, "uint16": np.uint16,
    "uint32": np.uint32, "uint64": np.uint64, "int4": ml_dtypes.int4, "uint4": ml_dtypes.uint4, "int2": ml_dtypes.int2,
    "uint2": ml_dtypes.uint2, "bool": np.bool_, "string": object, "complex64": np.complex64, "complex128": np.complex128}
SMALL_FLOATS = {name for name in TYPES if name.startswith(("float8", "float4", "float6"))}
FLOATS = {"float", "double", "float16", "bfloat16"} | SMALL_FLOATS
WORDS = np.array(["a", "bc", "ümlaut", "", "x y", "日本", "Zoo", "7"], object)


class Sequence(list):
    """A sequence whose elements have the ONNX type `element`."""

    def __init__(self, values, element):
        super().__init__(values)
        self.element = element


class Optional:
    def __init__(self, value, element):
        self.value, self.element = value, element


def tensor_type(name, rank=None):
    return helper.make_tensor_type_proto(code(name), None if rank is None else [None] * rank)


def code(name):
    return TensorProto.STRING if name == "string" else helper.np_dtype_to_tensor_dtype(np.dtype(TYPES[name]))


def type_name(array):
    dtype = np.asarray(array).dtype
    return "string" if dtype.kind in "OUST" else next(n for n, t in TYPES.items() if n != "string" and np.dtype(t) == dtype)


def type_of(value):
    if isinstance(value, Sequence):
        return helper.make_sequence_type_proto(value.element)
    if isinstance(value, Optional):
        return helper.make_optional_type_proto(value.element)
    return tensor_type(type_name(value), np.ndim(value))


def parsed(type_string):
    """`seq(tensor(float))` as ("seq", ("tensor", "float"))."""
    head, inner = type_string.split("(", 1)
    inner = inner[:-1]
    return (head, parsed(inner)) if head in ("seq", "optional") else (head, inner)


class Form:
    """One since-version of an operator with one choice of types: what a recipe builds its cases from."""

    def __init__(self, schema, types):
        self.schema, self.version, self.types = schema, schema.since_version, types
        self.rng = np.random.default_rng(zlib.crc32(f"{schema.domain}{schema.name}{schema.since_version}{sorted(types.items())}".encode()))

    def type(self, variable):
        """The element type's name of a type variable, whatever it is wrapped in."""
        kind = self.types.get(variable, f"tensor({variable})")
        kind = parsed(kind)
        while isinstance(kind[1], tuple):
            kind = kind[1]
        return kind[1]

    def dtype(self, variable):
        return TYPES[self.type(variable)]

    def values(self, variable, *shape, low=-3.0, high=3.0):
        """Random values of a type variable; integers from `low` to `high`, unsigned ones from 0."""
        name = self.type(variable)
        if name == "string":
            return self.rng.choice(WORDS, shape) if shape else np.array(self.rng.choice(WORDS), object)
        if name == "bool":
            return self.rng.integers(0, 2, shape).astype(bool)
        if name.startswith("complex"):
            return np.asarray(self.rng.uniform(low, high, shape) + 1j * self.rng.uniform(low, high, shape)).astype(TYPES[name])
        if name == "float8e8m0":
            return np.asarray(2.0 ** self.rng.integers(-2, 3, shape)).astype(TYPES[name])
        if name in FLOATS:
            return np.asarray(self.rng.uniform(low, high, shape)).astype(np.float32).astype(TYPES[name])
        low, high = int(np.ceil(low)), int(np.floor(high))
        if name.startswith("uint"):
            low = max(low, 0)
        if name.endswith("int2"):
            low, high = max(low, -2), min(high, 1 if name == "int2" else 3)
        return np.asarray(self.rng.integers(low, high + 1, shape)).astype(TYPES[name])

    def ints(self, *values):
        return np.array(values, np.int64)


class Case:
    """
    inputs, attributes   of the node; an input may be None
    outputs   how many, or for each: True, False (absent) or None (there, but not compared)
    like      (version, inputs, attributes) or (operator, version, inputs, attributes): a newer form with the same outputs
    want      expected outputs, where no oracle has the form
    widen     whether float32 may stand in for other floating-point types
    """

    def __init__(self, inputs, attributes=None, outputs=1, label="", like=None, want=None, widen=True, prefer=None, constants=(), **tolerance):
        self.inputs, self.attributes, self.label, self.like, self.want, self.widen = inputs, attributes or {}, label, like, want, widen
        self.flags = [True] * outputs if isinstance(outputs, int) else outputs
        self.prefer, self.constants, self.tolerance = prefer, constants, tolerance


RECIPES = {}


def recipe(*operators, domain="", crossed=(), fixed=()):
    """Registers cases(form) for operators. Variables in `crossed` are combined, those in `fixed` follow from others; see forms()."""

    def register(function):
        for operator in operators:
            assert (domain, operator) not in RECIPES, operator
            RECIPES[domain, operator] = (function, crossed, fixed)
        return function

    return register


def forms(schema, crossed, fixed):
    """
    All choices of types: one variable after the other takes each type, the rest being float or the first that is allowed. In the newest
    version those in `crossed` take all combinations.
    """
    if onnx.defs.get_schema(schema.name, domain=schema.domain).since_version != schema.since_version:
        crossed = ()
    choices = {t.type_param_str: sorted(t.allowed_type_strs) for t in schema.type_constraints}
    default = {v: next((t for t in ("tensor(float)", "seq(tensor(float))", "optional(tensor(float))", "tensor(int64)") if t in c), c[0])
               for v, c in choices.items()}
    seen = []
    for variable in choices:
        if variable in fixed:
            continue
        others = [v for v in crossed if v != variable and v in choices] if variable in crossed else []
        combinations = [{variable: t} for t in choices[variable]]
        for other in others:
            combinations = [{**c, other: t} for c in combinations for t in choices[other]]
        for combination in combinations:
            types = {**default, **combination}
            if types not in seen:
                seen.append(types)
    for types in seen or [{}]:
        yield Form(schema, types)


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


def message(value, kind, name):
    which = kind.WhichOneof("value")
    if which == "sequence_type":
        inner = kind.sequence_type.elem_type
        proto = onnx.SequenceProto(name=name)
        if inner.WhichOneof("value") == "tensor_type":
            proto.elem_type = onnx.SequenceProto.TENSOR
            proto.tensor_values.extend(message(v, inner, "") for v in value)
        else:
            proto.elem_type = onnx.SequenceProto.OPTIONAL
            proto.optional_values.extend(message(v, inner, "") for v in value)
        return proto
    if which == "optional_type":
        inner = kind.optional_type.elem_type
        held = value.value if isinstance(value, Optional) else value
        proto = onnx.OptionalProto(name=name)
        if held is None:
            return proto
        if inner.WhichOneof("value") == "tensor_type":
            proto.elem_type = onnx.OptionalProto.TENSOR
            proto.tensor_value.CopyFrom(message(held, inner, ""))
        else:
            proto.elem_type = onnx.OptionalProto.SEQUENCE
            proto.sequence_value.CopyFrom(message(held, inner, ""))
        return proto
    return numpy_helper.from_array(np.asarray(value, object if type_name(value) == "string" else None), name)


def output_type(form, position, value):
    variable = form.schema.outputs[min(position, len(form.schema.outputs) - 1)].type_str
    kind = form.types.get(variable, variable)
    wrapped = parsed(kind)[0] if "(" in kind else "tensor"
    if wrapped == "tensor" and not isinstance(value, (list, tuple)):
        return tensor_type(type_name(value), np.ndim(value))
    names = [parsed(kind)]
    while isinstance(names[-1][1], tuple):
        names.append(names[-1][1])
    proto = tensor_type(names[-1][1] if names[-1][0] == "tensor" else type_name(value))
    wrappers = {"seq": helper.make_sequence_type_proto, "optional": helper.make_optional_type_proto}
    for head in reversed([n[0] for n in names[:-1]]):
        proto = wrappers[head](proto)
    return proto


def write(out, name, form, case, want):
    model = build(form.schema, form.version, case.inputs, case.attributes, case.flags, case.constants)
    asked = [k for k, flag in enumerate(case.flags) if flag]
    folder = out / name / "test_data_set_0"
    folder.mkdir(parents=True)
    for k, port in enumerate(model.graph.input):
        value = feeds(model, case.inputs, case.constants)[port.name]
        (folder / f"input_{k}.pb").write_bytes(message(value, port.type, port.name).SerializeToString(deterministic=True))
    for k, (position, value) in enumerate(zip(asked, want)):
        port = model.graph.output[k]
        port.type.CopyFrom(output_type(form, position, value))
        (folder / f"output_{k}.pb").write_bytes(message(value, port.type, port.name).SerializeToString(deterministic=True))
    (folder.parent / "model.onnx").write_bytes(model.SerializeToString(deterministic=True))
    if case.tolerance:
        (folder.parent / "case.json").write_text(json.dumps(case.tolerance))


def cases_of(schema):
    """(name, form, case) of a schema."""
    function, crossed, fixed = RECIPES[schema.domain, schema.name]
    taken = collections.Counter()
    for form in forms(schema, crossed, fixed):
        kinds = "_".join("-".join(form.types[v].replace("tensor", "").replace("(", "").replace(")", "").split()) for v in form.types)
        for case in function(form) or ():
            name = "_".join(filter(None, [schema.domain.replace(".", ""), schema.name, str(form.version), kinds, case.label]))
            taken[name] += 1
            yield name + (f"_{taken[name]}" if taken[name] > 1 else ""), form, case


def schemas(wanted=()):
    known = sorted(onnx.defs.get_all_schemas_with_history(), key=lambda s: (s.domain, s.name, s.since_version))
    return [s for s in known if not wanted or s.name in wanted]


def few(cases, schema):
    """The first case, the middle one and one more."""
    cases = list(cases)
    return [cases[k] for k in sorted({0, len(cases) // 2, zlib.crc32(f"{schema.name}{schema.since_version}".encode()) % len(cases)})] if cases else []


def pack(folder, file):
    with open(file, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, 0) as zipped, tarfile.open(fileobj=zipped, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.suffix != ".tsv"):
            entry = tarfile.TarInfo(str(path.relative_to(folder)))
            entry.size = path.stat().st_size
            with open(path, "rb") as content:
                tar.addfile(entry, content)


def main(out, *wanted):
    if out.endswith(".tar.gz"):
        with tempfile.TemporaryDirectory() as folder:
            made = record(pathlib.Path(folder) / "cases", wanted, few)
            pack(pathlib.Path(folder) / "cases", out)
    else:
        made = record(pathlib.Path(out), wanted, lambda cases, schema: cases)
    print(made)


def record(out, wanted, choice):
    out.mkdir(parents=True)
    count = 0
    with open(out / "cases.tsv", "w") as made, open(out / "without_oracle.tsv", "w") as without:
        for schema in schemas(wanted):
            if (schema.domain, schema.name) not in RECIPES:
                print(f"{schema.domain}\t{schema.name}\t{schema.since_version}\tno recipe", file=without)
                continue
            for name, form, case in choice(cases_of(schema), schema):
                try:
                    want, oracle = expected(form, case)
                except LookupError as fault:
                    print(f"{name}\t{fault}", file=without)
                    continue
                write(out, name, form, case, want)
                print(f"{name}\t{oracle}", file=made)
                count += 1
    return count


sys.modules.setdefault("operator_cases", sys.modules[__name__])
import operator_elementwise  # noqa: E402,F401
import operator_layers  # noqa: E402,F401
import operator_sequences  # noqa: E402,F401
import operator_shapes  # noqa: E402,F401

if __name__ == "__main__":
    main(*sys.argv[1:])
