"""Input arguments: a path, `-` for standard input, a directory with all below it, or a pattern like
`day-*.xml`.

Of a directory, files with the suffix of a known format are read, in the order of their names; not
hidden files, nor those whose name begins with `_`, which other systems write beside their data. An
argument without any file is a problem.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from glob import glob, has_magic
from pathlib import Path

from tocsin.errors import MeaningProblem
from tocsin.events.codecs.formats import SUFFIXES, suffix_format

STANDARD_INPUT = "stdin"


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file to read: its path, and its name as the source of events."""

    path: str
    name: str


def input_files(given: Iterable[str]) -> list[InputFile]:
    """Return the files of the arguments, each once; those of equal name are named by path."""
    found = {each.path: each for word in given for each in _meant(word)}
    names = Counter(each.name for each in found.values())
    return [
        each if names[each.name] == 1 else replace(each, name=each.path) for each in found.values()
    ]


def _meant(word: str) -> list[InputFile]:
    if word == "-":
        return [InputFile(word, STANDARD_INPUT)]
    path = Path(word)
    if path.is_dir():
        return list(_inside(path))
    if path.exists():
        return [InputFile(word, path.name)]
    if has_magic(word):
        return list(_matching(word))
    raise _refused(f"cannot read {word}: there is no such file or directory", word, _near(path))


def _inside(folder: Path) -> Iterator[InputFile]:
    below = sorted(each for each in folder.rglob("*") if each.is_file())
    chosen = [each for each in below if suffix_format(each.name) and not _is_hidden(each, folder)]
    if not chosen:
        others = f"its {len(below)} file(s) have other suffixes" if below else "it is empty"
        hint = f"{others}; events have {' '.join(SUFFIXES)}, or name the file and give --format"
        raise _refused(f"the directory {folder} holds no file of events", str(folder), hint)
    for each in chosen:
        yield InputFile(str(each), each.relative_to(folder).as_posix())


def _matching(pattern: str) -> Iterator[InputFile]:
    found = sorted(each for each in _paths(pattern) if Path(each).is_file())
    if not found:
        raise _refused(
            f"nothing matches {pattern}",
            pattern,
            "patterns are those of a shell: * ? [a-z] and ** for folders",
        )
    for each in found:
        yield InputFile(each, Path(each).name)


def _paths(pattern: str) -> list[str]:
    return glob(pattern, recursive=True)  # noqa: PTH207 (takes a root)


def _is_hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)


def _near(path: Path) -> str:
    """Return a hint with an existing file of similar name, or ""."""
    there = [each.name for each in path.parent.iterdir()] if path.parent.is_dir() else []
    near = get_close_matches(path.name, there, 1)
    return f"did you mean {path.parent / near[0]}?" if near else ""


def _refused(message: str, token: str, hint: str) -> MeaningProblem:
    return MeaningProblem(message, code="FileError", token=token, hint=hint)
