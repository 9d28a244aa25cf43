"""The trigger: a detection sends events of another part, those that come next or those that came
before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tocsin.engine.detection.base import (
    COMBINE_COST,
    EMIT_COST,
    Operator,
    Pending,
    State,
    StepContext,
    Writer,
)
from tocsin.engine.detection.queue import ExpiringQueue
from tocsin.plan.nodes.composites import Triggered, Waiting
from tocsin.plan.semantics.occurrence import Occurrence, combine
from tocsin.values.time import Instant

_ALL = ("",)


class TriggerOperator(Operator):
    """Buffer of the detections that wait and, if earlier targets count, of the targets."""

    __slots__ = ("_detections", "_expires", "_sent", "_targets", "_trigger")

    def __init__(self, part: Triggered, inner: list[Operator]) -> None:
        super().__init__(part, inner)
        self._trigger = part
        self._detections = ExpiringQueue(part.keep)
        self._targets = ExpiringQueue(part.keep)
        self._sent: set[Occurrence] = set()
        self._expires = False

    has_buffer = True

    @property
    def buffered_count(self) -> int:
        """Number of buffered detections and targets."""
        return self._detections.living + self._targets.living

    @property
    def is_empty(self) -> bool:
        """True if nothing is buffered."""
        return not self._detections.living and not self._targets.living

    def receive(self, slot: int, occurrence: Occurrence, step: StepContext) -> None:
        """Take the detection at slot 0, the target at slot 1."""
        self.renew(step)
        self.forget_before(step.now)
        if slot == 0:
            self._on_detection(occurrence, step)
        else:
            self._on_target(occurrence, step)
        self._expire(step)

    def forget_before(self, now: Instant) -> None:
        """Drop detections and targets that are too old to matter."""
        self._detections.forget_before(now)
        self._targets.forget_before(now)
        if len(self._sent) > 2 * self._targets.living:
            self._sent.intersection_update(self._targets)

    def next_expiry(self) -> Instant | None:
        """Return when the oldest entry expires; None if nothing does."""
        instants = (self._detections.next_expiry(), self._targets.next_expiry())
        soonest = min((each for each in instants if each is not None), default=None)
        self._expires = soonest is not None
        return soonest

    def pending(self) -> Iterable[Pending]:
        """Yield the detections that wait."""
        keep = self._trigger.keep
        for each in self._detections:
            yield Pending(self.part, 0, each, None if keep is None else each.end + keep)

    def snapshot(self, writer: Writer) -> State:
        """Return the detections, and the targets with a flag for those that were sent."""
        targets = list(self._targets)
        return {
            "detections": [writer.write(each) for each in self._detections],
            "targets": [[writer.write(each), each in self._sent] for each in targets],
        }

    def restore(self, state: State, read: Callable[[State], Occurrence], step: StepContext) -> None:
        """Load the detections and the targets."""
        for each in state["detections"]:
            self._detections.add(read(each), _ALL)
        for each, is_sent in state["targets"]:
            target = read(each)
            self._targets.add(target, _ALL)
            if is_sent:
                self._sent.add(target)
        self._expire(step)

    def _on_detection(self, detection: Occurrence, step: StepContext) -> None:
        waiting = self._trigger.waiting
        if waiting is Waiting.EVERY_SINCE:
            self._detections.add(detection, _ALL)
            for target in self._known():
                if target not in self._sent:
                    self._send(detection, target, step)
            return
        self._detections.clear()
        known = reversed(self._known()) if waiting is Waiting.LATEST_SINCE else ()
        if any(self._send(detection, target, step) for target in known):
            return
        self._detections.add(detection, _ALL)

    def _on_target(self, target: Occurrence, step: StepContext) -> None:
        waiting = self._trigger.waiting
        if waiting.is_since:
            self._targets.add(target, _ALL)
        if any(
            self._send(detection, target, step) for detection in [*self._detections.waiting(_ALL)]
        ) and waiting in (
            Waiting.FIRST_AFTER,
            Waiting.LATEST_SINCE,
        ):
            self._detections.clear()

    def _known(self) -> Sequence[Occurrence]:
        return [*self._targets.waiting(_ALL)]

    def _send(self, detection: Occurrence, target: Occurrence, step: StepContext) -> bool:
        """Emit both combined if the target came when it counts; True if it did."""
        since = detection.start if self._trigger.waiting.is_since else detection.end
        self.spend(COMBINE_COST)
        whole = combine((detection, target), self.spend) if target.start > since else None
        if whole is None:
            return False
        self.spend(EMIT_COST + len(whole.rows))
        step.emit(self, whole)
        if self._trigger.waiting is Waiting.EVERY_SINCE:
            self._sent.add(target)
        return True

    def _expire(self, step: StepContext) -> None:
        if not self._expires and (soonest := self.next_expiry()) is not None:
            step.schedule_expiry(self, soonest)
