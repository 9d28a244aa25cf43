"""Values that are equal fall into one share; whatever comes has one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.engine.columns.batch import Batch, partitions_of_batch
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.values.partition_hash import partition_of

MANY = 1 << 20


@pytest.mark.parametrize(
    ("value", "equal", "other"),
    [
        (1, 1.0, True),
        (10**400, 10**400, 10**400 + 1),
        (-(10**400), -(10**400), 10**400),
        pytest.param(10**5000, 10**5000, 10**5000 - 1, id="more digits than Python writes"),
        (float("inf"), float("inf"), 10**400),
        ("1", "1", 1),
        (None, [1], "-"),
        (float("nan"), None, 0),
    ],
)
def test_equal_values_share_and_others_do_not(value: object, equal: object, other: object) -> None:
    assert partition_of([value], MANY) == partition_of([equal], MANY) != partition_of([other], MANY)


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([10**400, 2**53, 2**53 + 1, -0.0, 1e300]),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=3),
    st.just([1]),
    st.just({"a": 1}),
)


@given(st.lists(st.tuples(VALUES, VALUES), max_size=12), st.integers(1, 4))
def test_shares_from_columns_are_those_of_the_events(
    rows: list[tuple[object, object]], shares: int
) -> None:
    events = [
        from_mapping({"id": str(n), "source": "s", "type": "t", "data": {"k": k, "v": v}})
        for n, (k, v) in enumerate(rows)
    ]
    for key in ((("k",),), (("k",), ("v",)), (("v",), ("no",), ("k",))):
        expected = [partition_of([each.attribute(path) for path in key], shares) for each in events]
        assert partitions_of_batch(Batch(events), key, shares).tolist() == expected
