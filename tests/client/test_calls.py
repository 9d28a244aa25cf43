"""The clients against a server that answers as it is told: problems, repeats, streams that break
off.
"""

from __future__ import annotations

import asyncio
import inspect
import itertools
from collections.abc import Callable
from typing import Any

import pytest

from tests.service.delivery.receiver import Behaviour, Received, Receiver, Reply, receiving
from tocsin.client import AsyncClient, Client, Published, Rejected
from tocsin.client.calls import publish_lines
from tocsin.client.http import RetryPolicy
from tocsin.errors import LimitProblem, MeaningProblem, Place, Problem, StateProblem

QUICK = RetryPolicy(tries=4, first=0.01, longest=0.05)
EVENT = {"id": "1", "source": "shop", "type": "offer"}
ACCEPTED = Reply(202, body=b'{"accepted":1,"rejected":[]}')


def in_turn(*replies: Reply) -> Behaviour:
    """The replies one after the other, the last of them for ever."""
    left = itertools.chain(replies, itertools.repeat(replies[-1]))
    return lambda request: next(left)


Ask = Callable[[Receiver, str, tuple[Any, ...]], Any]


def ask_waiting(receiver: Receiver, method: str, arguments: tuple[Any, ...]) -> Any:
    with Client(receiver.url, "k1", patience=QUICK) as client:
        return getattr(client, method)(*arguments)


def ask_awaiting(receiver: Receiver, method: str, arguments: tuple[Any, ...]) -> Any:
    async def whole() -> Any:
        async with AsyncClient(receiver.url, "k1", patience=QUICK) as client:
            return await getattr(client, method)(*arguments)

    return asyncio.run(whole())


@pytest.fixture(params=[ask_waiting, ask_awaiting], ids=["sync", "async"])
def ask(request: pytest.FixtureRequest) -> Ask:
    found: Ask = request.param
    return found


def test_both_clients_can_do_the_same() -> None:
    def told(kind: type) -> dict[str, list[str]]:
        members = inspect.getmembers(kind, inspect.isfunction)
        return {
            name: list(inspect.signature(function).parameters)
            for name, function in members
            if not name.startswith("_")
        }

    assert told(Client) == told(AsyncClient)
    assert "publish" in told(Client)


def test_an_event_is_posted_structured_with_the_key(ask: Ask) -> None:
    with receiving(in_turn(ACCEPTED)) as receiver:
        assert ask(receiver, "publish", (EVENT,)) == Published(1)
        [request] = receiver.received
    assert request.headers["authorization"] == "Bearer k1"
    assert request.headers["content-type"] == "application/cloudevents+json"
    assert request.json == EVENT


def test_a_document_is_posted_as_it_is_with_its_type_and_source(ask: Ask) -> None:
    with receiving(in_turn(ACCEPTED)) as receiver:
        ask(receiver, "publish", ("<a/>", "application/xml", "gate 7"))
        [request] = receiver.received
    assert (request.path, request.body) == ("/v1/events?source=gate+7", b"<a/>")
    assert request.headers["content-type"] == "application/xml"


def test_many_events_go_in_few_requests_and_keep_their_numbers(ask: Ask) -> None:
    rejecting = Reply(202, body=b'{"accepted":1,"rejected":[{"index":1,"code":"E","reason":"no"}]}')
    with receiving(in_turn(rejecting, rejecting, ACCEPTED)) as receiver:
        events = [{**EVENT, "id": str(number)} for number in range(5)]
        done = ask(receiver, "publish_many", (events, 2))
        sizes = [len(each.body.splitlines()) for each in receiver.received]
    assert sizes == [2, 2, 1]
    assert done == Published(3, (Rejected(1, "E", "no"), Rejected(3, "E", "no")))


def test_a_request_with_many_events_is_not_too_large() -> None:
    large = {**EVENT, "data": "x" * 1_500_000}
    calls = list(publish_lines([large] * 5, 1000))
    assert [len((call.content or b"").splitlines()) for call in calls] == [2, 2, 1]


def test_a_json_text_over_lines_is_one_event() -> None:
    [call] = publish_lines([b'{\n "id": "1"\r\n}\n', EVENT], 10)
    assert (call.content or b"").splitlines()[0] == b'{  "id": "1"  }'
    assert len((call.content or b"").splitlines()) == 2


def test_what_is_no_event_is_a_problem_before_it_is_sent(ask: Ask) -> None:
    with receiving() as receiver:
        with pytest.raises(MeaningProblem, match="no JSON object"):
            ask(receiver, "publish", ({"id": object()},))
        assert receiver.received == []


def test_a_problem_document_is_raised_with_code_place_and_hint(ask: Ask) -> None:
    body = (
        b'{"status":400,"code":"SyntaxError","detail":"unexpected ANDD","hint":"AND?",'
        b'"line":2,"column":7,"token":"ANDD"}'
    )
    with receiving(in_turn(Reply(400, body=body))) as receiver:
        with pytest.raises(MeaningProblem) as raised:
            ask(receiver, "put", ({"id": "a/b", "language": "selector", "expression": "x"},))
        assert receiver.received[0].path == "/v1/subscriptions/a%2Fb"
        assert receiver.received[0].json == {"language": "selector", "expression": "x"}
    problem = raised.value
    assert (problem.code, problem.message) == ("SyntaxError", "unexpected ANDD")
    assert (problem.place, problem.hint, problem.token) == (Place(2, 7), "AND?", "ANDD")
    assert len(receiver.received) == 1


@pytest.mark.parametrize(
    ("status", "kind"), [(404, StateProblem), (409, StateProblem), (413, LimitProblem)]
)
def test_the_kind_of_a_problem_is_that_of_its_status(
    ask: Ask, status: int, kind: type[Problem]
) -> None:
    reply = Reply(status, body=b'{"code":"X","detail":"d"}')
    with receiving(in_turn(reply)) as receiver, pytest.raises(kind) as raised:
        ask(receiver, "subscription", ("a",))
    assert raised.value.code == "X"


@pytest.mark.parametrize("body", [b"<html>Bad Gateway</html>", b"", b"[]", b'{"code":1}', b"\xff"])
def test_an_answer_that_is_not_ours_is_told(ask: Ask, body: bytes) -> None:
    reply = Reply(500, body=body)
    with receiving(in_turn(reply)) as receiver, pytest.raises(Problem) as raised:
        ask(receiver, "subscription", ("a",))
    assert raised.value.code == "ServerError"
    assert "500" in raised.value.message


def test_a_success_that_is_no_json_is_a_problem(ask: Ask) -> None:
    html = in_turn(Reply(200, body=b"<html>"))
    with receiving(html) as receiver, pytest.raises(Problem, match="answered 200: <html>"):
        ask(receiver, "subscriptions", ())


def test_a_busy_service_is_asked_again(ask: Ask) -> None:
    busy = Reply(503, {"retry-after": "0"}, b'{"code":"LogBusy","detail":"busy"}')
    with receiving(in_turn(busy, Reply(429), ACCEPTED)) as receiver:
        assert ask(receiver, "publish", ("<a/>", "application/xml")) == Published(1)
        assert len(receiver.received) == 3


def test_what_cannot_be_repeated_is_not_when_a_gateway_lost_the_answer(ask: Ask) -> None:
    with receiving(in_turn(Reply(502), Reply(200, body=b"{}"))) as receiver:
        assert ask(receiver, "subscription", ("a",)) == {}
        assert len(receiver.received) == 2
    with receiving(in_turn(Reply(502))) as receiver:
        with pytest.raises(Problem):
            ask(receiver, "replay", ("a", 3))
        assert len(receiver.received) == 1


def test_a_service_that_stays_busy_is_a_problem(ask: Ask) -> None:
    with receiving(in_turn(Reply(503, body=b'{"code":"LogBusy","detail":"busy"}'))) as receiver:
        with pytest.raises(StateProblem) as raised:
            ask(receiver, "publish", (EVENT,))
        assert len(receiver.received) == QUICK.tries
    assert raised.value.code == "LogBusy"


def _broken_at_first(times: int) -> Behaviour:
    """Says that more bytes come than do, so that the connection breaks in the answer."""
    numbers = itertools.count()

    def behaviour(request: Received) -> Reply:
        del request
        if next(numbers) < times:
            raise ConnectionError
        return ACCEPTED

    return behaviour


def test_what_has_an_id_is_sent_again_when_the_answer_is_lost(ask: Ask) -> None:
    with receiving(_broken_at_first(2)) as receiver:
        assert ask(receiver, "publish", (EVENT,)) == Published(1)
        assert len(receiver.received) == 3


def test_what_has_no_id_is_not_sent_again_when_the_answer_is_lost(ask: Ask) -> None:
    with receiving(_broken_at_first(1)) as receiver:
        with pytest.raises(StateProblem) as raised:
            ask(receiver, "publish", ("<a/>", "application/xml"))
        assert len(receiver.received) == 1
    assert raised.value.code == "ServerUnreachable"


def test_nobody_there_is_a_problem_with_the_address(ask: Ask) -> None:
    with receiving() as receiver:
        pass
    with pytest.raises(StateProblem) as raised:
        ask(receiver, "subscriptions", ())
    assert raised.value.code == "ServerUnreachable"
    assert receiver.url in raised.value.message
    assert ask(receiver, "is_ready", ()) is False


@pytest.mark.parametrize(
    "url", ["", "localhost:8080", "ftp://a", "http://", "http://[::1", "http://a:b"]
)
def test_what_is_no_address_is_refused(url: str) -> None:
    for kind in (Client, AsyncClient):
        with pytest.raises(MeaningProblem) as raised:
            kind(url)
        assert raised.value.code == "ServerAddressError"


def test_a_key_with_line_ends_is_refused() -> None:
    with pytest.raises(MeaningProblem) as raised:
        Client("http://127.0.0.1:1", "secret\r\nx: y")
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("id", ["a b", "ä/?#", "..", ".", "%2F"])
def test_any_id_reaches_its_own_address(ask: Ask, id: str) -> None:
    with receiving(in_turn(Reply(204))) as receiver:
        ask(receiver, "delete", (id,))
        path = receiver.received[0].path
    assert path.startswith("/v1/subscriptions/")
    assert path.count("/") == 3


def test_pages_of_matches_are_one_iterator_that_knows_its_position() -> None:
    pages = [
        Reply(200, body=b'{"matches":[{"id":"a"},{"id":"b"}],"next":4}'),
        Reply(200, body=b'{"matches":[{"id":"c"}],"next":9}'),
        Reply(200, body=b'{"matches":[],"next":9}'),
    ]
    with receiving(in_turn(*pages)) as receiver, Client(receiver.url) as client:
        matches = client.matches("s 1", after=2, page=2)
        assert [match["id"] for match in matches] == ["a", "b", "c"]
        assert matches.position == 9
        assert [each.path for each in receiver.received] == [
            f"/v1/matches?subscription=s+1&after={after}&limit=2" for after in (2, 4, 9)
        ]


def told(*events: tuple[int, str | None]) -> Reply:
    """A stream that breaks off after some events."""
    text = ": hello\n\n"
    for position, id in events:
        data = "" if id is None else f'data: {{"id":"{id}"}}\n'
        text += f"id: {position}\n{data}\n"
    return Reply(200, {"content-type": "text/event-stream"}, text.encode())


def first_of(receiver: Receiver, count: int, after: int | None) -> tuple[list[str], int | None]:
    with Client(receiver.url, patience=QUICK) as client:
        stream = client.stream("s", after)
        return [match["id"] for match in itertools.islice(stream, count)], stream.position


def first_awaited(
    receiver: Receiver, count: int, after: int | None
) -> tuple[list[str], int | None]:
    async def whole() -> tuple[list[str], int | None]:
        async with AsyncClient(receiver.url, patience=QUICK) as client:
            stream = client.stream("s", after)
            ids: list[str] = []
            async for match in stream:
                ids.append(match["id"])
                if len(ids) == count:
                    break
            return ids, stream.position

    return asyncio.run(whole())


@pytest.mark.parametrize("first", [first_of, first_awaited])
def test_a_stream_goes_on_where_it_broke_off(first: Callable[..., Any]) -> None:
    replies = [
        told((7, None)),
        told((8, "a"), (9, "b")),
        Reply(503),
        told(),
        told((12, "c")),
    ]
    with receiving(in_turn(*replies)) as receiver:
        assert first(receiver, 3, None) == (["a", "b", "c"], 12)
        asked = [each.headers.get("last-event-id") for each in receiver.received]
    assert asked == [None, "7", "9", "9", "9"]
    assert receiver.received[1].path == "/v1/matches/stream?subscription=s&after=7"


@pytest.mark.parametrize("first", [first_of, first_awaited])
def test_a_stream_that_is_refused_is_a_problem(first: Callable[..., Any]) -> None:
    refusal = Reply(401, body=b'{"code":"KeyMissing","detail":"a key is needed"}')
    with receiving(in_turn(told((7, "a")), refusal)) as receiver:
        assert first(receiver, 1, 3) == (["a"], 7)
        with pytest.raises(Problem) as raised:
            first(receiver, 1, 3)
    assert raised.value.code == "KeyMissing"


@pytest.mark.parametrize("first", [first_of, first_awaited])
def test_a_stream_from_nowhere_is_a_problem(first: Callable[..., Any]) -> None:
    with receiving() as receiver:
        pass
    with pytest.raises(StateProblem) as raised:
        first(receiver, 1, None)
    assert raised.value.code == "ServerUnreachable"


def test_waits_are_bounded_and_respect_what_is_asked() -> None:
    patience = RetryPolicy(tries=9, first=1, longest=4)
    assert all(patience.wait(failed) <= 4 for failed in range(1, 200))
    assert patience.wait(1, "3") >= 3
    assert patience.wait(1, "3000") <= 4
    assert patience.wait(1, "soon") <= 1
