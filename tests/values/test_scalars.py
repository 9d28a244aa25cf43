"""Scalars: kinds never mix, and one number has one carrier however it is written."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.errors import EventProblem
from tocsin.values.scalars import (
    Constant,
    Kind,
    Scalar,
    canonical_number,
    key_number,
    kind_of,
    scalar_element,
)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, Kind.NULL),
        (True, Kind.BOOLEAN),
        (1, Kind.NUMBER),
        (1.0, Kind.NUMBER),
        ("1", Kind.STRING),
        ([], Kind.OTHER),
        ({}, Kind.OTHER),
    ],
)
def test_a_value_has_one_kind(value: object, kind: Kind) -> None:
    assert kind_of(value) is kind


def test_equal_numbers_are_one_constant() -> None:
    written: list[Scalar | Decimal] = [100, 100.0, Decimal("1e2"), Decimal("100.00"), Decimal(100)]
    assert {Constant.of(number) for number in written} == {Constant(Kind.NUMBER, 100)}


def test_kinds_never_collide() -> None:
    different: list[Scalar] = ["1", 1, True, "TRUE"]
    assert len({Constant.of(value) for value in different}) == 4


@given(st.integers())
def test_a_whole_decimal_keeps_every_digit(number: int) -> None:
    assert canonical_number(Decimal(number)) == number
    assert type(canonical_number(Decimal(f"{number}.0"))) is int
    assert canonical_number(Decimal(f"{number}.0")) == number


@given(st.floats(allow_nan=False))
def test_a_decimal_in_exponent_form_is_the_number_that_json_reads(number: float) -> None:
    assert canonical_number(Decimal(f"{number:e}")) == canonical_number(float(f"{number:e}"))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1e999999999", float("inf")),
        ("-1e400", float("-inf")),
        ("1e-999999999", 0),
        ("Infinity", float("inf")),
    ],
)
def test_a_decimal_past_the_range_of_floats_comes_to_an_end(text: str, number: float) -> None:
    assert canonical_number(Decimal(text)) == number


@pytest.mark.parametrize("number", [float("nan"), Decimal("NaN"), Decimal("sNaN")])
def test_nan_is_refused(number: float | Decimal) -> None:
    with pytest.raises(EventProblem, match="NaN"):
        canonical_number(number)


@pytest.mark.parametrize("number", [10**400, -(10**400), 2**53 + 1, 0])
def test_a_whole_number_past_all_floats_is_a_key_and_an_element(number: int) -> None:
    assert key_number(number) == scalar_element(number) == number


def test_the_forms_of_a_number_are_one_key_and_nan_stays() -> None:
    assert [type(key_number(each)) for each in (1.0, 1, -0.0)] == [int, int, int]
    assert key_number(math.nan) != key_number(math.nan)
