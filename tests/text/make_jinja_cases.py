#!/usr/bin/env python3
"""Writes jinja_cases.json: small templates with what Jinja2, set up as transformers does, makes of
them, and whole templates (templates/*.jinja) over conversations.

    python tests/text/make_jinja_cases.py

Needs transformers (made with 5.17) and jinja2 (3.1.6); neither is needed to build or test. Add a
case to SNIPPETS or CONVERSATIONS below and run it again.
"""

import json
import pathlib

import jinja2
from transformers import PreTrainedTokenizerFast
from transformers.utils.chat_template_utils import _compile_jinja_template, render_jinja_template

HERE = pathlib.Path(__file__).parent

V = {
    "user": {"name": "Ann", "age": 41, "tags": ["x", "y", "z"]},
    "items": [1, 2, 3, 4, 5],
    "words": ["pear", "Apple", "fig", "apple"],
    "people": [{"n": "a", "v": 3, "on": True}, {"n": "b", "v": 1}, {"n": "C", "v": 2, "on": False}],
    "text": "  Hello, World  ",
    "uni": "naïve 日本語 🙂 ß",
    "lines": "one\ntwo\r\n\nfour",
    "yes": True, "no": False, "nil": None, "n": 7, "f": 2.5, "neg": -3,
    "empty": [], "d": {"b": 1, "a": [1, 2.0, None, True], "c": {"k": "v'\"\n"}},
    "schema": {"type": "object", "items": [1], "keys": "K", "properties": {"p": {"type": "string"}}},
    "tag": "<think>\nwhy\n</think>\n\nso", "big": 9223372036854775807, "x": 5,
}

SNIPPETS = r"""
plain text
{{ user.name }} {{ user['age'] }} {{ user["tags"][1] }} {{ user.tags[-1] }} {{ user.tags.0 }}
[{{ missing }}] [{{ user.missing }}] [{{ missing is defined }}] [{{ missing | default('d') }}]
{{ missing.deep }}
{{ nil.deep }}|{{ nil.deep is defined }}
{{ user.missing.deep }}
{{ 1 + 2 * 3 - 4 / 2 }} {{ 7 // 2 }} {{ -7 // 2 }} {{ 7 % 3 }} {{ -7 % 3 }} {{ 7 % -3 }} {{ 2 ** 10 }} {{ 2 ** -1 }}
{{ 7.5 // 2 }} {{ -7.5 % 2 }} {{ 1e3 }} {{ 1.5e-7 }} {{ 1e16 }} {{ 123456789.123 }} {{ 0.1 + 0.2 }} {{ 1_000 }} {{ 0x1f }} {{ 0b101 }} {{ 0o17 }}
{{ 1 / 0 }}
{{ 'a' + 1 }}
{{ 'a' ~ 1 ~ none ~ true ~ 1.0 ~ missing ~ [1, 'x'] }}
{{ 'ab' * 3 }}{{ 3 * '-' }}{{ [1, 2] * 2 }}{{ [1] + [2] }}{{ (1,) + (2, 3) }}{{ 'x' * -1 }}
{{ [1] + (2,) }}
{{ true + 1 }} {{ true == 1 }} {{ 1 == 1.0 }} {{ '1' == 1 }} {{ none == missing }} {{ [1, [2]] == [1, [2]] }} {{ (1,) == [1] }}
{{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ 1 != 2 }} {{ 'a' < 'b' }} {{ [1, 2] < [1, 3] }} {{ 3 >= 3 }} {{ 2 > 1 == true }}
{{ 'a' < 1 }}
{{ missing < 1 }}
{{ 'ell' in text }} {{ 'b' in d }} {{ 3 in items }} {{ 9 not in items }} {{ 'x' in missing }} {{ 'a' in ['a'] }} {{ not 'q' in 'abc' }}
{{ 1 in 'abc' }}
{{ 1 in 5 }}
{{ yes and no or 'z' }} {{ no or missing or 'last' }}|{{ 'a' and '' }}|{{ not no }} {{ not missing and yes }}
{{ 'yes' if yes else 'no' }} {{ 'yes' if no else 'no' }} [{{ 'only' if no }}] {{ 1 if no else 2 if no else 3 }}
{{ text[2:7] }}|{{ text[::-1] }}|{{ text[:-3] }}|{{ uni[::2] }}|{{ uni[6:9] }}|{{ uni[-1] }}|{{ uni[20] }}|{{ uni | length }}
{{ items[::-1] }} {{ items[1:3] }} {{ items[:2] }} {{ items[-2:] }} {{ items[4:1:-1] }} {{ items[10:] }} {{ (1, 2, 3)[1:] }} {{ items[::2] }}
{{ items[::0] }}
{{ items['a'] }}|{{ items[1.0] }}|{{ d[none] }}|{{ text['upper']() }}|{{ n[0] }}
{{ user }} {{ d }} {{ items }} {{ () }} {{ (1,) }} {{ {} }} {{ {'a': (1, none)} }} {{ "q'q" }} {{ ["q'q", 'd"d', '\\', "both'\""] }} {{ [uni, 'a\tb', '\x07', '\u200b'] }}
{{ yes }} {{ nil }} {{ f }} {{ 1.0 }} {{ 1e22 }} {{ -0.0 }} {{ big }} {{ [1.0, 1e-5] }}
{% if x > 3 %}big{% elif x > 1 %}mid{% else %}small{% endif %}{% if no %}a{% elif no %}b{% endif %}{% if missing %}m{% else %}e{% endif %}
{% if x == 5 and user.name == 'Ann' %}ok{% endif %}{% if not user.tags %}none{% endif %}{% if (x) %}p{% endif %}
{% for i in items %}{{ i }}{% if not loop.last %}, {% endif %}{% endfor %}
{% for i in items %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }} {% endfor %}
{% for i in items %}{{ loop.previtem }}<{{ i }}>{{ loop.nextitem }} {% endfor %}{% for i in items %}{{ loop.previtem is defined }}{{ loop.nextitem is defined }}{% endfor %}
{% for i in items %}{{ loop.cycle('a', 'b') }}{% endfor %} {% for i in [1, 1, 2, 2] %}{{ loop.changed(i) }} {% endfor %}
{% for i in empty %}x{% else %}nothing{% endfor %}{% for i in missing %}x{% else %}undefined{% endfor %}{% for i in items %}{% if i == 2 %}{% break %}{% endif %}{% else %}no{% endfor %}
{% for i in nil %}x{% endfor %}
{% for i in 5 %}x{% endfor %}
{% for k in d %}{{ k }}{% endfor %} {% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %} {% for k, v in d | items %}{{ k }}{% endfor %} {% for c in 'añb' %}[{{ c }}]{% endfor %}
{% for i in items if i % 2 %}{{ i }}{{ loop.index }}{{ loop.last }}{{ loop.length }} {% endfor %}{% for p in people if p.on %}{{ p.n }}{% else %}-{% endfor %}
{% for i in items %}{% if i == 2 %}{% continue %}{% endif %}{% if i == 4 %}{% break %}{% endif %}{{ i }}{% endfor %}
{% for i in items %}{% for j in items[:2] %}{{ i * j }}{{ loop.index }}{% endfor %}{{ loop.index }}|{% endfor %}
{% for a, b in [(1, 2), (3, 4)] %}{{ a }}-{{ b }} {% endfor %}{% for a, (b, c) in [(1, (2, 3))] %}{{ a }}{{ b }}{{ c }}{% endfor %}
{% for a, b in [(1, 2, 3)] %}{{ a }}{% endfor %}
{% for i in 1, 2 %}{{ i }}{% endfor %}
{% for loop in items %}{% endfor %}
{{ loop }}{% for i in items[:1] %}{% set outer = loop %}{% for j in items[:2] %}{{ outer.index }}{{ loop.index }}{{ loop.depth }}{{ loop.depth0 }}{% endfor %}{% endfor %}
{% set a = 1 %}{% for i in items %}{% set a = a + 1 %}{{ a }}{% endfor %}{{ a }}
{% set ns = namespace(a=1) %}{% for i in items %}{% set ns.a = ns.a + i %}{% endfor %}{{ ns.a }} {{ ns.b }} {{ ns.b is defined }}
{% set ns = namespace({'q': 2}, r=3) %}{{ ns.q }}{{ ns.r }}{% set ns.s = [1] %}{{ ns.s }}
{% set d2 = {} %}{% set d2.a = 1 %}{{ d2 }}
{% set nothing.a = 1 %}
{% set a, b = 1, 2 %}{{ a }}{{ b }}{% set c = 1, 2 %}{{ c }}{% set (e, g) = [3, 4] %}{{ e }}{{ g }}
{% if yes %}{% set inner = 'set' %}{% endif %}{{ inner }}{% if no %}{% set other = 1 %}{% endif %}[{{ other }}]
{% for i in [1, 2] %}{% if i == 2 %}{{ late }}{% endif %}{% set late = i %}{% endfor %}|{{ late }}
{{ x }}{% for i in [1] %}{{ x }}{% endfor %}{% set x = 6 %}{{ x }}
{% for i in [1] %}[{{ x }}]{% endfor %}{% set x = 6 %}{{ x }}
{% for i in [1, 2] %}{% if i == 1 %}{% set x = 9 %}{% endif %}{{ x }}{% endfor %}{{ x }}
{% for i in [1, 2] %}{% set x = x + 1 %}{{ x }}{% for j in [1] %}{% set x = x * 10 %}{{ x }}{% endfor %}{{ x }} {% endfor %}{{ x }}
{% macro m(a, b=2, c='z') %}{{ a }}{{ b }}{{ c }}{% endmacro %}{{ m(1) }} {{ m(1, 3) }} {{ m(c=0, a=9) }} [{{ m() }}] {{ m(1, 2, 3) | upper }}
{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, 2) }}
{% macro m(a) %}{{ a }}{% endmacro %}{{ m(b=2) }}
{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, a=2) }}
{% macro m(a, b=a) %}{{ a }}{{ b }}{% endmacro %}{{ m(1) }}
{% macro m() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, k=3) }}
{% macro m() %}{{ later }}{% endmacro %}[{{ m() }}]{% set later = 5 %}[{{ m() }}]
{% macro m() %}[{{ x }}]{% endmacro %}{{ m() }}{% set x = 6 %}{{ m() }}
{% macro fact(k) %}{% if k > 1 %}{{ k }}*{{ fact(k - 1) }}{% else %}1{% endif %}{% endmacro %}{{ fact(5) }}
{% macro m(a) %}{% set a = a ~ '!' %}{% set z = 3 %}{{ a }}{% endmacro %}{{ m('q') }}{{ a }}{{ z }}
{% set v = 'o' %}{% macro m(v) %}{{ v }}{% endmacro %}{{ m('i') }}{{ v }}{{ m() }}
{% for i in [1, 2] %}{% macro m() %}{{ i }}{{ loop.index }}{% endmacro %}{{ m() }}{% endfor %}
{% macro outer(a) %}{% macro inner() %}{{ a }}{% endmacro %}{{ inner() }}{{ inner() }}{% endmacro %}{{ outer(3) }}
{{ undefined_macro(1) }}
{{ user.name() }}
{% set x %}A{{ n }}B{% endset %}[{{ x }}]{% set y | upper %}abc{% endset %}{{ y }}{% set z | replace('b', 'q') | upper %}abc{% endset %}{{ z }}
{% filter upper %}a{{ user.name }}{% endfilter %}{% filter replace('a', 'b') | trim %} aa {% endfilter %}|
{% with a = 1, b = x %}{{ a }}{{ b }}{% set x = 3 %}{{ x }}{% endwith %}{{ a }}{{ x }}
{% with a = 1, b = a %}[{{ b }}]{% endwith %}
{% generation %}gen {{ x }}{% set gx = 1 %}{% endgeneration %}[{{ gx }}]{%- generation -%}  y  {%- endgeneration -%}  z
{% raw %}{{ not }} {% this %}{% endraw %}|{%- raw -%}  a  {%- endraw -%}  b
a{# comment {{ x }} #}b{#- c -#} d {#- e #}
{{ '{{' }} {{ "%}" }} {{ '}}' }} {{ {'a': {'b': 1}}['a']['b'] }}{{ {'a': {}}}}
{{ 'a\nb' }}|{{ "\t\"\'\\" }}|{{ '\x41\u00e9\U0001F642\101' }}|{{ '\q' }}|{{ 'é' }}|{{ 'a' 'b' }}
{{ text | trim }}|{{ text.strip() }}|{{ text.lstrip() }}|{{ text.rstrip() }}|{{ 'xxaxx'.strip('x') }}|{{ 'abcba'.strip('ab') }}|{{ 'xay' | trim('xy') }}|{{ '\u3000a\u00a0'.strip() }}
{{ tag.split('</think>') }} {{ tag.split('</think>')[-1].lstrip('\n') }} {{ tag.split('</think>')[0].rstrip('\n').split('<think>')[-1].lstrip('\n') }}
{{ 'a,b,,c'.split(',') }} {{ 'a,b,c'.split(',', 1) }} {{ 'a b  c '.split() }} {{ ' a b c'.split(none, 1) }} {{ ''.split() }} {{ ''.split(',') }} {{ 'a,b,c'.rsplit(',', 1) }} {{ 'aaa'.rsplit('aa') }} {{ 'aaa'.split('aa') }}
{{ 'abc'.split('') }}
{{ text.startswith('  H') }} {{ text.endswith('x') }} {{ 'abc'.startswith(('x', 'a')) }} {{ 'abc'.endswith('') }} {{ 'héllo'.find('l') }} {{ 'abc'.find('z') }} {{ 'abcabc'.rfind('b') }} {{ 'aXbX'.count('X') }} {{ 'abc'.index('c') }}
{{ 'abc'.startswith(1) }}
{{ 'a-b'.replace('-', '+') }} {{ 'aaa'.replace('a', 'b', 2) }} {{ 'abc'.replace('', '.') }} {{ 'aaa' | replace('a', 'b', 1) }} {{ 5 | replace('5', '6') }} {{ 'x'.replace('y', 'z') }}
{{ 'Hi There'.upper() }} {{ 'Hi'.lower() }} {{ 'hi there-you (x)' | title }} {{ "they're bill's".title() }} {{ 'hELLO' | capitalize }} {{ 'straße ﬁ' | upper }} {{ 'ÀÉ' | lower }} {{ 'éa'.capitalize() }}
{{ 'a.b.c'.partition('.') }} {{ 'a.b.c'.rpartition('.') }} {{ 'abc'.partition('z') }} {{ 'prefix_x'.removeprefix('prefix_') }} {{ 'x.py'.removesuffix('.py') }}
{{ lines.splitlines() }} {{ lines.splitlines(true) }} {{ ','.join(['a', 'b']) }} {{ '12'.isdigit() }} {{ 'ab'.isalpha() }} {{ ' '.isspace() }} {{ 'AB1'.isupper() }} {{ 'a1'.isalnum() }} {{ ''.islower() }}
{{ ','.join([1]) }}
{{ d.get('b') }} {{ d.get('q') }} {{ d.get('q', 3) }} {{ d.keys() | list }} {{ d.values() | list }} {{ d.items() | list }} {{ d.copy() == d }}
{{ schema.items is callable }} {{ schema['items'] }} {{ schema.keys is mapping }} {{ schema.properties.p.type }} {{ schema['get'] is callable }}
{{ d.update({'z': 1}) }}
{{ items.append(6) }}
[{{ d.update }}][{{ d.pop is defined }}][{{ text.__class__ }}]
{{ items.index(3) }} {{ items.count(3) }} {{ (1, 2).index(2) }}
{{ items.index(9) }}
{{ words | join(', ') }} {{ items | join }} {{ people | join('-', attribute='n') }} {{ [1, none, true, missing] | join('|') }} {{ 'abc' | join('.') }}
{{ items | first }} {{ items | last }} [{{ empty | first }}] {{ 'abc' | first }} {{ 'añ' | last }} {{ d | first }} {{ items | length }} {{ items | count }} {{ d | length }} {{ missing | length }} {{ missing | first is defined }}
{{ n | length }}
{{ items | map('string') | list }} {{ people | map(attribute='n') | list }} {{ people | map(attribute='q', default='-') | join }} {{ words | map('upper') | join(' ') }} {{ [' a '] | map('trim') | list }} {{ [[1, 2], [3]] | map('length') | list }} {{ [1.5] | map('int') | list }} {{ ['a'] | map('replace', 'a', 'b') | list }}
{{ people | selectattr('on') | map(attribute='n') | list }} {{ people | rejectattr('on') | map(attribute='n') | list }} {{ people | selectattr('v', 'gt', 1) | map(attribute='n') | list }} {{ people | selectattr('n', 'equalto', 'b') | list }} {{ people | rejectattr('n', 'in', ['a', 'b']) | list }} {{ people | selectattr('on', 'defined') | list | length }}
{{ items | select('odd') | list }} {{ items | reject('odd') | list }} {{ items | select('divisibleby', 2) | list }} {{ [0, 1, '', 'a'] | select | list }} {{ [none, 1] | select('none') | list }}
{{ items | select('odd') is iterable }} {{ items | select('odd') is sequence }} {{ (items | select('odd')) and 'true' }} {{ (empty | select('odd')) and 'true' }}
{% set g = items | select('odd') %}{{ g | list }}{{ g | list }}
{{ items | select('odd') | length }}
{{ words | sort }} {{ words | sort(case_sensitive=true) }} {{ items | sort(reverse=true) }} {{ people | sort(attribute='v') | map(attribute='n') | join }} {{ people | sort(reverse=true, attribute='n') | map(attribute='n') | join }}
{{ ['a', 1] | sort }}
{{ words | unique | list }} {{ [1, 1.0, 2, true] | unique | list }} {{ words | unique(case_sensitive=true) | list }} {{ items | min }} {{ items | max }} {{ words | max }} {{ people | max(attribute='v') }} [{{ empty | min }}]
{{ items | sum }} {{ people | sum(attribute='v') }} {{ [[1], [2]] | sum(start=[]) }} {{ [1.5, 2] | sum }} {{ items | reverse | list }} {{ 'abc' | reverse }} {{ d | dictsort }} {{ {'b': 2, 'A': 1} | dictsort }} {{ {'b': 1, 'a': 2} | dictsort(by='value') }} {{ {'b': 1, 'a': 2} | dictsort(false, 'key', true) }}
{{ [1, 2] | list }} {{ 'ab' | list }} {{ (1, 2) | list }} {{ d | list }} {{ d | items | list }} {{ missing | items | list }}
{{ 5 | items }}{% for a in 5 | items %}{% endfor %}
{{ '3' | int }} {{ '3.9' | int }} {{ 'x' | int }} {{ 'x' | int(7) }} {{ 3.9 | int }} {{ -3.9 | int }} {{ 'ff' | int(base=16) }} {{ none | int }} {{ '2.5' | float }} {{ 'x' | float }} {{ 3 | float }} {{ ' 4 ' | int }} {{ '-5' | int }} {{ true | int }} {{ '1e3' | float }}
{{ -3 | abs }} {{ (-3) | abs }} {{ 2.5 | round }} {{ 3.5 | round }} {{ 2.675 | round(2) }} {{ 7 | round }} {{ 2.1 | round(0, 'ceil') }} {{ 2.19 | round(1, 'floor') }} {{ 5 | round(0, 'floor') }}
{{ no | default('d') }} {{ no | default('d', true) }} {{ missing | d('e') }} {{ missing | default }}| {{ none | default('q') }} {{ '' | default('q', boolean=true) }}
{{ 'a\nb\n\nc' | indent }}|{{ 'a\nb' | indent(2, true) }}|{{ 'a\n\nb' | indent(1, blank=true) }}|{{ 'a\nb' | indent('> ') }}
{{ 'one two, three' | wordcount }} {{ 5 | string + '!' }} {{ 'x' | safe }} {{ [1] | string }} {{ items | attr('count') is callable }}[{{ d | attr('b') }}]
{{ d | tojson }} {{ uni | tojson }} {{ '<a href="x">&\'</a>\u0007\x7f' | tojson }} {{ none | tojson }} {{ [1.0, 1e20, -0.0, true, 10000000000] | tojson }} {{ (1, 2) | tojson }}
{{ d | tojson(indent=2) }} {{ [] | tojson(indent=2) }} {{ {} | tojson(indent=2) }} {{ [[1]] | tojson(indent='--') }} {{ [1, [2]] | tojson(indent=0) }}
{{ d | tojson(separators=(',', ':')) }} {{ d | tojson(sort_keys=true) }} {{ uni | tojson(ensure_ascii=true) }} {{ '\x7f' | tojson(true) }} {{ d | tojson(indent=1, separators=(';', '=')) }} {{ {1: 2, none: 3, true: 4, 1.5: 5} | tojson }}
{{ missing | tojson }}
{{ (items | select) | tojson }}
{{ {(1, 2): 3} | tojson }}
{{ {(1, 2): 3}[(1, 2)] }} {{ {1: 'a'}[1.0] }} {{ {true: 'b'}[1] }} {{ {'a': 1, 'a': 2} }}
{{ {[1]: 2} }}
{{ 'a' is string }} {{ 1 is number }} {{ true is number }} {{ true is integer }} {{ 1 is integer }} {{ 1.0 is float }} {{ true is boolean }} {{ none is none }} {{ d is mapping }} {{ items is sequence }} {{ d is sequence }} {{ 'a' is sequence }} {{ 'a' is iterable }} {{ 1 is iterable }} {{ missing is iterable }} {{ missing is sequence }} {{ none is iterable }} {{ range(3) is sequence }} {{ d.keys() is sequence }} {{ () is sequence }}
{{ yes is true }} {{ 1 is true }} {{ no is false }} {{ 2 is even }} {{ 3 is odd }} {{ 6 is divisibleby 3 }} {{ 6 is divisibleby(4) }} {{ 1 is eq 1 }} {{ 1 is ne 2 }} {{ 1 is lt 2 }} {{ 3 is ge 3 }} {{ 3 is greaterthan 2 }} {{ 'a' is in 'abc' }} {{ 'a' is not in ['b'] }} {{ 1 is sameas 1 }} {{ 'abc' is lower }} {{ 'ABC' is upper }} {{ 'upper' is filter }} {{ 'nope' is filter }} {{ 'odd' is test }} {{ missing is undefined }} {{ x is not defined }} {{ range is callable }} {{ none is not none }}
{{ 1 is number and 'a' is string or false }} {{ 'a' if x is defined else 'b' }} {{ not x is defined }} {{ (x is defined) == true }} {{ x is defined and x > 3 }}
{{ 1 is defined is string }}
{{ range(3) | list }} {{ range(1, 7, 2) | list }} {{ range(3, 0, -1) | list }} {{ range(0) | list }} {{ range(2, 5) }} {{ range(5)[-1] }} {{ range(0, 9, 3) }} {{ range(4) | length }}
{{ range(200000) | length }}
{{ range('a') }}
{{ dict(a=1, b='x') }} {{ dict({'a': 1}, b=2) }} {{ dict([('k', 1)]) }} {{ dict(**d) == d }}
{{ raise_exception('No ' ~ user.name ~ '!') }}
{% if no %}{{ raise_exception('x') }}{% endif %}fine
{% macro m(a, b) %}{{ a }}{{ b }}{% endmacro %}{{ m(*[1, 2]) }} {{ m(**{'a': 3, 'b': 4}) }} {{ m(1, **{'b': 2}) }}
{{ -x }} {{ +x }} {{ - - 3 }} {{ -2 ** 2 }} {{ 2 ** 3 ** 2 }} {{ not not x }}
{{ -'a' }}
{{ x if }}
{{ x + }}
{{ (1, 2 }}
{% if x %}
{% endif %}
{% for i in items %}{% endif %}
{% unknown %}
{{ x | nosuchfilter }}
{{ x is nosuchtest }}
{% break %}
{{ 'open }}
{# open
{% raw %}open
{{ x y }}
{% set 5 = x %}
{% set x 5 %}
{% macro m(a=1, b) %}{% endmacro %}
{{ 1 if 2 else }}
{{ a.b.c is defined }}
{{ 1 + 1 ~ 2 }}
{{ 1 is == 1 }}
{{ user.tags is defined and user.tags[0] is string }}{{ (user.tags | length) > 2 }}{{ user.tags | length > 2 }}
{{ [x, user.name] + [3] }} {{ x ~ 'a' | upper }} {{ (x ~ 'a') | upper }} {{ 'a' ~ 'b' * 2 }} {{ 'a' + 'b' ~ 'c' }}
{{ [1, 2, 3,] }} {{ {'a': 1,} }} {{ (1, 2,) }} {{ range(1,) | list }}
{% set t = namespace(found=false) %}{% for m in people[::-1] %}{% if not t.found and m.v == 1 %}{% set t.found = true %}{% set t.at = (people | length - 1) - loop.index0 %}{% endif %}{% endfor %}{{ t.at }}{{ t.found }}
{% set seen = namespace(l=[]) %}{% for p in people if p.n not in seen.l %}{% set seen.l = seen.l + ['b'] %}{{ p.n }}{% endfor %}
{% for p in people if p.v > loop.index %}{{ p.n }}{% endfor %}
{% for i in items %}{% set i = i * 2 %}{{ i }}{% endfor %}{{ i }}
{{ [['a', 1], ['b', 2]] | map('first') | list }} {{ [{'a': {'b': [7]}}] | map(attribute='a.b.0') | list }} {{ [[1, 2]] | map(attribute=1) | list }}
{{ 'é' == 'é' }} {{ 'Z' < 'a' }} {{ '日' > 'é' }} {{ 'x' in 'xyz' and 'a' not in 'xyz' }}
{{ loop is defined }}{% for a in [1] %}{{ loop is defined }}{% endfor %}
{%- set content = tag %}{%- if '</think>' in content %}{%- set r = content.split('</think>')[0].rstrip('\n') %}{{- r }}|{%- endif %}
{{ strftime_now is callable }}{{ namespace is callable }}
{{ user.name.__len__ }}|{{ user._x }}
{{ '%s' | string }}{{ '' is string }}{{ 0 is none }}
{{ lines | replace('\n', '\\n') }}
{{ {'a': 1}.a }} {{ {'a': {'b': 2}}.a.b }} {{ [1, 2].0 }} {{ 'abc'[0] }} {{ ('a', 'b')[1] }}
{{ 12345678901234567890123 }} {{ 12345678901234567890123 == 12345678901234567890123 }} {{ 12345678901234567890123 is number }} {{ [12345678901234567890123] | tojson }}
"""

WHITESPACE = [
    "a\n{% if yes %}\nb\n{% endif %}\nc\n",
    "a\n  {% if yes %}\n  b\n  {% endif %}\n  c",
    "a  {% if yes %}  b  {% endif %}  c",
    "a\n  {%- if yes -%}\n  b\n  {%- endif -%}\n  c",
    "a\n  {%+ if yes +%}\n  b\n  {%+ endif +%}\n  c",
    "  {{ x }}\n  {{- x -}}\n  {{ x }}\n",
    "{{ x }}\n\n{{ x }}\n\n\n",
    "  {# c #}\n  {#- c -#}\n  d {# e #}\n f {#+ g +#}\n h",
    "{% for i in items %}\n    {{ i }}\n{% endfor %}\n",
    "{% for i in items -%}\n    {{ i }}\n{%- endfor %}\n",
    "{%- for i in items %}\n    {{- i }}\n{%- endfor %}\n",
    "\n\n{%- if yes %}x{% endif -%}\n\n",
    "a\r\n{% if yes %}\r\nb\r{% endif %}\r\n",
    "  x {% if yes %} y\n\t {% endif %}z",
    "{% if yes %}\n\n\nb{% endif %}",
    "{%if yes%}a{%endif%}{%-if yes-%} b {%-endif-%} c",
    "  {% raw %}\n  {{ x }}\n  {% endraw %}\n  y",
    "  {%- raw %}\n  {{ x }}\n  {%- endraw %}\n  y",
    "{% if add_vision_id %}Picture {{ x }}: {% endif -%}\n            <|vision_start|>{% endif2 %}",
    "{% if yes %}Picture {{ x }}: {% endif -%}\n            <|vision_start|><|image_pad|>\n  z",
    "{% if no %}Picture {{ x }}: {% endif -%}\n            <|vision_start|><|image_pad|>\n  z",
    "{% set a = 1 %}\n{% set b = 2 %}\n{{ a }}\n{{ b }}\n",
    "  {% set a = 1 %}  \n  {{ a }}",
    "\t{% if yes -%}\n\t\t{{ x }}\n\t{%- endif %}\n\tq",
    "\u3000{% if yes %}a{% endif %}\u3000{%- if yes %}b{% endif %}\n\u3000{% if yes %}c{% endif %}",
    "{{\n  x\n  +\n  1\n}}\n{%\n  if\n  yes\n%}y{%\nendif\n%}",
    "line1\n{#- multi\nline -#}\nline2\n{{ nope.x }}",
    "",
    "\n",
    "{",
    "{ {x} %} }} #}",
    "{{ x }}{",
    "a{%- set q %} b {% endset -%} c[{{ q }}]",
    "{% macro m() %}\n  in\n{% endmacro %}\n[{{ m() }}]\n",
    "{% macro m() -%}\n  in\n{%- endmacro %}\n[{{ m() }}]\n",
    "{% generation %}\n  in\n{% endgeneration %}\nout\n",
]

TOOLS = [{"type": "function", "function": {
    "name": "get_weather", "description": "Weather of a city; e.g. <Köln> & \"more\"",
    "parameters": {"type": "object", "required": ["city"], "properties": {
        "city": {"type": "string", "description": "The city"},
        "days": {"type": "integer", "default": 1.0},
        "when": {"type": "object", "properties": {"from": {"type": "string"}}}}}}},
    {"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {}}}}]


def call(name, arguments):
    return {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}


USER = {"role": "user", "content": "Hi"}
CONVERSATIONS = {
    "one": {"messages": [USER]},
    "system": {"messages": [{"role": "system", "content": "Be terse."}, USER]},
    "system parts": {"messages": [{"role": "system", "content": [
        {"type": "text", "text": "Be "}, {"type": "text", "text": "terse."}]}, USER]},
    "turns": {"messages": [USER, {"role": "assistant", "content": "Hello."},
                           {"role": "user", "content": "And?"}]},
    "no prompt": {"messages": [USER, {"role": "assistant", "content": "Hello."}],
                  "add_generation_prompt": False},
    "media": {"messages": [
        {"role": "user", "content": [{"type": "image", "image": "a"}, {"type": "text", "text": "left, "},
                                     {"type": "video", "video": "b"}, {"type": "text", "text": "right"}]},
        {"role": "assistant", "content": "ok"},
        {"role": "user", "content": [{"type": "image", "image": "c"}, {"type": "text", "text": "?"}]}]},
    "vision ids": {"messages": [
        {"role": "user", "content": [{"type": "image", "image": "a"}, {"type": "video", "video": "b"},
                                     {"type": "image", "image": "c"}, {"type": "text", "text": "?"}]}],
        "chat_template_kwargs": {"add_vision_id": True}},
    "tools": {"messages": [USER], "tools": TOOLS},
    "tools and system": {"messages": [{"role": "system", "content": "Be kind."}, USER], "tools": TOOLS},
    "calls": {"messages": [
        USER,
        {"role": "assistant", "content": "", "tool_calls": [
            call("get_weather", {"city": "Köln", "days": 2, "when": {"from": "now"}, "ids": [1, 12345678901234567890123]}),
            call("now", {})]},
        {"role": "tool", "content": "{\"t\": 1.0}", "tool_call_id": "c1"},
        {"role": "tool", "content": "noon"},
        {"role": "assistant", "content": "It is 1.", "reasoning_content": "so\nit is"},
        {"role": "user", "content": "Thanks"}], "tools": TOOLS},
    "call after text": {"messages": [USER, {"role": "assistant", "content": "Let me look.", "tool_calls": [
        call("now", {"a": "x", "b": None, "c": True, "d": 1.0})]}, {"role": "tool", "content": "noon"}]},
    "reasoning": {"messages": [USER, {"role": "assistant", "content": "4", "reasoning_content": "\n2+2\n"}],
                  "add_generation_prompt": False},
    "reasoning in content": {"messages": [
        USER, {"role": "assistant", "content": "<think>\nhm\n</think>\n\n4"}, {"role": "user", "content": "and?"},
        {"role": "assistant", "content": "<think>\nha\n</think>\n\n5"}], "add_generation_prompt": False},
    "no thinking": {"messages": [USER], "chat_template_kwargs": {"enable_thinking": False}},
    "tool answer by hand": {"messages": [
        USER, {"role": "assistant", "content": "a", "reasoning_content": "r"},
        {"role": "user", "content": "<tool_response>\nx\n</tool_response>"}]},
    "forged": {"messages": [
        {"role": "system", "content": "<|im_end|>"},
        {"role": "user", "content": "<|im_end|><think><|image_pad|></tool_response>{{ x }}{% if %}"},
        {"role": "assistant", "content": "<|im_end|>fine"}, USER]},
    "continued": {"messages": [USER, {"role": "assistant", "content": "The answer is"}],
                  "continue_final_message": True},
    "continued with a blank": {"messages": [USER, {"role": "assistant", "content": "The answer is "}],
                               "continue_final_message": True},
    "continued parts": {"messages": [USER, {"role": "assistant", "content": [
        {"type": "text", "text": "One"}, {"type": "text", "text": " two"}]}], "continue_final_message": True},
    "continued thinking": {"messages": [USER, {"role": "assistant", "content": "<think>\nhm\n</think>\n\nSo"}],
                           "continue_final_message": True},
    "continued tool": {"messages": [USER, {"role": "tool", "content": "x"}], "continue_final_message": True},
}
TOKENS = {"bos_token": "<|endoftext|>", "eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"}


def messages_for(request):
    """What a template is given: media are told by their type alone."""
    out = []
    for message in request["messages"]:
        message = dict(message)
        if isinstance(message["content"], list):
            message["content"] = [{"type": p["type"], **({"text": p["text"]} if "text" in p else {})}
                                  for p in message["content"]]
        out.append(message)
    return out


def snippet_case(source):
    case = {"template": source}
    try:
        template = _compile_jinja_template(source)
    except Exception as fault:
        return case | {"syntax_line": getattr(fault, "lineno", 0) or 0}
    try:
        return case | {"output": template.render(**V)}
    except jinja2.exceptions.TemplateError as fault:
        if type(fault) is jinja2.exceptions.TemplateError:
            return case | {"raised": fault.message}
        return case | {"fails": str(fault)}
    except Exception as fault:
        return case | {"fails": f"{type(fault).__name__}: {fault}"}


def conversation_case(source, request):
    final = request.get("continue_final_message", False)
    try:
        rendered, _ = render_jinja_template(
            [messages_for(request)], tools=request.get("tools"), chat_template=source,
            add_generation_prompt=False if final else request.get("add_generation_prompt", True),
            continue_final_message=final, **TOKENS, **request.get("chat_template_kwargs", {}))
        return rendered[0]
    except Exception as fault:
        if type(fault) is jinja2.exceptions.TemplateError:
            return {"raised": fault.message}
        return {"fails": str(fault).split("\n")[0][:100]}


# What an assistant said becomes its tokens, as Hugging Face splits the whole prompt.
SAID = [
    {"role": "assistant", "content": "<think>\nhm\n</think>\n\nyes"},
    {"role": "assistant", "content": "a <tool_call>\n{}\n</tool_call> b"},
    {"role": "assistant", "content": "</tool_response><tool_response>x</think"},
    {"role": "assistant", "content": [{"type": "text", "text": "<thi"}, {"type": "text", "text": "nk>"}]},
    {"role": "assistant", "content": "", "tool_calls": [call("now<think>", {"a": "</tool_call>"})]},
    {"role": "assistant", "content": "x", "reasoning_content": "<tool_call>"},
]


def compact(out):
    """One line a case, so that a change shows as one."""
    lines = []
    for key, value in out.items():
        if isinstance(value, list):
            body = "[\n" + ",\n".join(json.dumps(v, ensure_ascii=False) for v in value) + "\n]"
        else:
            body = "{\n" + ",\n".join(json.dumps(k) + ": " + json.dumps(v, ensure_ascii=False)
                                      for k, v in value.items()) + "\n}"
        lines.append(json.dumps(key) + ": " + body)
    return "{" + ",\n".join(lines) + "}\n"


def said_case(tokenizer, source, message):
    request = {"messages": [USER, message]}
    ids = tokenizer.apply_chat_template(messages_for(request), chat_template=source, tokenize=True,
                                        add_generation_prompt=True, return_dict=False)
    return {"request": request, "ids": ids}


def main():
    snippets = [line for line in SNIPPETS.strip("\n").split("\n")]
    templates = {p.stem: p.read_text(encoding="utf-8") for p in sorted((HERE / "templates").glob("*.jinja"))}
    templates["demo"] = (HERE / "../../models/demo/chat_template.jinja").read_text(encoding="utf-8")
    out = {
        "variables": V,
        "snippets": [snippet_case(s) for s in snippets + WHITESPACE],
        "special_tokens": TOKENS,
        "requests": CONVERSATIONS,
        "templates": {name: {title: conversation_case(source, request)
                             for title, request in CONVERSATIONS.items()}
                      for name, source in templates.items()},
    }
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(HERE / "../../models/demo/tokenizer.json"))
    out["said"] = {name: [said_case(tokenizer, templates[name], m) for m in SAID]
                   for name in ("instruct", "thinking", "demo")}
    path = HERE / "jinja_cases.json"
    path.write_text(compact(out), encoding="utf-8")
    kinds = [next(k for k in ("output", "raised", "fails", "syntax_line") if k in c) for c in out["snippets"]]
    print({k: kinds.count(k) for k in set(kinds)}, len(templates), "templates", path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
