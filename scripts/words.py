"""`python -m scripts.words`: private words in names, docstrings and comments; part of `make check`.

The rules and the exceptions, each with its reason, are in `words.toml`. An exception that nothing
needs any longer is a fault too.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "tocsin"
TABLE = Path(__file__).with_suffix(".toml")

_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


class Rule(NamedTuple):
    """Words to avoid in one kind of text, and what to say instead."""

    where: str
    words: re.Pattern[str]
    instead: str


class Finding(NamedTuple):
    """A private word: its place as exceptions name it, and its rule."""

    place: str
    rule: Rule


def read_rules(table: Mapping[str, Any]) -> list[Rule]:
    """Return the rules of a table; `where` is words, names or prose."""
    return [
        Rule(each["where"], re.compile(each["words"]), each["instead"]) for each in table["rule"]
    ]


def find_words(path: str, text: str, rules: Sequence[Rule]) -> Iterator[Finding]:
    """Yield the private words of one file."""
    tree = ast.parse(text)
    for name in sorted(_names(path, tree)):
        words = " ".join(word.lower() for part in name.split("_") for word in _WORD.findall(part))
        for rule in rules:
            searched = {"words": words, "names": name}.get(rule.where)
            if searched is not None and rule.words.search(searched):
                yield Finding(f"{path}:{name}", rule)
    for prose in _prose(text, tree):
        for rule in rules:
            if rule.where == "prose" and rule.words.search(prose):
                yield Finding(f"{path}: {prose[:60]}", rule)


def _names(path: str, tree: ast.Module) -> set[str]:
    """Return the names that a module defines; locals aside."""
    found = {Path(path).stem}
    for node in ast.walk(tree):
        match node:
            case (
                ast.FunctionDef(name=name, args=given) | ast.AsyncFunctionDef(name=name, args=given)
            ):
                found.add(name)
                found |= {each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
            case ast.ClassDef(name=name, body=body):
                found |= {name, *_assigned(body)}
            case ast.Attribute(attr=name, ctx=ast.Store()):
                found.add(name)
    return found | _assigned(tree.body)


def _assigned(body: Sequence[ast.stmt]) -> set[str]:
    targets: list[ast.expr] = []
    for node in body:
        if isinstance(node, ast.Assign):
            targets += node.targets
        elif isinstance(node, ast.AnnAssign):
            targets.append(node.target)
    return {each.id for each in targets if isinstance(each, ast.Name)}


def _prose(text: str, tree: ast.Module) -> Iterator[str]:
    """Yield docstrings and comment lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node)
            if docstring:
                yield " ".join(docstring.split())
    for line in text.splitlines():
        if line.strip().startswith("#"):
            yield line.strip()[1:].strip()


def faults(findings: Sequence[Finding], excepted: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each finding without exception, and each exception without finding."""
    for each in findings:
        if each.place not in excepted:
            yield f"{each.place}: matches {each.rule.words.pattern}; say {each.rule.instead}"
    places = {each.place for each in findings}
    for place in excepted:
        if place not in places:
            yield f"{place}: needs no exception; remove it from {TABLE.name}"


def main() -> int:
    """Report all faults; return 1 if there are any."""
    table = tomllib.loads(TABLE.read_text())
    rules = read_rules(table)
    excepted = {place: each["reason"] for each in table["exception"] for place in each["places"]}
    findings = [
        finding
        for path in sorted((ROOT / PACKAGE).rglob("*.py"))
        for finding in find_words(path.relative_to(ROOT).as_posix(), path.read_text(), rules)
    ]
    found = list(faults(findings, excepted))
    for each in found:
        print(each, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
