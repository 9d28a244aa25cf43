"""The paper's table 1: how many matches there are after so many events, over many orders of the
same events.

The paper has one order and does not say how many keys; here are the mean, the least and the most of
many orders, for several numbers of keys. Every count is compared with that of a plain loop over all
pairs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from tocsin.plan.nodes.composites import Plan
from tocsin.runtime.finite_run import Input, match_events
from tocsin_benchmarks.harness.stopwatch import Stopwatch
from tocsin_benchmarks.harness.table import Table, rounded
from tocsin_benchmarks.xml.paper_workload import (
    EVENTS,
    SUBSCRIPTIONS,
    documents,
    oracle,
    pairs,
    plans,
)

CHECKPOINTS = (100, 200, 300, 400, 500)
KEYS = (10, 50, 100, 500)
PAPER = (3, 7, 9, 14, 21)


def run(request: Mapping[str, Any]) -> dict[str, Any]:
    """The counts of all orders for one number of keys."""
    seed, keys = request["seed"], request["keys"]
    compiled, asked = plans(seed), list(pairs(seed))
    counts, same, watch = [], True, Stopwatch()
    for order in range(request["orders"]):
        received = documents(keys, seed, order)
        detected = _detected(compiled, received)
        same &= detected == oracle(asked, received)
        counts.append(
            [sum(when <= received[fed - 1].end for when in detected) for fed in CHECKPOINTS]
        )
    seconds = watch.read()[0]
    forwards, backwards = (documents(keys, seed, 0, backwards=way) for way in (False, True))
    differs = len(_detected(compiled, forwards)) != len(_detected(compiled, backwards))
    figures = {
        "trial": dict(request),
        "counts": counts,
        "same_matches": same,
        "order_matters": differs,
    }
    return figures | {"seconds_per_event": seconds / request["orders"] / EVENTS}


def _detected(compiled: Mapping[str, Plan], received: Sequence[Any]) -> list[int]:
    matches = match_events(compiled, Input([document.event() for document in received]))
    return sorted(match.detected for match in matches if match.detected is not None)


def paper_table(trials: Sequence[Mapping[str, Any]]) -> Table:
    """One line for each number of keys."""
    header = ("keys", *(f"{fed} events" for fed in CHECKPOINTS), "us/event, building included")
    rows = [("paper", *map(str, PAPER), "-"), *map(_row, trials)]
    wrong = [trial["trial"]["keys"] for trial in trials if not trial.get("same_matches", False)]
    said = (
        f"DIFFERENT from the plain loop with {wrong} keys."
        if wrong
        else "The plain loop over all pairs agrees."
    )
    turned = sum(bool(trial.get("order_matters")) for trial in trials)
    orders = trials[0]["trial"]["orders"] if trials else 0
    return Table(
        "XML, the paper's table 1: matches after so many events",
        header,
        tuple(rows),
        (
            (
                f"{SUBSCRIPTIONS} subscriptions, each with `;` and CONSTRUCT, over {orders} orders"
                f" of the same {EVENTS} events: mean (least to most). {said}"
            ),
            f"Backwards, the number of matches is another one in {turned} of {len(trials)} cases.",
        ),
    )


def _row(figures: Mapping[str, Any]) -> tuple[str, ...]:
    if "refused" in figures:
        return (str(figures["trial"]["keys"]), figures["refused"], *["-"] * len(CHECKPOINTS))
    columns = zip(*figures["counts"], strict=True)
    cells = (f"{fmean(column):.1f} ({min(column)} to {max(column)})" for column in columns)
    return (str(figures["trial"]["keys"]), *cells, rounded(1e6 * figures["seconds_per_event"]))


if __name__ == "__main__":
    json.dump(run(json.load(sys.stdin)), sys.stdout)
