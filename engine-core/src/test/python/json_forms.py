#!/usr/bin/env python3
"""Judges texts by Python's json and the package jsonschema, and writes documents of schemas.

    $(python3 tools/pyenv.py jsonschema) engine-core/src/test/python/json_forms.py judge FILE

reads lines {"schema", "hex"} (bytes of a text) and prints a letter for each: x is no JSON of the schema, v is, c is and is written as
json.dumps writes it, with blanks behind commas and colons or without.

    … json_forms.py documents SCHEMAS OUT

reads a schema a line and writes lines {"schema", "text"} of random documents as json.dumps writes them.
"""
import json
import random
import sys

from jsonschema import Draft202012Validator

STYLES = [{"separators": separators, "ensure_ascii": ascii} for separators in ((", ", ": "), (",", ":")) for ascii in (True, False)]


def pairs(items):
    if len({name for name, _ in items}) != len(items):
        raise ValueError("a name twice")
    return dict(items)


def refuse(constant):
    raise ValueError(constant)


def judged(schema, raw: bytes) -> str:
    try:
        text = raw.decode("utf-8")
        value = json.loads(text, parse_constant=refuse)
        text.encode("utf-8")
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # lone surrogates
    except ValueError:
        return "x"
    validator = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    if not validator.is_valid(value):
        return "x"
    try:
        json.loads(text, parse_constant=refuse, object_pairs_hook=pairs)
    except ValueError:
        return "v"
    return "c" if any(json.dumps(value, **style) == text for style in STYLES) else "v"


def value(schema, draw: random.Random):
    if "anyOf" in schema:
        return value(draw.choice(schema["anyOf"]), draw)
    if "enum" in schema:
        return draw.choice(schema["enum"])
    if "const" in schema:
        return schema["const"]
    kind = schema.get("type", ["string", "number", "null", "boolean"])
    kind = draw.choice(kind) if isinstance(kind, list) else kind
    if kind == "object" and "properties" in schema:
        required = schema.get("required", [])
        return {name: value(of, draw) for name, of in schema["properties"].items() if name in required or draw.random() < 0.6}
    if kind == "object":
        return {value({"type": "string"}, draw): value(schema.get("additionalProperties", {}), draw) for _ in range(draw.randrange(4))}
    if kind == "array":
        return [value(schema.get("items", {}), draw) for _ in range(draw.randrange(4))]
    if kind == "integer":
        low, high = schema.get("minimum", -(2**63)), schema.get("maximum", 2**63 - 1)
        return draw.choice([low, high, draw.randint(low, high), min(high, max(low, draw.randint(-99, 99)))])
    if kind == "number":
        return draw.choice([0, -0.0, 0.5, -17, 1e-5, 3e22, draw.random(), draw.gauss(0, 1e6), 10**16])
    if kind == "string" and schema.get("format") == "date":
        return f"{draw.choice([1, 4, 1900, 2000, 2023, 2024, 9999]):04}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
    if kind == "string" and schema.get("format") == "date-time":
        return f"2024-02-29T{draw.randint(0, 23):02}:{draw.randint(0, 59):02}:{draw.randint(0, 59):02}Z"
    if kind == "string":
        letters = "ab \"\\/\b\f\n\r\t\0\x1f\x7fäß€\ud7ff\ue000\uffff😀\U0010ffff{}[]:,"
        return "".join(draw.choice(letters) for _ in range(draw.randrange(8)))
    return {"boolean": draw.random() < 0.5, "null": None}[kind]


def main() -> None:
    if sys.argv[1] == "judge":
        with open(sys.argv[2], encoding="utf-8") as lines:
            cases = [json.loads(line) for line in lines]
        print("".join(judged(case["schema"], bytes.fromhex(case["hex"])) for case in cases))
        return
    draw = random.Random(11)
    with open(sys.argv[2], encoding="utf-8") as lines, open(sys.argv[3], "w", encoding="utf-8") as out:
        for line in lines:
            schema = json.loads(line)
            for k in range(60):
                text = json.dumps(value(schema, draw), **STYLES[k % len(STYLES)])
                out.write(json.dumps({"schema": schema, "text": text}) + "\n")
    print("written")


main()
