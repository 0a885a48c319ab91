#!/usr/bin/env python3
"""Prints every operator that the onnx package and ONNX Runtime know, a line each since-version: domain, operator, since, state, types.

    record_operators.py > src/test/resources/io/kindling/engine/cpu/operators.tsv

The state is `deprecated` or empty; types are `variable=type,type;variable=…`, without `tensor()` around element types.
"""
import onnx
from onnxruntime.capi import onnxruntime_pybind11_state as runtime


def types(schema):
    shown = []
    for constraint in schema.type_constraints:
        names = sorted(t[len("tensor("):-1] if t.startswith("tensor(") else t for t in constraint.allowed_type_strs)
        shown.append(f"{constraint.type_param_str}={','.join(names)}")
    return ";".join(shown)


own = [s for s in onnx.defs.get_all_schemas_with_history()]
contributed = [s for s in runtime.get_all_operator_schema() if s.domain == "com.microsoft"]
for schema in sorted(own + contributed, key=lambda s: (s.domain, s.name, s.since_version)):
    print(schema.domain, schema.name, schema.since_version, "deprecated" if schema.deprecated else "", types(schema), sep="\t")
