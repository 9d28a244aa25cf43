"""XML bytes to text: in the encoding of the byte order mark, else the declaration, else UTF-8 (XML
1.0, appendix F).

Only encodings of plain characters are supported; bytes that are invalid in their encoding are an
EventProblem.
"""

from __future__ import annotations

import codecs
import re

from tocsin.errors import EventProblem

MALFORMED = "MalformedEvent"

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARATION = re.compile(
    rb"""<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([A-Za-z][A-Za-z0-9._-]{0,40})["']"""
)
_SERVED = re.compile(
    r"utf-8(-sig)?|utf-16(le|be)?|us-ascii|iso-8859-\d{1,2}|windows-125\d"
    r"|gb2312|gbk|gb18030|big5|shift_jis|euc-(jp|kr)"
)


def xml_text(raw: bytes) -> str:
    """Return the characters of an XML document."""
    encoding = _encoding(raw)
    if _SERVED.fullmatch(encoding) is None:
        raise EventProblem(
            f"XML in the encoding {encoding} is not served", code=MALFORMED, hint="send UTF-8"
        )
    try:
        return raw.decode(encoding)
    except (UnicodeDecodeError, LookupError) as error:
        raise EventProblem(
            f"the XML is not in its encoding {encoding}: {error}", code=MALFORMED
        ) from None


def _encoding(raw: bytes) -> str:
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return encoding
    declared = _DECLARATION.match(raw)
    return declared.group(1).decode("ascii").lower() if declared else "utf-8"
