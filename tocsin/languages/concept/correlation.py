"""Values of roles that the parts of a text share; some of them are a key."""

from __future__ import annotations

from dataclasses import dataclass

from tocsin.events.views.epcis import LISTS, OBJECTS, PLACES
from tocsin.languages.base.texts import ProblemCollector
from tocsin.languages.concept.concept_builder import ConceptBuilder
from tocsin.languages.concept.syntax import ConceptName, ConceptSubscription, Sole
from tocsin.languages.concept.syntax import RoleCorrelation as Written
from tocsin.plan.nodes.composites import Key
from tocsin.values.scalars import Path

CODE = "CORRELATION"


@dataclass(frozen=True, slots=True)
class SharedValue:
    """A value that all parts share, bound to a variable: of one role of all, or of one role of
    each.
    """

    variable: str
    roles: tuple[str, ...]

    def at(self, place: int) -> str:
        """Return the role of the part at a position of the text."""
        return self.roles[place] if place < len(self.roles) else self.roles[0]


@dataclass(frozen=True, slots=True)
class Correlating:
    """Reader of the correlation of a text of `parts` parts; it adds problems to `problems`."""

    problems: ProblemCollector
    describing: ConceptBuilder
    parts: int

    def shared(self, written: Written | Sole) -> SharedValue:
        """Return the roles that share a value: one for all parts, or one for each."""
        roles = tuple(self.describing.role(each) for each in written.roles)
        if len(roles) not in (1, self.parts):
            self.problems.add(
                CODE,
                written.roles[0].spot,
                f"{len(roles)} roles are to share a value, and there are {self.parts} parts",
                "write one role for all parts, or one for each: A Before B correlate by parentID ="
                " epcList",
            )
        for name, role in zip(written.roles, roles, strict=True):
            self._refuse_objects(name, role)
        return SharedValue(roles[0] if len(set(roles)) == 1 else "=".join(roles), roles)

    def key(self, written: ConceptSubscription) -> Key:
        """Return the paths of the roles that have one value in an event."""
        soles = (each for each in written.shared if isinstance(each, Sole))
        return tuple(dict.fromkeys(map(self._path, soles)))

    def _path(self, sole: Sole) -> Path:
        role = sole.path[0]
        if role.name in LISTS:
            self.problems.add(
                CODE,
                role.spot,
                f"{role.name} is a list, of which an event may have several values",
                f"leave out one: correlate by {role.name}",
            )
        elif role.name in PLACES and len(sole.path) == 1:
            self.problems.add(
                CODE,
                role.spot,
                f"{role.name} is an object, which equals nothing",
                f"write which member is meant: correlate by one {role.name}.id",
            )
        return tuple(map(self._in_events, sole.path))

    def _in_events(self, name: ConceptName) -> str:
        """Return a name as events have it.

        Another name of the TBox stays as written, a prefixed one becomes full.
        """
        names = self.describing.names
        is_other_name = names.tbox.resolved(name.name) != name.name
        return name.name if is_other_name else names.full(name)

    def _refuse_objects(self, name: ConceptName, role: str) -> None:
        """Refuse a field of EPCIS that is an object without an id: it equals no other."""
        if role in OBJECTS:
            inner = OBJECTS[role]
            self.problems.add(
                CODE,
                name.spot,
                f"{role} holds objects, each of which is like no other, so that two events never"
                " share one",
                f"compare what they hold in OPSL: $a;.{role}.{inner}[*] = $b;.{role}.{inner}[*]",
            )
