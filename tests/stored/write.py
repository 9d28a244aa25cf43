"""`python -m tests.stored.write`: writes down the plans, snapshots and answers of this version, for
all later ones.

A version that is released is not written again: its files say what it was.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import tocsin
from tests.stored.cases import Case, cases
from tests.stored.running import ended, engine_of, in_order, served, told
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.wire.wire import plan_to_json
from tocsin.reference import matches

HERE = Path(__file__).parent


def body_of(case: Case) -> dict[str, Any]:
    """What is written: the plan on the wire, what an engine held in the middle of the events, and
    what rang.
    """
    events = in_order(case.events)
    cut = (len(events) + 1) // 2
    first = engine_of(case.plan)
    before = served(first, events[:cut])
    body = {
        "plan": json.loads(plan_to_json(case.plan)),
        "knowledge": [
            {"text": each.ontology, "media_type": each.media_type} for each in case.definitions
        ],
        "events": list(case.events),
        "cut": cut,
        "before": before,
    }
    if not isinstance(case.plan.pattern, Atom):
        body["snapshot"] = json.loads(json.dumps(first.snapshot()))
    body["after"] = served(first, events[cut:]) + ended(first)
    _require_right(case, [*body["before"], *body["after"]])
    return body


def _require_right(case: Case, rung: list[dict[str, Any]]) -> None:
    """Nothing is written down that the reference would not say."""
    right = [told(match) for match in matches("s", case.plan, in_order(case.events))]
    if {_compact(each) for each in rung} != {_compact(each) for each in right}:
        raise AssertionError(f"{case.name}: the engine says {rung}, the reference {right}")


def write(folder: Path) -> int:
    """Writes one file for each case, and takes those away that are there; gives how many."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    written = list(cases())
    for case in written:
        fields = (f"{json.dumps(name)}: {_compact(value)}" for name, value in body_of(case).items())
        (folder / f"{case.name}.json").write_text("{\n" + ",\n".join(fields) + "\n}\n")
    return len(written)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    print(f"{write(HERE / tocsin.__version__)} files in tests/stored/{tocsin.__version__}")
