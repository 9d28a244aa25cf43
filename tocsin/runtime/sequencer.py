"""The order of a host: the steps taken for each event and each advance of time.

1. *Duplicates.* An event whose identity was seen, or that is buffered already, is dropped.
2. *Too far ahead, or late.* An event that ends too far beyond the clock, or before the watermark,
   is a dead letter: atomic subscriptions match it all the same, composites do not see it. Any
   other event advances the watermark: the highest end seen, minus the lateness.
3. *Atoms.* Atomic subscriptions match at once, for every time. Composite inputs are buffered.
   Constructed events are matched in their turn.
4. *Beginning.* Time begins with the lowest end of all events, used by composites or not, once the
   watermark has passed it; a composite whose window was over before ends.
5. *Canonical order.* The events that end before the watermark are served by (end, start, source,
   id). The timers due before an event fire before it, one instant after the other.
6. *Republishing.* Events constructed by a step happen at once, generation after generation, until
   none is new or a limit is reached.
7. *Timers* that are due before the watermark fire: events at the same instant came before.
8. *Overflow.* If more events are buffered than allowed, the watermark is forced past the first of
   them, and steps 4 to 7 are repeated: no event is lost.
9. *Expiry.* State that no later event can complete is dropped.

Subscriptions suspended on the way, for their state size or their faults, are part of the outcome.

`Sequencer` takes these steps for live hosts: the Hub takes all of them; for a Spark shard, earlier
tasks take steps 1 to 3, except for buffering and lateness.

`FiniteSequencer` takes steps 4 to 7 and 9 over finite input, whose events are in canonical order:
the watermark is the next event, and pauses between events are known and skipped. Its host decides
lateness in input order, and republishes by evaluating the input again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Generic, cast

from tocsin.engine.detection.batch.runtime import Wanted
from tocsin.engine.detection.scheduling.network import QUEUE_LIMIT
from tocsin.engine.results import BatchMatches
from tocsin.events.dead_letter import watermark_forced
from tocsin.events.event import Event
from tocsin.events.matches.match import Match, deduplicate
from tocsin.plan.nodes.atoms import Atom
from tocsin.runtime.admission import AdmissionResult, Doorkeeper, FutureLimit
from tocsin.runtime.guarded import EMPTY_OUTCOME, GuardedBatchResult, GuardedEngine, Outcome
from tocsin.runtime.watermark import Payload, ReorderBuffer, Span, Watermark, pauses
from tocsin.values.time import Instant, format_instant

_outputs = attrgetter("outputs")


class Sequencer(Generic[Payload]):
    """Events and time of a live host, in order, for one engine.

    `atoms_of` returns the atoms of a payload buffered with an event; by default the payload is the
    atoms. With `republishes`, constructed events happen at once.
    """

    def __init__(
        self,
        guard: GuardedEngine,
        watermark: Watermark,
        atoms_of: Callable[[Payload], Iterable[Atom]] | None = None,
        *,
        queue_limit: int = QUEUE_LIMIT,
        republishes: bool = False,
    ) -> None:
        self.watermark = watermark
        self.has_begun = False
        self.oldest: Instant | None = None
        """The lowest end seen, until time begins."""
        self._guard = guard
        self._atoms_of = atoms_of
        self._queue_limit = queue_limit
        self.republishes = republishes
        """True if constructed events happen at once. May change between two steps."""
        self._buffer: ReorderBuffer[Payload] = ReorderBuffer()

    def __len__(self) -> int:
        return len(self._buffer)

    def hold(self, event: Event, payload: Payload) -> None:
        """Buffer an event until the watermark passes it; ignore one without a time or buffered
        already.
        """
        if event.interval is not None:
            self._buffer.add(event, payload)

    def hold_all(self, given: list[tuple[Event, Payload]]) -> None:
        """Buffer many events in canonical order, all of which have a time."""
        self._buffer.add_all(given)

    def held(self) -> Iterator[tuple[Event, Payload]]:
        """Yield the buffered events with their payloads, in no particular order."""
        return self._buffer.held()

    def note_end(self, end: Instant) -> None:
        """Lower the beginning of time to `end`, but not below the watermark; ignored once time has
        begun.
        """
        if not self.has_begun:
            mark = self.watermark.instant
            end = end if mark is None else max(end, mark)
            self.oldest = end if self.oldest is None else min(end, self.oldest)

    def begin(self, now: Instant) -> Outcome:
        """Start time for composites."""
        self.has_begun, self.oldest = True, None
        return self._guard.begin_at(now)

    def advance(self) -> Outcome:
        """Take steps 4 to 9, as far as the watermark allows."""
        outcome = Outcome()
        self._follow_watermark(outcome)
        last = self._buffer.end_of_overflow(self._queue_limit)
        if last is not None:
            excess = len(self._buffer) - self._queue_limit
            outcome.letters.append(
                watermark_forced(excess, self._queue_limit, format_instant(last + 1))
            )
            self.watermark.force_past(last)
            self._follow_watermark(outcome)
        return outcome

    def next_instant(self) -> Instant | None:
        """Return the instant that the watermark must pass for anything to happen without new
        events.

        The beginning of time counts too, even if no composite uses the first event. None if nothing
        is due.
        """
        wanted = (self._guard.engine.network.next_timer(), self._buffer.first(), self.oldest)
        return min((instant for instant in wanted if instant is not None), default=None)

    def _follow_watermark(self, outcome: Outcome) -> None:
        mark = self.watermark.instant
        if mark is None or (self.oldest is not None and mark <= self.oldest):
            return
        if not self.has_begun:
            outcome.add(self.begin(mark if self.oldest is None else self.oldest))
        for found, event, atoms in self._guard.engine.detect_batch(self._released(mark)):
            self._accept(found, outcome)
            assert event.interval is not None, "what has no time waits for none"
            before = event.interval.end - 1
            due = self._guard.engine.network.next_timer()
            if due is not None and due <= before:  # else `detect` advances the time
                self._pass_time(before, outcome)
            self._note(self._guard.detect(event, atoms), outcome)
        self._pass_time(mark - 1, outcome)
        self._guard.engine.forget_before(mark)

    def _accept(self, found: BatchMatches, outcome: Outcome) -> None:
        """Add the matches that a batch has found, with the timers that fire between them. They
        construct nothing, and no two are equal.
        """
        begin, instants = 0, found.instants
        if not instants and (found.render_failures or found.faults):
            outcome.add(self._guard.accept(found))
        while begin < len(instants):
            due = self._guard.engine.network.next_timer()
            end = len(instants)
            if due is not None and due < instants[-1]:
                end = bisect_right(instants, due, begin)
            if begin < end:
                part = found if end - begin == len(instants) else found.between(begin, end)
                outcome.add(self._guard.accept(part))
            if due is not None and end < len(instants):
                self._pass_time(due, outcome)
            begin = end

    def _released(self, mark: Instant) -> Wanted:
        """Release the events before the watermark, each with its atoms."""
        released = self._buffer.release(mark)
        if self._atoms_of is None:
            return cast(Wanted, released)
        return [(event, self._atoms_of(payload)) for event, payload in released]

    def _pass_time(self, now: Instant, outcome: Outcome) -> None:
        """Fire the timers up to `now`; instant by instant if constructed events are republished."""
        if self.republishes:
            while (found := self._guard.pass_instants(now, outcome)) is not EMPTY_OUTCOME:
                self._note(found, outcome)
        self._note(self._guard.advance_to(now, now), outcome)

    def _note(self, found: Outcome, outcome: Outcome) -> None:
        """Add the result of one step, then serve the events it constructs, generation by
        generation.
        """
        if found is EMPTY_OUTCOME:
            return
        found.matches = list(deduplicate(found.matches))
        outcome.add(found)
        generation = self._published(found.matches, outcome)
        while generation:
            further = Outcome()
            for event in generation:
                self._happen(event, further)
            outcome.add(further)
            generation = self._published(further.matches, outcome)

    def _published(self, matches: Collection[Match], outcome: Outcome) -> list[Event]:
        """Return the events that matches construct; [] unless they are republished."""
        if not self.republishes:
            return []
        events, beside = self._guard.publish(matches)
        outcome.add(beside)
        return events

    def _happen(self, event: Event, outcome: Outcome) -> None:
        """Match and detect a constructed event at once."""
        served = self._guard.match([event])
        outcome.add(served.diagnostics)
        outcome.add(self._render_constructed(served))
        for _, atoms in served.relevant:
            found = self._guard.detect(event, atoms)
            outcome.add(Outcome(list(deduplicate(found.matches)), found.letters, found.ended))

    def _render_constructed(self, result: GuardedBatchResult) -> Outcome:
        """Render the atomic matches of a constructed event."""
        return self._guard.render_atomic_matches(result.atomic_matches)


class LiveSequencer(Sequencer[tuple[Atom, ...]]):
    """The whole order, for a host that receives events as they happen; `admission` admits them."""

    def __init__(
        self,
        guard: GuardedEngine,
        watermark: Watermark,
        ahead: FutureLimit,
        *,
        queue_limit: int = QUEUE_LIMIT,
        remember: int,
    ) -> None:
        super().__init__(guard, watermark, queue_limit=queue_limit, republishes=True)
        self._ahead = ahead
        self.admission = Doorkeeper(watermark, ahead, self._buffer.identities, remember)

    def admit(self, events: Sequence[Event]) -> AdmissionResult:
        """Take steps 1 and 2 for a batch."""
        self._buffer.note_identities()  # the door reads this set
        admitted = self.admission.admit(events)
        if admitted.oldest is not None and not self.has_begun:
            end = admitted.oldest
            self.oldest = end if self.oldest is None else min(end, self.oldest)
        return admitted

    def match_admitted(self, events: list[Event]) -> Outcome:
        """Take step 3 for the admitted events, in canonical order."""
        outcome = Outcome()
        served = self._serve(events, outcome)
        apart = self.admission.excluded_from_composites
        self._buffer.add_new(
            [
                each
                for each in served.relevant
                if each[0].interval is not None and not (apart and each[0].identity in apart)
            ]
        )
        generation = self._render(served, outcome)
        while generation:
            served = self._serve(generation, outcome)
            for event, atoms in served.relevant:
                if self._guard.origin_of(event) not in apart and not self._ahead.refuses(event):
                    self.hold(event, atoms)
            generation = self._render(served, outcome)
        self.admission.remember_served()
        return outcome

    def _note(self, found: Outcome, outcome: Outcome) -> None:
        """Add the result of one step; most construct nothing, which is the fast path."""
        if any(map(_outputs, found.matches)):
            super()._note(found, outcome)
        elif found is not EMPTY_OUTCOME:
            found.matches = list(deduplicate(found.matches))
            outcome.add(found)

    def _serve(self, events: Sequence[Event], outcome: Outcome) -> GuardedBatchResult:
        served = self._guard.match(events)
        outcome.add(served.diagnostics)
        self.admission.note_unserved(served.unserved)
        return served

    def _render(self, result: GuardedBatchResult, outcome: Outcome) -> list[Event]:
        """Render the atomic matches; return the events that they construct."""
        told = self._guard.render_atomic_matches(result.atomic_matches)
        outcome.add(told)
        return self._published(told.matches, outcome)


class FiniteSequencer:
    """Finite input for one engine: events one by one, in canonical order, none late."""

    def __init__(self, guard: GuardedEngine, *, forget_every: int | None = None) -> None:
        self._guard = guard
        self._forget_every = forget_every
        self._served_count = 0
        self._newest: Instant | None = None
        self._pauses: deque[Span] = deque()
        self._returned_ids: set[str] = set()

    def begin(self, oldest: Instant, newest: Instant, spans: Iterable[Span]) -> Outcome:
        """Start time at the lowest end of all events.

        `spans` are all ends, or spans without a long pause inside.
        """
        outcome = self._guard.begin_at(oldest)
        self._newest = newest
        longest = self._guard.engine.network.shortest_pause
        if longest is not None:
            self._pauses.extend(pauses(spans, longest))
            outcome.add(self._new(self._guard.advance_to(oldest - 1, oldest - 1)))
        return outcome

    def serve(self, event: Event, atoms: Iterable[Atom]) -> Outcome:
        """Serve the next event that composites use, after the pauses before it."""
        if event.interval is None:
            return EMPTY_OUTCOME
        end = event.interval.end
        passed = Outcome() if self._pauses and self._pauses[0][1] <= end else EMPTY_OUTCOME
        while self._pauses and self._pauses[0][1] <= end:
            self._pass_over(self._pauses.popleft(), passed)
        found = self._new(self._guard.detect(event, atoms))
        self._served_count += 1
        if self._forget_every is not None and self._served_count % self._forget_every == 0:
            self._guard.engine.forget_before(end)
        if passed is EMPTY_OUTCOME:
            return found
        passed.add(found)
        return passed

    def end(self, until: Instant | None) -> Outcome:
        """End the input: advance the clock to the end of time, or to `until`."""
        outcome = Outcome()
        for pause in self._pauses:
            self._pass_over(pause, outcome)
        newest = self._newest
        if newest is not None:
            last = newest if until is None else min(until, newest - 1)
            outcome.add(self._new(self._guard.advance_to(last)))
        outcome.add(self._new(self._guard.advance_to(until, until)))
        return outcome

    def _pass_over(self, pause: Span, outcome: Outcome) -> None:
        """Skip a pause: no event ends between its two instants."""
        before, after = pause
        outcome.add(self._new(self._guard.advance_to(before - 1)))
        outcome.add(self._new(self._guard.advance_to(after - 1, after - 1)))

    def _new(self, found: Outcome) -> Outcome:
        """Remove matches that an earlier step has returned."""
        if found.matches:
            matches = [
                match for match in deduplicate(found.matches) if match.id not in self._returned_ids
            ]
            self._returned_ids.update(match.id for match in matches)
            found.matches = matches
        return found
