"""The results of a run as the reports read them: figures of one trial, looked up by matcher and
workload.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tocsin_benchmarks.selectors.contenders import Name
from tocsin_benchmarks.selectors.workloads import Shape

FROM_JSON = "JSON"
"""How the name of a mode begins that decodes events within the measured time."""

Key = tuple[Name, Shape | None, int, int]


@dataclass(frozen=True, slots=True)
class Measured:
    """The figures of one trial; where `refused` is not empty there are none."""

    contender: Name
    shape: Shape | None
    subscriptions: int
    attributes: int
    refused: str
    figures: Mapping[str, Any]

    @staticmethod
    def of(result: Mapping[str, Any]) -> Measured:
        """The figures of a result as a trial reports it."""
        trial = result["trial"]
        shape = None if trial["shape"] is None else Shape(trial["shape"])
        refused = result.get("refused", "")
        return Measured(
            Name(trial["contender"]),
            shape,
            trial["subscriptions"],
            trial["attributes"],
            refused,
            result,
        )

    @property
    def key(self) -> Key:
        """Matcher and workload."""
        return (self.contender, self.shape, self.subscriptions, self.attributes)

    @property
    def rates(self) -> Mapping[str, Mapping[str, float]]:
        """Rates by mode, the mode that counts first."""
        rates: Mapping[str, Mapping[str, float]] = self.figures.get("rates", {})
        return rates

    def rate(self, mode: str) -> float | None:
        """Events per second in one mode."""
        return self.rates[mode]["events_per_second"] if mode in self.rates else None

    @property
    def events_per_second(self) -> float | None:
        """Events per second in the mode that suits the matcher best, from events in memory."""
        return max((rate["events_per_second"] for rate in self._from_memory()), default=None)

    @property
    def matches_per_second(self) -> float | None:
        """Matches per second in the mode that suits the matcher best, from events in memory."""
        return max((rate["matches_per_second"] for rate in self._from_memory()), default=None)

    def _from_memory(self) -> list[Mapping[str, float]]:
        return [rate for mode, rate in self.rates.items() if not mode.startswith(FROM_JSON)]

    @property
    def is_estimate(self) -> bool:
        """Whether only a part of the subscriptions was asked."""
        return any(rate["part"] < 1 for rate in self.rates.values())

    @property
    def match_rate(self) -> float:
        """Matches per event and subscription."""
        best = max(self.rates.values(), key=lambda rate: rate["events"])
        return best["matches"] / best["events"] / (best["part"] * self.subscriptions)

    @property
    def evaluations_per_event(self) -> float | None:
        """Predicates decided for one event."""
        return self.figures.get("evaluations_per_event")

    @property
    def visits_per_event(self) -> float | None:
        """Literals, counters, edges or subscriptions looked at for one event."""
        return self.figures.get("visits_per_event")

    @property
    def build_seconds(self) -> float | None:
        """From the first selector to the first answer."""
        return self.figures.get("build_seconds")

    @property
    def memory_bytes(self) -> int | None:
        """What the process kept for the subscriptions."""
        return self.figures.get("memory_bytes")

    @property
    def peak_bytes(self) -> int | None:
        """What the process grew by at most, matching included."""
        return self.figures.get("peak_bytes")


class Results:
    """All results of a run."""

    def __init__(
        self, trials: Sequence[Mapping[str, Any]], spark: Sequence[Mapping[str, Any]] = ()
    ) -> None:
        self.measured = [Measured.of(trial) for trial in trials]
        self.spark = list(spark)
        self._by_key = {measured.key: measured for measured in self.measured}

    def find(
        self, name: Name, shape: Shape | None, subscriptions: int, attributes: int
    ) -> Measured | None:
        """The figures of a matcher on a workload, if they were taken."""
        return self._by_key.get((name, shape, subscriptions, attributes))

    @property
    def crowding(self) -> float:
        """Seconds of the clock for one of the processor: 1 on a quiet machine."""
        rates = [rate for one in self.measured for rate in one.rates.values()]
        return (
            sum(rate["clock_seconds"] for rate in rates) / sum(rate["seconds"] for rate in rates)
            if rates
            else 1.0
        )

    def disagreements(self) -> list[str]:
        """Workloads on whose first events two matchers found different matches; there should be
        none.
        """
        digests: dict[tuple[Shape | None, int, int], set[str]] = defaultdict(set)
        for one in self.measured:
            if not one.refused:
                digests[one.shape, one.subscriptions, one.attributes].add(
                    one.figures["compared"]["digest"]
                )
        return [
            f"{shape.label if shape else 'paper'}, {subscriptions:,} selectors, {attributes}"
            " attributes"
            for (shape, subscriptions, attributes), found in digests.items()
            if len(found) > 1
        ]
