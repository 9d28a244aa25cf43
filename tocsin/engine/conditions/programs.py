"""Programs: a formula as a flat list of instructions, run over one event or over a block alike.

The state of the machine is the events still in play: a set of events, or for one event a yes or no.

    literal   keep the events of the probe (or of its complement); jump if nothing is left
    BEGIN     an OR begins: save the events in play for its operands
    NEXT      an operand ends: save what it accepted, continue with the rest; jump if it is empty
    END       continue with all that an operand accepted; jump if nothing is left

Jumps are relative. A literal jumps to the NEXT or END of its innermost OR, or to the end of the
program.

All programs are in one pool, each followed by its anchors. Removing leaves a hole. Holes are closed
when they make up half of the pool, so adding and removing cost a constant on average; removing the
last program frees everything.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tocsin.engine.conditions.probes import (
    NEVER,
    AllFormulas,
    AnyFormula,
    Formula,
    HasPlace,
    KnownTruth,
    OfKind,
    Probe,
    ProbeLiteral,
)
from tocsin.engine.index.growable import INT32, INT64, Growable
from tocsin.plan.nodes.atoms import Equals, IsNull, Like, OneOf, Ordered, PlaceIs
from tocsin.values.scalars import Kind

BEGIN = -1
NEXT = -2
END = -3

_SELECTIVITY: dict[type, int] = {
    Equals: 0,
    OneOf: 1,
    PlaceIs: 0,
    Like: 2,
    KnownTruth: 3,
    Ordered: 4,
    IsNull: 5,
    OfKind: 6,
    HasPlace: 6,
}
_COMPLEMENT = 10
_GROUP = 20


@dataclass(slots=True)
class ConditionProgram:
    """Instructions, jumps, the number of leading required literals, and the depth of ORs."""

    code: list[int] = field(default_factory=list)
    jumps: list[int] = field(default_factory=list)
    required: int = 0
    depth: int = 0


def compile_condition_program(
    formula: Formula, number_of: Callable[[Probe], int]
) -> ConditionProgram:
    """Return the program of a formula, with the most selective literals first."""
    operands = _ordered(formula.operands) if isinstance(formula, AllFormulas) else (formula,)
    literals = [each for each in operands if isinstance(each, ProbeLiteral)]
    required = len(literals)
    if required == len(operands):  # as most are: every jump leads to the end
        code = [2 * number_of(each.probe) + each.negated for each in literals]
        return ConditionProgram(code, list(range(required, 0, -1)), required)
    program = ConditionProgram(required=required)
    open_jumps = [at for operand in operands for at in _emit(operand, program, number_of, 1)]
    _close(open_jumps, program, len(program.code))
    return program


def probe_of(instruction: int) -> int:
    """Return the probe of a literal instruction."""
    return instruction >> 1


def _emit(
    formula: Formula, program: ConditionProgram, number_of: Callable[[Probe], int], depth: int
) -> list[int]:
    """Write the formula; return the positions of jumps without a target yet."""
    match formula:
        case ProbeLiteral(probe, negated):
            return [_write(program, 2 * number_of(probe) + negated)]
        case AllFormulas(operands):
            return [
                at
                for operand in _ordered(operands)
                for at in _emit(operand, program, number_of, depth)
            ]
        case AnyFormula(()):
            return [_write(program, 2 * NEVER)]
        case AnyFormula(operands):
            return [_emit_some(operands, program, number_of, depth)]


def _emit_some(
    operands: tuple[Formula, ...],
    program: ConditionProgram,
    number_of: Callable[[Probe], int],
    depth: int,
) -> int:
    program.depth = max(program.depth, depth)
    _write(program, BEGIN)
    nexts: list[int] = []
    for operand in operands[:-1]:
        _close(_emit(operand, program, number_of, depth + 1), program, len(program.code))
        nexts.append(_write(program, NEXT))
    _close(_emit(operands[-1], program, number_of, depth + 1), program, len(program.code))
    end = _write(program, END)
    _close(nexts, program, end)
    return end


def _write(program: ConditionProgram, instruction: int) -> int:
    program.code.append(instruction)
    program.jumps.append(1)
    return len(program.code) - 1


def _close(places: list[int], program: ConditionProgram, target: int) -> None:
    for at in places:
        program.jumps[at] = target - at


def _ordered(operands: tuple[Formula, ...]) -> list[Formula]:
    return sorted(operands, key=weight_of)


def weight_of(formula: Formula) -> int:
    """Return a rank of selectivity: small if few events are expected to pass."""
    if not isinstance(formula, ProbeLiteral):
        return _GROUP
    probe = formula.probe
    weight = _SELECTIVITY[type(probe)]
    if type(probe) is Equals and probe.value.kind is Kind.BOOLEAN:
        weight = _SELECTIVITY[Ordered]
    return weight + _COMPLEMENT if formula.negated else weight


GONE = -1
_WORTH_COMPACTING = 1024


class ProgramStore:
    """Programs by subscription slot; `order` lists slots by insertion, GONE for removed ones."""

    __slots__ = (
        "_extents",
        "code",
        "depth",
        "holes",
        "jumps",
        "lengths",
        "live",
        "order",
        "places",
        "required",
        "starts",
    )

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self.order = Growable(INT32)
        self.code = Growable(INT32)
        self.jumps = Growable(INT32)
        self.starts = Growable(INT64)
        self.lengths = Growable(INT32)
        self.required = Growable(INT32)
        self.places = Growable(INT32)
        self._extents = Growable(INT32)
        self.live = self.holes = self.depth = 0

    def add(self, slot: int, program: ConditionProgram, anchors: list[int]) -> None:
        """Store a program and its anchors at a free slot."""
        if slot == len(self.starts):
            for column in (self.starts, self.lengths, self._extents, self.required, self.places):
                column.append(0)
        self.starts[slot] = self.code.extend(program.code + anchors)
        self.jumps.extend(program.jumps + anchors)
        self.lengths[slot] = len(program.code)
        self._extents[slot] = len(program.code) + len(anchors)
        self.required[slot] = program.required
        self.places[slot] = self.order.append(slot)
        self.depth = max(self.depth, program.depth)
        self.live += 1

    def remove(self, slot: int) -> tuple[list[int], list[int]]:
        """Remove a program; return its instructions and its anchors."""
        start, length, extent = (
            column[slot] for column in (self.starts, self.lengths, self._extents)
        )
        held: list[int] = self.code.array[start : start + extent].tolist()
        self.order[self.places[slot]] = GONE
        self.live -= 1
        self.holes += extent
        if self.live == 0:
            self._clear()
        else:
            self._close_holes()
        return held[:length], held[length:]

    def _close_holes(self) -> None:
        if len(self.order) > max(_WORTH_COMPACTING, 2 * self.live):
            self._compact_order()
        if self.holes > max(_WORTH_COMPACTING, len(self.code) // 2):
            self._compact_code()

    def _compact_order(self) -> None:
        order = self.order.array
        self.order.replace(order[order != GONE])
        self.places.array[self.order.array] = np.arange(len(self.order))

    def _compact_code(self) -> None:
        slots = self.order.array[self.order.array != GONE]
        extents = self._extents.array[slots].astype(np.int64)
        moved = np.cumsum(extents) - extents
        places = np.arange(extents.sum()) + np.repeat(self.starts.array[slots] - moved, extents)
        self._keep(places)
        self.starts.array[slots] = moved
        self.holes = 0

    def _keep(self, places: npt.NDArray[Any]) -> None:
        self.code.replace(self.code.array[places])
        self.jumps.replace(self.jumps.array[places])
