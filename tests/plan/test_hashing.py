"""The hash of a part is worked out once, and is nobody's business but the hash's."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from dataclasses import dataclass, fields, replace
from typing import ClassVar

from tests.timelines import kind
from tocsin.plan.cached_hash import HashedOnce, hashed_once
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    Composite,
    Either,
    Join,
    Keyed,
    Named,
    Only,
    Policy,
    Triggered,
    Waiting,
)

A, B = kind("a"), kind("b")


def parts() -> list[Composite]:
    """Made anew each time."""
    both = Join((Named("x", A), Named("y", B)), (), Policy.CHRONICLE, 5)
    return [
        both,
        Either((both, A)),
        Only(both, Keyed((("k",),))),
        Absence(B, AfterWindow(both, 3)),
        Named("z", both),
        Triggered(both, A, Waiting.FIRST_AFTER),
    ]


def test_equal_parts_have_equal_hashes_and_nothing_else_changes() -> None:
    for one, other in zip(parts(), parts(), strict=True):
        before = repr(one), [each.name for each in fields(one)]
        assert hash(one) == hash(other) == hash(one)
        assert one == other
        assert (repr(one), [each.name for each in fields(one)]) == before
    assert len({hash(each) for each in parts()}) == len(parts())


def test_copies_work_it_out_for_themselves() -> None:
    for part in parts():
        hash(part)
        copies = [copy.copy(part), copy.deepcopy(part), pickle.loads(pickle.dumps(part))]
        assert not any(hasattr(each, "_hash") for each in copies)
        assert all((each, hash(each)) == (part, hash(part)) for each in copies)
    join = parts()[0]
    assert isinstance(join, Join)
    assert hash(replace(join, keep=6)) != hash(join)


@hashed_once
@dataclass(frozen=True, slots=True)
class Counting(HashedOnce):
    """Counts how often its field is hashed."""

    field: Field


@dataclass(frozen=True, slots=True)
class Field:
    """Hashed slowly."""

    times: ClassVar[list[int]] = []

    def __hash__(self) -> int:
        self.times.append(1)
        return 7


def test_what_is_inside_is_hashed_once() -> None:
    counting = Counting(Field())
    assert {counting: 1}[counting] == 1
    assert hash(Join((Named("n", A), B))) == hash(Join((Named("n", A), B)))
    assert len(Field.times) == 1


def test_a_pickle_is_found_in_another_process() -> None:
    """Where texts have other hashes."""
    part = parts()[0]
    hash(part)
    script = (
        "import pickle, sys; from tests.plan.test_hashing import parts;"
        "assert pickle.load(sys.stdin.buffer) in set(parts())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "11"}
    run = [sys.executable, "-c", script]
    subprocess.run(run, input=pickle.dumps(part), check=True, env=environment)
