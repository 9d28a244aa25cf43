"""Where regular paths lead, by the definition of each form. None is what lies above the outermost
elements.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias, assert_never

from tocsin.events.views.document import Element
from tocsin.plan.paths import PathChoice, PathRepeat, PathSequence, PathStep, RegularPath

Node: TypeAlias = Element | None
Outermost: TypeAlias = Sequence[Element]


def reached(path: RegularPath, node: Node, outermost: Outermost) -> set[Node]:
    """All nodes to which the path leads from a node."""
    match path:
        case PathStep(name):
            return {child for child in children(node, outermost) if name in (None, child.tag)}
        case PathSequence(parts):
            found = {node}
            for part in parts:
                found = _from_all(part, found, outermost)
            return found
        case PathChoice(parts):
            return {each for part in parts for each in reached(part, node, outermost)}
        case PathRepeat(part, "?"):
            return {node} | reached(part, node, outermost)
        case PathRepeat(part, mark):
            found = {node} if mark == "*" else reached(part, node, outermost)
            while not (further := _from_all(part, found, outermost)) <= found:
                found |= further
            return found
        case _:
            assert_never(path)


def children(node: Node, outermost: Outermost) -> Sequence[Element]:
    """The elements directly below a node."""
    return outermost if node is None else list(node)


def _from_all(path: RegularPath, nodes: Iterable[Node], outermost: Outermost) -> set[Node]:
    return {each for node in nodes for each in reached(path, node, outermost)}
