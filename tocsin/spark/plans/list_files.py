"""Lists of subscriptions from a file, and errors for texts that are neither a list nor a catalog.

The suffix decides: `.jsonl`, `.ndjson`, `.json`, `.yaml` and `.yml`, also with `.gz`, are files of
subscriptions. They are read once, when the query is made. All problems of the file are reported
together, each with its line.
"""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

from tocsin.catalog import Definition, Subscription, read_entries
from tocsin.errors import MeaningProblem

_SUFFIXES = (".jsonl", ".ndjson", ".json", ".yaml", ".yml")
_FEW = 5
_NAME = re.compile(r"[^\n<>{}\"'=]*(?:[/\\][^\n<>{}\"'=]*|\.[A-Za-z][A-Za-z0-9]{0,9})")


def is_list_file(name: str | Path) -> bool:
    """True if the name of a path is that of a file of subscriptions."""
    plain = str(name).lower()
    return "://" not in plain and plain.removesuffix(".gz").endswith(_SUFFIXES)


def list_in_file(path: Path) -> list[Subscription | Definition]:
    """Return the entries of a file of subscriptions; raises with the problems of all bad lines."""
    try:
        raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (OSError, EOFError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise MeaningProblem(
            f"cannot read {path}: {why}", code="FileError", token=str(path)
        ) from None
    found = read_entries(raw.splitlines(keepends=True))
    if found.problems:
        told = "; ".join(map(str, found.problems[:_FEW]))
        rest = len(found.problems) - _FEW
        raise MeaningProblem(
            f"{path}: {told}" + (f"; and {rest} more" if rest > 0 else ""),
            code="SubscriptionFormatError",
            token=str(path),
            hint=f"see all: tocsin check {path}",
        )
    return [*found.definitions, *(each.subscription for each in found.subscriptions)]


def require_name(text: str) -> None:
    """Raise if a text is neither a path nor a URL: most likely it is a subscription itself."""
    if "://" not in text and _NAME.fullmatch(text) is None and not _is_there(text):
        raise no_subscription(text)


def no_subscription(text: str) -> MeaningProblem:
    """Return the problem of a text in place of a list of subscriptions, a path or a URL."""
    return MeaningProblem(
        f"{_shortened(text)} is neither a list of subscriptions nor the path or URL of a catalog",
        code="SubscriptionFormatError",
        token=text,
        hint=f"a subscription has an id and a language: {_as_list(text)}",
    )


def _is_there(text: str) -> bool:
    try:
        return Path(text).exists()
    except OSError:  # the text is too long for a path
        return False


def _as_list(text: str) -> str:
    if text.lstrip().startswith(("{", "[")):
        return (
            "JSON is given as objects, match(events, [json.loads(line) for line in"
            " text.splitlines()])"
        )
    body = {"id": "s1", "language": "selector", "expression": _shortened(text, "")}
    return f"match(events, [{json.dumps(body, ensure_ascii=False)}])"


def _shortened(text: str, quote: str = "'", most: int = 80) -> str:
    return f"{quote}{text if len(text) <= most else text[: most - 3] + '...'}{quote}"
