"""Regular paths, by the definition of each form. None is the node above the outermost elements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias, assert_never

from tocsin.events.views.document import Element
from tocsin.plan.xml.paths import PathChoice, PathRepeat, PathSequence, PathStep, RegularPath

Node: TypeAlias = Element | None
Outermost: TypeAlias = Sequence[Element]


Known: TypeAlias = dict[tuple[int, Node], set[Node]]
"""Nodes reached by parts of a path, cached by identity of the part: nested repeats reuse them."""


def find_reached(
    path: RegularPath, node: Node, outermost: Outermost, known: Known | None = None
) -> set[Node]:
    """Return all nodes to which the path leads from a node."""
    known = {} if known is None else known
    if (id(path), node) not in known:
        known[id(path), node] = _reached(path, node, outermost, known)
    return known[id(path), node]


def _reached(path: RegularPath, node: Node, outermost: Outermost, known: Known) -> set[Node]:
    match path:
        case PathStep(name):
            return {child for child in children(node, outermost) if name in (None, child.tag)}
        case PathSequence(parts):
            found = {node}
            for part in parts:
                found = _from_all(part, found, outermost, known)
            return found
        case PathChoice(parts):
            return {each for part in parts for each in find_reached(part, node, outermost, known)}
        case PathRepeat(part, "?"):
            return {node} | find_reached(part, node, outermost, known)
        case PathRepeat(part, mark):
            found = {node} if mark == "*" else set(find_reached(part, node, outermost, known))
            while not (further := _from_all(part, found, outermost, known)) <= found:
                found |= further
            return found
        case _:
            assert_never(path)


def children(node: Node, outermost: Outermost) -> Sequence[Element]:
    """Return the elements directly below a node."""
    return outermost if node is None else list(node)


def _from_all(
    path: RegularPath, nodes: Iterable[Node], outermost: Outermost, known: Known
) -> set[Node]:
    return {each for node in nodes for each in find_reached(path, node, outermost, known)}
