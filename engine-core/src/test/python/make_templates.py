#!/usr/bin/env python3
"""Renders templates of our own, and randomly made ones, with jinja2 as Hugging Face's transformers sets it up.

    $(python3 tools/pyenv.py oracle) engine-core/src/test/python/make_templates.py [RANDOM_COUNT [SEED [FILE]]]

writes src/test/resources/io/kindling/engine/text/jinja/templates.jsonl: {"template", "variables", "rendered"} or, where jinja2
refuses, {"template", "variables", "error", "line"?}.
"""
import copy
import datetime
import json
import pathlib
import random
import sys

import jinja2
import jinja2.ext
import jinja2.sandbox

OUT = pathlib.Path(__file__).parents[1] / "resources/io/kindling/engine/text/jinja/templates.jsonl"
NOW = datetime.datetime(2024, 2, 9, 15, 4, 5)


class Generation(jinja2.ext.Extension):
    """The block transformers marks answers with: renders its body."""
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller):
        return caller()


def environment():
    def raise_exception(message):
        raise jinja2.exceptions.TemplateError(message)

    def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    env = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols])
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = NOW.strftime
    return env


VARIABLES = {
    "messages": [
        {"role": "system", "content": "Be brief.\n"},
        {"role": "user", "content": "  Hello <b>\"you\"</b> & 'me'  "},
        {"role": "assistant", "content": None, "tool_calls": [
            {"type": "function", "id": "c1", "function": {"name": "add", "arguments": {"a": 1, "b": [2.5, True, None], "é": "日本"}}}]},
        {"role": "tool", "content": "3.5", "name": "add"},
        {"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image"}, {"type": "text", "text": "👍🏽 done"}]},
    ],
    "tools": [{"type": "function", "function": {"name": "add", "description": "Adds.", "parameters": {
        "type": "object", "properties": {"b": {"type": "number"}, "a": {"type": "number", "enum": [1, 2]}}, "required": ["a"]}}}],
    "text": "<think>why\nnot</think>\n\nBecause 😀 it is.  ", "empty": "", "zero": 0, "one": 1, "seven": 7, "half": 0.5, "yes": True,
    "no": False, "nothing": None, "numbers": [3, 1, 2, 10], "words": ["pear", "Apple", "fig", "apple"], "none_list": [],
    "map": {"b": 1, "A": 2, "items": 3, "c": {"d": [1, {"e": "deep"}]}}, "add_generation_prompt": True, "bos_token": "<s>", "eos_token": "</s>",
    "pairs": [["a", 1], ["b", 2]], "mixed": [1, "1", 1.0, True, None, "x", [1], {"k": 1}],
}

# Whole constructs; each has been met in real templates.
TEMPLATES = r'''
{{ bos_token }}{% for m in messages %}{{ '<|' + m['role'] + '|>' }}{{ m.content }}{% endfor %}
{%- for m in messages -%} [{{ loop.index }}/{{ loop.index0 }}/{{ loop.revindex }}/{{ loop.revindex0 }}/{{ loop.first }}/{{ loop.last }}/{{ loop.length }}/{{ loop.depth }}/{{ loop.depth0 }}] {%- endfor -%}
{% for m in messages %}\n  {% if loop.first %}\n    first\n  {% elif loop.last %}\n    last\n  {% else %}\n    middle\n  {% endif %}\n{% endfor %}\nend\n
  {% set x = 1 %}  \n  {{ x }}  \n  {# comment #}  \nz
a {%- if yes %} b {% endif -%} c
a {%+ if yes %} b {%+ endif %} c
line\n   {%+ if yes +%}\n b\n{% endif %}\n c
{{- 'x' -}}   \n  y {{ 'z' }}
{# a #}\nb{#- c -#}  \n d {#+ e #}\nf
  {#- x #}\ny
{% raw %}{{ not }} {% if %}{% endraw %}|{%- raw -%}  {# kept #}  {%- endraw -%} |
{% set ns = namespace(found=false, n=0) %}{% for m in messages %}{% if m.role == 'user' %}{% set ns.found = true %}{% set ns.n = ns.n + 1 %}{% endif %}{% endfor %}{{ ns.found }} {{ ns.n }} {{ ns.missing is defined }}
{% set x = 1 %}{% for i in numbers %}{{ x }}{% set x = 2 %}{{ x }}{% endfor %}{{ x }}
{% if yes %}{% set y = 5 %}{% endif %}{{ y }}{% if no %}{% set q = 1 %}{% endif %}[{{ q }}]
{% macro m(a, b=2, c='z') %}<{{ a }}|{{ b }}|{{ c }}>{% endmacro %}{{ m(1) }}{{ m(1, 3) }}{{ m(c=9, a=8) }}{{ m() }}
{% macro m(a) %}{{ a }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, 3, k=4) }}
{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, 2) }}
{% macro m(a) %}{{ a }}{% endmacro %}{{ m(b=2) }}
{% macro outer(x) %}{% macro inner(y) %}{{ x }}{{ y }}{% endmacro %}{{ inner(1) }}{% endmacro %}{{ outer('o') }}
{% macro box(t) %}[{{ t }}:{{ caller('in') }}]{% endmacro %}{% call(v) box('b') %}{{ v }}!{{ seven }}{% endcall %}
{% macro nocaller() %}{{ caller() }}{% endmacro %}{{ nocaller() }}
{% macro shout(x) -%}\n  {{ x | upper }}\n{%- endmacro %}{{ shout('a') ~ shout(x='b') }}
{% macro recur(n) %}{{ n }}{% if n > 0 %}{{ recur(n - 1) }}{% endif %}{% endmacro %}{{ recur(5) }}
{% macro sees() %}{{ later }}{% endmacro %}{% set later = 'L' %}{{ sees() }}
{% for i in numbers %}{% macro f() %}{{ i }}{% endmacro %}{{ f() }}{% endfor %}
{% set block %}a{{ seven }}b{% endset %}{{ block }}|{{ block is string }}
{% set block | upper | trim %}  abc {% endset %}[{{ block }}]
{% filter upper | replace('A', '4') %}banana {{ text }}{% endfilter %}
{% generation %}x{{ seven }}{% endgeneration %}
{% for m in messages %}{% generation %}{{ m.role }}{% set z = 1 %}{% endgeneration %}{{ z }}{% endfor %}
{% for i in range(10) %}{% if i == 3 %}{% continue %}{% endif %}{% if i == 6 %}{% break %}{% endif %}{{ i }}{% endfor %}
{% for i in numbers if i > 1 %}{{ i }}{{ loop.length }}{% else %}none{% endfor %}{% for i in none_list %}x{% else %}empty{% endfor %}{% for i in missing %}x{% else %}undef{% endfor %}
{% for k, v in map.items() %}{{ k }}={{ v }};{% endfor %}{% for k, v in map | items %}{{ k }}{% endfor %}{% for k in map %}{{ k }}{% endfor %}
{% for k, v in map | dictsort %}{{ k }}{% endfor %}{% for k, v in map | dictsort(true) %}{{ k }}{% endfor %}{% for k, v in {'a': 2, 'b': 1} | dictsort(by='value', reverse=true) %}{{ k }}{% endfor %}
{% for (a, b) in pairs %}{{ a }}{{ b }}{% endfor %}{% set a, b = pairs %}{{ a }}{{ b }}{% set (c, d) = (1, 2) %}{{ c + d }}
{% for a, b in numbers %}{{ a }}{% endfor %}
{% for x in [1, 2] recursive %}{{ x }}{% if loop.depth < 3 %}({{ loop([8, 9]) }}){% endif %}{% endfor %}
{% for i in numbers %}{{ loop.previtem }}<{{ i }}>{{ loop.nextitem is defined }}{{ loop.cycle('a', 'b') }}{{ loop.changed(i > 1) }} {% endfor %}
{% for c in text[:3] %}{{ c }}.{% endfor %}{% for c in '👍a' %}{{ c }}|{% endfor %}
{% with a = 1, b = seven %}{{ a + b }}{% set c = 3 %}{% endwith %}{{ c is defined }}
{{ 1 if yes else 2 }}{{ 1 if no else 2 }}[{{ 1 if no }}]{{ (1 if no) is defined }}{{ 1 if no else 2 if no else 3 }}
{{ seven + 2 }} {{ seven - 9 }} {{ seven * 3 }} {{ seven / 2 }} {{ seven // 2 }} {{ -seven // 2 }} {{ seven % 4 }} {{ -seven % 4 }} {{ 2 ** 10 }} {{ 2 ** -1 }} {{ -2 ** 2 }} {{ 7.0 // 2 }} {{ -7.5 % 2 }}
{{ 1 + 1.5 }} {{ 0.1 + 0.2 }} {{ 1e3 }} {{ 1.5e-7 }} {{ 1e16 }} {{ 123456789.125 }} {{ 1e22 }} {{ 100000.0 }} {{ 1_000 }} {{ 0x1f }} {{ 0b101 }} {{ 0o17 }}
{{ 1 ~ 'a' ~ none ~ true ~ 1.0 ~ missing ~ [1] }} {{ 'a' 'b' "c" }}
{{ 'a' + 1 }}
{{ 1 / 0 }}
{{ 1 < 2 < 3 }} {{ 1 < 2 > 5 }} {{ 1 == 1.0 }} {{ 1 == true }} {{ 'a' < 'b' }} {{ [1, 2] < [1, 3] }} {{ 'a' == missing }} {{ missing == other }} {{ none == false }} {{ [1] == [1] }} {{ [1] == (1,) }} {{ {'a': 1} == {'a': 1.0} }}
{{ 1 < 'a' }}
{{ 'ell' in 'hello' }} {{ 1 in numbers }} {{ 'b' in map }} {{ 'z' not in map }} {{ 5 not in numbers }} {{ 'x' in missing }} {{ not 1 in numbers }} {{ 1 in [true] }}
{{ missing in 'abc' }}
{{ 1 in 5 }}
{{ yes and no }} {{ no or seven }} {{ empty or 'd' }} {{ not empty }} {{ 1 and 2 }} {{ none or none_list or {} or 'last' }} {{ not missing }}
{{ messages[0].role }} {{ messages[-1]['role'] }} {{ messages[99] is defined }} {{ messages[0]['nope'] is defined }} [{{ messages[0].nope }}] {{ map['c'].d[1].e }} {{ map.c['d'][-1]['e'] }} {{ numbers.0 }} {{ pairs.1.0 }}
{{ missing.attribute }}
{{ missing['x'] }}
{{ messages[0].nope.deeper }}
{{ nothing.x }} {{ nothing['x'] is defined }} {{ seven.x is defined }} {{ map.items }}
{{ map['items'] }} {{ map.b }} {{ map.get('b') }} {{ map.get('zz') }} {{ map.get('zz', 'd') }} {{ map['keys'] is callable }} {{ {}['keys'] is defined }}
{{ numbers[1:] }} {{ numbers[:-1] }} {{ numbers[::-1] }} {{ numbers[1:3] }} {{ numbers[-2:] }} {{ numbers[::2] }} {{ numbers[10:] }} {{ numbers[3:0:-2] }} {{ (1, 2, 3)[1:] }} {{ text[:7] }} {{ text[-4:] }} {{ 'a👍b'[1:] }} {{ 'a👍b'[1] }} {{ 'abc'[::-1] }} {{ 'abc'[5] is defined }} {{ numbers[one:] }}
{{ messages[1:] | length }} {{ messages | selectattr('role', 'equalto', 'user') | list | length }} {{ messages | rejectattr('role', 'equalto', 'user') | map(attribute='role') | join(', ') }}
{{ messages | selectattr('tool_calls', 'defined') | map(attribute='role') | list }} {{ messages | selectattr('tool_calls') | list | length }} {{ numbers | select('odd') | list }} {{ numbers | reject('equalto', 10) | join('-') }} {{ words | map('upper') | join }} {{ words | map('replace', 'p', 'q') | list }} {{ messages | map(attribute='name', default='?') | list }}
{{ messages | map(attribute='tool_calls.0.function.name') | list }}
{{ numbers | map('nofilter') | list }}
{{ numbers | select('notest') | list }}
{{ numbers | select('odd') | length }}
{{ (numbers | select('odd')) and 1 }} {{ none_list | select('odd') is iterable }} {{ numbers | map('string') | first }}
{{ numbers | sort }} {{ words | sort }} {{ words | sort(case_sensitive=true) }} {{ numbers | sort(reverse=true) }} {{ messages | sort(attribute='role') | map(attribute='role') | list }} {{ words | unique | list }} {{ numbers | min }} {{ numbers | max }} {{ words | max }} {{ none_list | max is defined }} {{ numbers | sum }} {{ pairs | sum(attribute=1) }} {{ numbers | first }} {{ numbers | last }} {{ none_list | first is defined }} {{ numbers | reverse | list }} {{ 'abc' | reverse }} {{ numbers | batch(3) | list }} {{ numbers | batch(3, 0) | list }}
{% for g, items in words | groupby('0') %}{{ g }}{{ items }}{% endfor %}
{{ text | length }} {{ numbers | count }} {{ map | length }} {{ missing | length }} {{ '👍🏽' | length }}
{{ seven | length }}
{{ text | trim }}| {{ '  x ' | trim | length }} {{ 'xxaxx' | trim('x') }} {{ text | upper }} {{ 'ß' | upper }} {{ 'ABC' | lower }} {{ 'hello wORLD-foo (bar' | title }} {{ 'hello World' | capitalize }} {{ 'a b' | wordcount }} {{ 'x' | center(5) }}| {{ nothing | string }} {{ 1.0 | string }} {{ yes | string }}
{{ missing | default('d') }} {{ empty | default('d') }}| {{ empty | default('d', true) }} {{ none | default('d') }} {{ no | default(5, boolean=true) }} {{ missing | d(1) }} {{ missing.x | default('d') }}
{{ messages[0].nope | default('d') }} {{ missing | default }}|
{{ 'a,b' | replace(',', ';') }} {{ 'aaa' | replace('a', 'b', 2) }} {{ 'abc' | replace('', '-') }} {{ "it's" | replace("'", "\\'") }} {{ 'x' | replace('x', 5) }} {{ 55 | replace(5, 'y') }}
{{ 'a\nb\n\nc' | indent }}| {{ 'a\nb' | indent(2, true) }}| {{ 'a\n\nb' | indent(width=3, first=true, blank=true) }}| {{ 'a\nb\n' | indent('>>') }}| {{ '' | indent(4, first=True) }}|
{{ '5' | int }} {{ 'x' | int }} {{ 'x' | int(9) }} {{ 3.9 | int }} {{ '3.9' | int }} {{ '1e2' | int }} {{ nothing | int }} {{ 'ff' | int(0, 16) }} {{ '2.5' | float }} {{ 'x' | float }} {{ 5 | float }} {{ 2.567 | round(2) }} {{ 2.5 | round }} {{ 3.5 | round }} {{ 2.1 | round(0, 'ceil') }} {{ 2.9 | round(method='floor') }} {{ -3 | abs }} {{ (-3.5) | abs }} {{ yes | int }}
{{ messages[2].tool_calls[0].function.arguments | tojson }} {{ tools | tojson }}
{{ tools | tojson(indent=4) }}
{{ tools[0] | tojson(indent=2) }} {{ [] | tojson(indent=2) }} {{ {} | tojson }} {{ {'b': 1, 'a': [1, {}]} | tojson(sort_keys=true, indent=1) }} {{ {'a': 1, 'b': [1, 2]} | tojson(separators=(',', ':')) }} {{ 'é\u2028"\\/<>&\'' | tojson }} {{ 'é👍' | tojson(ensure_ascii=True) }} {{ 1.0 | tojson }} {{ 1e20 | tojson }} {{ none | tojson }} {{ "\x07\t\x7f" | tojson }} {{ {1: 2, none: 4} | tojson }} {{ (1, 2) | tojson }}
{{ missing | tojson }}
{{ {'a': missing} | tojson }}
{{ '<a>' | safe }} {{ '<a>' | safe + '<b>' }} {{ '<b>' + ('<a>' | safe) }} {{ ('<a>' | safe) ~ '<b>' }} {{ '<x>' | escape }} {{ '<x>' | e }} {{ ('<a>' | safe) is string }} {{ '<a>' | safe | length }} {{ tools | tojson | safe }}
{{ 'x' is string }} {{ 1 is string }} {{ 1 is number }} {{ true is number }} {{ 1 is integer }} {{ true is integer }} {{ 1.0 is float }} {{ true is boolean }} {{ 1 is boolean }} {{ none is none }} {{ missing is none }} {{ map is mapping }} {{ numbers is mapping }} {{ numbers is sequence }} {{ 'x' is sequence }} {{ map is sequence }} {{ missing is sequence }} {{ 1 is sequence }} {{ 'x' is iterable }} {{ 1 is iterable }} {{ none is iterable }} {{ missing is iterable }} {{ yes is true }} {{ one is true }} {{ no is false }} {{ zero is false }} {{ missing is undefined }} {{ 3 is odd }} {{ 3 is even }} {{ 9 is divisibleby 3 }} {{ 9 is divisibleby(2) }} {{ 1 is eq 1 }} {{ 1 is equalto(2) }} {{ 1 is in [1] }} {{ 'a' is in 'abc' }} {{ 1 is lt 2 }} {{ 2 is ge 2 }} {{ 'abc' is lower }} {{ 'ABC' is upper }} {{ none is sameas none }} {{ range is callable }} {{ 'upper' is filter }} {{ 'odd' is test }} {{ 1 is not string }} {{ not 1 is string }} {{ x is defined and x }} {{ 'a' is eq 'a' and true }} {{ 1 is ne 2 or no }}
{{ text.split('</think>')[0].split('<think>')[-1].lstrip('\n') }}|{{ text.split('</think>')[-1].strip() }}|{{ 'a b  c'.split() }}{{ 'a,b,c'.split(',', 1) }}{{ 'a,b,c'.rsplit(',', 1) }}{{ ''.split() }}{{ ''.split(',') }}{{ 'a\nb\r\nc\n'.splitlines() }}{{ ' a b '.split(None, 1) }}{{ ' a b c '.rsplit(None, 1) }}
{{ 'abc'.startswith('a') }} {{ 'abc'.endswith(('x', 'c')) }} {{ 'abc'.upper() }} {{ 'aXb'.lower() }} {{ 'hello world'.title() }} {{ "they're".title() }} {{ 'hELLO'.capitalize() }} {{ 'xxabxx'.strip('x') }} {{ 'xab'.lstrip('x') }} {{ 'abx '.rstrip() }} {{ 'a-b'.replace('-', '+') }} {{ 'aaa'.replace('a', 'b', 1) }} {{ 'abcb'.find('b') }} {{ 'abcb'.rfind('b') }} {{ 'abc'.find('z') }} {{ 'abcb'.count('b') }} {{ ','.join(['a', 'b']) }} {{ '12'.isdigit() }} {{ 'a1'.isalnum() }} {{ 'a'.isalpha() }} {{ ' '.isspace() }} {{ 'A'.isupper() }} {{ 'a'.islower() }} {{ 'a:b'.partition(':') }} {{ 'a:b:c'.rpartition(':') }} {{ '7'.zfill(3) }} {{ '-7'.zfill(4) }} {{ 'a'.ljust(3) }}| {{ 'a'.rjust(3, '*') }} {{ 'ab'.center(5, '*') }} {{ 'abc'.removeprefix('a') }} {{ 'abc'.removesuffix('c') }} {{ 'aB'.swapcase() }} {{ 'abc'.index('c') }}
{{ 'abc'.index('z') }}
{{ 'abc'.nomethod() }}
{{ 'abc'.startswith(1) }}
{{ '{} {}'.format(1, 'a') }} {{ '{0}-{1}-{0}'.format('x', 'y') }} {{ '{a} {b[0]} {c.d}'.format(a=1, b=[2], c={'d': 3}) }} {{ '{:>5}|{:<5}|{:^5}|{:05d}|{:.2f}|{:x}|{!r}'.format('a', 'b', 'c', 42, 3.14159, 255, 'q') }} {{ '{{}}'.format() }} {{ '{:,}'.format(1234567) }} {{ '{:+d}'.format(3) }} {{ '{:.1%}'.format(0.123) }} {{ '{:e}'.format(12345.678) }}
{{ '%s is %d and %.2f %5s|%-5s|%05d %x %% %r' | format('a', 3, 2.5, 'r', 'l', 42, 255, 'q') }} {{ '%s' % 'x' }} {{ '%s-%s' % (1, 2) }} {{ '%(a)s' % {'a': 1} }} {{ '%(k)s' | format(k='v') }} {{ '%e %g %G' % (12345.678, 0.00001, 1e20) }} {{ '%+d % d' % (1, 2) }} {{ '%c' % 'z' }} {{ '%.3s' % 'abcdef' }}
{{ '%d' % 'x' }}
{{ '%s %s' % 'x' }}
{{ numbers.index(2) }} {{ numbers.count(1) }} {{ map.keys() | list }} {{ map.values() | list | length }} {{ (1, 2).count(1) }}
{{ numbers.append(4) }}
{{ map.pop('b') }}
{{ numbers.append is defined }} {{ map.update is defined }} {{ numbers.copy() }}
{{ range(3) | list }} {{ range(1, 7, 2) | list }} {{ range(3, 0, -1) | list }} {{ range(0) | list }} {{ dict(a=1, b=2) }} {{ namespace(a=1).a }} {{ range(5)[1:3] | list }}
{{ range(1000000) | list | length }}
{{ strftime_now('%Y-%m-%d') }} {{ strftime_now('%d %b %Y') }} {{ strftime_now('%B %d, %Y') }} {{ strftime_now('%A %a %H:%M:%S %I %p %j %y %m %-d %e %% %U %W %u %w') }}
{{ raise_exception('no ' ~ seven) }}
\n\n{% if no %}{{ raise_exception('never') }}{% endif %}ok
line one\nline two {{ raise_exception('here') }}
{{ [1, 'a', none, true, 1.5, {'k': 'v'}, (1,), (), "it's", 'say "x"', 'both \' and "', 'tab\t\\n\n\r', '\u00e9\u200b\x00'] }} {{ {'a': [1], 2: none} }} {{ (1, 2) }} {{ [] }} {{ {} }} {{ 'x' ~ [missing] }}
{{ "esc: \" ' \\ \n \t \x41 \u00e9 \U0001F600 \101 \q \/ " }}{{ 'single \' "quoted"' }}
{{ {'a': {'b': 1}} }}{{ {'a': 1,} }}{{ [1, 2,] }}{{ (1,) }}{{ {} | length }}
{{ mixed | map('string') | join('|') }} {{ mixed | unique | list | length if false else 0 }}
{% if messages[0]['role'] == 'system' and messages[0].content is string %}{{ messages[0].content | trim }}{% set loop_messages = messages[1:] %}{% else %}{% set loop_messages = messages %}{% endif %}{% for m in loop_messages %}{{ m.role }}{{ loop_messages | length }}{% endfor %}
{% for m in messages %}{% if m.content is string %}{{ m.content }}{% elif m.content is iterable %}{% for part in m.content %}{% if part.type == 'text' %}{{ part.text }}{% else %}<{{ part['type'] }}>{% endif %}{% endfor %}{% elif m.content is none %}(none){% endif %}{% endfor %}
{% for m in messages %}{% for t in m.tool_calls or [] %}{{ t.function.name }}({{ t.function.arguments | tojson }}){% endfor %}{% endfor %}
{% for m in messages %}{%- if (m.role == 'user') != (loop.index0 % 2 == 0) -%}u{%- else -%}a{%- endif -%}{% endfor %}
{% set n = namespace(last=-1) %}{% for m in messages[::-1] %}{% set i = (messages | length - 1) - loop.index0 %}{% if n.last < 0 and m.role == 'user' %}{% set n.last = i %}{% endif %}{% endfor %}{{ n.last }}
{{ numbers | length - 1 }} {{ -numbers[0] }} {{ - 3 | abs }} {{ 'a' ~ 'b' | upper }} {{ 'a' + 'b' | upper }} {{ (1, 2) + (3,) }} {{ [1] + [2] }} {{ [0] * 3 }} {{ 'ab' * 2 }} {{ 3 * 'x' }} {{ not no and yes }} {{ 1 + 2 * 3 - 4 }} {{ 10 - 2 - 3 }} {{ 2 * 3 % 4 }} {{ true + true }}
{{ missing + 1 }}
{{ missing ~ 'x' }}|{{ missing }}|{{ missing | upper }}|{{ missing | trim }}|{{ missing | list }}|{{ missing | join }}
{{ -missing }}
{{ missing() }}
{{ seven() }}
{{ none | upper }} {{ 5 | trim }} {{ [1, 2] | string }} {{ numbers | join(', ') }} {{ ['a', none, 1.5, true] | join('-') }} {{ pairs | join(attribute=0) }} {{ messages | join(',', 'role') }} {{ 'abc' | join('.') }} {{ 'abc' | list }} {{ map | list }}
{{ x | nofilter }}
{% if no %}{{ x | nofilter }}{% endif %}ok
{{ x is notest }}
{% unknown %}
{% if yes %}open
{% for x in numbers %}{{ x }
{{ 'open }}
{{ (1 }}
{{ 1 + }}
{{ 1 2 }}
{% set 5 = x %}
{% endif %}
{% for x of numbers %}{% endfor %}
{% macro f(a=1, b) %}{% endmacro %}
{# open
{% do numbers.append(1) %}
{% set x = {'a': 1} %}{% set x.a = 2 %}
{{ messages[0]['role', 'x'] is defined }} {{ {(1, 2): 3}[(1, 2)] }}
{{ {[1]: 2} }}
{% set ns = namespace() %}{% set ns.a = [] %}{% set ns.a = ns.a + [1] %}{% set ns.a = ns.a + [2] %}{{ ns.a }}
{% set ns = namespace({'a': 1}, b=2) %}{{ ns.a }}{{ ns.b }}{{ ns['a'] }}
{% set a = b = 1 %}
{{ a.b.c.d is defined }}
{{ map.c.nope.deeper is defined }}
{{ map.nope is defined and map.nope.x }}
{% for k, v in map.items() | list %}{{ loop.index }}{{ k }}{% endfor %}{% for k, v in map.items() | sort(attribute='0') %}{{ k }}{% endfor %}
{% set content = text %}{% if '</think>' in content %}{% set reasoning = content.split('</think>')[0].rstrip('\n').split('<think>')[-1].lstrip('\n') %}{% set content = content.split('</think>')[-1].lstrip('\n') %}{% endif %}[{{ reasoning }}][{{ content }}]
{% for tool in tools %}{{- tool | tojson(indent=4) }}\n{%- if not loop.last %}{{ "\n\n" }}{%- endif %}{% endfor %}
{%- macro render(p) -%}{%- for n, s in p.items() -%}{{ n }}?: {{ s.type }}{% if s.enum %} ({{ s.enum | join(' | ') }}){% endif %};{%- endfor -%}{%- endmacro -%}{{ render(tools[0].function.parameters.properties) }}
{{ 'x' if 'a' in {'a': 1} and not ('b' in ['c']) else 'y' }} {{ ('a' in 'abc') | string | lower }} {{ [1, 2, 3] | last }} {{ {'a': 1}.items() | list }} {{ 'abc' | first }} {{ 'abc' | last }}
{{ 5 is number and 5 > 3 }} {{ 'a' if x is defined else 'b' }} {{ yes is defined is true }} {{ [1, 2] is sequence and [1, 2] is not mapping }} {{ numbers | map('int') | sum > 3 }}
{{ 'abc' is in ['abc'] }} {{ 'k' in {'k': missing} }} {{ {'k': none}.k is none }} {{ [none, missing] | select('defined') | list }} {{ [0, 1, '', 'x'] | select | list }} {{ [0, 1] | reject | list }}
{{ 1.0 }} {{ 10.50 }} {{ 3.14 * 2 }} {{ 1 / 3 }} {{ 2 / 1 }} {{ 1e100 }} {{ 5e-324 }} {{ 0.00001 }} {{ 0.0001 }} {{ 1e15 }} {{ 123456789012345680.0 }} {{ -0.0 }}
'''.strip("\n").split("\n")

CR_TEMPLATES = ["a\r\n{% if yes %}\r\nb\r\n{% endif %}\r\nc\rd\r\n", "x\n\n", "{{ 'a\r\nb' }}\n"]


class Maker:
    """Random templates over the variables above."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, *options):
        return self.random.choice(options)

    def atom(self):
        return self.pick(
            "seven", "half", "text", "empty", "numbers", "words", "map", "missing", "nothing", "yes", "no", "one", "messages", "pairs", "mixed",
            "'a b'", "'x'", "''", "3", "0", "2.5", "-1", "none", "true", "[1, 'b']", "(1, 2)", "{'k': 'v'}", "messages[0].role", "map.c",
            "numbers[0]", "words[-1]", "text[2:9]", "x", "i", "ns.v")

    def expression(self, depth=0):
        kind = self.random.randrange(16 if depth < 3 else 4)
        if kind < 4:
            return self.atom()
        a = self.expression(depth + 1)
        b = self.expression(depth + 1)
        c = self.expression(depth + 1)
        if kind == 4:
            return f"({a} {self.pick('+', '-', '*', '/', '//', '%', '~', '~', '+')} {b})"
        if kind == 5:
            return f"({a} {self.pick('==', '!=', '<', '>', '<=', '>=', 'in', 'not in')} {b})"
        if kind == 6:
            return f"({a} {self.pick('and', 'or')} {b})"
        if kind == 7:
            return f"(not {a})"
        if kind == 8:
            return f"({a} if {b} else {c})" if self.random.random() < 0.8 else f"({a} if {b})"
        if kind in (9, 10):
            return f"({a} | {self.filter(depth)})"
        if kind == 11:
            test = self.pick("defined", "none", "string", "number", "mapping", "iterable", "sequence", "true", "false", "boolean", "odd",
                             "undefined", f"eq {self.atom()}", f"in [{b}]", "upper", "integer", "float", "callable")
            return f"({a} is {self.pick('', 'not ')}{test})"
        if kind == 12:
            if self.random.random() < 0.5:
                # Slices of constants are folded with other rules than those of variables.
                return f"{self.pick('text', 'numbers', 'words', 'missing', 'map', 'seven')}[{self.pick('1:', ':-1', '::-1', '1:3')}]"
            return f"{a}[{self.pick(b, '0', '-1', chr(39) + 'k' + chr(39))}]"
        if kind == 13:
            return f"{a}.{self.pick('role', 'k', 'items()', 'split()', 'strip()', 'upper()', 'get(' + b + ')', 'startswith(' + b + ')', 'keys()', 'nope', 'lower()', 'title()', 'replace(' + b + ', ' + c + ')', 'split(' + b + ')[0]', 'endswith(' + b + ')', 'rstrip(' + b + ')')}"
        if kind == 14:
            return f"[{a}, {b}]"
        return f"{{'k': {a}, 'm': {b}}}"

    def filter(self, depth):
        a = self.expression(depth + 2)
        return self.pick(
            "length", "list", "upper", "lower", "trim", "string", "tojson", "first", "last", "join", f"join({a})", "sort", "unique | list",
            "map('string') | list", "select | list", "select('string') | list", f"default({a})", f"default({a}, true)", "int", "float", "abs",
            "capitalize", "title", f"replace('a', {a})", "reverse | list", "sum", "min", "max", "items | list", "dictsort", "indent(2, true)",
            "tojson(indent=2)", "map(attribute='role') | list", f"selectattr('role', 'eq', {a}) | list", "batch(2) | list", "count", "round", "safe",
            "tojson | safe", "reject('none') | list")

    def statement(self, depth=0):
        e = self.expression()
        space = self.pick("", " ", "\n", "  \n  ", "\n\n")
        s = self.pick("", "", "-", "+")
        t = self.pick("", "", "-")
        kind = self.random.randrange(9 if depth < 2 else 3)
        inner = lambda: "".join(self.statement(depth + 1) for _ in range(self.random.randrange(1, 3)))
        if kind == 0:
            return space + self.pick("word", "  lead", "trail  ", "{", "}", "# no", "%") + space
        if kind <= 2:
            return f"{space}{{{{{self.pick('', '-')} {e} {self.pick('', '-')}}}}}{space}"
        if kind == 3:
            return f"{space}{{%{s} if {e} {t}%}}{inner()}{{%{s} else {t}%}}{inner()}{{%{t} endif {t}%}}{space}"
        if kind in (4, 5):
            test = f" if {self.expression()}" if self.random.random() < 0.3 else ""
            return (f"{space}{{%{s} for i in {self.expression(1)}{test} {t}%}}{inner()}{{{{ loop.{self.pick('index', 'first', 'last', 'length')} }}}}"
                    f"{{%{t} endfor {t}%}}{space}")
        if kind == 6:
            return f"{{%{s} set {self.pick('x', 'y', 'ns.v')} = {e} {t}%}}{space}"
        if kind == 7:
            return f"{{%{s} set x {t}%}}{inner()}{{%{t} endset {t}%}}{{{{ x }}}}"
        return f"{{#{s} {self.pick('note', 'a - b', '{{ x }}')} {t}#}}{space}"

    def template(self):
        body = "".join(self.statement() for _ in range(self.random.randrange(1, 5)))
        return "{% set ns = namespace(v=1) %}" + body


def case(env, template):
    line = {"template": template}
    try:
        rendered = env.from_string(template).render(**copy.deepcopy(VARIABLES))  # some filters change lists
        if any(mark in rendered for mark in ("object at 0x", "<bound method", "<built-in method", "dict_items(", "dict_keys(", "dict_values(", "range(", "<Macro", "<function", "<class")):
            return None  # how Python shows its own objects is not part of the language
        line["rendered"] = rendered
    except Exception as error:  # whatever Python throws is an error of the template
        line["error"] = f"{type(error).__name__}: {error}"[:160]
        if isinstance(error, jinja2.exceptions.TemplateSyntaxError):
            line["line"] = error.lineno
    return line


def main(count, seed, out):
    env = environment()
    templates = [t.replace("\\n", "\n") if "'" not in t and '"' not in t else unescape(t) for t in TEMPLATES] + CR_TEMPLATES
    lines = [{"variables": VARIABLES, "now": NOW.isoformat()}]
    lines += [c for c in (case(env, t) for t in templates) if c]
    own = len(lines)
    maker = Maker(seed)
    while len(lines) < own + count:
        made = case(env, maker.template())
        # Most random templates fail; a quarter of those is enough.
        if made and len(made["template"]) < 600 and len(made.get("rendered", "")) < 3000 and ("rendered" in made or maker.random.random() < 0.1):
            lines.append(made)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("".join(json.dumps(line) + "\n" for line in lines))
    print(own - 1, "own templates,", count, "random,", sum("error" in line for line in lines), "errors,", out.stat().st_size, "bytes")


def unescape(template):
    """Newlines outside of tags are written as backslash n above."""
    parts = []
    at = 0
    while at < len(template):
        begin = min((k for k in (template.find("{{", at), template.find("{%", at)) if k >= 0), default=-1)
        if begin < 0:
            parts.append(template[at:].replace("\\n", "\n"))
            break
        end = template.find("}}" if template[begin + 1] == "{" else "%}", begin)
        end = len(template) if end < 0 else end + 2
        parts.append(template[at:begin].replace("\\n", "\n") + template[begin:end])
        at = end
    return "".join(parts)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    main(int(arguments[0]) if arguments else 300, int(arguments[1]) if len(arguments) > 1 else 1,
         pathlib.Path(arguments[2]) if len(arguments) > 2 else OUT)
