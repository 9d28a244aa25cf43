"""`tocsin up --engine spark`: what the local engine would ring, over a driver and a gateway that
are killed in the middle.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.builders import event_json
from tests.service.spark.up import Up, service
from tests.waiting import wait_until
from tocsin.errors import MeaningProblem, UnsupportedProblem
from tocsin.service.settings.settings import load_settings, spark_settings

SPARK = {"engine": "spark", "spark": {"master": "local[2]", "memory": "1g", "every": "100ms"}}


def event(number: int) -> dict[str, Any]:
    """Events of one hour, a second apart; the lateness is beyond them all."""
    return event_json(number, second=8 * 3600 + number, data={"n": number})


def events(first: int, last: int) -> list[dict[str, Any]]:
    return [event(number) for number in range(first, last)]


def kill_driver(up: Up) -> None:
    os.kill(up.driver(), signal.SIGKILL)


@pytest.mark.spark
def test_nothing_is_lost_or_doubled_over_a_killed_driver_and_a_killed_gateway(
    tmp_path: Path,
) -> None:
    wanted = [("even", str(number)) for number in range(0, 300, 2)]
    pairs = [("pair", "1", "250")]
    with service(tmp_path, lateness="1h", **SPARK) as up:
        up.subscribe("even", "selector", " OR ".join(f"ce_id LIKE '%{n}'" for n in "02468"))
        up.subscribe("pair", "opsl", "=|(ARITH: n = 1; 1h)(ARITH: n = 250)", policy="unrestricted")
        up.subscribe("told", "selector", "n = 7", deliver={"content": "events"})
        up.publish(*events(0, 100))
        up.wait_for_matches(10)
        kill_driver(up)
        up.publish(*events(100, 200), *events(100, 110))  # some of them twice
        refused = up.client.post(
            "/v1/events", content=b"{}", headers={"content-type": "application/cloudevents+json"}
        )
        assert refused.status_code in (202, 400, 422)
        up.ready()
        up.kill()
        up.start()
        up.ready()
        up.publish(*events(200, 300))
        # An hour later: the watermark passes what waits.
        up.publish(
            {"id": "end", "source": "s", "type": "t", "time": "2026-01-01T10:00:00Z", "data": {}}
        )
        told = [("told", "7")]
        up.wait_for_matches(len(wanted + pairs + told))
        assert up.rung() == sorted(wanted + pairs + told)
        ids = [each["id"] for each in up.matches()]
        assert len(set(ids)) == len(ids)
        (seven,) = [each for each in up.matches() if each["subscription"] == "told"]
        assert [each["data"] for each in seven["members"]] == [{"n": 7}]
        why = up.client.get(f"/v1/matches/{seven['id']}/why").json()
        assert [each["event"]["id"] for each in why["members"]] == ["7"]
        (pair,) = [each for each in up.matches() if each["subscription"] == "pair"]
        why = up.client.get(f"/v1/matches/{pair['id']}/why").json()
        assert [each["position"] for each in why["members"]] == [2, 262]
        letters = up.client.get("/v1/dead-letters").json()["dead_letters"]
        assert [each["code"] for each in letters] == ["InvalidEventError"]
        assert "id is missing" in letters[0]["reason"]
        up.wait_until(lambda: up.status()["lag"] == 0)
        counted = _counted(up, len(ids))
        assert counted["spark"]["state"] == "ready"
        assert counted["subscriptions"]["even"]["matches"] == len(wanted)
        assert counted["now"]["dead_letters"] == 1


def _counted(up: Up, matches: int) -> dict[str, Any]:
    """Return the statistics once their sample has all matches and no lag."""
    told: dict[str, Any] = {}

    def is_there() -> bool:
        told.update(up.client.get("/v1/statistics").json())
        now = told["now"]
        return bool(now["matches"] == matches and now["lag_seconds"] == 0.0)

    wait_until(is_there, progress=lambda: told["now"]["matches"], report=up.said)
    return told


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"every": "soon"}, "spark.every"),
        ({"rows": 0}, "spark.rows"),
        ({"cores": 4}, "spark.cores"),
    ],
)
def test_wrong_settings_are_told(given: dict[str, object], reason: str) -> None:
    with pytest.raises(MeaningProblem, match=reason) as caught:
        spark_settings(load_settings(spark=given))
    assert caught.value.code == "SettingsError"


def test_ontologies_belong_into_the_catalog(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedProblem, match="ontologies are in the catalog"):
        spark_settings(load_settings(ontology=[tmp_path / "a.ttl"]))


SHOP = """
@prefix : <http://x/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
:Selling a owl:Class . :Thing a owl:Class . :target a owl:ObjectProperty .
[] a <urn:tocsin:MetaStatement> ; <urn:tocsin:subject> :Selling ; <urn:tocsin:property> :target ;
   <urn:tocsin:object> :Thing .
"""


def document(id: str, second: int, text: str) -> dict[str, Any]:
    return event(second) | {"id": id, "datacontenttype": "application/xml", "data": text}


def answers_of(up: Up) -> dict[str, Any]:
    """What a service says of documents that are constructed one of the other, and of events that
    a graph subscription finds odd.
    """
    found = up.client.put("/v1/definitions/shop", json={"ontology": SHOP, "format": "text/turtle"})
    assert found.status_code in (200, 201), found.text
    up.subscribe("sold", "graph", "(_:H, ?1, (Selling, target, Thing))")
    agg = "WHERE <a>$x</> #A <b>$x</> #B #A ; #B CONSTRUCT <ab>$x</>"
    second = "WHERE <ab>$x</> #X <c>$x</> #C #X ; #C CONSTRUCT <abc>$x</>"
    up.subscribe("agg", "exmlql", agg)
    up.subscribe("second", "exmlql", second)
    up.subscribe("last", "exmlql", "WHERE <abc>$x</>", deliver={"content": "events"})
    given = [
        document("a", 1, "<a>1</a>"),
        document("b", 2, "<b>1</b>"),
        document("z", 10, "<z/>"),
        document("c", 40, "<c>1</c>"),
        *({**event(number), "data": {f"odd{number}": number}} for number in range(50, 60)),
    ]
    for each in given:
        up.publish(each)
    up.wait_for_matches(3)
    up.client.post("/v1/events", content=b"{}", headers={"content-type": "application/json"})
    up.wait_until(lambda: up.status()["lag"] == 0)
    found = {each["subscription"]: each for each in up.matches()}
    whys = {
        name: up.client.get(f"/v1/matches/{each['id']}/why").json()
        for name, each in found.items()  # type: ignore[attr-defined]
    }
    letters = up.client.get("/v1/dead-letters").json()["dead_letters"]
    return {
        "rung": up.rung(),
        "members": {
            name: [each["event"] for each in told["members"]] for name, told in whys.items()
        },
        "lineage": {name: told["lineage"] for name, told in whys.items()},
        "told": found["last"]["members"],
        "letters": [(each["code"], each["reason"]) for each in letters],
    }


@pytest.mark.spark
def test_the_engine_spark_says_what_the_local_one_says(tmp_path: Path) -> None:
    with service(tmp_path / "local", engine="local", lateness="2s") as up:
        expected = answers_of(up)
    assert [name for name, *_ in expected["rung"]] == ["agg", "last", "second"]
    with service(tmp_path / "spark", lateness="2s", **SPARK) as up:
        assert answers_of(up) == expected
