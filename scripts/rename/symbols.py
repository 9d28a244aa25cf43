"""Places of names in source text: modules, members of classes, parameters of functions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Place:
    """A line and a column, both from 0; the column counts UTF-16 units."""

    line: int
    column: int


def find_place(source: str, name: str) -> Place | None:
    """Return the place where a module defines a name, member or parameter; None if it does not."""
    tree = ast.parse(source)
    owner, _, parameter = name.rstrip(")").partition("(")
    path = owner.split(".")
    scope: ast.Module | ast.ClassDef = tree
    for each in path[:-1]:
        found = next(
            (n for n in scope.body if isinstance(n, ast.ClassDef) and n.name == each), None
        )
        if found is None:
            return None
        scope = found
    if parameter:
        return _find_parameter(source, scope, path[-1], parameter)
    return next(
        (_place(source, line, column, path[-1]) for line, column in _definitions(scope, path[-1])),
        None,
    )


def defines(source: str, name: str) -> bool:
    """True if a module defines a name, member or parameter."""
    return find_place(source, name) is not None


def find_overriders(source: str, bases: frozenset[str], member: str) -> Iterator[tuple[str, bool]]:
    """Yield the classes of a module that derive from one of `bases` by name.

    With each, True if it defines the member itself.
    """
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef) and bases & set(map(_base_name, node.bases)):
            yield node.name, any(True for _ in _definitions(node, member))


def _base_name(base: ast.expr) -> str:
    """Return the last word of a base class, which may be dotted or have type parameters."""
    if isinstance(base, ast.Subscript):
        return _base_name(base.value)
    return base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")


def _definitions(scope: ast.Module | ast.ClassDef, name: str) -> Iterator[tuple[int, int]]:
    """Yield line (from 1) and byte offset near each definition of a name in a scope."""
    for node in scope.body:
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef() if node.name == name:
                yield node.lineno, node.col_offset
            case ast.Assign(targets=targets):
                yield from (
                    (n.lineno, n.col_offset)
                    for target in targets
                    for n in ast.walk(target)
                    if isinstance(n, ast.Name) and n.id == name
                )
            case ast.AnnAssign(target=ast.Name(id=id) as target) if id == name:
                yield target.lineno, target.col_offset
    if isinstance(scope, ast.ClassDef):
        for inner in ast.walk(scope):
            if isinstance(inner, ast.Attribute) and _is_own_attribute(inner, name):
                yield inner.lineno, inner.col_offset


def _is_own_attribute(node: ast.Attribute, name: str) -> bool:
    """True if `self.name` is assigned here."""
    is_own = getattr(node.value, "id", "") == "self"
    return is_own and node.attr == name and isinstance(node.ctx, ast.Store)


def _find_parameter(
    source: str, scope: ast.Module | ast.ClassDef, function: str, parameter: str
) -> Place | None:
    for node in scope.body:
        if isinstance(node, Function) and node.name == function:
            given = node.args
            for each in (*given.posonlyargs, *given.args, *given.kwonlyargs):
                if each.arg == parameter:
                    return _place(source, each.lineno, each.col_offset, parameter)
    return None


def _place(source: str, line: int, offset: int, word: str) -> Place:
    """Return the place of a word, the first at or after a byte offset of a line."""
    text = source.splitlines()[line - 1]
    begin = len(text.encode()[:offset].decode())
    found = re.compile(rf"\b{re.escape(word)}\b").search(text, begin)
    column = begin if found is None else found.start()
    return Place(line - 1, len(text[:column].encode("utf-16-le")) // 2)
