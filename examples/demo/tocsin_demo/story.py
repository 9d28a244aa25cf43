"""The day: lines of CloudEvents JSON in order of arrival, the same for the same seed and number of
lines.

Every line arrives at most a minute after it happened, but for a few on purpose: late ones arrive
hours after, and malformed ones are no event at all. Even a short day has some of both. What belongs
to a story that was made up as a whole (tours, offers, pallets, purchases) is neither.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import merge
from itertools import accumulate
from random import Random

from tocsin.errors import MeaningProblem
from tocsin.values.time import Duration, Instant, parse_duration, parse_instant
from tocsin_demo.auction import Offer, offers_of_the_day
from tocsin_demo.blemishes import BLEMISHES
from tocsin_demo.fleet import Fleet
from tocsin_demo.happening import Happening, Report, Tale, cloudevent
from tocsin_demo.marketplace import Marketplace
from tocsin_demo.pallets import Pallet, pallets_of_the_day
from tocsin_demo.purchases import Purchase, purchases_of_the_day
from tocsin_demo.tours import Tour, tours_of_the_day

MIDNIGHT: Instant = parse_instant("2026-03-13T00:00:00Z")
DAY: Duration = parse_duration("24h")
LATENESS: Duration = parse_duration("2m")
FEWEST = 1_000

_HOUR: Duration = parse_duration("1h")
_USUAL_DELAY: Duration = parse_duration("1m")
_LINES_PER_BLEMISH = 5_000
_LINES_PER_LATE_ONE = 4_000
_FEWEST_OF_EACH = 6

# How much happens in each hour of the day, from midnight on.
_SHOPPING = (3, 2, 1, 1, 1, 2, 4, 7, 9, 10, 11, 13, 15, 13, 11, 11, 13, 16, 19, 22, 24, 20, 13, 7)
_DRIVING = (1, 1, 1, 1, 2, 6, 20, 36, 44, 46, 46, 44, 36, 44, 46, 46, 44, 42, 36, 24, 12, 5, 2, 1)
_SORTING = (14, 16, 18, 20, 22, 20, 12, 5, 3, 2, 2, 2, 3, 3, 3, 4, 6, 8, 10, 12, 12, 12, 13, 14)
_ALWAYS = (6,) * 24


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the stream and when it arrives."""

    arrival: Instant
    text: str


@dataclass(frozen=True, slots=True)
class _Strand:
    """One kind of happening: the prefix of its ids, its share of the day, its hours, and who makes
    it up.
    """

    prefix: str
    share: float
    hours: tuple[int, ...]
    tell: Callable[[Instant], Happening]


@dataclass(frozen=True, slots=True)
class Story:
    """A day with so many lines, told by dice with this seed."""

    lines: int
    seed: int

    def __post_init__(self) -> None:
        if self.lines < FEWEST:
            raise MeaningProblem(
                f"a day has at least {FEWEST} events, got {self.lines}", code="DemoError"
            )

    def tours(self) -> list[Tour]:
        """The tours of trucks that the day has, and with them what truly becomes of each."""
        return tours_of_the_day(self.seed, MIDNIGHT)

    def offers(self) -> list[Offer]:
        """What is for sale at the auction."""
        return offers_of_the_day(self.seed, MIDNIGHT)

    def pallets(self) -> list[Pallet]:
        """The pallets of the supply chain, and with them what truly becomes of each."""
        return pallets_of_the_day(self.seed, MIDNIGHT)

    def purchases(self) -> list[Purchase]:
        """The purchases that are told by documents, and with them how each goes."""
        return purchases_of_the_day(self.seed, MIDNIGHT)

    def tell(self) -> Iterator[Line]:
        """The lines in order of arrival."""
        dice = Random(self.seed)
        reports = self._reports()
        others = self._tell_others(dice, self.lines - len(reports))
        yield from merge(_told(reports), others, key=lambda line: line.arrival)

    def _reports(self) -> list[Report]:
        """All that belongs to a story which was made up as a whole."""
        tales: tuple[Tale, ...] = (
            *self.tours(),
            *self.offers(),
            *self.pallets(),
            *self.purchases(),
        )
        return sorted(
            (report for tale in tales for report in tale.reports()), key=lambda report: report.at
        )

    def _tell_others(self, dice: Random, lines: int) -> Iterator[Line]:
        """All the rest."""
        strands = _strands(dice)
        hours = [_Hour.of(hour, strands) for hour in range(24)]
        malformed = set(dice.sample(range(lines), _how_many(self.lines, _LINES_PER_BLEMISH)))
        # A late line is hours behind, so it needs hours before it: the second half of the lines has
        # them.
        second_half = [number for number in range(lines // 2, lines) if number not in malformed]
        late = set(dice.sample(second_half, _how_many(self.lines, _LINES_PER_LATE_ONE)))
        blemished = 0
        for number, (arrival, hour) in enumerate(_arrivals(lines, hours)):
            strand = hour.pick(dice)
            delay = (
                int(dice.uniform(3, 5) * _HOUR)
                if number in late
                else int(dice.random() * _USUAL_DELAY)
            )
            happening = strand.tell(arrival)
            text = cloudevent(
                happening, f"{strand.prefix}-{number + 1}", max(MIDNIGHT, arrival - delay)
            )
            if number in malformed:
                text = BLEMISHES[blemished % len(BLEMISHES)](text)
                blemished += 1
            yield Line(arrival, text)


@dataclass(frozen=True, slots=True)
class _Hour:
    """One hour of the day: how much of each strand happens in it."""

    number: int
    strands: tuple[_Strand, ...]
    weights: tuple[float, ...]

    @staticmethod
    def of(number: int, strands: tuple[_Strand, ...]) -> _Hour:
        shares = (strand.share * strand.hours[number] / sum(strand.hours) for strand in strands)
        return _Hour(number, strands, tuple(accumulate(shares)))

    @property
    def total(self) -> float:
        return self.weights[-1]

    def pick(self, dice: Random) -> _Strand:
        return self.strands[bisect_right(self.weights, dice.random() * self.total)]


def _strands(dice: Random) -> tuple[_Strand, ...]:
    """Everything that happens, with its share of the lines in percent."""
    shop, fleet = Marketplace(dice), Fleet(dice, MIDNIGHT)
    return (
        _Strand("position", 44, _DRIVING, fleet.position),
        _Strand("search", 17, _SHOPPING, lambda now: shop.search()),
        _Strand("order", 13, _SHOPPING, lambda now: shop.order()),
        _Strand("scan", 8, _SORTING, lambda now: fleet.scanned()),
        _Strand("delivery", 7, _DRIVING, lambda now: fleet.delivered()),
        _Strand("climate", 3, _ALWAYS, lambda now: fleet.climate()),
        _Strand("review", 2, _SHOPPING, lambda now: shop.review()),
        _Strand("stock", 2, _ALWAYS, lambda now: shop.stock()),
        _Strand("price", 1.2, _SHOPPING, lambda now: shop.new_price()),
        _Strand("payment", 1, _SHOPPING, lambda now: shop.failed_payment()),
        _Strand("failure", 0.9, _DRIVING, lambda now: fleet.not_delivered()),
        _Strand("return", 0.6, _SHOPPING, lambda now: shop.send_back()),
        _Strand("fault", 0.3, _DRIVING, lambda now: fleet.fault()),
    )


def _arrivals(lines: int, hours: list[_Hour]) -> Iterator[tuple[Instant, _Hour]]:
    """When each line arrives: evenly inside an hour, as many in an hour as it has of the whole
    weight.
    """
    ends = list(accumulate(hour.total for hour in hours))
    for number in range(lines):
        reached = number / lines * ends[-1]
        hour = hours[bisect_right(ends, reached)]
        inside = (reached - (ends[hour.number] - hour.total)) / hour.total
        yield MIDNIGHT + int((hour.number + inside) * _HOUR), hour


def _told(reports: list[Report]) -> Iterator[Line]:
    for report in reports:
        yield Line(report.at, cloudevent(report.happening, report.id, report.at))


def _how_many(lines: int, every: int) -> int:
    return max(_FEWEST_OF_EACH, lines // every)
