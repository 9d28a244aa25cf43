"""Signatures are those of the standard: its own example, and what its receivers check."""

from __future__ import annotations

import hmac
import time
from base64 import b64decode, b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from tocsin.errors import MeaningProblem
from tocsin.service.delivery.signing import make_secret, signature_headers

KEY = bytes(range(32))


def test_the_example_of_the_standard() -> None:
    """Secret, message and signature stand in the tests of the standard's own libraries."""
    headers = signature_headers(
        ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330,
        '{"test": 2432232314}',
    )
    assert headers == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


@given(body=st.text(), id=st.text("0123456789abcdef", min_size=1))
def test_a_signature_is_the_mac_of_the_definition(body: str, id: str) -> None:
    secret = make_secret(KEY, "tenant", "s1")
    now = int(time.time())
    try:
        signed = f"{id}.{now}.{body}".encode()
    except UnicodeEncodeError:
        return
    mac = hmac.digest(b64decode(secret.removeprefix("whsec_")), signed, "sha256")
    headers = signature_headers([secret], id, now, body)
    assert headers["webhook-signature"] == "v1," + b64encode(mac).decode()


def test_a_receiver_with_the_secret_before_or_after_a_change_knows_the_message() -> None:
    old, new, other = (make_secret(KEY, "s1", each) for each in ("1", "2", "3"))
    headers = signature_headers([new, old], "m1", int(time.time()), '{"a":"ä"}')
    assert Webhook(old).verify('{"a":"ä"}', headers) == {"a": "ä"}
    assert Webhook(new).verify('{"a":"ä"}', headers) == {"a": "ä"}
    with pytest.raises(WebhookVerificationError):
        Webhook(other).verify('{"a":"ä"}', headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(new).verify('{"a":"b"}', headers)


def test_an_old_message_is_not_taken_again() -> None:
    headers = signature_headers([make_secret(KEY)], "m1", int(time.time()) - 3600, "{}")
    with pytest.raises(WebhookVerificationError, match="too old"):
        Webhook(make_secret(KEY)).verify("{}", headers)


def test_an_id_with_a_full_stop_would_make_two_messages_one() -> None:
    with pytest.raises(MeaningProblem) as raised:
        signature_headers([make_secret(KEY)], "a.1", 2, "{}")
    assert raised.value.code == "MessageIdError"


def test_secrets_differ_by_purpose_and_by_where_it_is_cut() -> None:
    secrets = {
        make_secret(KEY, "a", "b"),
        make_secret(KEY, "ab"),
        make_secret(KEY, "", "ab"),
        make_secret(KEY, "b", "a"),
        make_secret(bytes(32), "a", "b"),
    }
    assert len(secrets) == 5
    assert all(len(b64decode(each.removeprefix("whsec_"))) == 32 for each in secrets)
    assert make_secret(KEY, "a", "b") == make_secret(KEY, "a", "b")


def test_a_short_key_is_refused() -> None:
    with pytest.raises(MeaningProblem, match="fewer than 24"):
        make_secret(b"short", "a")
