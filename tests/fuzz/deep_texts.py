"""Subscriptions that are long in one direction: chains of equal links and nests of equal shells, in
every language. Each kind makes a text of any size.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from tocsin.catalog import Definition, Subscription
from tocsin.plan.nodes.atoms import Condition, IsNull
from tocsin.plan.nodes.composites import Plan
from tocsin.plan.wire.wire import plan_to_json

Text = Callable[[int], str]


def _chain(link: str, between: str, head: str = "", tail: str = "") -> Text:
    return lambda size: head + between.join([link] * size) + tail


def _numbered(link: str, between: str, head: str = "", tail: str = "") -> Text:
    def text(size: int) -> str:
        return head + between.join(link.replace("%", str(each)) for each in range(size)) + tail

    return text


def _nest(begin: str, inside: str, end: str, head: str = "", tail: str = "") -> Text:
    return lambda size: head + begin * size + inside + end * size + tail


def _plan(size: int) -> str:
    """The wire form of a plan with `size` negations, written without recursion."""
    inner = plan_to_json(Plan(Condition(IsNull(("a",)))))
    atom = json.dumps(json.loads(inner)["plan"]["pattern"]["expression"])
    shell = '{"node": "Not", "operand": '
    return inner.replace(
        json.dumps(json.loads(atom), separators=(",", ":")), shell * size + atom + "}" * size
    )


_SELECTOR: Mapping[str, Text] = {
    "and": _chain("a = 1", " AND "),
    "or": _numbered("a = %", " OR "),
    "alternating": _chain("a = 1", " AND b = 2 OR "),
    "parentheses": _nest("(", "a = 1", ")"),
    "parentheses of a value": _nest("(", "a", ")", tail=" = 1"),
    "deep to the left": lambda size: "(" * size + "a = 1" + " AND b = 2 OR c = 3)" * size,
    "deep to the right": _nest("a = 1 AND (b = 2 OR ", "c = 3", ")"),
    "not": _chain("NOT ", "", tail="a = 1"),
    "minus": _chain("- ", "", head="a = ", tail="b"),
    "sum": _chain("a", " + ", tail=" > 1"),
    "product": _chain("a", " * ", tail=" > 1"),
    "sum to the right": _nest("a - (", "b", ")", tail=" > 1"),
    "list": _numbered("%", ", ", head="a IN (", tail=")"),
    "list of texts": _numbered("'t%'", ", ", head="a NOT IN (", tail=")"),
    "path": _chain("a", ".", tail=" = 1"),
    "like": _chain("%", "a_", head="a LIKE '", tail="'"),
    "digits": _chain("9", "", head="a = "),
    "exponent": _chain("9", "", head="a = 1e"),
    "between": _chain("a BETWEEN 1 AND 2", " AND "),
}
_CESQL: Mapping[str, Text] = {
    "and": _chain("a = 1", " AND "),
    "xor": _chain("a = 1", " XOR "),
    "or": _numbered("a = %", " OR "),
    "equal": _chain("a", " = "),
    "sum": _chain("a", " + ", tail=" > 1"),
    "like": _chain("", " LIKE 'a'", head="a"),
    "in": _chain("", " IN ('a')", head="a"),
    "parentheses": _nest("(", "a = 1", ")"),
    "not": _chain("NOT ", "", tail="(a = 1)"),
    "minus": _chain("- ", "", head="a = ", tail="b"),
    "calls": _nest("UPPER(", "a", ")", tail=" = 'A'"),
    "arguments": _chain("a", ", ", head="CONCAT(", tail=") = 'a'"),
    "list": _numbered("%", ", ", head="a IN (", tail=")"),
}
_RULE: Mapping[str, Text] = {
    "and": _chain("a", " AND ", head="WHEN "),
    "or": _numbered("a%", " OR ", head="WHEN "),
    "same or": _chain("a", " OR ", head="WHEN "),
    "then": _chain("a", " THEN ", head="WHEN "),
    "then within": _chain("a", " WITHIN 5m THEN ", head="WHEN "),
    "parentheses": _nest("(", "a", ")", head="WHEN "),
    "deep to the right": _nest("a THEN (", "b", ")", head="WHEN "),
    "deep and": _nest("a AND (b OR ", "c", ")", head="WHEN "),
    "absent": _nest("a THEN NO (", "b", ") WITHIN 5m", head="WHEN ", tail=" ALL WITHIN 1h"),
    "counts": _nest("COUNT(", "a", ") >= 2 OVER 5m", head="WHEN "),
    "repeats": _nest("(", "a", ") x2", head="WHEN "),
    "measures": _chain("COUNT(a) >= 2 OVER 5m", " AND ", head="WHEN "),
    "condition": _nest("(", "v = 1", ")", head="WHEN a(", tail=")"),
    "long condition": _chain("v = 1", " AND ", head="WHEN a(", tail=")"),
    "where": _chain("x.v = y.v", " AND ", head="WHEN x: a THEN y: b WHERE "),
    "where sum": _chain("x.v", " + ", head="WHEN x: a THEN y: b WHERE ", tail=" > 1"),
    "where nest": _nest("(", "x.v", ")", head="WHEN x: a THEN y: b WHERE ", tail=" > y.v"),
    "where minus": _chain("- ", "", head="WHEN x: a THEN y: b WHERE ", tail="x.v > y.v"),
    "select": _numbered("x.v AS n%", ", ", head="WHEN x: a SELECT "),
    "select sum": _chain("x.v", " * ", head="WHEN x: a SELECT ", tail=" AS n"),
    "keys": _numbered("k%", ", ", head="WHEN a THEN b FOR EACH "),
    "key path": _chain("k", ".", head="WHEN a(v > 1) THEN b(v > 1) FOR EACH "),
    "labels": _numbered("l%: a", " AND ", head="WHEN "),
    "braces": _nest("selector{ (", "v = 1", ") }", head="WHEN "),
    "braces not": _chain("NOT ", "", head="WHEN selector{ ", tail="v = 1 }"),
    "regions": _chain("a ENTERS POLYGON((0 0, 1 0, 1 1, 0 0))", " OR ", head="WHEN "),
    "name": _chain("a", ".", head="WHEN "),
    "allen": _nest("(", "a", ") before b", head="WHEN "),
}
_OPSL: Mapping[str, Text] = {
    "and": _chain('STRING: a = "1"', " && "),
    "or": _numbered('STRING: a = "%"', " || "),
    "list": _chain('STRING: a = "1"', ", "),
    "parentheses": _nest("(", 'STRING: a = "1"', ")"),
    "not": _chain("!(0;1h)", "", tail='STRING: a = "1"'),
    "between": _chain('=|(STRING: a = "1";1h)', "", tail='STRING: b = "2"'),
    "after": _chain('|=(STRING: a = "1";1h)', "", tail='STRING: b = "2"'),
    "concurrent": _chain('|(STRING: a = "1")', "", tail='STRING: b = "2"'),
    "concurrent inside": _nest("|(", 'STRING: b = "2"', ')STRING: a = "1"'),
    "window inside": _nest("=|(", 'STRING: b = "2"', ';1h)STRING: a = "1"'),
    "in": _chain('IN(STRING: a = "1")', "", tail='STRING: b = "2"'),
    "at": _chain("@(POLYGON((0 0, 1 0, 1 1, 0 0)))", "", tail='STRING: b = "2"'),
    "deep to the right": _nest('STRING: a = "1" && (STRING: c = "3" || ', 'STRING: b = "2"', ")"),
    "braces": _chain("selector{ a = 1 }", " && "),
    "deep braces": _nest("selector{ (", "a = 1", ") }"),
    "bindings": _numbered('$v%; = STRING: a = "1"', ", ", head="$v0;, "),
    "bound by the next": lambda size: (
        "$v0;"
        + "".join(f", $v{each}; = ($v{each + 1};)" for each in range(size))
        + f', $v{size}; = STRING: a = "1"'
    ),
    "doubling": lambda size: (
        "$v0;"
        + "".join(f", $v{each}; = $v{each + 1}; && $v{each + 1};" for each in range(size))
        + f', $v{size}; = STRING: a = "1"'
    ),
    "corners": _numbered("% 0", ", ", head="@(POLYGON((0 0, ", tail=', 0 9, 0 0)))STRING: a = "1"'),
}
_GRAPH: Mapping[str, Text] = {
    "statements": _chain("(_:H, ?y, (<urn:A>, <urn:p>, <urn:B>))", " "),
    "path of statements": lambda size: " ".join(
        f"({'?v' if each else '_:H'}{each or ''}, ?v{each + 1}, (<urn:A>, <urn:p>, <urn:A>))"
        for each in range(size)
    ),
    "triples": _numbered("_:H <urn:p%> ?y", " . ", head="ASK { ", tail=" }"),
    "groups": _nest("{ ", "_:H <urn:p> ?y", " }", head="ASK "),
    "unions": _chain("{ _:H <urn:p> ?y }", " UNION ", head="ASK { ", tail=" }"),
    "lists": _nest("(", "1", ")", head="ASK { _:H <urn:p> ", tail=" }"),
    "blank nodes": _nest("[ <urn:p> ", "1", " ]", head="ASK { _:H <urn:p> ", tail=" }"),
    "property path": _chain("<urn:p>", "/", head="ASK { _:H ", tail=" ?y }"),
    "property choice": _chain("<urn:p>", "|", head="ASK { _:H ", tail=" ?y }"),
    "filter and": _chain("?y > 1", " && ", head="ASK { _:H <urn:p> ?y FILTER(", tail=") }"),
    "filter or": _numbered("?y > %", " || ", head="ASK { _:H <urn:p> ?y FILTER(", tail=") }"),
    "filter not": _chain("!", "", head="ASK { _:H <urn:p> ?y FILTER(", tail="(?y > 1)) }"),
    "filter nest": _nest("(", "?y > 1", ")", head="ASK { _:H <urn:p> ?y FILTER(", tail=") }"),
    "filters": _chain("FILTER(?y > 1)", " ", head="ASK { _:H <urn:p> ?y ", tail=" }"),
    "own not": _chain("not ", "", head="(_:H, ?y, (<urn:A>, <urn:p>, ", tail="(> 1)))"),
    "own nest": _nest("(", "> 1", ")", head="(_:H, ?y, (<urn:A>, <urn:p>, ", tail="))"),
    "own and": _chain("> 1", " and ", head="(_:H, ?y, (<urn:A>, <urn:p>, (", tail=")))"),
    "own or": _chain("> 1", " or ", head="(_:H, ?y, (<urn:A>, <urn:p>, (", tail=")))"),
    "optional": _nest(
        "OPTIONAL { _:H <urn:q> ?y ", "", " }", head="ASK { _:H <urn:p> ?y ", tail=" }"
    ),
}
_CONCEPT: Mapping[str, Text] = {
    "and": _chain("exists kind.{a}", " and "),
    "or": _numbered("exists kind.{a%}", " or "),
    "both": _chain("exists kind.{a}", " & "),
    "either": _numbered("exists kind.{a%}", " | "),
    "before": _chain("exists kind.{a}", " Before "),
    "not": _chain("not ", "", tail="exists kind.{a}"),
    "parentheses": _nest("(", "exists kind.{a}", ")"),
    "exists": _chain("exists kind.", "", tail="{a}"),
    "exists nest": _nest("exists kind.(", "{a}", ")"),
    "forall": _chain("forall kind.", "", tail="{a}"),
    "timed": _nest("not (exists kind.{b} Before ", "exists kind.{a}", ")(5m)"),
    "enumeration": _numbered("a%", ", ", head="exists kind.{", tail="}"),
    "correlate": _numbered("r%", ", ", head="exists kind.{a} Before exists kind.{b} correlate by "),
    "correlate path": _chain(
        "r", ".", head="exists kind.{a} Before exists kind.{b} correlate by one "
    ),
    "deep": _nest("exists kind.{a} and (exists kind.{b} or ", "exists kind.{c}", ")"),
    "braces": _chain("selector{ a = 1 }", " & "),
    "deep braces": _nest("selector{ (", "a = 1", ") }"),
}
_EXMLQL: Mapping[str, Text] = {
    "elements": _nest("<a>", "$x", "</>", head="WHERE "),
    "siblings": _numbered("<b>$x%</>", "", head="WHERE <a>", tail="</>"),
    "same siblings": _chain("<b>$x</>", "", head="WHERE <a>", tail="</>"),
    "attributes": _numbered("n%=$x%", " ", head="WHERE <a ", tail="></>"),
    "path": _chain("a", ".", head="WHERE <", tail=">$x</>"),
    "choice": _chain("a", "|", head="WHERE <", tail=">$x</>"),
    "path nest": _nest("(", "a", ")", head="WHERE <", tail=">$x</>"),
    "stars": _nest("(", "a", ")*", head="WHERE <", tail=">$x</>"),
    "repeats": _chain("*", "", head="WHERE <a", tail=">$x</>"),
    "conditions": _chain(", $x > 1", "", head="WHERE <a>$x</>"),
    "and": _chain("$x > 1", " AND ", head="WHERE <a>$x</>, "),
    "or": _numbered("$x > %", " OR ", head="WHERE <a>$x</>, "),
    "not": _chain("NOT ", "", head="WHERE <a>$x</>, ", tail="$x > 1"),
    "condition nest": _nest("(", "$x > 1", ")", head="WHERE <a>$x</>, "),
    "sum": _chain("$x", " + ", head="WHERE <a>$x</>, ", tail=" > 1"),
    "sign": _chain("- ", "", head="WHERE <a>$x</>, $x > ", tail="1"),
    "value nest": _nest("(", "$x", ")", head="WHERE <a>$x</>, ", tail=" > 1"),
    "calls": _nest("upper(", "$x", ")", head="WHERE <a>$x</>, ", tail=' = "A"'),
    "list": _numbered('"v%"', ", ", head="WHERE <a>$x</>, $x IN (", tail=")"),
    "blocks": lambda size: (
        "WHERE "
        + " ".join(f"<a{each}>$x</> #B{each}" for each in range(size))
        + " "
        + " ; ".join(f"#B{each}" for each in range(size))
        + " ~> #B0"
    ),
    "same block": _chain(
        "#B0", " || ", head="WHERE <a>$x</> #B0 <b>$x</> #B1 #B1 ; ", tail=" ~> #B1"
    ),
    "alternatives": _chain(
        "(#A ; #B)", " | ", head="WHERE <a>$x</> #A <b>$x</> #B ", tail=" ~> #A"
    ),
    "time nest": _nest("(", "#A ; #B", ")", head="WHERE <a>$x</> #A <b>$x</> #B ", tail=" ~> #A"),
    "timed": _nest(
        "(#A _|_ 5m) ! ", "#B", "", head="WHERE <a>$x</> #A <b>$x</> #B ", tail=" ~> #B"
    ),
    "template": _nest("<o>", "$x", "</>", head="WHERE <a><b>$x</></> CONSTRUCT "),
    "templates": _chain("<o>$x</>", " ", head="WHERE <a><b>$x</></> CONSTRUCT "),
    "template children": _chain(
        "<o>$x</>", "", head="WHERE <a><b>$x</></> CONSTRUCT <r>", tail="</>"
    ),
    "template calls": _nest(
        "upper(", "$x", ")", head="WHERE <a><b>$x</></> CONSTRUCT <o>", tail="</>"
    ),
    "queries": _nest(
        "<o>WHERE <a>$y</> CONSTRUCT ", "<p>$x</>", "</>", head="WHERE <a><b>$x</></> CONSTRUCT "
    ),
    "xpath": _chain("/a", "", head='WHERE XPATH "', tail='"'),
    "xpath predicates": _nest("a[", "b", "]", head='WHERE XPATH "/', tail='"'),
    "xpath nest": _nest("(", "/a", ")", head='WHERE XPATH "', tail='"'),
    "xpath or": _chain("b", " or ", head='WHERE XPATH "/a[', tail=']"'),
    "xpath calls": _nest("not(", "b", ")", head='WHERE XPATH "/a[', tail=']"'),
    "xpath minus": _chain("-", "", head='WHERE XPATH "/a[b = ', tail='1]"'),
    "xpath union": _chain("/a", "|", head='WHERE XPATH "', tail='"'),
    "order": _chain("$x", ", ", head="WHERE <a>$x</> ORDER BY ", tail=" CONSTRUCT <o>$x</>"),
}
_EPCIS: Mapping[str, Text] = {
    "list": _numbered('"urn:x#s%"', ",", head='{"EQ_bizStep": [', tail="]}"),
    "epcs": _numbered(
        '"urn:epc:id:sgtin:0614141.107346.%"', ",", head='{"MATCH_epc": [', tail="]}"
    ),
    "parameters": _numbered('"EQ_urn:x#p%": ["a"]', ",", head="{", tail="}"),
    "unknown parameters": _numbered('"EQ_bizSteps%": ["a"]', ",", head="{", tail="}"),
    "inner": _nest('{"a": ', "1", "}", head='{"EQ_bizStep": ', tail="}"),
    "nested lists": _nest("[", '"a"', "]", head='{"EQ_bizStep": ', tail="}"),
    "inner path": _chain("urn:x#p", ".", head='{"EQ_INNER_', tail='": ["a"]}'),
}
_PLAN: Mapping[str, Text] = {"not": _plan}

KINDS: dict[tuple[str, str], tuple[Text, dict[str, Any]]] = {
    **{("selector", name): (text, {}) for name, text in _SELECTOR.items()},
    **{("jms", name): (text, {"dialect": "jms"}) for name, text in _SELECTOR.items()},
    **{("amqp", name): (text, {"dialect": "amqp"}) for name, text in _SELECTOR.items()},
    **{("cesql", name): (text, {"dialect": "cesql"}) for name, text in _CESQL.items()},
    **{("rule", name): (text, {}) for name, text in _RULE.items()},
    **{("opsl", name): (text, {}) for name, text in _OPSL.items()},
    **{("graph", name): (text, {}) for name, text in _GRAPH.items()},
    **{("concept", name): (text, {}) for name, text in _CONCEPT.items()},
    **{("exmlql", name): (text, {}) for name, text in _EXMLQL.items()},
    **{("epcis", name): (text, {}) for name, text in _EPCIS.items()},
    **{("plan", name): (text, {}) for name, text in _PLAN.items()},
}
"""Every kind by its language (dialects of selectors count as languages) and name."""

_DIALECTS = ("jms", "amqp", "cesql")


def subscription(kind: tuple[str, str], size: int) -> Subscription:
    """Return the subscription of a kind with so many links or shells."""
    text, options = KINDS[kind]
    language = "selector" if kind[0] in _DIALECTS else kind[0]
    return Subscription("deep", language, text(size), options=options)


def _by_the_next(language: str, link: str, leaf: str, of: str) -> Callable[[int], list[Definition]]:
    """Return definitions of which each uses the next, at every % of the link."""

    def made(size: int) -> list[Definition]:
        links = [
            Definition(f"d{each}", language=language, expression=link.replace("%", f"d{each + 1}"))
            for each in range(size)
        ]
        return [*links, Definition(f"d{size}", language=of, expression=leaf)]

    return made


def _alternating(size: int) -> list[Definition]:
    made = [
        Definition(f"d{each}", language="opsl", expression=f"d{each + 1} && d{each + 1}")
        if each % 5
        else Definition(f"d{each}", language="rule", expression=f"WHEN d{each + 1} AND d{each + 1}")
        for each in range(size)
    ]
    return [*made, Definition(f"d{size}", language="selector", expression="a = 1")]


_ANY = ("a = 1", "selector")
_BRACES = "WHEN % AND selector{ " + "(" * 60 + "a = 1" + " AND b = 2 OR c = 3)" * 60 + " }"

NAMED: dict[str, tuple[str, str, Callable[[int], list[Definition]]]] = {
    "rule chain": ("rule", "WHEN d0", _by_the_next("rule", "WHEN % AND x", *_ANY)),
    "rule doubling": ("rule", "WHEN d0", _by_the_next("rule", "WHEN % AND %", *_ANY)),
    "rule alternatives": ("rule", "WHEN d0", _by_the_next("rule", "WHEN % OR %", *_ANY)),
    "rule sequences": ("rule", "WHEN d0", _by_the_next("rule", "WHEN %" + " THEN x" * 45, *_ANY)),
    "rule nests": (
        "rule",
        "WHEN d0",
        _by_the_next("rule", "WHEN " + "(x AND " * 30 + "%" + ")" * 30, *_ANY),
    ),
    "rule braces": ("rule", "WHEN d0", _by_the_next("rule", _BRACES, *_ANY)),
    "opsl chain": ("opsl", "d0", _by_the_next("opsl", "% && selector{ a = 1 }", *_ANY)),
    "opsl doubling": ("opsl", "d0", _by_the_next("opsl", "% && %", *_ANY)),
    "opsl nests": ("opsl", "d0", _by_the_next("opsl", "(" * 50 + "% || %" + ")" * 50, *_ANY)),
    "rule and opsl": ("rule", "WHEN d0", _alternating),
    "concept chain": (
        "concept",
        "d0",
        _by_the_next("concept", "% Before exists kind.{a}", *_ANY),
    ),
    "concept doubling": ("concept", "d0", _by_the_next("concept", "% & %", *_ANY)),
    "concept inside": (
        "concept",
        "d0",
        _by_the_next("concept", "exists kind.% and exists kind.%", "{a}", "concept"),
    ),
    "concept nests": (
        "concept",
        "d0",
        _by_the_next("concept", "exists kind.(" * 40 + "%" + ")" * 40, "{a}", "concept"),
    ),
}
"""Names that are defined by each other: language and text of the subscription, and definitions."""
