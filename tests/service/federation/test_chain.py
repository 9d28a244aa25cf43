"""Servers along a chain, in a ring, over a link that breaks: all matches equal one server's."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.builders import event_json
from tests.service.serving import Served
from tests.waiting import wait_until
from tocsin.catalog import Subscription, compile_subscription
from tocsin.errors import Problem
from tocsin.runtime.finite_run import match_events, read_events
from tocsin.service.federation.part import read_settings

CHEAP = {"language": "selector", "expression": "price < 400"}
CHEAPER = {"language": "selector", "expression": "price < 100 AND kind = 'laptop'"}
LAPTOPS = {"language": "selector", "expression": "kind = 'laptop'"}
XML = {"language": "exmlql", "expression": "WHERE <order><id>$i</></>"}
PAIR = {
    "language": "opsl",
    "expression": (
        "=|($a;;1h)$b; WHERE $a;.shop = $b;.shop, $a; = selector{kind = 'laptop'},"
        " $b; = selector{kind = 'tablet'}"
    ),
}


def event(number: int, **data: Any) -> dict[str, Any]:
    return event_json(f"e{number}", "offer", number, source="shop", data=data)


def offers(count: int) -> list[dict[str, Any]]:
    kinds = ("laptop", "tablet", "phone")
    return [event(n, kind=kinds[n % 3], price=(n * 37) % 700, shop=n % 2) for n in range(count)]


class Network:
    """Servers by name, each with its upstreams; stopped at the end."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder, self.stack = folder, stack
        self.servers: dict[str, Served] = {}
        self.ports: dict[str, int] = {}

    def start(self, name: str, *upstream: str, hops: int = 16) -> Served:
        own = {
            "server": name,
            "hops": hops,
            "upstream": [{"url": f"http://127.0.0.1:{self.ports[each]}"} for each in upstream],
        }
        made = Served(
            self.folder / name, self.ports.get(name, 0), federation=own, idle="off", lateness="1s"
        )
        self.servers[name] = made
        self.ports[name] = made.port
        return made

    def stop(self, name: str) -> None:
        self.servers.pop(name).stop()

    def close(self) -> None:
        for name in list(self.servers)[::-1]:
            self.stop(name)


@pytest.fixture
def network(tmp_path):
    with ExitStack() as stack:
        made = Network(tmp_path, stack)
        stack.callback(made.close)
        yield made


def put(server: Served, **subscriptions: dict[str, Any]) -> None:
    for id, body in subscriptions.items():
        server.http.put(f"/v1/subscriptions/{id}", json=body).raise_for_status()


def publish(server: Served, *events: dict[str, Any]) -> None:
    headers = {"content-type": "application/cloudevents-batch+json"}
    answer = server.http.post("/v1/events", content=json.dumps(events), headers=headers)
    assert answer.json()["rejected"] == []


def matches(server: Served, id: str) -> set[tuple[str, ...]]:
    found = server.http.get("/v1/matches", params={"subscription": id, "limit": 10_000}).json()
    return {tuple(each["events"]) for each in found["matches"]}


def links(server: Served) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = server.http.get("/v1/federation").json()["upstream"]
    return found


def asked_at(server: Served) -> list[dict[str, Any]]:
    """What other servers have subscribed to at a server."""
    found = server.http.get("/v1/subscriptions").json()["subscriptions"]
    return [each for each in found if each["id"].startswith("federation.")]


def conditions_at(server: Served) -> list[str]:
    """Every condition that was asked for."""
    found = [json.loads(each["expression"])["plan"]["pattern"] for each in asked_at(server)]
    nodes = []
    for pattern in found:
        inner = pattern.get("expression", pattern)
        nodes += inner["operands"] if inner["node"] == "AnyOf" else [inner]
    return [json.dumps(node, sort_keys=True) for node in nodes]


def wait_until_asked(server: Served, count: int) -> None:
    wait_until(lambda: len(conditions_at(server)) == count)


def expected(body: dict[str, Any], events: list[dict[str, Any]]) -> set[tuple[str, ...]]:
    """What one server alone would find."""
    plan = compile_subscription(Subscription("s", body["language"], body["expression"]))
    found = read_events([json.dumps(each).encode() for each in events])
    return {match.events for match in match_events({"s": plan}, found)}


def chain(network: Network) -> tuple[Served, Served, Served]:
    first = network.start("a")
    second = network.start("b", "a")
    third = network.start("c", "b")
    return first, second, third


def test_chain_finds_what_one_server_finds(network):
    first, second, third = chain(network)
    put(first, near=CHEAP)
    put(second, middle=LAPTOPS)
    put(third, far=CHEAPER, pair=PAIR)
    wait_until_asked(first, 2)
    events = offers(60)
    publish(first, *events)
    last = event(100, kind="laptop", price=99, shop=5)
    publish(first, last)
    events.append(last)
    wait_until(lambda: ("e100",) in matches(third, "far"))
    wait_until(lambda: matches(first, "near") == expected(CHEAP, events))
    wait_until(lambda: matches(second, "middle") == expected(LAPTOPS, events))
    wait_until(lambda: matches(third, "far") == expected(CHEAPER, events))
    wait_until(lambda: matches(third, "pair") == expected(PAIR, events))
    wanted = {each["id"] for each in events if each["data"]["kind"] in ("laptop", "tablet")}
    (link,) = links(second)
    assert link["events"] == link["messages"] == len(wanted)
    (link,) = links(third)
    assert link["events"] == len(wanted)


def test_covered_condition_is_not_sent(network):
    first, second = network.start("a"), network.start("b", "a")
    put(second, wide=CHEAP, narrow=CHEAPER, same=CHEAP)
    wait_until_asked(first, 1)
    assert '"<"' in conditions_at(first)[0]
    (link,) = links(second)
    assert (link["wanted"], link["asked"]) == (2, 1)


def test_change_of_subscriptions_propagates(network):
    first, second, third = chain(network)
    put(third, one=LAPTOPS)
    wait_until_asked(first, 1)
    publish(first, event(1, kind="laptop"))
    wait_until(lambda: matches(third, "one") == {("e1",)})
    put(third, two={"language": "selector", "expression": "size > 5"}, doc=XML)
    wait_until_asked(first, 3)
    publish(first, event(2, size=6))
    wait_until(lambda: matches(third, "two") == {("e2",)})
    order = {"datacontenttype": "application/xml", "data": "<order><id>7</id></order>"}
    publish(first, event(3) | order)
    wait_until(lambda: matches(third, "doc") == {("e3",)})
    for id in ("one", "two", "doc"):
        third.http.delete(f"/v1/subscriptions/{id}").raise_for_status()
    wait_until_asked(first, 0)
    wait_until_asked(second, 0)


def test_lost_link_goes_on_where_it_was(network):
    first, _, third = chain(network)
    put(third, all=LAPTOPS)
    wait_until_asked(first, 1)
    publish(first, event(1, kind="laptop"))
    wait_until(lambda: matches(third, "all") == {("e1",)})
    network.stop("b")
    publish(first, event(2, kind="laptop"), event(3, kind="phone"))
    wait_until(lambda: links(third)[0]["connected"] is False)
    network.start("b", "a")
    wait_until(lambda: matches(third, "all") == {("e1",), ("e2",)})
    network.stop("c")
    publish(first, event(4, kind="laptop"))
    third = network.start("c", "b")
    wait_until(lambda: matches(third, "all") == {("e1",), ("e2",), ("e4",)})


def ring(network: Network) -> list[Served]:
    """Three servers, each the upstream of the next; ports are known before the servers are."""
    network.start("a")
    network.start("b", "a")
    network.start("c", "b")
    network.stop("a")
    network.start("a", "c")
    return [network.servers[name] for name in "abc"]


def test_ring_is_harmless(network):
    servers = ring(network)
    for number, server in enumerate(servers):
        put(server, **{f"s{number}": LAPTOPS})
    for server in servers:
        wait_until_asked(server, 1)
    for number, server in enumerate(servers):
        publish(server, event(number, kind="laptop"), event(number + 10, kind="phone"))
    for number, server in enumerate(servers):
        wait_until(lambda s=server, n=number: matches(s, f"s{n}") == {("e0",), ("e1",), ("e2",)})
    for number, server in enumerate(servers):
        server.http.delete(f"/v1/subscriptions/s{number}").raise_for_status()
    for server in servers:
        wait_until_asked(server, 0)
    sent = [links(server)[0] for server in servers]
    assert all(link["events"] <= 2 for link in sent)


def test_wish_dies_out_in_a_ring(network):
    servers = ring(network)
    put(servers[0], mine=LAPTOPS)
    wait_until_asked(servers[2], 1)
    wait_until_asked(servers[1], 1)
    servers[0].http.delete("/v1/subscriptions/mine").raise_for_status()
    for server in servers:
        wait_until_asked(server, 0)


def test_hops_are_limited(network):
    first = network.start("a", hops=1)
    second = network.start("b", "a", hops=1)
    third = network.start("c", "b", hops=1)
    put(second, mine=LAPTOPS)
    put(third, mine=CHEAP)
    wait_until_asked(second, 1)
    wait_until_asked(first, 1)
    publish(first, event(1, kind="laptop", price=1))
    wait_until(lambda: matches(second, "mine") == {("e1",)})
    wait_until(lambda: links(third)[0]["too_far"] == 1)
    assert matches(third, "mine") == set()


def test_event_tells_its_way(network):
    first, second, third = chain(network)
    put(third, all=LAPTOPS | {"deliver": {"content": "events"}})
    wait_until_asked(first, 1)
    publish(first, event(1, kind="laptop"))
    wait_until(lambda: matches(third, "all"))
    (match,) = third.http.get("/v1/matches?subscription=all").json()["matches"]
    (member,) = match["members"]
    assert (member["tocsinorigin"], member["tocsinhops"]) == ("a", 2)
    assert member["data"] == {"kind": "laptop"}
    assert second.http.get("/v1/federation").json()["server"] == "b"


def test_server_that_lacks_an_ontology_sends_everything(network, tmp_path):
    ontology = tmp_path / "o.ttl"
    ontology.write_text(
        "@prefix : <urn:x:> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."
        " :Laptop rdfs:subClassOf :Computer . :Computer a rdfs:Class . :kind a"
        " <http://www.w3.org/1999/02/22-rdf-syntax-ns#Property> ."
    )
    first = network.start("a")
    own = {"server": "b", "upstream": [{"url": first.url}]}
    second = Served(tmp_path / "b", federation=own, idle="off", ontology=[str(ontology)])
    network.servers["b"] = second
    put(
        second,
        known={"language": "graph", "expression": "ASK { _:H a <urn:x:Computer> }"},
        plain=LAPTOPS,
    )
    wait_until_asked(first, 1)
    wait_until(lambda: '"operands": []' in conditions_at(first)[0])
    turtle = {"datacontenttype": "text/turtle", "data": "_:H a <urn:x:Laptop> ."}
    publish(first, event(1) | turtle, event(2, kind="phone"))
    wait_until(lambda: matches(second, "known") == {("e1",)})


def test_keys_and_tenants_on_the_way(network, tmp_path):
    first = Served(tmp_path / "a", auth=True, idle="off", federation={"server": "a"})
    network.servers["a"] = first
    keys = first.service.keys
    key = keys.create(["subscribe"], "downstream")
    own = {"server": "b", "upstream": [{"url": first.url, "key": key}]}
    second = Served(tmp_path / "b", federation=own, idle="off")
    network.servers["b"] = second
    put(second, mine=LAPTOPS)
    wait_until(lambda: links(second)[0]["current"])
    first.http.headers["authorization"] = f"Bearer {keys.create(['publish'])}"
    publish(first, event(1, kind="laptop"), event(2, kind="phone"))
    wait_until(lambda: matches(second, "mine") == {("e1",)})
    assert key not in second.http.get("/v1/federation").text


def test_key_that_is_wrong_is_told(network, tmp_path):
    first = Served(tmp_path / "a", auth=True, federation={"server": "a"})
    network.servers["a"] = first
    own = {"server": "b", "upstream": [{"url": first.url, "key": "nonsense"}]}
    second = Served(tmp_path / "b", federation=own)
    network.servers["b"] = second
    wait_until(lambda: "401" in (links(second)[0]["problem"] or ""))
    assert "nonsense" not in second.http.get("/v1/federation").text


def test_wrong_settings_are_told():
    for wrong in (
        {"upstream": [{"url": "ftp://x"}]},
        {"upstream": [{}]},
        {"server": "a b"},
        {"hops": 0},
        {"nonsense": 1},
    ):
        with pytest.raises(Problem) as caught:
            read_settings(wrong)
        assert caught.value.token.startswith("federation.")


def test_server_is_not_its_own_upstream(network):
    first = network.start("a")
    network.stop("a")
    network.ports["a"] = first.port
    again = network.start("a", "a")
    wait_until(lambda: "this server" in (links(again)[0]["problem"] or ""))
