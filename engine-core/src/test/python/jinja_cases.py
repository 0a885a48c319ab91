"""Writes what transformers' own environment makes of many templates: jinja_cases.py SECTION OUT [FOLDER].

A line is one case: {"template", "variables", "rendered"} or {"template", "variables", "error"}.
"""
import json
import pathlib
import random
import sys

from jinja_conversations import CONVERSATIONS
from jinja_matrix import cases as matrix
from jinja_random import templates
from jinja_reference import render

SECTIONS = {}
# What our engine does not do as Python does, known and left: the filters and methods named here, keys 1, 1.0 and true of one dict as one
# key, how Python shows its iterators, views as sets, markup that outlives filters, texts repeated by counts beyond 64 bits.
OMITTED = ["pprint", "urlize", "wordwrap", "translate(", "hex()", "encode()",
           "true: 'd'", "1: 2}[a]", "{a: 1}", "imag", ".real }}", "([1, 2] | reverse) %}{{ a | string|length", "| reverse) %}{{ a | wordcount", "'int') %}{{ a | wordcount", "'int')) %}{{ a | string|length", "'int')) %}{{ a | wordcount", "() %}{{ a - b", "() %}{{ a & b", "() %}{% set b", "() %}{{ a in b", "() %}{{ a not in b", "conjugate", "bit_length", "<i>", "a * b"]


def section(function):
    SECTIONS[function.__name__] = function


@section
def families(folder):
    for file in sorted(pathlib.Path(folder).glob("*.jinja")):
        text = file.read_text(encoding="utf-8")
        for messages, others in CONVERSATIONS.values():
            yield text, {"messages": messages, "bos_token": "<s>", "eos_token": "</s>", **others}


@section
def features(_):
    yield from random.Random(20240209).sample([case for case in matrix() if not any(part in case[0] for part in OMITTED)], 3000)


@section
def random_templates(_):
    yield from templates(600)


def main(name, out, folder=None):
    with open(out, "w", encoding="utf-8") as file:
        for template, variables in SECTIONS[name](folder):
            outcome = render(template, variables)
            if outcome is not None:
                file.write(json.dumps({"template": template, "variables": variables, **outcome}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
