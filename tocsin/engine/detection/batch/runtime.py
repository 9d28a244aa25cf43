"""Tables at work in a graph: batches run through them, and nodes that stand in for those whose
state they have bring what was found.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from tocsin.engine.columns.batch import Batch
from tocsin.engine.detection.absence_after import Deadlines
from tocsin.engine.detection.base import A_TRIAL, QUESTIONS, WORK_LIMIT, Node, Step
from tocsin.engine.detection.batch.bitsets import bits_in
from tocsin.engine.detection.batch.compile import Program, share_let_through
from tocsin.engine.detection.batch.emitters import Alarm, Asked, Silence
from tocsin.engine.detection.batch.state_transfer import empty_tables, filled_tables
from tocsin.engine.detection.batch.tables import Odd
from tocsin.engine.detection.sequence import ASKED_FREELY, FollowingNode
from tocsin.engine.detection.sharing import SharedGraph
from tocsin.engine.detection.stateless import NamedNode
from tocsin.engine.index.kernels import Flags, Ints
from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Share
from tocsin.values.time import Instant

Wanted = Sequence[tuple[Event, Iterable[Atom]]]
"""Events with the atoms that they are occurrences of, in canonical order."""

Pairs = dict[int, list[tuple[Asked, FollowingNode, Event]]]
"""What was found, by the number of the event in its batch that came last: who brings it, for whom,
and what came first.
"""

_MOST_WAITING = ASKED_FREELY + QUESTIONS * (WORK_LIMIT - A_TRIAL)
"""Where more waits in a line, an event may be too much to work out."""


class TablesAtWork:
    """What waits for the nodes of a program is in tables, from when this is made until it is given
    back. Raises Odd, and changes nothing, where the tables cannot hold it.
    """

    def __init__(self, program: Program, graph: SharedGraph, step: Step) -> None:
        self.tables = filled_tables(program)
        self._program = program
        self._graph = graph
        self._step = step
        self._newest = step.now
        self._lines = program.lines
        self._asked = [Asked(group) for group in program.groups]
        self._alarm = Alarm(self._ring)
        self._atoms: dict[Node, int] = {atom: n for n, atom in enumerate(program.atoms)}
        self._numbers: dict[int, tuple[int, Atom]] = {}
        self._followers = {source: source.followers for source in program.sources}
        self._stand_in()
        self._set_timers(())

    def _stand_in(self) -> None:
        """Groups are stood in for; lines and tables of starts have nothing to do."""
        program = self._program
        stand_ins: dict[Node, Node | None] = dict.fromkeys([*program.lines, *program.tables])
        stand_ins |= dict(zip(program.groups, self._asked, strict=True))
        for source, followers in self._followers.items():
            chosen = [stand_ins.get(each, each) for each in followers]
            source.followers = [each for each in chosen if each is not None]

    def give_back(self) -> None:
        """What waits is in the nodes again, which are served as before."""
        for source, followers in self._followers.items():
            source.followers = [each for each in followers if not each.is_gone]
        self._alarm.end()
        empty_tables(self._program, self.tables, self._step)

    def atoms_of(self, part: Wanted) -> tuple[Ints, Ints]:
        """The atoms of all events by number, and where those of each event begin."""
        numbers, found, firsts = self._numbers, [], [0]
        for _, atoms in part:
            for atom in atoms:
                known = numbers.get(id(atom))
                found.append(self._number_of(atom) if known is None else known[0])
            firsts.append(len(found))
        return np.array(firsts, np.int64), np.array(found, np.int64)

    def _number_of(self, atom: Atom) -> int:
        """The number of an atom in the program; two more stand for those that only others want, and
        for those that nobody does. The atom is kept, so that none has its address.
        """
        node, others = self._graph.atom_node(atom), len(self._atoms)
        number = others + 1 if node is None else self._atoms.get(node, others)
        self._numbers[id(atom)] = (number, atom)
        return number

    def run(self, part: Wanted, firsts: Ints, atoms: Ints) -> tuple[Pairs, Flags]:
        """The pairs that a batch brings about, and which of its events are in which shares; its
        silences ring when their time comes. Raises Odd, and changes nothing, where the tables
        cannot take it.
        """
        tables, events = self.tables, [event for event, _ in part]
        if tables.longest + len(part) > min(self._step.queue_limit, self._most_waiting()):
            raise Odd
        batch = Batch(events)
        within = tables.within(batch)
        base = tables.add(events, batch, self._newest)
        self._newest = max(self._newest, tables.end_of(base + len(part) - 1))
        pairs, silences = tables.detect(base, firsts, atoms, within)
        self._set_timers(self._silences(silences))
        found: Pairs = {}
        for number, group, member, first in pairs.tolist():
            each = (self._asked[group], self._program.members[member], tables.events[first])
            found.setdefault(number, []).append(each)
        return found, within

    def _most_waiting(self) -> int:
        """How many may wait in a line without a step for each event. Where other parts of a
        subscription cost too, that they were asked has to be counted.
        """
        alone = all(member.is_alone for member in self._program.members)
        return _MOST_WAITING if alone else ASKED_FREELY

    def steps_of(self, found: Pairs, firsts: Ints, atoms: Ints, within: Flags) -> Flags:
        """For which events of a batch a step is to be taken: those with which something was found,
        those that other nodes want, and the last, which tells the time. The others are counted.
        """
        wanted = np.array([*self._program.asked_by_others, True, False])[atoms]
        of_event = np.repeat(np.arange(len(firsts) - 1), np.diff(firsts))
        chosen = np.zeros(len(firsts) - 1, bool)
        chosen[of_event[wanted]] = True
        chosen[list(found)] = True
        chosen[-1] = True
        self._count_passed_over(~chosen[of_event][:, None] & within[of_event], atoms)
        return chosen

    def _count_passed_over(self, passed_over: Flags, atoms: Ints) -> None:
        """Counts the occurrences of atoms for which no step is taken, for each share apart."""
        shares = [*self._program.shares, None]
        counts = [
            np.bincount(atoms[each], minlength=len(self._program.atoms)) for each in passed_over.T
        ]
        for number, atom in enumerate(self._program.atoms):
            _count(
                atom, {share: int(each[number]) for share, each in zip(shares, counts, strict=True)}
            )

    def drop_found(self) -> None:
        """What was to be brought, and nobody took the step for it."""
        for asked in self._asked:
            asked.found.clear()

    def _silences(self, found: Ints) -> list[tuple[Instant, Silence]]:
        """Silences that were found, in the order of their deadlines."""
        silences: list[tuple[Instant, Silence]] = []
        for due, number, event, *words in sorted(found.tolist(), key=lambda each: each[:2]):
            line, members = self._lines[number], bits_in(words)
            assert isinstance(line, Deadlines)
            nodes = [node for bit, node in line.members.items() if members & bit]
            silences.append((due, (line, self.tables.events[event], nodes)))
        return silences

    def _set_timers(self, silences: Iterable[tuple[Instant, Silence]]) -> None:
        """For what was found, and for the soonest that is still to be found."""
        for due, silence in silences:
            self._step.wake(self._alarm, due, silence)
        soonest, alarm = self.tables.next_silence(), self._alarm
        if soonest is not None and (alarm.set_for is None or soonest < alarm.set_for):
            alarm.set_for = soonest
            self._step.wake(alarm, soonest, None)

    def _ring(self, now: Instant) -> list[Silence]:
        """The silences that are over by now, when it is the time and not an event that tells."""
        silences = self._silences(self.tables.silences_by(now))
        self._set_timers(())
        return [silence for _, silence in silences]


def _count(node: Node, counts: Mapping[Share | None, int], share: Share | None = None) -> None:
    """Counts occurrences at a node and at those that only name them or let a share through."""
    node.brought += counts[share]
    for follower in node.followers:
        if isinstance(follower, NamedNode):
            _count(follower, counts, share)
        elif (own := share_let_through(follower)) is not None and own in counts:
            _count(follower, counts, own)
