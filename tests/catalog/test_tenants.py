"""Tenant and name are two values; the one text that an engine knows tells them apart again."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tocsin.catalog.tenants import Owned
from tocsin.errors import Problem

TENANTS = st.just("") | st.text("aA0_-z", min_size=1, max_size=4)
NAMES = st.text(st.sampled_from("aA:%/\u00e9e\u0301\u0130i\0 ") | st.characters(), min_size=1)
PAIRS = st.tuples(TENANTS, NAMES)


def _owned(pair: tuple[str, str]) -> Owned:
    try:
        return Owned(*pair)
    except Problem:
        assume(False)
        raise


@given(PAIRS)
def test_a_key_gives_tenant_and_name_again(pair: tuple[str, str]) -> None:
    owned = _owned(pair)
    assert Owned.of_key(owned.key) == owned


@given(PAIRS, PAIRS)
def test_no_two_have_the_same_key(one: tuple[str, str], other: tuple[str, str]) -> None:
    first, second = _owned(one), _owned(other)
    assert (first.key == second.key) == (one == other)


@given(st.text(min_size=1))
def test_every_key_of_a_catalog_of_old_is_somebodys(key: str) -> None:
    assert Owned.of_key(key).key == key


@pytest.mark.parametrize("name", ["acme::secret", "A-1::x", "_::::"])
def test_what_is_shared_is_not_called_like_another_tenants(name: str) -> None:
    with pytest.raises(Problem, match="is not a name"):
        Owned("", name)


@pytest.mark.parametrize("tenant", ["a::b", "\u00e4", "a b", "a:", "a\n", "/"])
def test_tenants_have_plain_names(tenant: str) -> None:
    with pytest.raises(Problem, match="tenant"):
        Owned(tenant, "x")
