"""Transfer of buffered state from operators into tables and back, complete."""

from __future__ import annotations

from collections.abc import Hashable
from math import isfinite

from tocsin.engine.columns.batch import Batch
from tocsin.engine.detection.base import Operator, StepContext
from tocsin.engine.detection.batch.compile import BatchProgram, BufferedPart
from tocsin.engine.detection.batch.emitters import occurrence_at
from tocsin.engine.detection.batch.tables import BatchTables
from tocsin.engine.detection.sequence_buffer import FirstEventBuffer
from tocsin.events.event import Event
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
