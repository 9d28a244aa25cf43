"""The interests of a server at its upstreams: the atoms of all its subscriptions, each with the
path that the interest has taken.

An interest is never sent back to a server it has passed: its path names them all, so that an
interest without a subscriber disappears from a cycle of servers too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tocsin.plan.nodes.atoms import AnyOf, Atom, Condition
from tocsin.plan.nodes.composites import Plan, atoms_of
from tocsin.plan.passes import prepared_expression
from tocsin.plan.passes.contradictions import never_holds

Path = tuple[str, ...]
"""Names of the servers that an interest has passed, its origin first."""


@dataclass(frozen=True, slots=True)
class Interest:
    """Interest in events that meet the atom, of servers along the path."""

    atom: Atom
    path: Path

    def is_as_free_as(self, other: Interest) -> bool:
        """True if it may be sent wherever the other one may be sent."""
        return set(self.path) <= set(other.path)


def find_atoms(plan: Plan) -> Iterator[Atom]:
    """Yield the atoms of a plan, each alternative separately; unsatisfiable ones are left out."""
    for atom in atoms_of(plan.pattern):
        yield from alternatives(atom)


def alternatives(atom: Atom) -> Iterator[Atom]:
    """Yield atoms whose disjunction is the atom."""
    if not isinstance(atom, Condition):
        yield atom
        return
    expression = prepared_expression(atom.expression)
    operands = expression.operands if isinstance(expression, AnyOf) else (expression,)
    for operand in operands:
        if not never_holds(operand):
            yield Condition(operand)


def interests_for_upstream(
    own: Iterable[Atom], remote: Iterable[Interest], server: str, upstream: str, hops: int
) -> list[Interest]:
    """Return the interests of a server at one upstream: of its own subscriptions, and of servers
    subscribed here, with this server added to the path.
    """
    found = [Interest(atom, (server,)) for atom in own]
    for want in remote:
        is_round = server in want.path or upstream in want.path
        if not is_round and len(want.path) < hops:
            found.append(Interest(want.atom, (*want.path, server)))
    return list(dict.fromkeys(found))
