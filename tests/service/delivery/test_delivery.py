"""Matches reach their receivers: in order, at least once, over failures and restarts, and nobody
waits for somebody else's receiver.
"""

from __future__ import annotations

import json
import socket
import time
from pathlib import Path

import pytest
from standardwebhooks.webhooks import Webhook as Verifier

from tests.service.delivery.office import opened
from tests.service.delivery.receiver import Received, Reply, receiving
from tests.waiting import wait_until
from tocsin.errors import Problem, StateProblem
from tocsin.service.delivery.outbox import DeliveryMessage
from tocsin.service.delivery.worker import DeliveryWorker


def numbered(start: int, end: int) -> list[str]:
    return [f"{number:04x}" for number in range(start, end)]


def test_matches_arrive_in_order_and_once(tmp_path: Path) -> None:
    ids = numbered(0, 200)
    with receiving() as receiver, opened(tmp_path) as office:
        office.subscribe("s", {"webhook": receiver.url})
        for start in range(0, 200, 20):
            office.ring("s", *ids[start : start + 20])
        receiver.wait_for(200)
        wait_until(lambda: office.state("s")["delivered"] == 200)
        assert [each.id for each in receiver.received] == ids
        assert office.state("s")["state"] == "active"


def test_an_unexpected_error_does_not_end_delivery(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    look, failures = DeliveryWorker._look, ["broken"]

    async def look_or_fail(worker: DeliveryWorker) -> None:
        if worker.lines and failures:
            raise RuntimeError(failures.pop())
        await look(worker)

    with receiving() as receiver, opened(tmp_path) as office:
        office.subscribe("s", {"webhook": receiver.url})
        office.ring("s", "01")
        receiver.wait_for(1)
        monkeypatch.setattr(DeliveryWorker, "_look", look_or_fail)
        office.ring("s", "02")
        wait_until(lambda: not failures)
        office.ring("s", "03")
        wait_until(lambda: office.state("s")["delivered"] == 3)
        # A message that was under way at the error is sent again.
        assert list(dict.fromkeys(each.id for each in receiver.received)) == ["01", "02", "03"]
    assert "delivery: RuntimeError: broken" in caplog.text


def test_a_message_carries_the_secret_of_its_subscription(tmp_path: Path) -> None:
    with receiving() as receiver, opened(tmp_path) as office:
        for id in ("a", "b"):
            office.subscribe(id, {"webhook": receiver.url})
        secrets = {
            id: office.delivery.secret(office.delivery.line(("", id)))  # type: ignore[arg-type]
            for id in ("a", "b")
        }
        office.ring("a", "01")
        [request] = receiver.wait_for(1)
        assert Verifier(secrets["a"]).verify(request.body, request.headers)["id"] == "01"
        with pytest.raises(Exception, match="No matching signature"):
            Verifier(secrets["b"]).verify(request.body, request.headers)


def test_after_a_change_of_secrets_both_are_good_for_a_while(tmp_path: Path) -> None:
    with receiving() as receiver, opened(tmp_path) as office:
        office.subscribe("a", {"webhook": receiver.url})
        line = office.delivery.line(("", "a"))
        assert line is not None
        old = office.delivery.secret(line)
        new = office.delivery.secret(office.delivery.rotate(("", "a")))
        assert old != new
        office.ring("a", "01")
        [request] = receiver.wait_for(1)
        for secret in (old, new):
            assert Verifier(secret).verify(request.body, request.headers)["id"] == "01"


def test_what_rang_before_there_was_a_receiver_is_not_sent(tmp_path: Path) -> None:
    with receiving() as receiver, opened(tmp_path) as office:
        office.subscribe("s", None)
        office.ring("s", "01", "02")
        office.subscribe("s", {"webhook": receiver.url})
        office.ring("s", "03")
        receiver.wait_for(1)
        wait_until(lambda: office.state("s")["delivered"] == 1)
        assert [each.id for each in receiver.received] == ["03"]


def test_a_receiver_that_was_down_gets_everything_when_it_is_up(tmp_path: Path) -> None:
    with receiving() as receiver:
        url, port = receiver.url, int(receiver.url.rpartition(":")[2])
    with opened(tmp_path) as office:
        office.subscribe("s", {"webhook": url})
        office.ring("s", *numbered(0, 10))
        wait_until(lambda: office.state("s")["failed"] >= 3)
        assert office.state("s")["state"] == "failing"
        with receiving(port=port) as receiver:
            receiver.wait_for(10)
            assert [each.id for each in receiver.received] == numbered(0, 10)
            wait_until(lambda: office.state("s")["state"] == "active")
        assert office.letters() == []


def test_failures_are_tried_again_with_the_same_id_and_a_new_time(tmp_path: Path) -> None:
    answers = iter([500, 429, 302, 404, 200])
    with (
        receiving(lambda request: Reply(next(answers, 200))) as receiver,
        opened(tmp_path) as office,
    ):
        office.subscribe("s", {"webhook": receiver.url})
        office.ring("s", "01", "02")
        receiver.wait_for(6)
        assert [each.id for each in receiver.received] == ["01"] * 5 + ["02"]
        assert receiver.taken == ["01", "02"]


def test_retry_after_is_respected(tmp_path: Path) -> None:
    replies = iter([Reply(503, {"retry-after": "1"})])
    times: list[float] = []

    def behaviour(_: Received) -> Reply:
        times.append(time.monotonic())
        return next(replies, Reply())

    with receiving(behaviour) as receiver, opened(tmp_path) as office:
        office.subscribe("s", {"webhook": receiver.url})
        office.ring("s", "01")
        receiver.wait_for(2)
    assert times[1] - times[0] >= 0.95


def test_too_many_failures_make_a_dead_letter_and_the_next_match_has_its_turn(
    tmp_path: Path,
) -> None:
    def behaviour(request: Received) -> Reply:
        return Reply(500, body=b"cannot read it") if request.id == "02" else Reply()

    with receiving(behaviour) as receiver, opened(tmp_path, tries=3) as office:
        office.subscribe("s", {"webhook": receiver.url}, tenant="acme")
        office.ring("s", "01", "02", "03", tenant="acme")
        wait_until(lambda: receiver.taken == ["01", "03"])
        [letter] = office.letters()
        assert [each.id for each in receiver.received] == ["01", "02", "02", "02", "03"]
        assert (letter.tenant, letter.subscription, letter.code) == ("acme", "s", "DeliveryError")
        assert "after 3 tries" in letter.reason
        assert "500: cannot read it" in letter.reason
        assert json.loads(letter.input)["id"] == "02"
        wait_until(lambda: office.state("s", "acme")["buried"] == 1)


def test_410_ends_the_deliveries_until_the_owner_says_otherwise(tmp_path: Path) -> None:
    with receiving(lambda request: Reply(410)) as receiver, opened(tmp_path) as office:
        office.subscribe("s", {"webhook": receiver.url})
        office.subscribe("other", {"webhook": f"{receiver.url}/other"})
        office.ring("s", "01", "02")
        wait_until(lambda: office.state("s")["state"] == "ended")
        office.ring("s", "03")
        office.ring("other", "11")
        receiver.wait_for(2)
        assert [each.id for each in receiver.received] == ["01", "11"]
        assert "410" in office.state("s")["reason"]
        receiver.behaviour = lambda request: Reply()
        office.delivery.resume(("", "s"))
        receiver.wait_for(5)
        assert receiver.taken == ["01", "02", "03"]


def test_another_target_begins_where_the_old_one_stopped(tmp_path: Path) -> None:
    with (
        receiving(lambda request: Reply(410)) as old,
        receiving() as new,
        opened(tmp_path) as office,
    ):
        office.subscribe("s", {"webhook": old.url})
        office.ring("s", "01", "02")
        wait_until(lambda: office.state("s")["state"] == "ended")
        office.subscribe("s", {"webhook": new.url})
        new.wait_for(2)
        assert new.taken == ["01", "02"]


def test_a_paused_subscription_waits_and_goes_on(tmp_path: Path) -> None:
    with receiving() as receiver, opened(tmp_path) as office:
        deliver = {"webhook": receiver.url}
        office.subscribe("s", deliver)
        office.subscribe("other", deliver)
        office.subscribe("s", deliver, paused=True)
        office.ring("s", "01")
        office.ring("other", "02")
        receiver.wait_for(1)
        assert [each.id for each in receiver.received] == ["02"]
        assert office.state("s")["state"] == "paused"
        office.subscribe("s", deliver)
        receiver.wait_for(2)
        assert receiver.received[1].id == "01"


def test_a_removed_subscription_is_delivered_no_more_and_begins_anew(tmp_path: Path) -> None:
    with receiving(lambda request: Reply(500)) as receiver, opened(tmp_path) as office:
        office.subscribe("s", {"webhook": receiver.url})
        office.ring("s", "01")
        receiver.wait_for(1)
        office.unsubscribe("s")
        assert office.delivery.line(("", "s")) is None
        wait_until(lambda: office.delivery.worker.lines == 0)
        receiver.behaviour = lambda request: Reply()
        office.subscribe("s", {"webhook": receiver.url})
        office.ring("s", "02")
        wait_until(lambda: bool(receiver.taken))
        assert receiver.taken == ["02"]


def test_replay_begins_after_a_position(tmp_path: Path) -> None:
    with receiving() as receiver, opened(tmp_path) as office:
        office.subscribe("s", {"webhook": receiver.url})
        office.ring("s", "01", "02", "03")
        receiver.wait_for(3)
        wait_until(lambda: office.state("s")["position"] == 3)
        office.delivery.move(("", "s"), 1)
        receiver.wait_for(5)
        assert [each.id for each in receiver.received] == ["01", "02", "03", "02", "03"]


def test_a_replay_at_once_does_not_forget_what_was_counted(tmp_path: Path) -> None:
    """How far a line has come is stored a moment later; its owner may be quicker."""
    with receiving() as receiver, opened(tmp_path) as office:
        office.subscribe("s", {"webhook": receiver.url})
        office.ring("s", "01")
        receiver.wait_for(1)
        office.delivery.move(("", "s"), 0)
        receiver.wait_for(2)
        wait_until(lambda: office.state("s")["delivered"] == 2)


def test_a_change_that_moves_nothing_delivers_nothing_again(tmp_path: Path) -> None:
    """Changed at once, when how far the line has come is known but not stored yet. The next match
    waits for the change: one that is on its way when its line changes may be sent again.
    """
    with receiving() as receiver, opened(tmp_path) as office:
        office.subscribe("s", {"webhook": receiver.url})
        worker = office.delivery.worker
        for number in range(10):
            office.ring("s", f"{number:02x}")
            wait_until(lambda wanted=number + 1: worker.outcomes["delivered"] >= wanted)
            change = office.delivery.rotate(("", "s")).changed
            wait_until(lambda change=change: worker._changed >= change)
        wait_until(lambda: office.state("s")["delivered"] == 10)
        assert [each.id for each in receiver.received] == [f"{number:02x}" for number in range(10)]


def test_one_match_can_be_tried_again_by_itself(tmp_path: Path) -> None:
    with receiving() as receiver, opened(tmp_path) as office:
        office.subscribe("s", {"webhook": receiver.url})
        notice = DeliveryMessage(7, "07", "s", {"id": "07"})
        office.delivery.redeliver(("", "s"), notice)
        assert receiver.taken == ["07"]
        receiver.behaviour = lambda request: Reply(500)
        with pytest.raises(StateProblem, match="still not delivered"):
            office.delivery.redeliver(("", "s"), notice)
        with pytest.raises(StateProblem, match="are not delivered"):
            office.delivery.redeliver(("", "t"), notice)


def test_targets_that_hang_delay_nobody_else(tmp_path: Path) -> None:
    """Many hosts take connections and say nothing; who answers gets everything meanwhile."""
    silent = [socket.create_server((f"127.0.0.{number}", 0)) for number in range(2, 17)]
    lanes = {"at_once": 20, "failing_at_once": 2, "to_one": 4}
    with receiving() as sound, opened(tmp_path, timeout="1s", **lanes) as office:
        for number, each in enumerate(silent):
            host, port = each.getsockname()
            office.subscribe(f"h{number}", {"webhook": f"http://{host}:{port}/"})
            office.ring(f"h{number}", f"a{number}")
        office.subscribe("good", {"webhook": sound.url})
        wait_until(lambda: all(office.state(f"h{number}")["failed"] for number in range(15)))
        office.ring("good", *numbered(0, 50))
        sound.wait_for(50)
        assert sound.taken == numbered(0, 50)
        assert all(
            "no answer within 1 s" in office.state(f"h{number}")["reason"] for number in range(15)
        )
    for each in silent:
        each.close()


def test_one_receiver_that_hangs_takes_no_more_turns_than_are_its_own(tmp_path: Path) -> None:
    """Thirty subscriptions share a host that hangs; of twenty turns it gets four."""
    lanes = {"at_once": 20, "failing_at_once": 20, "to_one": 4}
    with (
        receiving(lambda request: Reply(after=600)) as hanging,
        receiving() as sound,
        opened(tmp_path, timeout="10m", **lanes) as office,
    ):
        for number in range(30):
            office.subscribe(f"h{number}", {"webhook": f"{hanging.url}/{number}"})
            office.ring(f"h{number}", f"a{number}")
        office.subscribe("good", {"webhook": sound.url})
        hanging.wait_for(4)
        office.ring("good", "01", "02")
        sound.wait_for(2)
        assert len(hanging.received) == 4


def test_tenants_with_subscriptions_of_one_name_do_not_hear_of_each_other(tmp_path: Path) -> None:
    with receiving() as first, receiving() as second, opened(tmp_path) as office:
        office.subscribe("s", {"webhook": first.url}, tenant="a")
        office.subscribe("s", {"webhook": second.url}, tenant="b")
        office.ring("s", "0a", tenant="a")
        office.ring("s", "0b", tenant="b")
        first.wait_for(1)
        second.wait_for(1)
        assert (first.taken, second.taken) == (["0a"], ["0b"])


def test_a_restart_goes_on_where_it_stopped(tmp_path: Path) -> None:
    with receiving(lambda request: Reply(500)) as receiver:
        with opened(tmp_path) as office:
            office.subscribe("s", {"webhook": receiver.url})
            office.ring("s", *numbered(0, 5))
            receiver.wait_for(2)
        seen = len(receiver.received)
        receiver.behaviour = lambda request: Reply()
        with opened(tmp_path) as office:
            receiver.wait_for(seen + 5)
            assert receiver.taken == numbered(0, 5)
            wait_until(lambda: office.state("s")["delivered"] == 5)
        with opened(tmp_path) as office:
            office.ring("s", "ff")
            receiver.wait_for(seen + 6)
            assert receiver.taken == [*numbered(0, 5), "ff"]


def test_a_batch_is_delivered_as_one_message(tmp_path: Path) -> None:
    with receiving() as receiver, opened(tmp_path) as office:
        office.subscribe("s", {"webhook": receiver.url, "batch": 100})
        office.ring("s", *numbered(0, 250))
        wait_until(lambda: office.state("s")["delivered"] == 250)
        told = [event["id"] for request in receiver.received for event in request.json]
        assert told == numbered(0, 250)
        assert len(receiver.received) < 50


@pytest.mark.parametrize(
    ("deliver", "why"),
    [
        ({"webhook": "http://10.0.0.1/"}, "private"),
        ({"webhook": "ftp://example.org"}, "http or https"),
        ({"webhok": "http://example.org"}, "unknown member"),
        ({"webhook": "http://example.org", "file": "a"}, "webhook and file"),
        ({"webhook": "http://example.org", "batch": 0}, "batch"),
        ({"webhook": "http://example.org", "batch": True}, "batch"),
        ({"batch": 3}, "only webhooks"),
        ({"kafka": "t"}, "no kafka"),
        ({"file": "t"}, "no file"),
    ],
)
def test_what_cannot_be_delivered_is_refused(
    tmp_path: Path, deliver: dict[str, object], why: str
) -> None:
    with opened(tmp_path) as office:
        with pytest.raises(Problem, match=why) as raised:
            office.subscribe("s", deliver)
        assert raised.value.hint
        assert office.delivery.line(("", "s")) is None


def test_content_alone_delivers_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as office:
        office.subscribe("s", {"content": "events"})
        assert office.delivery.line(("", "s")) is None


def test_an_address_that_may_no_longer_be_reached_fails(tmp_path: Path) -> None:
    with receiving() as receiver:
        with opened(tmp_path) as office:
            office.subscribe("s", {"webhook": receiver.url})
        with opened(tmp_path, allowed_networks=[], tries=2) as office:
            office.ring("s", "01")
            wait_until(lambda: len(office.letters()) == 1)
            assert "loopback: webhooks may not reach it" in office.letters()[0].reason
        assert receiver.received == []
