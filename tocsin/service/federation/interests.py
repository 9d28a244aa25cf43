"""What a server wants of the servers upstream: the atoms of all its subscriptions, each with the
way that the wish has come.

A wish that came from a server is never sent back to it, nor round in a circle: its path names every
server that it has passed, so that a wish which nobody has any more dies out in a ring too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tocsin.plan.nodes.atoms import AnyOf, Atom, Condition
from tocsin.plan.nodes.composites import Plan, atoms_of
from tocsin.plan.passes import prepared_expression
from tocsin.plan.passes.contradictions import never_holds

Path = tuple[str, ...]
"""The names of the servers that a wish has passed, the one where it was made first."""


@dataclass(frozen=True, slots=True)
class Want:
    """Events that meet the atom are wanted by servers along the path."""

    atom: Atom
    path: Path

    def is_as_free_as(self, other: Want) -> bool:
        """Whether it may go wherever the other one may go."""
        return set(self.path) <= set(other.path)


def atoms_wanted(plan: Plan) -> Iterator[Atom]:
    """The atoms of a plan, each alternative for itself; what no event meets is left out."""
    for atom in atoms_of(plan.pattern):
        yield from alternatives(atom)


def alternatives(atom: Atom) -> Iterator[Atom]:
    """Atoms that together mean the atom."""
    if not isinstance(atom, Condition):
        yield atom
        return
    expression = prepared_expression(atom.expression)
    operands = expression.operands if isinstance(expression, AnyOf) else (expression,)
    for operand in operands:
        if not never_holds(operand):
            yield Condition(operand)


def wants_upstream(
    own: Iterable[Atom], heard: Iterable[Want], server: str, upstream: str, hops: int
) -> list[Want]:
    """What a server wants of one upstream: for its own subscriptions, and for those who subscribed
    at it; each wish has then passed it.
    """
    found = [Want(atom, (server,)) for atom in own]
    for want in heard:
        is_round = server in want.path or upstream in want.path
        if not is_round and len(want.path) < hops:
            found.append(Want(want.atom, (*want.path, server)))
    return list(dict.fromkeys(found))
