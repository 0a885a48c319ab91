"""Recipes of sequences, optionals, control flow and strings; see operator_cases.py."""
import numpy as np
from onnx import helper, numpy_helper

from operator_forms import Case, Optional, Sequence, code, parsed, recipe, tensor_type


def proto(kind):
    head, inner = kind
    if head == "tensor":
        return tensor_type(inner)
    return {"seq": helper.make_sequence_type_proto, "optional": helper.make_optional_type_proto}[head](proto(inner))


def wrapped(form, type_string, again=False):
    """A value of any type; `again` gives the same one once more."""
    cache = form.__dict__.setdefault("made", {})
    if again and type_string in cache:
        return cache[type_string]
    cache[type_string] = build(form, parsed(type_string))
    return cache[type_string]


def build(form, kind):
    head, inner = kind
    if head == "tensor":
        form.types["_"] = f"tensor({inner})"
        value = form.values("_", 2, 3)
        del form.types["_"]
        return value
    if head == "seq":
        return Sequence([build(form, inner), build(form, inner)], proto(inner))
    return Optional(build(form, inner), proto(inner))


def three(form, variable="S"):
    element = parsed(form.types[variable])[1]
    form.types["_"] = f"tensor({element[1]})"
    values = [form.values("_", n, 2) for n in (1, 3, 2)]
    del form.types["_"]
    return Sequence(values, proto(element)), values, element


@recipe("SequenceConstruct", fixed=("S",))
def construct(form):
    x, y = form.values("T", 2), form.values("T", 3)
    form.types["S"] = f"seq({form.types['T']})"
    yield Case([x, y], want=[[x, y]])


@recipe("SequenceEmpty")
def empty(form):
    yield Case([], {"dtype": code(parsed(form.types["S"])[1][1])}, want=[[]])


@recipe("SequenceLength")
def length(form):
    yield Case([three(form)[0]], want=[np.array(3, np.int64)])


@recipe("SequenceAt", fixed=("T",))
def at(form):
    sequence, values, element = three(form)
    form.types["T"] = f"tensor({element[1]})"
    for position in (1, -1):
        yield Case([sequence, np.array(position, form.dtype("I"))], label=str(position).replace("-", "m"), want=[values[position]])


@recipe("SequenceErase")
def erase(form):
    sequence, values, _ = three(form)
    yield Case([sequence, np.array(-2, form.dtype("I"))], want=[[values[0], values[2]]])
    yield Case([sequence], label="last", want=[values[:2]])


@recipe("SequenceInsert", fixed=("S",))
def insert(form):
    form.types["S"] = f"seq({form.types['T']})"
    sequence, values, _ = three(form)
    x = form.values("T", 2, 2)
    yield Case([sequence, x, np.array(-1, form.dtype("I"))], want=[[*values[:2], x, values[2]]])
    yield Case([sequence, x], label="last", want=[[*values, x]])


@recipe("ConcatFromSequence", fixed=("T",))
def concat(form):
    sequence, values, element = three(form)
    form.types["T"] = f"tensor({element[1]})"
    yield Case([sequence], {"axis": 0}, want=[np.concatenate(values)])
    same = Sequence([values[1], values[1]], sequence.element)
    yield Case([same], {"axis": -1, "new_axis": 1}, label="new_axis", want=[np.stack([values[1]] * 2, -1)])


@recipe("SplitToSequence", fixed=("S",))
def split(form):
    form.types["S"] = f"seq({form.types['T']})"
    x = form.values("T", 5, 2)
    yield Case([x, np.array(2, form.dtype("I"))], label="size", want=[[x[:2], x[2:4], x[4:]]])
    yield Case([x, np.array([4, 1], form.dtype("I"))], label="sizes", want=[[x[:4], x[4:]]])
    yield Case([x], {"axis": 1}, label="ones", want=[[x[:, :1], x[:, 1:]]])
    yield Case([x], {"axis": -1, "keepdims": 0}, label="squeezed", want=[[x[:, 0].copy(), x[:, 1].copy()]])


@recipe("SequenceMap", fixed=("V",))
def sequence_map(form):
    sequence, values, element = three(form)
    body = helper.make_graph([helper.make_node("Concat", ["a", "a"], ["b"], axis=1)], "body",
                             [helper.make_tensor_value_info("a", code(element[1]), None)], [helper.make_tensor_value_info("b", code(element[1]), None)])
    yield Case([sequence], {"body": body}, want=[[np.concatenate([v, v], 1) for v in values]])


@recipe("Optional", fixed=("O",))
def optional(form):
    form.types["O"] = f"optional({form.types['V']})"
    value = wrapped(form, form.types["V"])
    yield Case([value], want=[value])
    yield Case([], {"type": proto(parsed(form.types["V"]))}, label="nothing", want=[None])


def held(form):
    value = wrapped(form, form.types["O"])
    return value, value.value if isinstance(value, Optional) else value


@recipe("OptionalGetElement", fixed=("V",))
def get_element(form):
    value, content = held(form)
    kind = parsed(form.types["O"])
    form.types["V"] = form.types["O"] if kind[0] != "optional" else form.types["O"][len("optional("):-1]
    yield Case([value], want=[content])


@recipe("OptionalHasElement")
def has_element(form):
    value, _ = held(form)
    yield Case([value], want=[np.array(True)])
    if isinstance(value, Optional):
        yield Case([Optional(None, value.element)], label="nothing", want=[np.array(False)])
    if form.version >= 18:
        yield Case([None], label="absent", want=[np.array(False)])


@recipe("Identity")
def identity(form):
    kind = form.types.get("V", form.types.get("T"))
    yield Case([wrapped(form, kind)], want=[wrapped(form, kind, again=True)])


def info(name, type_string):
    return helper.make_value_info(name, proto(parsed(type_string)))


@recipe("If")
def if_(form):
    kind = form.types["V"]
    x = wrapped(form, kind)
    value = x if parsed(kind)[0] == "tensor" else None
    if value is None:
        return  # branches have no inputs: see Identity, Loop and Optional for the other types
    y = build(form, parsed(kind))
    branches = {
        name: helper.make_graph([helper.make_node("Constant", [], ["z"], value=numpy_helper.from_array(v))], name, [], [info("z", kind)])
        for name, v in (("then_branch", x), ("else_branch", y))}
    for flag in (True, False):
        yield Case([np.array(flag)], branches, label=str(flag).lower(), want=[x if flag else y])


@recipe("Loop", fixed=("I", "B"))
def loop(form):
    kind = form.types["V"]
    x = wrapped(form, kind)
    body = helper.make_graph(
        [helper.make_node("Identity", ["c"], ["d"]), helper.make_node("Identity", ["v"], ["w"])], "body",
        [info("i", "tensor(int64)"), info("c", "tensor(bool)"), info("v", kind)], [info("d", "tensor(bool)"), info("w", kind)])
    if parsed(kind)[0] != "tensor":
        if form.version >= {"seq": 14, "optional": 16}[parsed(kind)[0]]:
            yield Case([np.array(2, np.int64), np.array(True), x], {"body": body}, want=[x])
        return
    body.node.append(helper.make_node("Identity", ["v"], ["s"]))
    body.output.append(info("s", kind))
    yield Case([np.array(2, np.int64), np.array(True), x], {"body": body}, 2, want=[x, np.stack([x, x])])
    yield Case([np.array(3, np.int64), None, x], {"body": body}, 2, label="count", want=[x, np.stack([x, x, x])])


@recipe("Scan", fixed=("I",))
def scan(form):
    kind = form.types["V"]
    x, state = wrapped(form, kind), build(form, parsed(kind))[0]
    body = helper.make_graph(
        [helper.make_node("Identity", ["e"], ["t"]), helper.make_node("Identity", ["s"], ["o"])], "body",
        [info("s", kind), info("e", kind)], [info("t", kind), info("o", kind)])
    if form.version == 8:
        batch = np.stack([x, x[::-1]])
        states = np.stack([state, state])
        yield Case([None, states, batch], {"body": body, "num_scan_inputs": 1}, 2,
                   want=[batch[:, -1], np.stack([np.stack([states[b], batch[b, 0]]) for b in range(2)])])
        lengths = form.ints(1, 2)
        zeros = np.zeros_like(state) if state.dtype != object else np.array([""] * 3, object)
        yield Case([lengths, states, batch], {"body": body, "num_scan_inputs": 1}, 2, label="lengths",
                   want=[np.stack([batch[0, 0], batch[1, 1]]), np.stack([np.stack([state, zeros]), np.stack([state, batch[1, 0]])])])
        return
    yield Case([state, x], {"body": body, "num_scan_inputs": 1}, 2, want=[x[-1], np.stack([state, x[0]])])
    yield Case([state, x], {"body": body, "num_scan_inputs": 1, "scan_input_directions": [1], "scan_output_directions": [1]}, 2, label="reverse",
               want=[x[0], np.stack([x[1], state])])
    yield Case([state, np.ascontiguousarray(x.T)], {"body": body, "num_scan_inputs": 1, "scan_input_axes": [1], "scan_output_axes": [1]}, 2, label="axes",
               want=[x[-1], np.stack([state, x[0]], 1)])


@recipe("StringConcat")
def string_concat(form):
    x, y = form.values("T", 2, 3), form.values("T", 3)
    yield Case([x, y], want=[x + y])


@recipe("StringSplit")
def string_split(form):
    x = np.array(["a b  c", "", "one", "x,y,,z"], object)
    yield Case([x], outputs=2)
    yield Case([x], {"delimiter": ","}, 2, label="comma", prefer="reference")
    yield Case([x], {"maxsplit": 1}, 2, label="once")


@recipe("StringNormalizer")
def string_normalizer(form):
    x = np.array(["Monday", "tuesday", "Ümlaut", "monday"], object)
    for label, attributes, want in (
        ("lower", {"case_change_action": "LOWER"}, ["monday", "tuesday", "ümlaut", "monday"]),
        ("upper", {"case_change_action": "UPPER", "is_case_sensitive": 1, "stopwords": ["monday"]}, ["MONDAY", "TUESDAY", "ÜMLAUT"]),
        ("stop", {"stopwords": ["monday"], "is_case_sensitive": 0, "case_change_action": "LOWER"}, ["tuesday", "ümlaut"]), ("none", {}, x)):
        yield Case([x], attributes, label=label, want=[np.array(want, object)])


@recipe("RegexFullMatch")
def regex(form):
    yield Case([np.array(["www.a.com", "b@c.de", ""], object)], {"pattern": r"(\W|^)[\w.\-]{0,25}@[a-z]+\.de(\W|$)"})
    yield Case([np.array([["abc", "abd"]], object)], {"pattern": "ab[cx]"}, label="short")


@recipe("TfIdfVectorizer")
def tf_idf(form):
    words = form.type("T") == "string"
    x = np.array(list("abcab") if words else [1, 2, 3, 1, 2], form.dtype("T"))
    pool = {"pool_strings": ["a", "b", "c", "a", "b", "b", "c"]} if words else {"pool_int64s": [1, 2, 3, 1, 2, 2, 3]}
    for mode in ("TF", "IDF", "TFIDF"):
        for skip in (0, 1):
            yield Case([x], {"mode": mode, "min_gram_length": 1, "max_gram_length": 2, "max_skip_count": skip, "ngram_counts": [0, 3],
                             "ngram_indexes": [0, 2, 1, 3, 4], "weights": [1.0, 0.5, 2.0, 3.0, 0.25], **pool}, label=f"{mode}_{skip}")
