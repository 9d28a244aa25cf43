"""Posting to real receivers on loopback: pinned addresses, the right host, no redirects, no
endless answers.
"""

from __future__ import annotations

import asyncio
import ssl
import subprocess
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from tests.service.delivery.receiver import Reply, receiving
from tocsin.errors import Problem
from tocsin.service.outbound import http_sender
from tocsin.service.outbound.addresses import (
    AddressProblem,
    AddressRules,
    WebhookUrl,
    parse_webhook_url,
)
from tocsin.service.outbound.http_sender import HttpSender, ReceiverResponse, SendProblem

LOOPBACK = AddressRules.allowing(["127.0.0.0/8"])
T = TypeVar("T")


class Lookups:
    """Answers of a name server, told beforehand; counts what was asked."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def run(work: Callable[[HttpSender], Awaitable[T]], sender: Callable[[], HttpSender]) -> T:
    async def whole() -> T:
        using = sender()
        try:
            return await work(using)
        finally:
            await using.close()

    return asyncio.run(whole())


def post(
    url: WebhookUrl, body: bytes = b"{}"
) -> Callable[[HttpSender], Awaitable[ReceiverResponse]]:
    return lambda sender: sender.post(url, {"content-type": "application/json"}, body)


def named(port: int, scheme: str = "http", host: str = "hooks.example.org") -> WebhookUrl:
    return WebhookUrl(scheme, host, port, "/hook?x=1")


def port_of(url: str) -> int:
    return int(url.rpartition(":")[2])


def test_a_name_is_looked_up_once_and_the_receiver_hears_its_own_name() -> None:
    lookups = Lookups(["127.0.0.1"])
    with receiving() as receiver:
        url = named(port_of(receiver.url))

        async def twice(sender: HttpSender) -> list[int]:
            return [(await post(url)(sender)).status for _ in range(2)]

        assert run(twice, lambda: HttpSender(LOOPBACK, lookups)) == [204, 204]
        assert lookups.asked == ["hooks.example.org"]
        first = receiver.received[0]
        assert first.headers["host"] == f"hooks.example.org:{url.port}"
        assert first.path == "/hook?x=1"


def test_a_name_that_means_a_private_address_is_not_connected_to() -> None:
    lookups = Lookups(["127.0.0.1"])
    with receiving() as receiver:
        url = named(port_of(receiver.url))
        with pytest.raises(AddressProblem, match="loopback"):
            run(post(url), lambda: HttpSender(AddressRules(), lookups))
        assert receiver.received == []


def test_one_private_address_among_public_ones_is_enough_to_refuse() -> None:
    lookups = Lookups(["127.0.0.1", "10.0.0.1"])
    with receiving() as receiver:
        with pytest.raises(AddressProblem, match=r"10\.0\.0\.1"):
            run(post(named(port_of(receiver.url))), lambda: HttpSender(LOOPBACK, lookups))
        assert receiver.received == []


def test_a_name_that_changes_its_mind_is_checked_again_with_every_connection() -> None:
    """DNS rebinding: allowed at first, private afterwards."""
    lookups = Lookups(["127.0.0.1"], ["169.254.169.254"])
    with receiving(lambda request: Reply(200, {"connection": "close"})) as receiver:
        url = named(port_of(receiver.url))

        async def twice(sender: HttpSender) -> int:
            first = await post(url)(sender)
            with pytest.raises(AddressProblem, match="link-local"):
                await post(url)(sender)
            return first.status

        assert run(twice, lambda: HttpSender(LOOPBACK, lookups)) == 200
        assert len(receiver.received) == 1


def test_the_next_address_is_tried_where_the_first_does_not_answer() -> None:
    lookups = Lookups(["127.0.0.2", "127.0.0.1"])
    with receiving() as receiver:
        answer = run(post(named(port_of(receiver.url))), lambda: HttpSender(LOOPBACK, lookups))
        assert answer.status == 204


def test_numbers_that_mean_loopback_are_refused_by_the_real_resolver() -> None:
    from_settings = AddressRules()
    for host in ("2130706433", "0x7f.1", "localhost"):
        url = parse_webhook_url(f"http://{host}:9/", from_settings)
        with pytest.raises(Problem) as raised:
            run(post(url), lambda: HttpSender(from_settings, http_sender.DnsResolver().look_up))
        assert raised.value.code == "AddressRefused"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_answers_and_not_followed(status: int) -> None:
    with receiving() as secret:
        location = {"location": f"{secret.url}/internal"}
        with receiving(lambda request: Reply(status, location)) as receiver:
            url = named(port_of(receiver.url))
            answer = run(post(url), lambda: HttpSender(LOOPBACK, Lookups(["127.0.0.1"])))
        assert answer.status == status
        assert secret.received == []


def test_a_receiver_that_hangs_costs_no_more_than_the_timeout() -> None:
    with receiving(lambda request: Reply(after=300)) as receiver:
        url = named(port_of(receiver.url))
        with pytest.raises(SendProblem, match=r"no answer within 0\.3 s"):
            run(post(url), lambda: HttpSender(LOOPBACK, Lookups(["127.0.0.1"]), timeout=0.3))


def test_a_receiver_that_answers_without_end_is_cut_off() -> None:
    endless = Reply(500, body=b"x" * 5_000_000)
    with receiving(lambda request: endless) as receiver:
        url = named(port_of(receiver.url))
        answer = run(post(url), lambda: HttpSender(LOOPBACK, Lookups(["127.0.0.1"])))
        assert answer.status == 500
        assert len(answer.text) <= 1 << 16


def test_nobody_there_is_a_problem_with_a_reason() -> None:
    with receiving() as receiver:
        port = port_of(receiver.url)
    with pytest.raises(SendProblem) as raised:
        run(post(named(port)), lambda: HttpSender(LOOPBACK, Lookups(["127.0.0.1"])))
    assert raised.value.code == "DeliveryError"
    assert raised.value.message


def test_an_answer_that_is_no_http_is_a_problem_with_a_reason() -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(10)
        writer.write(b"SSH-2.0-OpenSSH\r\n\r\n")
        writer.close()

    async def whole() -> None:
        server = await asyncio.start_server(talk, "127.0.0.1", 0)
        sender = HttpSender(LOOPBACK, Lookups(["127.0.0.1"]))
        try:
            await post(named(server.sockets[0].getsockname()[1]))(sender)
        finally:
            await sender.close()
            server.close()

    with pytest.raises(SendProblem):
        asyncio.run(whole())


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for hooks.example.org, with its key, in one file."""
    file = tmp_path_factory.mktemp("tls") / "both.pem"
    key, cert = file.with_name("key.pem"), file.with_name("cert.pem")
    words = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=hooks.example.org"
    names = ["-addext", "subjectAltName=DNS:hooks.example.org"]
    subprocess.run(
        [*words.split(), *names, "-keyout", key, "-out", cert], check=True, capture_output=True
    )
    file.write_text(key.read_text() + cert.read_text())
    return file


def _server_side(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


def test_the_name_not_the_pinned_address_is_what_the_certificate_must_be_for(
    certificate: Path,
) -> None:
    trust = ssl.create_default_context(cafile=certificate.with_name("cert.pem"))
    with receiving(trust=_server_side(certificate)) as receiver:
        port = port_of(receiver.url)

        def sender() -> HttpSender:
            return HttpSender(LOOPBACK, Lookups(["127.0.0.1"]), trust=trust)

        assert run(post(named(port, "https")), sender).status == 204
        assert receiver.hosts_asked == ["hooks.example.org"]
        with pytest.raises(SendProblem, match="certificate"):
            run(post(named(port, "https", "other.example.org")), sender)


def test_a_certificate_that_nobody_vouches_for_is_refused(certificate: Path) -> None:
    with receiving(trust=_server_side(certificate)) as receiver:
        url = named(port_of(receiver.url), "https")
        with pytest.raises(SendProblem, match="certificate"):
            run(post(url), lambda: HttpSender(LOOPBACK, Lookups(["127.0.0.1"])))
        assert receiver.received == []


def test_slow_names_do_not_hold_up_other_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many ask for one slow name at a time; another name is answered meanwhile."""
    asked: list[str] = []

    def slow(host: str, port: int) -> list[str]:
        asked.append(f"{host}:{port}")
        time.sleep(1.0 if host == "slow" else 0.0)
        return ["127.0.0.1"]

    monkeypatch.setattr(http_sender, "_look_up", slow)

    async def whole() -> list[str]:
        names = http_sender.DnsResolver()
        waiting = [asyncio.create_task(names.look_up("slow", 80)) for _ in range(100)]
        quick = asyncio.create_task(names.look_up("quick", 80))
        done, _ = await asyncio.wait([quick, *waiting], return_when=asyncio.FIRST_COMPLETED)
        assert quick in done
        await asyncio.gather(*waiting)
        return asked

    assert sorted(asyncio.run(whole())) == ["quick:80", "slow:80"]
