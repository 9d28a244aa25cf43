"""No webhook reaches what is not public, however the address is written."""

from __future__ import annotations

from ipaddress import IPv4Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.errors import MeaningProblem, Problem
from tocsin.service.outbound.addresses import (
    AddressProblem,
    AddressRules,
    kind_of,
    parse_webhook_url,
)

PUBLIC = AddressRules()

KINDS = {
    "unspecified": ["0.0.0.0", "0.1.2.3", "::"],
    "loopback": ["127.0.0.1", "127.255.255.254", "::1"],
    "private": ["10.0.0.1", "172.16.0.1", "172.31.9.9", "192.168.1.1", "100.64.0.1", "fd00::1"],
    "link-local": ["169.254.169.254", "fe80::1", "fe80::1%eth0"],
    "multicast": ["224.0.0.1", "239.1.1.1", "ff02::1"],
    "IPv4 inside IPv6": [
        "::ffff:127.0.0.1",
        "::ffff:8.8.8.8",
        "::127.0.0.1",
        "64:ff9b::10.0.0.1",
        "64:ff9b:1::1",
        "2002:7f00:1::",
        "2001:0:1::1",
    ],
    "reserved": ["192.0.2.1", "198.18.0.1", "203.0.113.9", "255.255.255.255", "2001:db8::1"],
}


@pytest.mark.parametrize(
    ("address", "kind"), [(each, kind) for kind, all in KINDS.items() for each in all]
)
def test_what_is_not_public_is_refused_with_its_kind(address: str, kind: str) -> None:
    assert kind_of(ip_address(address)) == kind
    with pytest.raises(AddressProblem, match=kind) as raised:
        PUBLIC.require(address)
    assert raised.value.code == "AddressRefused"
    assert "settings" in raised.value.hint


@pytest.mark.parametrize("address", ["8.8.8.8", "172.32.0.1", "11.0.0.1", "2a00:1450:4001::1"])
def test_what_is_public_is_allowed(address: str) -> None:
    assert str(PUBLIC.require(address)) == address


@given(st.integers(0, 2**32 - 1))
def test_python_calls_private_what_we_call_public_never(number: int) -> None:
    """The standard library knows the same registries; whatever it keeps back, we keep back."""
    address = IPv4Address(number)
    if kind_of(address) is None:
        assert address.is_global
        assert not address.is_multicast


def test_a_setting_allows_networks_and_no_more() -> None:
    rules = AddressRules.allowing(["127.0.0.0/8", "fd00::/8"])
    assert str(rules.require("127.0.0.1")) == "127.0.0.1"
    assert str(rules.require("fd00::1")) == "fd00::1"
    for other in ("10.0.0.1", "::1", "::ffff:127.0.0.1"):
        with pytest.raises(AddressProblem):
            rules.require(other)


def test_a_wrong_network_in_the_settings_is_told() -> None:
    with pytest.raises(MeaningProblem) as raised:
        AddressRules.allowing(["127.0.0.1/8"])
    assert raised.value.code == "SettingError"
    assert raised.value.token == "127.0.0.1/8"


@pytest.mark.parametrize(
    ("written", "origin", "target"),
    [
        ("https://example.org/hook?x=1#here", "https://example.org:443", "/hook?x=1"),
        ("http://example.org", "http://example.org:80", "/"),
        ("http://EXAMPLE.org:8080/ä b", "http://example.org:8080", "/%C3%A4%20b"),
        ("https://münchen.de/", "https://xn--mnchen-3ya.de:443", "/"),
        ("http://8.8.8.8:81/", "http://8.8.8.8:81", "/"),
        ("http://[2a00:1450::1]/", "http://[2a00:1450::1]:80", "/"),
    ],
)
def test_urls_are_taken_apart(written: str, origin: str, target: str) -> None:
    url = parse_webhook_url(written, PUBLIC)
    assert (url.origin, url.target) == (origin, target)


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("ftp://example.org/", "http or https"),
        ("file:///etc/passwd", "http or https"),
        ("example.org/hook", "http or https"),
        ("", "http or https"),
        ("http:///hook", "no host"),
        ("http://a b/", "no host"),
        ("http://a..b/", "no host"),
        ("http://-a/", "no host"),
        (f"http://{'a' * 64}.org/", "no host"),
        ("http://example.org:0/", "a port is a number"),
        ("http://example.org:65536/", "a port is a number"),
        ("http://example.org:http/", "is no address"),
        ("http://example.org/\n", "is no address"),
        ("http://0177.0.0.1/", "is no address"),
        ("http://user:secret@example.org/", "password"),
        (f"http://example.org/{'a' * 3000}", "a text of up to"),
        (7, "a text of up to"),
        (None, "a text of up to"),
    ],
)
def test_what_is_no_webhook_url_is_refused(written: object, why: str) -> None:
    with pytest.raises(AddressProblem, match=why) as raised:
        parse_webhook_url(written, PUBLIC)
    assert raised.value.code == "WebhookUrlError"
    assert "secret@" not in str(raised.value)


@pytest.mark.parametrize(
    "written", ["http://127.0.0.1/", "http://[::1]:8080/", "http://[::ffff:10.0.0.1]/"]
)
def test_an_address_that_is_written_out_is_judged_at_once(written: str) -> None:
    with pytest.raises(AddressProblem, match="may not reach"):
        parse_webhook_url(written, PUBLIC)


@given(st.text(max_size=40))
def test_any_text_is_a_url_or_a_problem(text: str) -> None:
    for written in (text, f"http://{text}/", f"http://example.org:{text}"):
        code = _code_of(written)
        assert code in (None, "WebhookUrlError", "AddressRefused")


def _code_of(written: str) -> str | None:
    try:
        parse_webhook_url(written, PUBLIC)
    except Problem as problem:
        return problem.code
    return None
