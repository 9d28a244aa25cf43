"""Several gateways on one PostgreSQL: what one captures the other finds, and one of them tells
subscribers.
"""

from __future__ import annotations

import pytest

from tests.service.epcis.conftest import SETTINGS, document, event, numbers
from tests.service.epcis.test_queries import Receiver, make
from tests.service.serving import served
from tests.waiting import wait_until

pytestmark = pytest.mark.postgres


def test_two_gateways_are_one_repository(tmp_path, postgres_url):
    receiver = Receiver()
    try:
        with (
            served(tmp_path / "a", database=postgres_url, **SETTINGS) as one,
            served(tmp_path / "b", database=postgres_url, **SETTINGS) as other,
        ):
            where = make(one.http)
            body = {"dest": receiver.url, "stream": True}
            other.http.post(f"{where}/subscriptions", json=body).raise_for_status()
            for number, server in enumerate((one, other, one, other)):
                answer = server.http.post("/epcis/capture", json=document(event(number)))
                assert answer.status_code == 202, answer.text
            for server in (one, other):
                wait_until(
                    lambda s=server: sorted(numbers(s.http.get("/epcis/events"))) == [0, 1, 2, 3]
                )
            query = "/epcis/events?orderBy=eventTime&perPage=3"
            first = one.http.get(query)
            second = other.http.get(first.links["next"]["url"])
            assert numbers(first) + numbers(second) == [3, 2, 1, 0]
            wait_until(lambda: sorted(receiver.numbers()) == [0, 1, 2, 3])
            steps = other.http.get("/epcis/bizSteps").json()["member"]
            assert steps == ["shipping"]
        assert sorted(receiver.numbers()) == [0, 1, 2, 3]
    finally:
        receiver.server.shutdown()
        receiver.server.server_close()
