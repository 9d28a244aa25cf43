"""A case: definitions, a subscription that may be broken, and lines that may be no events. It is
written as JSON.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parent / "corpus"


@dataclass(frozen=True, slots=True)
class Case:
    """What is handed to a host: JSON objects as a user writes them, and lines as they come in.

    A surrogate in a line is written as it is, which makes bytes that are no UTF-8.
    """

    definitions: tuple[dict[str, Any], ...]
    subscription: dict[str, Any]
    lines: tuple[str, ...]

    def input(self) -> Iterable[bytes]:
        """The lines as bytes."""
        return (line.encode("utf-8", "surrogatepass") for line in self.lines)

    def without_line(self, number: int) -> Case:
        """The case with one line less."""
        return replace(self, lines=self.lines[:number] + self.lines[number + 1 :])

    def text(self) -> str:
        """The case as JSON, everything in it escaped to ASCII."""
        body = {
            "definitions": self.definitions,
            "subscription": self.subscription,
            "lines": self.lines,
        }
        return json.dumps(body, indent=1) + "\n"


def read_case(text: str) -> Case:
    """The case that a text writes."""
    body = json.loads(text)
    return Case(tuple(body["definitions"]), body["subscription"], tuple(body["lines"]))


def kept_cases() -> list[Path]:
    """The files of the corpus: what was found once."""
    return sorted(CORPUS.glob("*.json"))


def keep(case: Case) -> Path:
    """Writes a case to the corpus, under a name that says nothing but which it is."""
    text = case.text()
    path = CORPUS / f"{hashlib.sha256(text.encode()).hexdigest()[:12]}.json"
    CORPUS.mkdir(exist_ok=True)
    path.write_text(text)
    return path
