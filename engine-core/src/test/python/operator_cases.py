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
import zlib

import numpy as np
import onnx
from onnx import helper, numpy_helper

import operator_elementwise  # noqa: F401
import operator_generators  # noqa: F401
import operator_layers  # noqa: F401
import operator_models  # noqa: F401
import operator_quantised  # noqa: F401
import operator_sequences  # noqa: F401
import operator_shapes  # noqa: F401
from operator_forms import RECIPES, Optional, forms, parsed, schemas, tensor_type, type_name
from operator_oracles import build, expected, feeds


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


if __name__ == "__main__":
    main(*sys.argv[1:])
