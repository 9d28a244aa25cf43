"""Compilation of the operators that the loops can serve into a batch program.

Served are sequences and absences of two events whose atoms bind nothing, named or not, over all
events or a share of them, with a window, equal keys and orders between numbers. Operators that
share a buffer or a group are served together or not at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tocsin.engine.detection.absence_after import (
    AtomAbsenceOperator,
    DeadlineBuffer,
    LastStartByKey,
)
from tocsin.engine.detection.base import Operator
from tocsin.engine.detection.batch.layout import (
    ARM_DEADLINE,
    BUFFER,
    GREATER,
    GREATER_OR_EQUAL,
    LESS,
    LESS_OR_EQUAL,
    NONE,
    NOT_AFTER,
    NOT_BEFORE,
    PROBE,
    RECORD_START,
    place_of,
)
from tocsin.engine.detection.batch.layout import END as ENDS
from tocsin.engine.detection.batch.layout import START as STARTS
from tocsin.engine.detection.join import is_kept_by_expiry
from tocsin.engine.detection.join_filters import by_cost, is_of, pair_sides
from tocsin.engine.detection.partition_keys import (
    Key,
    input_keys,
    input_of_name,
    own_path,
    paths_of,
)
from tocsin.engine.detection.sequence import ProbeSide, SequenceOperator
from tocsin.engine.detection.sequence_buffer import FirstEventBuffer
from tocsin.engine.detection.shared_buffer import SharedOperator
from tocsin.engine.detection.stateless import AtomSource, FilterOperator, NameOperator
from tocsin.engine.index.kernels import Ints
from tocsin.plan.nodes.composites import (
    End,
    Join,
    JoinCondition,
    Moment,
    Named,
    Only,
    Precedes,
    Related,
    Share,
)
from tocsin.plan.nodes.composites import Key as Paths
from tocsin.plan.semantics.bounds import join_lifetime
from tocsin.values.scalars import Path

MAX_KEY_COLUMNS = 8
"""Most different keys, and most different numbers, that are kept for an event: columns cost memory
for every event.
"""

_RELATIONS = {"<": LESS, "<=": LESS_OR_EQUAL, ">": GREATER, ">=": GREATER_OR_EQUAL}

BufferedPart = FirstEventBuffer | DeadlineBuffer
_ProbeCheck = tuple[int, int | Path, int | Path, int]
"""A relation, its operand in the buffered event and in the new one, and an offset; operands are
columns of events, or paths of numbers.
"""


@dataclass(slots=True)
class BatchProgram:
    """Buffers, groups, tables of starts and atoms that are served, by number, and the rows that the
    loops read of them.
    """

    lines: list[BufferedPart] = field(default_factory=list)
    tables: dict[LastStartByKey, int] = field(default_factory=dict)
    groups: list[ProbeSide] = field(default_factory=list)
    atoms: list[AtomSource] = field(default_factory=list)
    members: list[SequenceOperator] = field(default_factory=list)
    """Operators of all groups, one group after the other."""
    keys: list[Paths] = field(default_factory=list)
    numbers: list[Path] = field(default_factory=list)
    shares: list[Share] = field(default_factory=list)
    """Shares of events that some operators are restricted to."""
    probed_by_others: list[bool] = field(default_factory=list)
    """Flags of the atoms: True if other operators consume the atom, too."""
    ops: list[list[tuple[int, int, int, int]]] = field(default_factory=list)
    group_rows: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    member_rows: list[tuple[int, int, int]] = field(default_factory=list)
    conditions: list[tuple[int, int, int, int]] = field(default_factory=list)

    @property
    def sources(self) -> list[Operator]:
        """The operators whose inline consumers are served."""
        served = [*self.lines, *self.groups, *self.tables]
        return list(dict.fromkeys(each.inputs[0] for each in served))

    def key_column(self, key: Key) -> int:
        """Return the column of a key among those that are kept for an event."""
        paths = paths_of(key)
        assert paths is not None
        return _number_of(paths, self.keys)


def compile_batch_program(nodes: Iterable[Operator]) -> BatchProgram | None:
    """Return the program of the operators that can be served; None without any, or with too many
    columns.
    """
    program = BatchProgram()
    served = _select_supported(nodes)
    if not served:
        return None
    program.lines += dict.fromkeys(map(_line_of, served))
    absent = dict.fromkeys(node.absent for node in served if isinstance(node, AtomAbsenceOperator))
    program.tables |= {each: number for number, each in enumerate(absent)}
    groups = dict.fromkeys(node.group for node in served if isinstance(node, SequenceOperator))
    lines = {line: number for number, line in enumerate(program.lines)}
    for group in groups:
        _add_group(program, group, lines)
    _add_atoms(program)
    return None if max(len(program.keys), len(program.numbers)) > MAX_KEY_COLUMNS else program


def table(rows: Iterable[Iterable[int]], width: int) -> Ints:
    """Return rows of integers as an array for the loops."""
    return np.array([*rows], np.int64).reshape(-1, width)


def _select_supported(nodes: Iterable[Operator]) -> list[SequenceOperator | AtomAbsenceOperator]:
    """Return the operators that can be served and share nothing with one that cannot."""
    left = [node for node in nodes if isinstance(node, SequenceOperator | AtomAbsenceOperator)]
    users = Counter(each for node in left for each in _inline_consumers(node))
    bad = {each for each, count in users.items() if each.user_count != count}
    bad.update(each for node in left if not _is_supported(node) for each in _inline_consumers(node))
    while True:
        spoilt = [node for node in left if not bad.isdisjoint(_inline_consumers(node))]
        if not spoilt:
            return left
        bad.update(each for node in spoilt for each in _inline_consumers(node))
        left = [node for node in left if bad.isdisjoint(_inline_consumers(node))]


def _line_of(node: SequenceOperator | AtomAbsenceOperator) -> BufferedPart:
    return node.buffer if isinstance(node, SequenceOperator) else node.deadlines


def _inline_consumers(
    node: SequenceOperator | AtomAbsenceOperator,
) -> tuple[SharedOperator, SharedOperator]:
    if isinstance(node, SequenceOperator):
        return (node.buffer, node.group)
    return (node.deadlines, node.absent)


def _is_supported(node: SequenceOperator | AtomAbsenceOperator) -> bool:
    followers = _inline_consumers(node)
    if not all(_is_plain(each.inputs[0]) and paths_of(each.key) is not None for each in followers):
        return False
    return isinstance(node, AtomAbsenceOperator) or None not in _checks(node)


def _is_plain(source: Operator) -> bool:
    """True if a source is an atom that binds nothing, a share of it, or the name of either."""
    if isinstance(source, NameOperator):
        part = source.part
        assert isinstance(part, Named)
        if part.elements is not None:
            return False
    atom = _atom_of(source)
    return isinstance(atom, AtomSource) and not atom.binds


def _atom_of(source: Operator) -> Operator:
    """Return the operator below the name of a source and below the share that it lets through."""
    node = source.inputs[0] if isinstance(source, NameOperator) else source
    return node if share_let_through(node) is None else node.inputs[0]


def share_let_through(node: Operator) -> Share | None:
    """Return the share of events that is all an operator lets through; None for other operators."""
    if not isinstance(node, FilterOperator):
        return None
    assert isinstance(node.part, Only)
    restriction = node.part.restriction
    return restriction if isinstance(restriction, Share) else None


def _checks(node: SequenceOperator) -> list[_ProbeCheck | None]:
    """Return the conditions that the last event checks, as `sequence` checks them; None for one
    that the loops cannot check.
    """
    part, last = node.part, 1 - node.first
    assert isinstance(part, Join)
    _, conditions = input_keys(part.parts, part.conditions, part.by)
    lifetime = join_lifetime(part, node.first)
    return [
        _check(condition, part, last)
        for condition in by_cost(conditions)
        if not is_kept_by_expiry(condition, last, lifetime)
    ]


def _check(condition: JoinCondition, part: Join, last: int) -> _ProbeCheck | None:
    match condition:
        case Precedes(earlier, later, gap, or_equal) if earlier.part != later.part:
            slack = gap if or_equal else gap + 1  # instants are whole numbers
            if earlier.part == last:
                return (NOT_BEFORE, _field(later), _field(earlier), slack)
            return (NOT_AFTER, _field(earlier), _field(later), -slack)
        case Related(relation=relation) if relation in _RELATIONS:
            return _order(condition, part, last)
        case _:
            return None


def _order(condition: Related, part: Join, last: int) -> _ProbeCheck | None:
    homes = input_of_name(part.parts)
    if {homes.get(condition.left.name), homes.get(condition.right.name)} != {0, 1}:
        return None
    _, relation, _, theirs = pair_sides(condition, part.parts, homes, last)
    mine = condition.right if theirs is condition.left else condition.left
    sides = ((theirs, part.parts[1 - last]), (mine, part.parts[last]))
    paths = [own_path(side) for side, of in sides if is_of(side, of)]
    if len(paths) < 2 or paths[0] is None or paths[1] is None:
        return None
    return (_RELATIONS[relation], paths[0], paths[1], 0)


def _field(moment: Moment) -> int:
    return STARTS if moment.end is End.START else ENDS


def _add_group(program: BatchProgram, group: ProbeSide, lines: dict[BufferedPart, int]) -> None:
    questions = [each for each in _checks(group.members[0]) if each is not None]
    begin = len(program.conditions)
    for relation, theirs, mine, offset in questions:
        if isinstance(theirs, tuple) and isinstance(mine, tuple):
            columns = _number_of(theirs, program.numbers), _number_of(mine, program.numbers)
            program.conditions.append((relation, *columns, offset))
        else:
            assert isinstance(theirs, int)
            assert isinstance(mine, int)
            program.conditions.append((relation, theirs, mine, offset))
    orders = [
        number
        for number, each in enumerate(program.conditions[begin:], begin)
        if each[0] not in (NOT_BEFORE, NOT_AFTER)
    ]
    program.groups.append(group)
    program.group_rows.append(
        (
            len(program.members),
            len(group.members),
            begin,
            len(questions),
            orders[0] if orders else NONE,
        )
    )
    for member in group.members:
        program.members.append(member)
        program.member_rows.append((lines[member.buffer], *place_of(member.bit)))


def _add_atoms(program: BatchProgram) -> None:
    """Add each atom with its ops, in the order in which its consumers are served."""
    served: dict[Operator, tuple[int, int]] = {}
    served |= {line: (_op_of(line), number) for number, line in enumerate(program.lines)}
    served |= {group: (PROBE, number) for number, group in enumerate(program.groups)}
    begin = len(program.lines)
    served |= {each: (RECORD_START, begin + number) for each, number in program.tables.items()}
    atoms = dict.fromkeys(_atom_of(each) for each in program.sources)
    shares = (share_let_through(each) for atom in atoms for each in atom.inline_consumers)
    program.shares += dict.fromkeys(each for each in shares if each is not None)
    for atom in atoms:
        assert isinstance(atom, AtomSource)
        program.atoms.append(atom)
        program.ops.append(list(_ops(program, atom, served, len(program.shares))))
        program.probed_by_others.append(_is_probed_by_others(atom, served))


def _op_of(line: BufferedPart) -> int:
    return BUFFER if isinstance(line, FirstEventBuffer) else ARM_DEADLINE


def _ops(
    program: BatchProgram, node: Operator, supported: dict[Operator, tuple[int, int]], share: int
) -> Iterator[tuple[int, int, int, int]]:
    """Yield the ops of all consumers of an operator whose occurrences are of a share; the number of
    shares stands for all events.
    """
    for follower in node.inline_consumers:
        own = share_let_through(follower)
        if follower in supported:
            assert isinstance(follower, SharedOperator)
            yield (*supported[follower], program.key_column(follower.key), share)
        elif isinstance(follower, NameOperator):
            yield from _ops(program, follower, supported, share)
        elif own in program.shares:
            yield from _ops(program, follower, supported, program.shares.index(own))


def _is_probed_by_others(node: Operator, supported: dict[Operator, tuple[int, int]]) -> bool:
    """True if an operator that the loops do not serve, or a subscription, consumes the output of a
    node.
    """
    if isinstance(node, AtomSource) and node.queues:
        return True
    return bool(node.consumers or node.keys) or any(
        not _hands_on(each) or _is_probed_by_others(each, supported)
        for each in node.inline_consumers
        if each not in supported
    )


def _hands_on(node: Operator) -> bool:
    return isinstance(node, NameOperator) or share_let_through(node) is not None


def _number_of(thing: Any, known: list[Any]) -> int:
    """Return the position of a thing in the list of known ones; append it if it is new."""
    if thing not in known:
        known.append(thing)
    return known.index(thing)
