r"""User-written regular expressions, searched in linear time. The only module that uses RE2.

The syntax is that of Python without back-references and look-around; classes such as `\d` are
ASCII. A pattern that would need too much memory is refused when it is built.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import re2

from tocsin.errors import MeaningProblem

FLAGS = "imsx"
MAX_LENGTH = 1_000

_MEMORY = 16 << 20
_SEARCH_MEMORY = 1 << 20


@dataclass(frozen=True, slots=True)
class Search:
    """A search for a pattern anywhere in a text; flags as in SPARQL: i (case), m (lines), s (dot),
    x (blanks).
    """

    pattern: str
    flags: str = ""

    def __post_init__(self) -> None:
        _search(self.pattern, self.flags)

    def found_in(self, text: str) -> bool:
        """True if the pattern occurs in the text."""
        return _search(self.pattern, self.flags)(text)


def escape_text(text: str) -> str:
    """Return the pattern that matches exactly this text."""
    return str(re2.escape(text))


def whole_match(pattern: str) -> Callable[[str], bool]:
    """Return a test: True if the whole text matches; a dot is any character, newline included."""
    options = _options(_MEMORY)
    options.dot_nl = True
    fullmatch = re2.compile(pattern, options).fullmatch
    return lambda text: fullmatch(text) is not None


@lru_cache(maxsize=1 << 12)
def _search(pattern: str, flags: str) -> Callable[[str], bool]:
    for flag in flags:
        if flag not in FLAGS:
            raise _bad(f"the flag {flag!r} is not known", f"flags are some of {FLAGS}")
    if len(pattern) > MAX_LENGTH:
        raise _bad(
            f"the pattern has {len(pattern):,} characters, the limit is {MAX_LENGTH:,}",
            "write a shorter one",
        )
    source = _without_blanks(pattern) if "x" in flags else pattern
    inline = "".join(sorted(set(flags) - {"x"}))
    try:
        search = re2.compile(
            f"(?{inline})(?:{source})" if inline else source, _options(_SEARCH_MEMORY)
        ).search
    except (re2.error, UnicodeEncodeError) as error:
        raise _bad(
            f"the pattern does not compile: {_reason(error)}", "no back-references, no look-around"
        ) from None
    return lambda text: search(text) is not None


def _options(memory: int) -> re2.Options:
    options = re2.Options()
    options.max_mem = memory
    options.never_capture = True
    options.log_errors = False
    return options


def _bad(message: str, hint: str) -> MeaningProblem:
    return MeaningProblem(message, code="BAD_REGEX", hint=hint)


def _reason(error: Exception) -> str:
    reason = error.args[0] if error.args else error
    return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)


def _without_blanks(pattern: str) -> str:
    """Return the pattern without blanks and `#` comments, as flag x says.

    Those that are escaped or in a class stay.
    """
    kept: list[str] = []
    in_class = comment = escape = False
    for character in pattern:
        if comment:
            comment = character != "\n"
            continue
        if not escape and not in_class and (character.isspace() or character == "#"):
            comment = character == "#"
            continue
        kept.append(character)
        in_class = (
            (in_class or character == "[") and (escape or character != "]")
            if not escape
            else in_class
        )
        escape = character == "\\" and not escape
    return "".join(kept)
