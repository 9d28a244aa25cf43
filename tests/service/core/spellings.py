"""Spellings by which a caller may try to reach what another tenant calls by a name: separators,
escapes, case and Unicode. Drawn for any tenant and name.
"""

from __future__ import annotations

import unicodedata
from urllib.parse import quote

SEPARATORS = (
    *("::", ":", "/", "//", "\\", ".", "|", "\0", "\n", " ", "\t", "%", "#", "?", ";", "@", "\x1f"),
    *("%3A%3A", "%253A%253A", "%2F", "%252F", "%00", "%5C", "%3a%3a"),
    *("\uff1a\uff1a", "\u2237", "\ua789\ua789", "\u02d0\u02d0", "\u2236\u2236", "\ufe55\ufe55"),
    *(":\u200b:", ":\u200d:", ":\ufeff:", "\u2060::", "::\u202e", "\u2215", "\u2044", "\uff0f"),
)
"""Texts between a tenant and a name: those that part names somewhere, and those that look alike."""

_AROUND = ("::{}", "{}::", "/{}", "../{}", "./{}", "..%2f{}", "{}%00", "{}\0", " {}", "{} ")
_TWICE = 4
"""Of so many spellings the escapes are escaped again; the others would only take time."""
_INSIDE = ("\u200b", "\u200d", "\ufeff", "\u00ad", "\u0301", "\U000e0020", "\ufffd")


def spellings_of(tenant: str, name: str) -> list[str]:
    """Texts that a reader who joins, folds or cleans names could take for the name of the tenant;
    the name itself is the first.
    """
    joined = [f"{tenant}{separator}{name}" for separator in SEPARATORS]
    return list(
        dict.fromkeys(
            [
                name,
                *joined,
                *(f"{tenant.upper()}::{name}", f"{tenant}::{name.upper()}", name.upper()),
                *(each.format(f"{tenant}::{name}") for each in _AROUND),
                *(each.format(name) for each in _AROUND),
                *(unicodedata.normalize(form, name) for form in ("NFC", "NFD", "NFKC", "NFKD")),
                *(unicodedata.normalize("NFD", each) for each in joined[:4]),
                *(f"{name[:2]}{each}{name[2:]}" for each in _INSIDE),
                *(f"{tenant}{each}::{name}" for each in _INSIDE),
            ]
        )
    )


def path_segments_of(tenant: str, name: str) -> list[str]:
    """The spellings as they may stand in the path of a URL: escaped, escaped twice, as they are
    where a URL can have them, and bytes that are no UTF-8.
    """
    spellings = spellings_of(tenant, name)
    found = [quote(quote(each, safe=""), safe="") for each in spellings[:_TWICE]]
    for spelling in spellings:
        found.append(quote(spelling, safe=""))
        if spelling.isascii() and spelling.isprintable() and not set(spelling) & set(" #?%\\|"):
            found.append(spelling)
    broken = ("%ED%A0%80", "%C0%BA%C0%BA", "%E0%80", "%FF", "%zz")
    found += [f"{tenant}{each}{quote(name)}" for each in broken]
    return list(dict.fromkeys(found))
