"""What is measured: the trials of the paper's tables and of the scale tests, in the order in which
they are run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from tocsin_benchmarks.selectors.contenders import Name
from tocsin_benchmarks.selectors.trial import COLUMN_BATCH, Trial
from tocsin_benchmarks.selectors.workloads import Shape
from tocsin_benchmarks.selectors.workloads.paper import EVENTS as PAPER_EVENTS

BATCHES = (4096, 16384)
TABLE_5 = tuple((attributes, 2000) for attributes in (5, 10, 15, 20))
TABLE_6 = tuple((10, subscriptions) for subscriptions in (500, 1000, 1500, 2000))

PAPER_CONTENDERS = (Name.NAIVE, Name.COUNTING, Name.TREE, Name.PAPER, Name.SCAN, Name.TOCSIN)
ALIKE_CONTENDERS = (Name.PLAIN_COUNTING, Name.TREE, Name.BDD, Name.PAPER)
"""The algorithms that the paper speaks of, all in plain Python over the same predicates."""

SCALE_CONTENDERS = (Name.TOCSIN, Name.NAIVE, Name.PAPER, Name.COUNTING, Name.COLUMNS)
LARGE_CONTENDERS = (Name.TOCSIN, Name.COUNTING, Name.COLUMNS)
LARGE = 100_000
"""Above this size, who costs the same for every subscription and takes gigabytes for it is left
out.
"""


class Part(StrEnum):
    """The parts of the benchmark."""

    PAPER = "paper"
    ALIKE = "alike"
    SCALE = "scale"
    SPARK = "spark"


@dataclass(frozen=True, slots=True)
class Options:
    """What the user asked for; each single measurement takes about `seconds`, or one batch where
    that takes longer.
    """

    parts: tuple[Part, ...] = tuple(Part)
    sizes: tuple[int, ...] = (1_000, 10_000, 100_000, 1_000_000)
    attributes: tuple[int, ...] = (10, 20)
    shapes: tuple[Shape, ...] = tuple(Shape)
    spark_sizes: tuple[int, ...] = (1_000, 10_000)
    seconds: float = 5.0
    seed: int = 2009


def trials(options: Options) -> list[Trial]:
    """Every trial that runs in this process's Python alone."""
    paper = _paper_trials(PAPER_CONTENDERS, options) if Part.PAPER in options.parts else ()
    alike = _paper_trials(ALIKE_CONTENDERS, options) if Part.ALIKE in options.parts else ()
    scale = _scale_trials(options) if Part.SCALE in options.parts else ()
    return list(dict.fromkeys((*paper, *alike, *scale)))


def _paper_trials(contenders: tuple[Name, ...], options: Options) -> Iterator[Trial]:
    for attributes, subscriptions in dict.fromkeys(TABLE_5 + TABLE_6):
        for contender in contenders:
            ours = contender is Name.TOCSIN
            yield Trial(
                contender,
                None,
                subscriptions,
                attributes,
                options.seed,
                options.seconds,
                PAPER_EVENTS,
                batches=BATCHES[:1] if ours else (),
                singles=ours,
            )


def _scale_trials(options: Options) -> Iterator[Trial]:
    for subscriptions in options.sizes:
        for shape in options.shapes:
            for attributes in options.attributes:
                for contender in SCALE_CONTENDERS if subscriptions <= LARGE else LARGE_CONTENDERS:
                    yield _scale_trial(contender, shape, subscriptions, attributes, options)


def _scale_trial(
    contender: Name, shape: Shape, subscriptions: int, attributes: int, options: Options
) -> Trial:
    trial = Trial(
        contender, shape, subscriptions, attributes, options.seed, options.seconds, COLUMN_BATCH
    )
    if contender is not Name.TOCSIN:
        return trial
    return Trial(
        contender,
        shape,
        subscriptions,
        attributes,
        options.seed,
        options.seconds,
        2 * max(BATCHES),
        batches=BATCHES,
        singles=subscriptions <= LARGE,
        from_json=True,
    )
