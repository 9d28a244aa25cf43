"""Mentions of a name outside of code: in documentation, docstrings and the list of mutants.

Code is renamed by its meaning; text has none, so only what is written with its home counts:
`hosts.admission.Doorkeeper`, or a name in backticks in a file whose code was renamed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import PurePosixPath


def rename_in_page(text: str, module: str, old: str, new: str) -> str:
    """Rename dotted mentions of a name of a module, with or without the package in front.

    `old` may be `Class.member`; a mention of the class alone is left as it is.
    """
    path = rf"(?<![\w.])((?:{re.escape(module.partition('.')[0])}\.)?{_tail(module)}[.:])"
    return re.sub(
        rf"{path}{re.escape(old)}(?!\w)", lambda found: found[1] + _renamed(old, new), text
    )


def rename_in_prose(source: str, old: str, new: str) -> str:
    """Rename a name in backticks, as docstrings and comments write it."""
    return re.sub(rf"(?<=`){re.escape(old)}(?=[`(.])", new, source)


def rename_in_mutants(text: str, file: PurePosixPath, source: str, word: str, new: str) -> str:
    """Rename a word in mutants of a file whose text is not in its source any more.

    A mutant whose text is still not found afterwards is left: its test says so.
    """
    changed = text
    for mutant in tomllib.loads(text).get("mutant", ()):
        if PurePosixPath(mutant.get("file", "")) != file:
            continue
        was = str(mutant.get("old", ""))
        renamed = rename_word(was, word, new)
        if was and was not in source and renamed in source:
            changed = _replace_in_block(
                changed, mutant["name"], lambda t: rename_word(t, word, new)
            )
    return changed


def rename_word(text: str, word: str, new: str) -> str:
    """Rename a whole word."""
    return re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", new, text)


def _replace_in_block(text: str, name: str, change: Callable[[str], str]) -> str:
    """Apply a change to the source texts of one mutant, which stand before its tests."""
    begin = text.index("\n", text.index(f'name = "{name}"'))
    end = text.index("\ntests = ", begin)
    return text[:begin] + change(text[begin:end]) + text[end:]


def _renamed(old: str, new: str) -> str:
    owner, dot, _ = old.rpartition(".")
    return f"{owner}{dot}{new}"


def _tail(module: str) -> str:
    return re.escape(module.partition(".")[2] or module)
