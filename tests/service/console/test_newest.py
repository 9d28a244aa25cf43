"""The newest matches and dead letters first: pages that go back."""

from __future__ import annotations

from tests.service.core.asking import Asked, event

BATCH = {"content-type": "application/cloudevents-batch+json"}


def test_matches_are_read_from_the_newest_back(asked: Asked) -> None:
    asked.subscribe("cheap", "price < 400")
    asked.publish(*(event(str(number), price=number) for number in range(1, 6)))
    asked.settle()
    heard: list[list[str]] = []
    before: int | None = None
    while True:
        query = {"newest": True, "limit": 2} | ({} if before is None else {"before": before})
        page = asked.http.get("/v1/matches", params=query).json()
        if not page["matches"]:
            break
        heard.append([match["events"][0] for match in page["matches"]])
        before = page["previous"]
    assert heard == [["4", "5"], ["2", "3"], ["1"]]


def test_dead_letters_are_read_from_the_newest_back(asked: Asked) -> None:
    asked.http.post("/v1/events", json=[{"id": str(n)} for n in range(5)], headers=BATCH)
    first = asked.letters(newest=True, limit=2)
    assert [each["id"] for each in first] == [4, 5]
    assert [each["id"] for each in asked.letters(newest=True, limit=2, before=4)] == [2, 3]
