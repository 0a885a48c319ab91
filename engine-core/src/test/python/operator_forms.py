"""What recipes of operator cases are made of: types, forms and cases; see operator_cases.py."""
import zlib

import ml_dtypes
import numpy as np
import onnx
from onnx import TensorProto, helper

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


def schemas(wanted=()):
    known = sorted(onnx.defs.get_all_schemas_with_history(), key=lambda s: (s.domain, s.name, s.since_version))
    return [s for s in known if not wanted or s.name in wanted]
