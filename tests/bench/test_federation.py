"""`tocsin bench federation`: its workload is what it says, and a small trial finds what one server
finds.
"""

from __future__ import annotations

from tocsin_benchmarks.federation.command import table_of
from tocsin_benchmarks.federation.servers import upstream_of
from tocsin_benchmarks.federation.trial import run
from tocsin_benchmarks.federation.workload import KINDS, FederationWorkload

from tocsin.catalog import compile_subscription
from tocsin.plan.nodes.composites import Join, Named, parts_of

WORKLOAD = FederationWorkload(40, 50, 0.1, 3)


def test_a_small_chain_finds_what_one_server_finds() -> None:
    request = {
        "topology": "chain",
        "servers": 3,
        "interest": 0.2,
        "subscriptions": 20,
        "events": 60,
        "seed": 4,
    }
    figures = run(request)
    assert figures["same_matches"]
    assert figures["links"] == 2
    assert figures["flooded"] == 2 * 61
    assert 2 <= figures["messages"] < figures["flooded"]
    assert 0 < figures["asked"] < figures["wanted"]
    (row,) = table_of([figures]).rows
    assert row[0] == "chain of 3"
    assert row[-1] == "yes"


def test_a_tree_has_two_below_each() -> None:
    assert [upstream_of("tree", server) for server in range(7)] == [None, 0, 0, 1, 1, 2, 2]
    assert [upstream_of("chain", server) for server in range(4)] == [None, 0, 1, 2]


def test_one_in_ten_subscriptions_is_about_two_events() -> None:
    patterns = [compile_subscription(each).pattern for each in WORKLOAD.subscriptions_at(1)]
    composite = [each for each in patterns if parts_of(each)]
    assert len(patterns) == 40
    assert len(composite) == 4
    assert all(isinstance(each, Join | Named) for each in composite)


def test_a_server_is_interested_in_its_kinds_only() -> None:
    texts = " ".join(each.expression for each in WORKLOAD.subscriptions_at(2))
    assert 1 <= sum(f"'k{kind}'" in texts for kind in range(KINDS)) <= KINDS // 10


def test_the_same_seed_gives_the_same() -> None:
    again = FederationWorkload(40, 50, 0.1, 3)
    assert list(again.published()) == list(WORKLOAD.published())
    assert again.subscriptions_at(1) == WORKLOAD.subscriptions_at(1)
    assert again.subscriptions_at(1) != WORKLOAD.subscriptions_at(2)
