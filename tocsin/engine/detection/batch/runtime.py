"""Batch tables in use: batches run through them, and stand-ins for the operators whose state they
hold emit the results. Buffered state goes from operators into tables and back, complete.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from math import isfinite

import numpy as np

from tocsin.engine.columns.batch import Batch
from tocsin.engine.detection.absence_after import DeadlineBuffer
from tocsin.engine.detection.base import (
    CHECKS_PER_UNIT,
    COMBINE_COST,
    STEP_WORK_LIMIT,
    Operator,
    StepContext,
)
from tocsin.engine.detection.batch.compile import BatchProgram, BufferedPart, share_let_through
from tocsin.engine.detection.batch.emitters import (
    BY_TIME,
    AbsenceEmitter,
    AbsenceResult,
    FoundOccurrences,
    FoundRow,
    PairEmitter,
    occurrence_at,
)
from tocsin.engine.detection.batch.layout import from_words
from tocsin.engine.detection.batch.tables import BatchTables, UnsupportedBatch
from tocsin.engine.detection.sequence import FREE_PROBES, SequenceOperator
from tocsin.engine.detection.sequence_buffer import FirstEventBuffer
from tocsin.engine.detection.sharing import SharedGraph
from tocsin.engine.detection.stateless import NameOperator
from tocsin.engine.index.kernels import Flags, Ints
from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Share
from tocsin.plan.semantics.occurrence import Occurrence
from tocsin.values.time import Instant

# before all events, so that any order of ends may follow
_BEGINNING: Instant = -(2**63)


def load_tables(program: BatchProgram) -> BatchTables:
    """Return tables with all that the buffers of a program hold, and empty the buffers. Raise Odd,
    and change nothing, if the tables cannot hold it.
    """
    tables = BatchTables(program)
    events = _waiting_events(program)
    tables.add(events, Batch(events), _BEGINNING)
    numbers = {id(event): number for number, event in enumerate(events)}
    for line_number, line in enumerate(program.lines):
        lost, everyone = line.unavailable, line.reader_mask
        waiting = [
            (numbers[id(each.members[0])], tables.codes.code(key), lost.get(each, 0) & everyone)
            for each, key in line.drain()
        ]
        tables.put(line_number, waiting)
    for absent, number in program.tables.items():
        starts = [(tables.codes.code(key), at) for key, at in absent.starts.items()]
        tables.note_starts(len(program.lines) + number, starts)
        absent.starts = {}
    tables.set_timers()
    return tables


def unload_tables(program: BatchProgram, tables: BatchTables, step: StepContext) -> None:
    """Load the buffers of a program with all that its tables hold."""
    _unload_starts(program, tables, step.now)
    made: dict[tuple[Operator, int], Occurrence] = {}
    for number, line in enumerate(program.lines):
        if not line.is_removed:
            _unload_line(line, number, tables, made, step)
    _unload_min_max(program, tables)


def _waiting_events(program: BatchProgram) -> list[Event]:
    """Return the events in the buffers, each once, in the order of their ends."""
    waiting = (each for line in program.lines for each in line.waiting())
    events = {id(each.members[0]): each for each in waiting}
    return [each.members[0] for each in sorted(events.values(), key=lambda each: each.end)]


def _unload_starts(program: BatchProgram, tables: BatchTables, now: Instant) -> None:
    """Load the last starts of absent parts, except those that no window reaches."""
    starts: dict[int, list[tuple[int, Instant]]] = {}
    for place, key, start in tables.starts():
        starts.setdefault(place, []).append((key, start))
    for absent, number in program.tables.items():
        found, oldest = starts.get(len(program.lines) + number, ()), now - absent.longest
        absent.starts = {tables.codes.values[key]: start for key, start in found if start >= oldest}


def _unload_line(
    line: BufferedPart,
    number: int,
    tables: BatchTables,
    made: dict[tuple[Operator, int], Occurrence],
    step: StepContext,
) -> None:
    """Load a buffer, with the masks of readers to which its occurrences are unavailable; `made` has
    the occurrences that it shares with other buffers.
    """
    source = line.inputs[0]
    waiting: list[tuple[Occurrence, Hashable]] = []
    lost: dict[Occurrence, int] = {}
    keys = [*tables.codes.values, None]  # NONE is -1, the last
    for event, key, bits in tables.in_line(number):
        occurrence = made.get((source, event))
        if occurrence is None:
            occurrence = made[source, event] = occurrence_at(source, tables.events[event])
        waiting.append((occurrence, keys[key]))
        if bits:
            lost[occurrence] = bits
    line.load(waiting, lost, step)


def _unload_min_max(program: BatchProgram, tables: BatchTables) -> None:
    """Load the extremes of buffered numbers, so that no number has to be read again."""
    found: dict[int, dict[Hashable, list[list[float]]]] = {}
    for number, key, extremes in tables.extremes():
        found.setdefault(number, {})[tables.codes.values[key]] = extremes
    for number, line in enumerate(program.lines):
        if isinstance(line, FirstEventBuffer):
            for (path, relation), extreme in line.all_min_max.items():
                if path not in program.numbers:  # no group that needs it is left
                    extreme.rebuild(line.queue.buckets())
                    continue
                column, side = program.numbers.index(path), relation[0] == ">"
                values = {key: each[column][side] for key, each in found.get(number, {}).items()}
                known = {key: value for key, value in values.items() if isfinite(value)}
                extreme.load(known, line.buffered_count)


Wanted = Sequence[tuple[Event, Iterable[Atom]]]
"""Events with the atoms that they are occurrences of, in canonical order."""

Pairs = dict[int, list[tuple[PairEmitter, SequenceOperator, Event]]]
"""Pairs found, by the number in its batch of the event that came last: the stand-in that emits, the
operator, and the first event.
"""

_MAX_BUFFERED = FREE_PROBES + CHECKS_PER_UNIT * (STEP_WORK_LIMIT - COMBINE_COST)
"""Most entries of a buffer for which the work of one event surely stays within the limit."""


class BatchRuntime:
    """Batch tables that hold all that is buffered for the operators of a program, from construction
    until `unload`. Raises Odd, and changes nothing, if the tables cannot hold it.
    """

    def __init__(self, program: BatchProgram, graph: SharedGraph, step: StepContext) -> None:
        self.tables = load_tables(program)
        self._program = program
        self._graph = graph
        self._step = step
        self._newest = step.now
        self._lines = program.lines
        self._pair_emitters = [PairEmitter(group) for group in program.groups]
        self._absence_emitter = AbsenceEmitter(self._emit_absences)
        self._atoms: dict[Operator, int] = {atom: n for n, atom in enumerate(program.atoms)}
        self._numbers: dict[int, tuple[int, Atom]] = {}
        self._is_whole = [is_whole_subscription(member) for member in program.members]
        self._followers = {source: source.inline_consumers for source in program.sources}
        self._stand_in()
        self._set_timers(())

    def _stand_in(self) -> None:
        """Replace the groups by stand-ins; detach buffers and tables of starts, which have nothing
        to do.
        """
        program = self._program
        stand_ins: dict[Operator, Operator | None] = dict.fromkeys(
            [*program.lines, *program.tables]
        )
        stand_ins |= dict(zip(program.groups, self._pair_emitters, strict=True))
        for source, followers in self._followers.items():
            chosen = [stand_ins.get(each, each) for each in followers]
            source.inline_consumers = [each for each in chosen if each is not None]

    def unload(self) -> None:
        """Move all that is buffered back into the operators, which are served as before."""
        for source, followers in self._followers.items():
            source.inline_consumers = [each for each in followers if not each.is_removed]
        self._absence_emitter.end()
        unload_tables(self._program, self.tables, self._step)

    def atoms_of(self, part: Wanted) -> tuple[Ints, Ints]:
        """Return the positions at which the atoms of each event begin, and the atoms of all events
        by number.
        """
        numbers, found, firsts = self._numbers, [], [0]
        for _, atoms in part:
            for atom in atoms:
                known = numbers.get(id(atom))
                found.append(self._number_of(atom) if known is None else known[0])
            firsts.append(len(found))
        return np.array(firsts, np.int64), np.array(found, np.int64)

    def _number_of(self, atom: Atom) -> int:
        """Return the number of an atom in the program; two more stand for atoms that only other
        operators consume, and for atoms without an operator. The atom is kept alive, so that no
        other gets its address.
        """
        node, others = self._graph.atom_source(atom), len(self._atoms)
        number = others + 1 if node is None else self._atoms.get(node, others)
        self._numbers[id(atom)] = (number, atom)
        return number

    def run(self, part: Wanted, firsts: Ints, atoms: Ints) -> tuple[Pairs, FoundOccurrences, Flags]:
        """Return the pairs of a batch that operators consume, the occurrences that subscriptions
        alone get, and the shares that its events are in; timers are set for the absences that
        operators consume. Raise UnsupportedBatch, and change nothing, if the tables cannot take it.
        """
        tables, events = self.tables, [event for event, _ in part]
        if tables.longest + len(part) > min(self._step.queue_limit, self._most_waiting()):
            raise UnsupportedBatch
        batch = Batch(events)
        within = tables.within(batch)
        base = tables.add(events, batch, self._newest)
        self._newest = max(self._newest, tables.end_of(base + len(part) - 1))
        pairs, silences = tables.detect(base, firsts, atoms, within)
        rows: list[FoundRow] = []
        consumed = self._part_pairs(pairs, base, rows)
        self._set_timers(self._part_absences(silences, rows))
        return consumed, FoundOccurrences(rows), within

    def _part_pairs(self, pairs: Ints, base: int, rows: list[FoundRow]) -> Pairs:
        """Add the pairs that are whole subscriptions to the rows; return the others."""
        consumed: Pairs = {}
        events, members, is_whole = self.tables.events, self._program.members, self._is_whole
        instants = self.tables.ends_of(base + pairs[:, 0]).tolist()
        for instant, (number, group, member, first) in zip(instants, pairs.tolist(), strict=True):
            node = members[member]
            if is_whole[member]:
                node.emitted_count += 1
                last = events[base + number]
                rows.append(FoundRow(instant, number, node, events[first], last))
            else:
                each = (self._pair_emitters[group], node, events[first])
                consumed.setdefault(number, []).append(each)
        return consumed

    def _part_absences(
        self, silences: Ints, rows: list[FoundRow]
    ) -> list[tuple[Instant, AbsenceResult]]:
        """Add the absences that are whole subscriptions to the rows; return the others."""
        consumed: list[tuple[Instant, AbsenceResult]] = []
        for due, (line, event, nodes) in self._absences(silences):
            others = []
            for node in nodes:
                if is_whole_subscription(node):
                    node.emitted_count += 1
                    rows.append(FoundRow(due, BY_TIME, node, event, None))
                else:
                    others.append(node)
            if others:
                consumed.append((due, (line, event, others)))
        return consumed

    def _most_waiting(self) -> int:
        """Return the most entries that a buffer may have without a step for each event. If other
        operators of a subscription cost too, the checks have to be charged.
        """
        alone = all(member.is_alone for member in self._program.members)
        return _MAX_BUFFERED if alone else FREE_PROBES

    def select_steps(self, found: Pairs, firsts: Ints, atoms: Ints, within: Flags) -> Flags:
        """Return a flag for each event of a batch, True if a step is taken for it: events that
        complete a pair, events that other operators consume, and the last one, which moves the
        clock. The others are only counted.
        """
        wanted = np.array([*self._program.probed_by_others, True, False])[atoms]
        of_event = np.repeat(np.arange(len(firsts) - 1), np.diff(firsts))
        chosen = np.zeros(len(firsts) - 1, bool)
        chosen[of_event[wanted]] = True
        chosen[list(found)] = True
        chosen[-1] = True
        self._count_passed_over(~chosen[of_event][:, None] & within[of_event], atoms)
        return chosen

    def _count_passed_over(self, passed_over: Flags, atoms: Ints) -> None:
        """Count the occurrences of atoms for which no step is taken, for each share separately."""
        shares = [*self._program.shares, None]
        counts = [
            np.bincount(atoms[each], minlength=len(self._program.atoms)) for each in passed_over.T
        ]
        for number, atom in enumerate(self._program.atoms):
            _count(
                atom, {share: int(each[number]) for share, each in zip(shares, counts, strict=True)}
            )

    def drop_found(self) -> None:
        """Drop pairs that were not emitted, as no step was taken for them."""
        for asked in self._pair_emitters:
            asked.found.clear()

    def _absences(self, found: Ints) -> list[tuple[Instant, AbsenceResult]]:
        """Return the absences found, in the order of their deadlines."""
        silences: list[tuple[Instant, AbsenceResult]] = []
        for due, number, event, *words in sorted(found.tolist(), key=lambda each: each[:2]):
            line, members = self._lines[number], from_words(words)
            assert isinstance(line, DeadlineBuffer)
            nodes = [node for bit, node in line.readers.items() if members & bit]
            silences.append((due, (line, self.tables.events[event], nodes)))
        return silences

    def _set_timers(self, silences: Iterable[tuple[Instant, AbsenceResult]]) -> None:
        """Set timers for the absences found, and for the soonest that is still to be found."""
        for due, silence in silences:
            self._step.schedule_timer(self._absence_emitter, due, silence)
        soonest, alarm = self.tables.next_absence(), self._absence_emitter
        if soonest is not None and (alarm.set_for is None or soonest < alarm.set_for):
            alarm.set_for = soonest
            self._step.schedule_timer(alarm, soonest, None)

    def _emit_absences(self, now: Instant) -> list[AbsenceResult]:
        """Return the absences due by now, when a timer and not an event moves the clock."""
        silences = self._absences(self.tables.absences_by(now))
        self._set_timers(())
        return [silence for _, silence in silences]


def is_whole_subscription(node: Operator) -> bool:
    """True if what the operator emits goes to subscriptions alone, not to other operators."""
    return bool(node.keys) and not node.consumers and not node.inline_consumers


def _count(node: Operator, counts: Mapping[Share | None, int], share: Share | None = None) -> None:
    """Count occurrences at an operator, and at those that only name them or let a share through."""
    node.emitted_count += counts[share]
    for follower in node.inline_consumers:
        if isinstance(follower, NameOperator):
            _count(follower, counts, share)
        elif (own := share_let_through(follower)) is not None and own in counts:
            _count(follower, counts, own)
