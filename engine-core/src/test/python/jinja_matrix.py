"""Every filter, test, method and operator over every kind of value: (template, variables) pairs whose results jinja2 decides."""
import itertools

VALUES = {
    "none": None, "true": True, "false": False, "zero": 0, "one": 1, "seven": 7, "minus": -3, "big": 2 ** 63, "huge": -3 ** 50,
    "float": 2.5, "floatzero": 0.0, "negzero": -0.0, "tiny": 1.5e-7, "large": 1e16, "third": 1 / 3, "whole": 4.0,
    "empty": "", "word": "abc", "words": "Hello the WORLD of it's  jinja", "padded": " \t x y \n\n", "sharp": "straße ŉ ǅ İ Σς", "emoji": "a👍🏽b",
    "digits": "12", "decimal": "-3.75", "hex": "0x1f", "spaced": " 1_000 ", "exponent": "1e3", "html": "<b class=\"x\">&amp; 'q'</b>",
    "lines": "one\ntwo\r\n\nthree\u2028four\n", "url": "see https://a.org/x?y=1, www.b.com (c@d.org)", "format": "%s-%s {} {}", "long": "The quick brown fox " * 8,
    "list": [], "numbers": [3, 1, 2, 1], "mixed": [1, "1", 1.0, True, None, [1], {"a": 1}], "strings": ["b", "A", "c", "a", "B"],
    "pairs": [["a", 1], ["b", 2]], "floats": [0.1] * 10, "nested": [[1, 2], [], ["x"]], "objects": [
        {"a": 1, "b": {"c": "x"}, "name": "q"}, {"a": 3, "b": {"c": "Y"}, "name": "P"}, {"a": 2, "name": "p"}],
    "dict": {}, "map": {"b": 2, "A": 1, "c": 3}, "deep": {"a": {"b": [1, {"c": None}]}, "items": 5, "1": "one"}, "values": {"x": "b", "y": "A", "z": "a"},
}
# Values that only templates make; "missing" is undefined.
MADE = {
    "missing": "missing", "tuple": "(1, 'b', none)", "unit": "(1,)", "marked": "('<i>' | safe)", "range": "range(2, 9, 3)", "norange": "range(0)",
    "generator": "([3, 1, 2] | map('int'))", "keys": "{'a': 1, 'b': 2}.keys()", "views": "{'a': 1, 'b': 2}.values()", "items": "{'a': 1, 'b': 2}.items()",
    "space": "namespace(a=1, b='x')", "inttkeys": "{1: 'a', 2.5: 'b', none: 'c', true: 'd', (1, 2): 'e'}", "reversed": "([1, 2] | reverse)",
    "groups": "([{'a': 1}, {'a': 2}, {'a': 1}] | groupby('a'))", "undefined": "(1 if false)", "bools": "[true, false, none]",
}

FILTERS = """
abs attr('a') attr('b') batch(2) batch(2,'x') batch(0) capitalize center center(8) center(9) center(3) default default('d') default('d',true)
default(default_value='d',boolean=true) d('x') dictsort dictsort(true) dictsort(by='value') dictsort(false,'value',true) dictsort(reverse=true) dictsort(by='x')
escape e forceescape filesizeformat filesizeformat(true) first float float(1.5) float(default='x') format format(1) format(1,2) format('a','b')
groupby('a') groupby(0) groupby('b.c',default='z') groupby('name') groupby('name',case_sensitive=true) indent indent(2) indent(2,true) indent(2,true,true) indent('>>')
indent(width=1,first=true) indent(0) indent(-1) indent(1,blank=true) int int(5) int(0,16) int(base=16) int(default=none) int(7,0) int(0,2) items join join(', ') join('-','a') join(',',attribute='name')
join(d='|') join(1) last length count list lower map('upper') map('int') map('length') map(attribute='a') map(attribute='b.c') map(attribute='a',default='z')
map(attribute=0) map('default','x') map('string') map('join','-') map('replace','a','b') map('nofilter') map() map('first') max min max(attribute='a') min(true) max(case_sensitive=true)
min(attribute='name') pprint reject reject('none') reject('odd') reject('equalto',1) rejectattr('a') rejectattr('a','equalto',1) rejectattr('b','defined') replace('a','b')
replace('l','L',1) replace('','-') replace('','-',2) replace(1,2) replace(old='a',new='x') replace('a') reverse round round(1) round(2) round(-1) round(1,'floor') round(0,'ceil')
round(method='ceil') round(1,'up') safe select select('string') select('number') select('eq',1) select('in',[1,'b']) select('odd') select('notest') selectattr('a') selectattr('a','gt',1)
selectattr('b','undefined') selectattr('name','in',['p','q']) selectattr('b.c','defined') selectattr('a','eq') slice(2) slice(3,'x') slice(0) sort sort(true) sort(case_sensitive=true)
sort(attribute='a') sort(attribute='name') sort(attribute='a,name') sort(attribute='name',reverse=true) sort(false,true) sort(attribute=0) sort(attribute='b.c') string striptags sum
sum('a') sum(attribute='a') sum(start=1) sum(start=[]) sum(start='') title tojson tojson(indent=2) tojson(ensure_ascii=true) tojson(separators=(',',':')) tojson(sort_keys=true)
tojson(indent=0) tojson(indent='--') tojson(true) tojson(false,2) tojson(indent=2,separators=('; ','=')) tojson(nothing=1) tojson(indent=none,sort_keys=true,ensure_ascii=false) trim trim('a') trim(' ') trim('<>b')
trim(chars='x') truncate truncate(10) truncate(10,true) truncate(10,false,'--') truncate(10,true,'',0) truncate(length=9,leeway=2) truncate(2) unique unique(true) unique(attribute='a')
unique(attribute='name') unique(case_sensitive=true) upper urlencode urlize wordcount wordwrap(10) wordwrap(5,false) wordwrap(7,true,'|') wordwrap(width=10,break_on_hyphens=false) xmlattr xmlattr(false)
upper|lower lower|capitalize list|first list|last list|length string|length reverse|list map('string')|list map('string')|join('+') unique|list select|list reject|list batch(3)|list slice(2)|list
sort|list items|list dictsort|list groupby('a')|list tojson|safe tojson|length string|upper|trim default([])|length first|default('none') list|tojson string|list|reverse|join length|string|int
map(attribute='a')|list map(attribute='a')|sum selectattr('a','ge',2)|map(attribute='name')|join(',') select('mapping')|list reject('mapping')|list map('list')|list map('trim')|list map('title')|list
batch(2,0)|map('list')|list unique|sort|join sum(start=0.5) sum|round(2) float|round(1) int|string center(5)|length nofilter length(1) upper(1) trim(1) first(1) join(1,2,3) lower(x=1)
""".split()
FILTERS = [f for f in FILTERS]

TESTS = """
boolean callable defined divisibleby(3) divisibleby(0) divisibleby(1.5) eq(1) eq('abc') equalto(none) escaped even false filter float ge(1) ge('b') gt(1) greaterthan(0) in([1,'abc',none]) in('abc') in({'a':1})
in(7) integer iterable le(1) lessthan(3) lt(2.5) lower mapping ne(1) none number odd sameas(none) sameas(true) sameas(1) sequence string test true undefined upper notest eq ==(1) in eq(1,2) defined(1) none(1)
""".split()

METHODS = """
upper() lower() title() capitalize() swapcase() casefold() strip() strip('a') strip(none) strip(' x') strip(1) lstrip() lstrip('a') rstrip() rstrip('b\\n') split() split('a') split(' ',1) split(none,1) split('') split('o',0)
split(sep=' ') split(' ',maxsplit=1) split(maxsplit=1) split(1) rsplit() rsplit(' ',1) rsplit(none,1) rsplit('l',2) splitlines() splitlines(true) splitlines(keepends=true) startswith('a') startswith(('x','a')) startswith('b',1) startswith('l',2,4)
startswith(1) startswith() endswith('c') endswith(('c','e')) endswith('b',0,2) endswith('') replace('a','X') replace('l','',1) replace('','.') replace('','.',2) replace('a') replace(1,2) replace('a','b',-1) find('b') find('l',3) find('l',0,3) find('')
find('zz') rfind('l') rfind('') rfind('l',0,3) index('b') index('zz') rindex('l') count('l') count('') count('l',3) count('ll') join(['x','y']) join('xy') join([1]) join([]) join({'k':1}) join(none) format() format(1,2) format('x') isdigit() isdecimal() isnumeric()
isalpha() isalnum() isspace() isupper() islower() istitle() isascii() isidentifier() isprintable() zfill(5) zfill(0) zfill(-1) zfill('5') ljust(6) ljust(6,'*') rjust(6) rjust(6,'ab') center(6) center(7,'*') center(-1) removeprefix('a') removesuffix('c') removeprefix('')
partition('b') partition('zz') partition('') rpartition('l') rpartition('zz') expandtabs() expandtabs(2) encode() nomethod() translate({97:'X'}) translate({97:none,'98':1}) format_map({'a':1}) upper(1) lower(x=1)
get('a') get('zz') get('zz','d') get('zz',default=1) get() get([1]) get('a',1,2) keys() values() items() keys()|list values()|list items()|list keys()|length items()|first copy() copy()|length pop('a') pop(0) update({'a':1}) setdefault('a',1) clear() popitem() fromkeys(['a'])
keys()[0] items()[0] items()|tojson values()|join('-') keys()|sort append(1) extend([1]) insert(0,1) remove(1) reverse() sort() index(1) index('b') index(1,2) count(1) count('a') append|string a a.b a.zz b 0 0.0 zz __class__ __len__() real imag start stop step
grouper list format is_integer() bit_length() conjugate() hex()
""".split()

SUBSCRIPTS = """
0 1 -1 7 -9 'a' 'b' 'zz' 'items' 'upper' none true 1.0 2.5 missing [1] (1,2) {'a':1} 0:2 1: :-1 ::-1 ::2 -2: 5:1:-2 :0 : :: 1:none none:2 'a':1 1.5: ::0 -100:100 true: missing: 9223372036854775807: :-9223372036854775807 ::9223372036854775807
""".split()

OPERATORS = ["+", "-", "*", "/", "//", "%", "~", "==", "!=", "<", "<=", ">", ">=", "in", "not in", "and", "or"]
UNARY = ["-a", "+a", "not a", "- a | abs", "-a ** 2", "a ** -1", "2 ** 3 ** 2", "2.5 ** a if a is float", "a ** 2.0", "a is defined and a", "a if a else 'no'", "(a if a) is defined", "a ~ a", "[a] + [a]", "{'k': a}", "(a,)", "[a]", "a == a", "a in [a]", "{a: 1}",
         "a is sameas a", "a and a.x", "range(a)", "range(a) | list", "dict(a)", "dict(a) | length", "namespace(a)", "cycler(a).next()", "a()", "a(1)", "'%s' % a", "'%d' % a", "'%5.2f|' % a", "'%r' % a", "'%x' % a", "'%s %s' % a",
         "'%(a)s' % a", "'%05d|%-6s|' % (a, a)", "'%c' % a", "'%+.3e' % a", "'{}'.format(a)", "'{:>10}|'.format(a)", "'{0!r:<12}|{0}'.format(a)", "'{:.2f}'.format(a)", "'{:d}'.format(a)", "'{:,}'.format(a)", "'{0[0]}'.format(a)",
         "'{0.a}'.format(a)", "'{x}'.format(x=a)", "'{:^9}|'.format(a)", "'{:05}'.format(a)", "'{:+}'.format(a)", "'{:e}'.format(a)", "'{:%}'.format(a)", "'{:x}'.format(a)", "'{:s}'.format(a)", "'x'.join(a)", "'abc'[a]", "[5, 6, 7][a]",
         "[5, 6, 7][a:]", "[5, 6, 7][:a]", "[5, 6, 7][::a]", "{'a': 1, 1: 2}[a]", "a.a", "a['a']", "a[0]", "a[-1]", "a[1:]", "a | list", "raise_exception(a)", "strftime_now(a)", "joiner(a)()", "loop", "a.__class__", "a._x", "a is a",
         "a | map('upper') | list", "a | tojson | length", "a < a", "a <= a", "1 < a < 9", "a == 1 == true", "a is none or a is string", "not a is string", "a is not none and a is iterable", "(a | string)[:3]", "a.items() | list",
         "a | selectattr('a') | list | length", "'a' in a", "1 in a", "none in a", "a not in 'abc'", "a * 2", "2 * a", "a + 1", "1 + a", "a + 'x'", "'x' + a", "a + []", "a + (1,)", "a % 2", "a / 2", "a // 2", "7 // a", "7 % a", "1 / a"]

STATEMENTS = ["{% for x in a %}{{ loop.index }}:{{ x }}{{ '' if loop.last else ',' }}{% else %}none{% endfor %}", "{% for x in a %}{{ loop.length }}{{ loop.revindex }}{{ loop.previtem }}{{ loop.nextitem }};{% endfor %}",
              "{% for x, y in a %}{{ x }}={{ y }};{% endfor %}", "{% for x in a if x %}{{ x }};{% else %}none{% endfor %}", "{% set x, y = a %}{{ x }}{{ y }}", "{% if a %}yes{% else %}no{% endif %}", "{% set r = a %}{{ r }}{{ r }}",
              "{% for x in a %}{{ x }}{% endfor %}{% for x in a %}{{ x }}{% endfor %}", "{{ a | list }}{{ a | list }}", "{% filter upper %}{{ a }}{% endfilter %}", "{% set r %}{{ a }}{% endset %}{{ r | length }}{{ r is escaped }}",
              "{% macro m(v=a) %}[{{ v }}]{% endmacro %}{{ m() }}{{ m(1) }}{{ m(v=a) }}{{ m(*a) }}", "{% macro m() %}{{ kwargs }}{{ varargs }}{% endmacro %}{{ m(**a) }}", "{% with x = a %}{{ x }}{% endwith %}{{ x }}",
              "{% set a.x = 1 %}{{ a.x }}", "{% for x in a recursive %}{{ x }}{% if x is iterable and x is not string and loop.depth < 5 %}({{ loop(x) }}){% endif %}{% endfor %}", "{% for x in a %}{% if loop.index == 2 %}{% break %}{% endif %}{{ x }}{% endfor %}",
              "{% for x in a %}{% if loop.first %}{% continue %}{% endif %}{{ x }}{% endfor %}", "{% for k, v in a | items %}{{ k }}{{ v }}{% endfor %}", "{% for k, v in a.items() %}{{ k }}{{ v }}{% endfor %}", "{% for x in a | sort %}{{ x }}{% endfor %}",
              "{% for x in a %}{{ loop.changed(x) }}{{ loop.cycle('p', 'q') }}{% endfor %}", "{% print a %}", "{% block b %}{{ a }}{% endblock %}", "{% call(x) a() %}{% endcall %}", "{% include a %}", "{% from a import b %}{{ b }}", "{% extends a %}"]


def operands():
    """(name, expression, variables) of each value."""
    for name, value in VALUES.items():
        yield "a", {"a": value}
    for expression in MADE.values():
        yield expression, {}


def with_value(template, expression, variables):
    """The template over a value: made ones are set first."""
    return ("" if expression == "a" else "{% set a = " + expression + " %}") + template, variables


def cases():
    shown = ["{{ a | %s }}" % f for f in FILTERS] + ["{{ a is %s }}{{ a is not %s }}" % (t, t) for t in TESTS] + ["{{ a.%s }}" % m for m in METHODS]
    shown += ["{{ a[%s] }}" % s for s in SUBSCRIPTS] + ["{{ %s }}" % u for u in UNARY] + STATEMENTS
    for template in shown:
        for expression, variables in operands():
            yield with_value(template, expression, variables)
    marked = ["{%% set r = ('<i>' | safe) | %s %%}{{ r }}{{ r is escaped }}{{ r + '<' }}" % f for f in FILTERS]
    marked += ["{%% set r = (' a<i>' | safe).%s %%}{{ r }}{{ r is escaped }}{{ r + '<' }}" % m for m in METHODS]
    for template in marked:
        yield template, {}
    for operator in OPERATORS:
        template = "{{ a %s b }}" % operator
        for a, b in itertools.product(VALUES, VALUES):
            yield template, {"a": VALUES[a], "b": VALUES[b]}
        for (a, first), (b, second) in itertools.product(MADE.items(), MADE.items()):
            yield "{%% set a = %s %%}{%% set b = %s %%}" % (first, second) + template, {}
        for (name, made), value in itertools.product(MADE.items(), ["word", "seven", "numbers", "map", "none", "float"]):
            yield "{%% set b = %s %%}" % made + template, {"a": VALUES[value]}
