"""Random templates, the same at every run: nesting, white space control, scopes, loops, macros, filters, slices, formats, what is undefined."""
import random

VARIABLES = {"n": 7, "f": 2.5, "s": "Hello, World", "t": " padded\ttext\n", "e": "", "z": None, "b": True,
             "l": [3, 1, 2], "w": ["pear", "Apple", "fig"], "d": {"k": "v", "x": 1, "l": [1, 2]},
             "m": [{"role": "user", "n": 1}, {"role": "tool", "n": 2, "o": None}, {"role": "user"}]}
NAMES = [*VARIABLES, "x", "y", "missing"]
LITERALS = ["0", "1", "-3", "2.5", "'a'", "''", "\"q'\\n\"", "true", "none", "[1, 'b', none]", "{'p': 1, 'q': [2]}", "(1, 2)", "[]", "range(4)"]
FILTERS = ["upper", "trim", "length", "list", "join('-')", "first", "last", "reverse | list", "tojson", "string", "default('D')", "int", "sort", "unique | list",
           "map('string') | list", "map(attribute='role') | list", "selectattr('n') | list", "selectattr('role', 'equalto', 'user') | list", "replace('a', 'o')",
           "title", "capitalize", "indent(2)", "items | list", "batch(2) | list", "select | list", "reject('none') | list", "sum", "min", "max", "tojson(indent=1)", "dictsort", "abs", "round(1)"]
TESTS = ["defined", "undefined", "none", "string", "number", "mapping", "sequence", "iterable", "true", "false", "odd", "even", "in l", "boolean", "equalto(1)", "divisibleby 2"]
METHODS = ["strip()", "upper()", "split(',')", "split()", "startswith('H')", "items() | list", "get('k')", "get('no', 0)", "keys() | list", "replace('l', 'L')", "lstrip()", "k", "role", "l", "find('o')", "format(1)", "splitlines()"]
BINARY = ["+", "-", "*", "/", "//", "%", "~", "==", "!=", "<", ">=", "and", "or", "in", "not in"]
TEXTS = ["text", " ", "\n", "\n\n", "  two\n", "<b>", "\t", " \n  ", "é🌦"]


class Writer:
    def __init__(self, source):
        self.random = source

    def one(self, items):
        return self.random.choice(items)

    def expression(self, depth):
        kind = self.random.randrange(13) if depth > 0 else self.random.randrange(2)
        inner = lambda: self.expression(depth - 1)
        if kind == 0:
            return self.one(NAMES)
        if kind == 1:
            return self.one(LITERALS)
        if kind in (2, 3):
            return f"({inner()} {self.one(BINARY)} {inner()})"
        if kind in (4, 5):
            return f"({inner()} | {self.one(FILTERS)})"
        if kind == 6:
            return f"({inner()} is {self.one(['', 'not '])}{self.one(TESTS)})"
        if kind == 7:
            return f"{self.one(NAMES)}.{self.one(METHODS)}"
        if kind == 8:
            bounds = [self.one(["", "", "0", "1", "-1", "9"]) for _ in range(2)] + [self.one(["", "-1", "2"])]
            return f"{self.one(NAMES)}[{':'.join(bounds)}]"
        if kind == 9:
            return f"({inner()} if {inner()} else {inner()})" if self.random.random() < 0.8 else f"({inner()} if {inner()})"
        if kind == 10:
            return f"{self.one(NAMES)}[{inner()}]"
        if kind == 11:
            return self.one(["not ", "-", "+"]) + f"({inner()})"
        pattern = self.one(["'%s|%5s' % (", "'%d-%.2f' % (", "'{}{:>4}'.format(", "'{0}{1!r}'.format("])
        return f"({pattern}{inner()}, {inner()}))"

    def tag(self, text):
        return "{%" + self.one(["", "", "-", "+"]) + f" {text} " + self.one(["", "", "-"]) + "%}"

    def statement(self, depth, loop):
        inner = lambda inside=loop: self.body(depth - 1, inside)
        kind = self.random.randrange(15) if depth > 0 else self.random.randrange(5)
        if kind == 0:
            return self.one(TEXTS)
        if kind in (1, 2, 3):
            return "{{" + self.one(["", "-"]) + f" {self.expression(self.random.randrange(3))} " + self.one(["", "-"]) + "}}"
        if kind == 4:
            return self.tag(f"set {self.one(['x', 'y', 'n'])} = {self.expression(2)}")
        if kind in (5, 6):
            other = self.tag("else") + inner() if self.random.random() < 0.5 else ""
            elif_ = self.tag(f"elif {self.expression(1)}") + inner() if self.random.random() < 0.3 else ""
            return self.tag(f"if {self.expression(2)}") + inner() + elif_ + other + self.tag("endif")
        if kind in (7, 8, 9):
            condition = f" if {self.expression(1)}" if self.random.random() < 0.3 else ""
            other = self.tag("else") + inner() if self.random.random() < 0.3 else ""
            target, over = self.one([("x", self.one(["l", "w", "m", "s", "d", "range(n)", self.expression(1)])), ("x, y", self.one(["d.items()", "d | items", "m", "[(1, 2), (3, 4)]"]))])
            return self.tag(f"for {target} in {over}{condition}") + inner(True) + other + self.tag("endfor")
        if kind == 10:
            return (self.tag(f"macro q(x, y={self.expression(1)})") + inner(False) + self.tag("endmacro")
                    + "{{ q(" + self.expression(1) + self.one(["", ", 2", ", y=3", ", 1, 2, 3", ", k=1"]) + ") }}")
        if kind == 11:
            return self.tag(f"set {self.one(['x', 'y'])}" + self.one(["", " | upper", " | trim"])) + inner() + self.tag("endset") + "{{ x }}"
        if kind == 12:
            return self.tag("filter " + self.one(["upper", "trim", "replace('e', 'E')", "indent(3, true)"])) + inner() + self.tag("endfilter")
        if kind == 13:
            return (self.tag("set ns = namespace(x=0)") + self.tag("for x in l") + self.tag(f"set ns.x = ns.x + {self.one(['1', 'x', 'loop.index', self.expression(1)])}")
                    + self.tag("endfor") + "{{ ns.x }}")
        if loop:
            return self.one(["{{ loop.index }}", "{{ loop.last }}", "{{ loop.previtem }}", "{{ loop.nextitem is defined }}", "{{ loop.cycle('a', 'b') }}", "{{ loop.length }}",
                             "{{ loop.changed(x) }}", "{{ loop.revindex0 }}", "{% if loop.first %}{% continue %}{% endif %}", "{% if loop.index > 2 %}{% break %}{% endif %}"])
        return (self.tag("macro c(a)") + "<{{ caller(a) }}>" + self.tag("endmacro") + self.tag(f"call(x) c({self.expression(1)})") + inner() + self.tag("endcall"))

    def body(self, depth, loop=False):
        return "".join(self.statement(depth, loop) for _ in range(self.random.randint(1, 3)))


def templates(count):
    for seed in range(count):
        yield Writer(random.Random(seed)).body(2), VARIABLES
