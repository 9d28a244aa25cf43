"""GS1 identifiers: an EPC URI and a GS1 Digital Link URI of the same key identify the same thing.

The common form is the Digital Link at `https://id.gs1.org`, as in the event hash of CBV 2.0
(section 8.9): it can be computed from every EPC URI, while the reverse needs the length of the
company prefix. Characters are escaped in one way, whichever way a link or an EPC URI writes them. A
`*` is a wildcard in patterns only; in an identifier it is a character. Events keep the original
text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from urllib.parse import quote, unquote_to_bytes

CANONICAL = "https://id.gs1.org/"
ANY_DIGIT = "\x00"
"""Placeholder for a digit that a pattern leaves open."""
ANY_RUN = "\x01"
"""Placeholder for a serial that a pattern leaves open."""

_EPC = re.compile(r"urn:epc:(?:id|idpat|class):([a-z]+):(.+)")
_WORDS = {
    **{
        "sscc": "00",
        "gtin": "01",
        "gdti": "253",
        "gcn": "255",
        "ginc": "401",
        "gsin": "402",
        "gln": "414",
    },
    **{
        "party": "417",
        "grai": "8003",
        "giai": "8004",
        "itip": "8006",
        "cpid": "8010",
        "gsrnp": "8017",
    },
    **{"gsrn": "8018", "cpv": "22", "lot": "10", "ser": "21"},
}
"""The numbers of keys and qualifiers, by the words that older links use for them."""
_FINEST = {"01": ("21", "235", "10"), "414": ("254",), "8006": ("21", "10"), "8010": ("8011",)}
"""The qualifiers that identify a thing, by key, finest first; only the first one present counts."""
_PRIMARY = "|".join(
    ["00|01|253|255|401|402|414|415|417|8003|8004|8006|8010|8013|8017|8018", *list(_WORDS)[:-3]]
)
_LINK = re.compile(
    rf"https?://[^?#]*?/(?P<key>{_PRIMARY})/(?P<value>\d[^/?#]*)"
    r"(?P<rest>(?:/[^/?#]+/[^/?#]+)*)/?(?:[?#].*)?",
    re.DOTALL,
)
_UNESCAPED = "';=$@"
"""Characters that the common form does not escape, beside letters, digits and `-._~`.

GS1 Digital Link (table 7-1) escapes all others of a key.
"""
_NEEDLESS = re.compile(r"%(?:2[DdEe]|3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa]|5[Ff]|7[Ee])")
"""Escapes of letters, digits and `-._~`, equivalent to the characters (RFC 3986, 2.3)."""
_LONGEST = 500
"""Characters of the longest identifier that is parsed and cached; every GS1 key is shorter."""


def canonical(identifier: str) -> str:
    """Return the Digital Link of a GS1 key in either spelling; any other text unchanged."""
    return _canonical(identifier) if len(identifier) <= _LONGEST else identifier


@lru_cache(maxsize=1 << 14)
def _canonical(identifier: str) -> str:
    plain = _without_needless_escapes(identifier)
    link = _LINK.fullmatch(plain)
    if link:
        return CANONICAL + _path(link["key"], link["value"], link["rest"])
    if not plain.startswith("urn:epc:"):
        return identifier
    is_pattern = plain.startswith("urn:epc:idpat:")
    found = _links(plain if is_pattern else plain.replace("*", "%2A"))
    return found[-1] if found and not set(found[-1]) & {ANY_DIGIT, ANY_RUN} else identifier


def _without_needless_escapes(identifier: str) -> str:
    return _NEEDLESS.sub(lambda found: chr(int(found.group()[1:], 16)), identifier)


def _escaped(text: str) -> str:
    """Return a key or a serial with the escapes of the common form."""
    return quote(unquote_to_bytes(text.encode(errors="surrogatepass")), safe=_UNESCAPED)


def _with_open_runs(text: str) -> str:
    """Return a pattern with the escapes of the common form; each `*` stands for any run of
    characters.
    """
    return ANY_RUN.join(map(_escaped, text.split("*")))


def _path(key: str, value: str, rest: str, escape: Callable[[str], str] = _escaped) -> str:
    """Return the path of a link down to the finest qualifier, by numbers; a GTIN has fourteen
    digits.
    """
    key, value = _WORDS.get(key, key), escape(value)
    words = rest.split("/")[1:]
    qualifiers = {
        _WORDS.get(name, name): each for name, each in zip(words[::2], words[1::2], strict=True)
    }
    finest = next(
        (
            f"/{name}/{escape(qualifiers[name])}"
            for name in _FINEST.get(key, ())
            if name in qualifiers
        ),
        "",
    )
    if key == "01" and value.isdigit() and len(value) in (8, 12, 13):
        value = value.zfill(14)
    return f"{key}/{value}{finest}"


def patterns(identifier: str) -> tuple[str, ...]:
    """Return the forms that a query's identifier or pattern matches: the thing, or its class."""
    if len(identifier) > _LONGEST:
        return (identifier.replace("*", ANY_RUN), identifier)
    found = _links(_without_needless_escapes(identifier))
    if found or "*" not in identifier:
        return found or (canonical(identifier),)
    link = _LINK.fullmatch(_without_needless_escapes(identifier))
    if link:
        open_path = _path(link["key"], link["value"], link["rest"], _with_open_runs)
        return (CANONICAL + open_path, canonical(identifier))
    bare = identifier.replace("urn:epc:idpat:", "urn:epc:id:")
    return (bare.replace("*", ANY_RUN), canonical(identifier))


def _links(identifier: str) -> tuple[str, ...]:
    """Return the Digital Links of an EPC URI or pattern; for an open serial also without it."""
    epc = _EPC.fullmatch(identifier)
    form = _FORMS.get(epc.group(1)) if epc else None
    if epc is None or form is None:
        return ()
    parts = epc.group(2).split(".", form.parts - 1)
    if len(parts) != form.parts or not form.fits(parts):
        return ()
    with_serial, without = form.links(parts)
    return (CANONICAL + with_serial, CANONICAL + without) if without else (CANONICAL + with_serial,)


class _Form:
    """Conversion of the parts of an EPC URI to the path of a Digital Link."""

    __slots__ = ("_digits", "_key", "_serial", "parts")

    def __init__(
        self, parts: int, digits: int, key: Callable[[list[str]], str], serial: str | None
    ) -> None:
        self.parts = parts
        self._digits = digits
        self._key = key
        self._serial = serial

    def fits(self, parts: list[str]) -> bool:
        """Return True if company prefix and reference together have the digits of the key.

        A wildcard always fits.
        """
        if not self._digits:
            return parts[0] == "*" or (parts[0].isascii() and parts[0].isdigit())
        return "*" in parts[:2] or len(parts[0]) + len(parts[1]) == self._digits

    def links(self, parts: list[str]) -> tuple[str, str]:
        """Return the path with the serial and, if that is a wildcard, the path without it (else
        "").
        """
        key, serial = self._key(parts), parts[-1]
        if self._serial is None or (self._serial == "/254/" and serial == "0"):
            return key, ""
        if serial == "*":
            return key + self._serial + ANY_RUN, key
        return key + self._serial + _escaped(serial), ""


def _digits(parts: list[str], length: int) -> str:
    """Return company prefix and reference as digits; a wildcard stands for all missing digits."""
    prefix, reference = parts[0], parts[1]
    if prefix == "*":
        return ANY_DIGIT * length
    return prefix + (ANY_DIGIT * (length - len(prefix)) if reference == "*" else reference)


def _checked(digits: str) -> str:
    """Append the check digit (GS1 General Specifications, 7.9); open if any digit is open."""
    if not (digits.isascii() and digits.isdigit()):
        return digits + ANY_DIGIT
    total = sum(
        int(digit) * (3 if place % 2 == 0 else 1) for place, digit in enumerate(reversed(digits))
    )
    return digits + str(-total % 10)


def _leading(parts: list[str], length: int) -> str:
    """Return the digits with the first digit of the reference in front, as in GTIN and SSCC."""
    if parts[0] == "*" or parts[1] == "*":
        return _checked(ANY_DIGIT + _digits([parts[0], "*"], length - 1))
    return _checked(parts[1][:1] + parts[0] + parts[1][1:])


def _pieces(parts: list[str]) -> str:
    return "".join(ANY_DIGIT * 2 if part == "*" else part for part in parts[2:4])


def _bare(parts: list[str]) -> str:
    return (
        ANY_RUN
        if parts[0] == "*"
        else parts[0] + (ANY_RUN if parts[1] == "*" else _escaped(parts[1]))
    )


_FORMS: dict[str, _Form] = {
    "sgtin": _Form(3, 13, lambda parts: f"01/{_leading(parts, 13)}", "/21/"),
    "lgtin": _Form(3, 13, lambda parts: f"01/{_leading(parts, 13)}", "/10/"),
    "upui": _Form(3, 13, lambda parts: f"01/{_leading(parts, 13)}", "/235/"),
    "itip": _Form(5, 13, lambda parts: f"8006/{_leading(parts, 13)}{_pieces(parts)}", "/21/"),
    "sscc": _Form(2, 17, lambda parts: f"00/{_leading(parts, 17)}", None),
    "sgln": _Form(3, 12, lambda parts: f"414/{_checked(_digits(parts, 12))}", "/254/"),
    "pgln": _Form(2, 12, lambda parts: f"417/{_checked(_digits(parts, 12))}", None),
    "grai": _Form(3, 12, lambda parts: f"8003/0{_checked(_digits(parts, 12))}", ""),
    "gdti": _Form(3, 12, lambda parts: f"253/{_checked(_digits(parts, 12))}", ""),
    "sgcn": _Form(3, 12, lambda parts: f"255/{_checked(_digits(parts, 12))}", ""),
    "gsrn": _Form(2, 17, lambda parts: f"8018/{_checked(_digits(parts, 17))}", None),
    "gsrnp": _Form(2, 17, lambda parts: f"8017/{_checked(_digits(parts, 17))}", None),
    "gsin": _Form(2, 16, lambda parts: f"402/{_checked(_digits(parts, 16))}", None),
    "giai": _Form(2, 0, lambda parts: f"8004/{_bare(parts)}", None),
    "ginc": _Form(2, 0, lambda parts: f"401/{_bare(parts)}", None),
    "cpi": _Form(3, 0, lambda parts: f"8010/{_bare(parts)}", "/8011/"),
}
