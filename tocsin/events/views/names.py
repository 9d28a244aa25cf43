"""Member names as XML names and as IRIs. Both are one to one: different names stay different.

XML names follow ISO 9075-14, 9.1: a character that is invalid in a name is written `_xHHHH_` (six
digits past U+FFFF), and so is the underscore of a name that itself has `_x`. IRIs escape with `%`
all but letters, digits, `_`, `-`, `.` and `~`.
"""

from __future__ import annotations

import re

from tocsin.errors import EventProblem

VOCABULARY = "urn:tocsin:vocabulary:"
"""The namespace of member names without an ontology."""

# XML 1.0 (fifth edition), productions 4 and 4a, without the colon: a name here has no prefix.
_START = (
    "A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff"
    "\u200c-\u200d\u2070-\u218f\u2c00-\u2fef"
    "\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_FURTHER = _START + "\\-.0-9\u00b7\u0300-\u036f\u203f-\u2040"
_NOT_A_NAME = re.compile(f"^[^{_START}]|[^{_FURTHER}]|_(?=x)")
_NAME = re.compile(f"[{_START}][{_FURTHER}]*")
_NOT_IN_IRI = re.compile(r"[^\w.~-]")
_EMPTY = "_x_"


def xml_name(member: str) -> str:
    """Return the element name of a member name."""
    return _NOT_A_NAME.sub(_as_code, member) or _EMPTY


def is_xml_name(text: str) -> bool:
    """True if the text is the name of an element or attribute, without a prefix."""
    return _NAME.fullmatch(text) is not None


def default_iri(member: str) -> str:
    """Return the property of a member name in the default vocabulary."""
    return VOCABULARY + _NOT_IN_IRI.sub(_as_percent, member)


def invalid_name_problem(member: str, value: object, expected: str) -> EventProblem:
    """Return the problem of an invalid `@id` or `@type`."""
    return EventProblem(
        f"{member} is {expected}, got {type(value).__name__}",
        code="EVENT_PARSE",
        token=member,
        hint=f"{member} names things; call the member otherwise where it holds data",
    )


def _as_code(found: re.Match[str]) -> str:
    code = ord(found.group())
    return f"_x{code:04X}_" if code <= 0xFFFF else f"_x{code:06X}_"


def _as_percent(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found.group().encode("utf-8", "surrogatepass"))
