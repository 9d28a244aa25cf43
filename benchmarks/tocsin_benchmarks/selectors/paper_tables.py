"""The paper's tables 5 and 6 beside what this run measured, and whether its two findings are seen
again.

The paper counts matches delivered per second. Its ordering (new > tree > counting) and its decline
down each column are reported as reproduced or not; neither is a demand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tocsin_benchmarks.harness.results import Measured, Results
from tocsin_benchmarks.harness.table import NOTHING, Table, mebibytes, rounded
from tocsin_benchmarks.selectors.contenders import Name
from tocsin_benchmarks.selectors.schedule import (
    ALIKE_CONTENDERS,
    PAPER_CONTENDERS,
    TABLE_5,
    TABLE_6,
)


@dataclass(frozen=True, slots=True)
class PaperTable:
    """One table of the paper: what varies, its rows, and matches per second of counting, tree and
    the new algorithm.
    """

    title: str
    varies: str
    rows: tuple[tuple[int, int], ...]
    figures: tuple[tuple[int, int, int], ...]


PAPER_TABLES = (
    PaperTable(
        "Paper, table 5: matches/s, 2,000 selectors",
        "attributes",
        TABLE_5,
        ((43, 80, 150), (28, 56, 126), (12, 33, 118), (5, 24, 90)),
    ),
    PaperTable(
        "Paper, table 6: matches/s, 10 attributes",
        "selectors",
        TABLE_6,
        ((200, 240, 280), (120, 140, 200), (40, 80, 160), (19, 42, 130)),
    ),
)
_PAPER_COLUMNS = ("counting (2009)", "tree (2009)", "new (2009)")
_FINDING = (Name.PAPER, Name.TREE, Name.COUNTING)


def paper_tables(results: Results) -> list[Table]:
    """Both tables of the paper and one with the details of every measurement."""
    if not any(measured.shape is None for measured in results.measured):
        return []
    alike = (
        [_alike(results)]
        if any(one.contender is Name.PLAIN_COUNTING for one in results.measured)
        else []
    )
    return [*(_table(paper, results) for paper in PAPER_TABLES), *alike, _details(results)]


def _table(paper: PaperTable, results: Results) -> Table:
    header = (
        paper.varies,
        *_PAPER_COLUMNS,
        *(name.value for name in PAPER_CONTENDERS),
        "tocsin / best other",
    )
    rows = tuple(_row(paper, number, results) for number in range(len(paper.rows)))
    return Table(paper.title, header, rows, _findings(paper, results))


def _row(paper: PaperTable, number: int, results: Results) -> tuple[str, ...]:
    measured = [_measured(results, name, paper.rows[number]) for name in PAPER_CONTENDERS]
    speeds = [None if one is None else one.matches_per_second for one in measured]
    others = [
        speed
        for name, speed in zip(PAPER_CONTENDERS, speeds, strict=True)
        if name is not Name.TOCSIN and speed
    ]
    ours = speeds[PAPER_CONTENDERS.index(Name.TOCSIN)]
    ratio = f"{rounded(ours / max(others))}x" if ours and others else NOTHING
    label = paper.rows[number][0 if paper.varies == "attributes" else 1]
    return (f"{label:,}", *map(str, paper.figures[number]), *map(rounded, speeds), ratio)


def _findings(paper: PaperTable, results: Results) -> tuple[str, ...]:
    names = (*_FINDING, Name.TOCSIN)
    measured = {name: [_measured(results, name, row) for row in paper.rows] for name in names}
    matches = {
        name: [(one.matches_per_second if one else None) or 0.0 for one in measured[name]]
        for name in names
    }
    events = {
        name: [(one.events_per_second if one else None) or 0.0 for one in measured[name]]
        for name in names
    }
    rows = zip(*(matches[name] for name in _FINDING), strict=True)
    ordered = [all(row) and _falls(row) for row in rows]
    return (
        (
            f"The paper's ordering, new > tree > counting, is seen in {sum(ordered)} of"
            f" {len(ordered)} rows. Its decline down the column is seen for: {_falling(matches)};"
            f" in events/s for: {_falling(events)}."
        ),
        "Tocsin takes batches of events here, the others one event after the other.",
    )


def _alike(results: Results) -> Table:
    """The paper's algorithms like for like, by events per second: matches are the same for all of
    them.
    """
    header = (
        "attributes, selectors",
        *(name.value for name in ALIKE_CONTENDERS),
        "paper's / counting",
    )
    keys = list(dict.fromkeys(TABLE_5 + TABLE_6))
    speeds = {
        key: [_events_per_second(results, name, key) for name in ALIKE_CONTENDERS] for key in keys
    }
    rows = tuple(
        (f"{key[0]}, {key[1]:,}", *map(rounded, row), _ratio(row[-1], row[0]))
        for key, row in speeds.items()
    )
    full = [row for row in speeds.values() if all(row)]
    first = sum(row[-1] == max(map(float, filter(None, row))) for row in full)
    return Table("Like for like, plain Python: events/s", header, rows, (_alike_note(full, first),))


def _alike_note(full: Sequence[Sequence[float | None]], first: int) -> str:
    counting, tree = ALIKE_CONTENDERS.index(Name.PLAIN_COUNTING), ALIKE_CONTENDERS.index(Name.TREE)
    ordered = sum(_falls([row[-1] or 0.0, row[tree] or 0.0, row[counting] or 0.0]) for row in full)
    return (
        f"The paper's algorithm is the fastest of the four in {first} of {len(full)} rows; its"
        f" ordering, new > tree > counting, is seen in {ordered}."
    )


def _events_per_second(results: Results, name: Name, key: tuple[int, int]) -> float | None:
    measured = _measured(results, name, key)
    return None if measured is None else measured.events_per_second


def _ratio(ours: float | None, theirs: float | None) -> str:
    return f"{rounded(ours / theirs)}x" if ours and theirs else NOTHING


def _falling(columns: Mapping[Name, Sequence[float]]) -> str:
    return ", ".join(name.value for name, speeds in columns.items() if _falls(speeds)) or "none"


def _falls(speeds: Sequence[float]) -> bool:
    return all(upper > lower for upper, lower in pairwise(speeds))


def _details(results: Results) -> Table:
    header = (
        "attributes, selectors",
        "matcher",
        "events/s",
        "matches/s",
        "match rate",
        "evaluations/event",
        "visits/event",
        "peak memory",
    )
    keys = dict.fromkeys(
        (one.attributes, one.subscriptions) for one in results.measured if one.shape is None
    )
    names = dict.fromkeys(PAPER_CONTENDERS + ALIKE_CONTENDERS)
    rows = tuple(row for key in keys for name in names for row in _detail_rows(results, name, key))
    return Table("Paper's workload in detail", header, rows, _DETAIL_NOTES)


def _detail_rows(results: Results, name: Name, key: tuple[int, int]) -> Iterable[tuple[str, ...]]:
    measured = _measured(results, name, key)
    label = f"{key[0]}, {key[1]:,}"
    if measured is None:
        return
    if measured.refused:
        yield (label, name.value, f"refused: {measured.refused}", *[NOTHING] * 5)
        return
    for mode, rate in measured.rates.items():
        counted = (measured.evaluations_per_event, measured.visits_per_event)
        yield (
            label,
            f"{name.value}, {mode}",
            rounded(rate["events_per_second"]),
            rounded(rate["matches_per_second"]),
            f"{100 * measured.match_rate:.1f} %",
            *map(rounded, counted),
            mebibytes(measured.peak_bytes),
        )


_DETAIL_NOTES = (
    (
        "An evaluation is one predicate decided for one event; where an index finds what holds, it"
        " is one look-up or one comparison. A visit is a literal reached (naive, paper's"
        " algorithm), a counter raised (counting), an edge looked at (matching tree), a node asked"
        " (shared BDD) or a subscription looked at (scan, tocsin). Peak memory is what the process"
        " grew by."
    ),
)


def _measured(results: Results, name: Name, key: tuple[int, int]) -> Measured | None:
    return results.find(name, None, key[1], key[0])
