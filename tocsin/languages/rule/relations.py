"""Allen relations as methods of a rule built in Python."""

from __future__ import annotations

from abc import abstractmethod
from typing import Generic, TypeVar

Whole = TypeVar("Whole")


class Relations(Generic[Whole]):
    """Each relation as a method; `negated` means that it does not hold."""

    __slots__ = ()

    @abstractmethod
    def stands(self, relation: str, other: Whole, *, negated: bool = False) -> Whole:
        """Return this in a relation to the other."""

    def before(self, other: Whole, *, negated: bool = False) -> Whole:
        """Return the rule that this ends before the other starts."""
        return self.stands("BEFORE", other, negated=negated)

    def after(self, other: Whole, *, negated: bool = False) -> Whole:
        """Return the rule that this starts after the other ends."""
        return self.stands("AFTER", other, negated=negated)

    def meets(self, other: Whole, *, negated: bool = False) -> Whole:
        """Return the rule that this ends when the other starts."""
        return self.stands("MEETS", other, negated=negated)

    def met_by(self, other: Whole, *, negated: bool = False) -> Whole:
        """Return the rule that this starts when the other ends."""
        return self.stands("MET BY", other, negated=negated)

    def overlaps(self, other: Whole, *, negated: bool = False) -> Whole:
        """Return the rule that this starts first and ends while the other lasts."""
        return self.stands("OVERLAPS", other, negated=negated)

    def overlapped_by(self, other: Whole, *, negated: bool = False) -> Whole:
        """Return the rule that the other starts first and ends while this lasts."""
        return self.stands("OVERLAPPED BY", other, negated=negated)

    def starts(self, other: Whole, *, negated: bool = False) -> Whole:
        """Return the rule that both start together, and this ends first."""
        return self.stands("STARTS", other, negated=negated)

    def started_by(self, other: Whole, *, negated: bool = False) -> Whole:
        """Return the rule that both start together, and the other ends first."""
        return self.stands("STARTED BY", other, negated=negated)

    def during(self, other: Whole, *, negated: bool = False) -> Whole:
        """Return the rule that this starts after the other starts and ends before it ends."""
        return self.stands("DURING", other, negated=negated)

    def contains(self, other: Whole, *, negated: bool = False) -> Whole:
        """Return the rule that the other starts after this starts and ends before it ends."""
        return self.stands("CONTAINS", other, negated=negated)

    def finishes(self, other: Whole, *, negated: bool = False) -> Whole:
        """Return the rule that both end together, and this starts last."""
        return self.stands("FINISHES", other, negated=negated)

    def finished_by(self, other: Whole, *, negated: bool = False) -> Whole:
        """Return the rule that both end together, and the other starts last."""
        return self.stands("FINISHED BY", other, negated=negated)

    def equals(self, other: Whole, *, negated: bool = False) -> Whole:
        """Return the rule that both start and end together."""
        return self.stands("EQUALS", other, negated=negated)
