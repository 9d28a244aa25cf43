"""GS1 keys: an EPC URI and a Digital Link name the same thing; patterns leave parts open."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.events.codecs.epcis.identifiers import (
    ANY_DIGIT,
    ANY_RUN,
    CANONICAL,
    canonical,
    patterns,
)

# EPC Tag Data Standard 2.0, section 6.3 (EPC URI and element string of each key), check digits by
# hand.
PAIRS = {
    "urn:epc:id:sgtin:0614141.112345.400": "01/10614141123459/21/400",
    "urn:epc:id:sscc:0614141.1234567890": "00/106141412345678908",
    "urn:epc:id:sgln:0614141.12345.400": "414/0614141123452/254/400",
    "urn:epc:id:sgln:0614141.12345.0": "414/0614141123452",
    "urn:epc:id:grai:0614141.12345.400": "8003/00614141123452400",
    "urn:epc:id:giai:0614141.12345400": "8004/061414112345400",
    "urn:epc:id:gsrn:0614141.1234567890": "8018/061414112345678902",
    "urn:epc:id:gsrnp:0614141.1234567890": "8017/061414112345678902",
    "urn:epc:id:gdti:0614141.12345.400": "253/0614141123452400",
    "urn:epc:id:cpi:0614141.123ABC.123456789": "8010/0614141123ABC/8011/123456789",
    "urn:epc:id:sgcn:4012345.67890.04711": "255/401234567890104711",
    "urn:epc:id:ginc:0614141.xyz47%2F11": "401/0614141xyz47%2F11",
    "urn:epc:id:gsin:0614141.123456789": "402/06141411234567890",
    "urn:epc:id:itip:4012345.012345.01.02.987": "8006/040123451234560102/21/987",
    "urn:epc:id:upui:1234567.098765.51qIgY": "01/01234567987651/235/51qIgY",
    "urn:epc:id:pgln:1234567.89012": "417/1234567890128",
    "urn:epc:class:lgtin:4012345.012345.998877": "01/04012345123456/10/998877",
    "urn:epc:idpat:sgtin:4012345.012345.*": "01/04012345123456",
}


@pytest.mark.parametrize("epc", PAIRS)
def test_an_epc_has_its_link(epc: str) -> None:
    assert canonical(epc) == CANONICAL + PAIRS[epc]


@pytest.mark.parametrize("path", PAIRS.values())
def test_the_host_of_a_link_says_nothing(path: str) -> None:
    assert canonical(f"https://brand.example/some/folder/{path}?linkType=all") == CANONICAL + path
    assert canonical(CANONICAL + path) == CANONICAL + path


@pytest.mark.parametrize(
    "other", ["http://transaction.acme.com/po/12345678", "urn:uuid:1", "urn:epc:id:gid:1.2.3", "x"]
)
def test_other_identifiers_stay(other: str) -> None:
    assert canonical(other) == other


@given(st.integers(6, 12), st.integers(0, 10**13 - 1))
def test_the_length_of_the_company_prefix_says_nothing(length: int, number: int) -> None:
    """However a GTIN is cut into prefix and reference, it is the same GTIN, and its check digit is
    right.
    """
    digits = f"{number:013d}"
    cut = f"urn:epc:id:sgtin:{digits[1 : 1 + length]}.{digits[0]}{digits[1 + length :]}.7"
    whole = canonical(cut).removeprefix(CANONICAL + "01/").removesuffix("/21/7")
    assert whole[:13] == digits
    assert sum(int(digit) * (3, 1)[place % 2] for place, digit in enumerate(whole)) % 10 == 0


SERIALS = st.text(st.sampled_from("abzAZ019!\"%&'()*+,-./:;<=>?_"), min_size=1, max_size=12)
"""All sorts of characters that a serial may have (GS1 General Specifications, figure 7.11-1)."""

_MUST_BE_ESCAPED = {"epc": '"%&/<>?#', "link": '"%/<>?# '}


@st.composite
def spellings(draw: st.DrawFn, serial: str, kind: str) -> str:
    """A serial with needless escapes, in capitals or not, as an EPC URI or a link may have it."""
    written = []
    for character in serial:
        escape = f"%{ord(character):02X}"
        must = character in _MUST_BE_ESCAPED[kind]
        found = draw(st.sampled_from([escape, escape.lower()] + ([] if must else [character] * 2)))
        written.append(found)
    return "".join(written)


@given(st.data(), SERIALS)
def test_every_spelling_of_a_key_is_one(data: st.DataObject, serial: str) -> None:
    in_epcs, in_links = spellings(serial, "epc"), spellings(serial, "link")
    hosts = st.sampled_from([CANONICAL, "http://brand.example/some/folder/"])
    for epc, path in (
        ("urn:epc:id:sgtin:0614141.112345.", "01/10614141123459/21/"),
        ("urn:epc:id:giai:0614141.", "8004/0614141"),
        ("urn:epc:class:lgtin:0614141.112345.", "gtin/10614141123459/lot/"),
        ("urn:epc:id:cpi:0614141.123ABC.", "8010/0614141123ABC/8011/"),
    ):
        common = canonical(epc + data.draw(in_epcs))
        assert common.startswith(CANONICAL)
        assert not set(common.removeprefix(CANONICAL)) & set('!"()*+,:<>?&')
        assert canonical(common) == common
        assert canonical(epc + data.draw(in_epcs)) == common
        assert canonical(data.draw(hosts) + path + data.draw(in_links)) == common


@given(st.data(), SERIALS, SERIALS)
def test_keys_that_differ_stay_apart(data: st.DataObject, one: str, other: str) -> None:
    links = [
        canonical(f"{CANONICAL}8004/0614141{data.draw(spellings(each, 'link'))}")
        for each in (one, other)
    ]
    assert (links[0] == links[1]) == (one == other)


def test_an_asterisk_is_a_wildcard_in_patterns_alone() -> None:
    literal = CANONICAL + "01/10614141123459/21/%2A"
    for written in (
        "urn:epc:id:sgtin:0614141.112345.*",
        "urn:epc:id:sgtin:0614141.112345.%2a",
        CANONICAL + "01/10614141123459/21/*",
    ):
        assert canonical(written) == literal
    assert patterns(CANONICAL + "01/10614141123459/21/*") == (
        CANONICAL + "01/10614141123459/21/" + ANY_RUN,
        literal,
    )
    assert patterns("urn:epc:id:sgtin:0614141.112345.%2A") == (literal,)


def test_patterns_leave_digits_and_serials_open() -> None:
    assert patterns("urn:epc:id:sgtin:0614141.112345.400") == (
        CANONICAL + "01/10614141123459/21/400",
    )
    assert patterns("urn:epc:idpat:sgtin:0614141.112345.*") == (
        CANONICAL + "01/10614141123459/21/" + ANY_RUN,
        CANONICAL + "01/10614141123459",
    )
    assert (
        patterns("urn:epc:idpat:sgtin:0614141.*.*")[1]
        == f"{CANONICAL}01/{ANY_DIGIT}0614141{ANY_DIGIT * 6}"
    )
    assert patterns("urn:epc:idpat:gid:1.2.*")[0] == "urn:epc:id:gid:1.2." + ANY_RUN


@pytest.mark.parametrize(
    "odd",
    [
        "urn:epc:id:sgtin:²²²²²²².²²²²²².1",
        "urn:epc:id:sgtin:..",
        "urn:epc:id:sscc:1",
        "urn:epc:id:",
    ],
)
def test_what_only_looks_like_a_key_does_no_harm(odd: str) -> None:
    assert canonical(odd).startswith(("urn:epc:id:", CANONICAL))
    assert patterns(odd)


def test_a_long_text_is_left_alone() -> None:
    long = "http://x" + "/01/1" * 100_000 + "?\n"
    assert canonical(long) is long
