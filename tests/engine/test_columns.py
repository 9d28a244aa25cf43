"""A column is the same whether it is read from Python values or from an arrow array."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import build_unread_event
from tests.engine.worlds import expressions, pairs, pairs_of_reference, subscribed
from tocsin.engine.columns.batch import ArrowBatch, Batch, Column
from tocsin.engine.conditions.matcher import Matcher
from tocsin.plan.nodes.atoms import AllOf, AnyOf, Computed, Equals, IsNull, Ordered
from tocsin.plan.nodes.expressions import Attribute, Call, Semantics
from tocsin.values.scalars import Constant, Kind, canonical_number

COMPARED_KINDS = (Kind.BOOLEAN, Kind.NUMBER, Kind.STRING)


def seen(column: Column) -> list[tuple[int, float, object]]:
    """What a matcher can learn from a column: kind, number, and the value behind the code of its
    kind.
    """
    found = []
    for i, kind in enumerate(column.kinds.tolist()):
        codes = {compared: int(column.distinct(compared).codes[i]) for compared in COMPARED_KINDS}
        assert all(code == -1 for compared, code in codes.items() if compared != kind)
        value = (
            column.distinct(Kind(kind)).values[codes[Kind(kind)]] if Kind(kind) in codes else None
        )
        found.append((kind, str(float(column.numbers[i])), value))
    return found


ARRAYS = st.one_of(
    st.lists(st.none() | st.integers(-(2**63), 2**63 - 1)).map(
        lambda v: (v, pa.array(v, pa.int64()))
    ),
    st.lists(st.none() | st.integers(0, 2**64 - 1)).map(lambda v: (v, pa.array(v, pa.uint64()))),
    st.lists(st.none() | st.integers(-128, 127)).map(lambda v: (v, pa.array(v, pa.int8()))),
    st.lists(st.none() | st.floats()).map(
        lambda v: (v, pa.array(v, pa.float64(), from_pandas=False))
    ),
    st.lists(st.none() | st.floats(width=32)).map(
        lambda v: (v, pa.array(v, pa.float32(), from_pandas=False))
    ),
    st.lists(st.none() | st.booleans()).map(lambda v: (v, pa.array(v, pa.bool_()))),
    st.lists(st.none() | st.text(max_size=3)).map(lambda v: (v, pa.array(v, pa.string()))),
    st.lists(st.none() | st.text(max_size=3)).map(lambda v: (v, pa.array(v, pa.large_string()))),
    st.lists(st.none() | st.text(max_size=3)).map(lambda v: (v, pa.array(v, pa.string_view()))),
    st.lists(st.none() | st.text(max_size=3)).map(
        lambda v: (v, pa.array(v, pa.string()).dictionary_encode())
    ),
    st.lists(st.none() | st.integers(0, 3)).map(
        lambda v: (v, pa.array(v, pa.int64()).dictionary_encode())
    ),
    st.lists(st.none() | st.just([1])).map(lambda v: (v, pa.array(v, pa.list_(pa.int64())))),
    st.lists(st.none() | st.just({"x": 1})).map(
        lambda v: (v, pa.array(v, pa.struct([("x", pa.int64())])))
    ),
    st.lists(st.none() | st.datetimes()).map(lambda v: (v, pa.array(v, pa.timestamp("us")))),
    st.lists(st.none()).map(lambda v: (v, pa.array(v, pa.null()))),
)


@given(ARRAYS)
def test_an_arrow_array_is_read_like_its_values(given_array):
    values, array = given_array
    assert seen(Column.of_arrow(array)) == seen(Column.of_values(values))


@given(ARRAYS, st.integers(0, 5))
def test_chunks_and_slices_make_no_difference(given_array, at):
    values, array = given_array
    chunked = pa.chunked_array([array.slice(0, at), array.slice(at)])
    assert seen(Column.of_arrow(chunked)) == seen(Column.of_values(values))
    assert seen(Column.of_arrow(array.slice(at))) == seen(Column.of_values(values[at:]))


@given(st.lists(st.none() | st.decimals(-(10**20), 10**20, places=3)))
def test_decimals_are_canonical_numbers(values):
    expected = [None if value is None else canonical_number(value) for value in values]
    array = pa.array(values, pa.decimal128(38, 3))
    assert seen(Column.of_arrow(array)) == seen(Column.of_values(expected))


def test_a_whole_decimal_beyond_all_floats_digits_stays_exact():
    column = Column.of_arrow(pa.array([Decimal(10**30 + 1)], pa.decimal256(50, 0)))
    assert column.distinct(Kind.NUMBER).values == [10**30 + 1]


def test_a_dictionary_may_hold_a_null_and_a_string_twice():
    array = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2, None, 3]), pa.array(["x", None, "x", "y"])
    )
    assert seen(Column.of_arrow(array)) == seen(Column.of_values(["x", None, "x", None, "y"]))


def test_the_exact_value_is_at_hand():
    column = Column.of_arrow(pa.array([2**53 + 1, None, 2**63 - 1]))
    assert [column.value(i) for i in (0, 2)] == [2**53 + 1, 2**63 - 1]
    assert np.isnan(column.numbers[1])


ROWS = [
    {"a": 1, "s": "x", "n": {"b": 2.5}},
    {"a": None, "s": "y", "n": {"b": None}},
    {"a": 2**53 + 1, "s": None, "n": None},
    {"a": -4, "s": "x", "n": {"b": 7.0}},
] * 20
TABLE = pa.table(
    {
        "column a": pa.array([row["a"] for row in ROWS]),
        "column s": pa.array([row["s"] for row in ROWS]),
        "column n": pa.array([row["n"] for row in ROWS]),
    }
)
NAMES = {("a",): "column a", ("s",): "column s", ("n",): "column n"}


@pytest.mark.parametrize("few", [0, 1000])
@pytest.mark.parametrize(
    "source", [TABLE, TABLE.combine_chunks().to_batches()[0]], ids=["table", "record batch"]
)
def test_rows_match_like_the_events_they_stand_for(source, few):
    nodes = [
        Ordered(("a",), ">=", Constant.of(2**53 + 1)),
        AllOf((Equals(("s",), Constant.of("x")), Ordered(("n", "b"), "<", Constant.of(3)))),
        AnyOf((IsNull(("n",)), IsNull(("n", "b")), IsNull(("nowhere",)))),
        Equals(("s", "deeper"), Constant.of("x")),
        Computed(Call("<", (Attribute(("a",)), Attribute(("n", "b")))), Semantics.SELECTOR),
    ]
    given_events = [build_unread_event(row) for row in ROWS]
    batch = ArrowBatch(source, NAMES, given_events.__getitem__)
    assert pairs(subscribed(Matcher(few=few), nodes), batch) == pairs_of_reference(
        nodes, given_events
    )


def test_whole_events_are_made_only_for_computed_predicates():
    def refuse(i: int) -> None:
        raise AssertionError(f"event {i} was asked for")

    nodes = [Equals(("s",), Constant.of("x"))]
    assert len(pairs(subscribed(Matcher(few=0), nodes), ArrowBatch(TABLE, NAMES, refuse))) == 40


@given(expressions)
def test_a_column_is_read_once_per_batch(nodes):
    batch = Batch([build_unread_event({"a": 1})])
    subscribed(Matcher(few=0), nodes).match(batch)
    assert batch.column(("a",)) is batch.column(("a",))
