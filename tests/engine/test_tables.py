"""The tables under the matcher hold what a plain Python model of them holds, and no more than twice
of it.
"""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import patterns, texts
from tocsin.engine.conditions.likes import TextPieceIndex, index_keys_of
from tocsin.engine.conditions.programs import GONE, ConditionProgram, ProgramStore
from tocsin.engine.index.growable import INT32, CountedSlots, Growable, Postings, SlotAllocator
from tocsin.values.like import compile_like


def test_the_slot_released_last_is_given_out_first():
    slots = SlotAllocator()
    assert [slots.allocate() for _ in range(4)] == [0, 1, 2, 3]
    slots.release(1)
    slots.release(3)
    assert (len(slots), slots.capacity) == (2, 4)
    assert [slots.allocate() for _ in range(3)] == [3, 1, 4]
    assert (len(slots), slots.capacity) == (5, 5)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=60))
def test_an_item_keeps_its_slot_until_its_last_use(changes):
    slots, uses, slot_of = CountedSlots[str](), Counter[str](), dict[str, int]()
    for item, adds in changes:
        if adds:
            slot = slots.use(item)
            assert slot_of.setdefault(item, slot) == slot
            uses[item] += 1
        elif uses[item]:
            uses[item] -= 1
            assert slots.release(slot_of[item]) == (not uses[item])
            if not uses[item]:
                del slot_of[item]
        assert {each: slots.slot_of(each) for each in slot_of} == slot_of
        assert [slots.item_at(slot) for slot in slot_of.values()] == list(slot_of)
        assert len(set(slot_of.values())) == len(slot_of) == len(slots) <= slots.capacity <= 3


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 30)), max_size=200))
def test_postings_hold_what_was_put_in_and_not_taken_out(changes):
    postings, numbers, model = Postings(), {}, {}
    for name, item in changes:
        if item in model.get(name, ()):
            model[name].remove(item)
            if postings.remove(numbers[name], item):
                del numbers[name], model[name]
        elif name in numbers:
            postings.append(numbers[name], item)
            model[name].add(item)
        else:
            numbers[name] = postings.new(item)
            model[name] = {item}
    assert {name: sorted(postings.of(number).tolist()) for name, number in numbers.items()} == {
        name: sorted(items) for name, items in model.items()
    }
    assert len(postings) == len(model)


def test_postings_give_back_the_room_of_lists_that_are_gone():
    postings = Postings()
    lists = [postings.new(0) for _ in range(2000)]
    for number in lists:
        for item in range(1, 8):
            postings.append(number, item)
    for number in lists[100:]:
        for item in range(8):
            postings.remove(number, item)
    assert len(postings.pool) <= 2 * 100 * 8 + 1024
    assert [sorted(postings.of(number).tolist()) for number in lists[:100]] == [
        list(range(8))
    ] * 100


@given(
    st.lists(st.tuples(st.integers(0, 9), st.lists(st.integers(0, 99), max_size=5)), max_size=60)
)
def test_programs_stay_whole_while_others_come_and_go(changes):
    store, model = ProgramStore(), {}
    for key, code in changes:
        slot = next((slot for slot, (held, _) in model.items() if held == key), None)
        if slot is None:
            slot = next(number for number in range(len(model) + 1) if number not in model)
            store.add(slot, ConditionProgram(code, code, len(code), 0), [1, 2])
            model[slot] = (key, code)
        else:
            assert store.remove(slot) == (model.pop(slot)[1], [1, 2])
    assert [slot for slot in store.order.array.tolist() if slot != GONE] == list(model)
    for slot, (_, code) in model.items():
        start = int(store.starts.array[slot])
        assert store.code.array[start : start + int(store.lengths.array[slot])].tolist() == code


def test_the_store_closes_holes():
    store = ProgramStore()
    for slot in range(10_000):
        store.add(slot, ConditionProgram([slot] * 3, [1] * 3, 3, 0), [0])
    for slot in range(10_000):
        if slot % 100:
            store.remove(slot)
    assert len(store.code) <= 2 * 400 + 1024
    assert len(store.order) <= 2 * 100 + 1024
    kept = [slot for slot in store.order.array.tolist() if slot != GONE]
    assert kept == list(range(0, 10_000, 100))
    assert all(store.code.array[store.starts.array[slot]] == slot for slot in kept)


@given(st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=40), min_size=1, max_size=10))
def test_a_growable_is_a_list(parts):
    growable, model = Growable(INT32), []
    for part in parts:
        assert growable.extend(part) == len(model)
        model += part
    growable.append(7)
    growable.pop()
    growable[0] = 11
    assert growable.array.tolist() == [11, *model[1:]]
    assert growable.copy_to_end(0, 1, 3) == len(model)
    assert growable.array.tolist() == [11, *model[1:], 11, 0, 0]


def test_a_view_that_somebody_keeps_does_not_stop_growth():
    growable = Growable(INT32)
    growable.extend([1, 2])
    view = growable.array
    growable.append(3)
    kept_again = growable.array
    growable.extend([4])
    kept_once_more = growable.array
    growable.pop()
    assert (view.tolist(), kept_again.tolist(), kept_once_more.tolist()) == (
        [1, 2],
        [1, 2, 3],
        [1, 2, 3, 4],
    )
    assert growable.array.tolist() == [1, 2, 3]


@given(patterns(), texts)
def test_a_pattern_is_filed_where_every_matching_text_finds_it(pattern, text):
    pieces = TextPieceIndex()
    piece, certain = index_keys_of(pattern)
    pieces.add(piece, 5)
    found = pieces.of(text).tolist() == [5]
    matches = compile_like(pattern)(text)
    assert found >= matches
    assert not certain or found == matches
    pieces.remove(piece, 5)
    assert len(pieces) == 0
