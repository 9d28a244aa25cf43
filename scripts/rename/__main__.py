"""`python -m scripts.rename TABLE`: carries out a table of renames, row by row, in all files.

Stops at the first row that cannot be carried out; the rows before it stay. Code by its types,
text by its dotted names. Afterwards: `make format`, `make check`, the tests, one commit.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from scripts.rename.folds import fold_modules
from scripts.rename.language_server import LanguageServer, RenameRefused, TextEdit
from scripts.rename.mentions import rename_in_mutants, rename_in_page, rename_in_prose
from scripts.rename.modules import module_name, move_in_code, move_in_page
from scripts.rename.symbols import defines, find_overriders, find_place
from scripts.rename.table import Fold, Move, Rename, Row, TableProblem, read_table

PAGES = (".md", ".toml", ".yml", ".yaml", ".cfg", ".svg")
"""Suffixes of texts that mention names; `.importlinter` and the Makefile do, too."""
NAMED_PAGES = (".importlinter", "Makefile")
MUTANTS = "tests/mutants/mutants.toml"


class Project:
    """The files of a checkout, as git knows them, and the language server that reads them."""

    def __init__(self, root: Path, server: LanguageServer) -> None:
        self._root = root
        self._server = server

    def carry_out(self, row: Row) -> int:
        """Carry out one row; return the number of files changed. Raises TableProblem."""
        match row:
            case Move():
                changed = self._move(row)
            case Fold():
                changed = self._fold(row)
            case Rename():
                changed = self._rename(row)
        self._server.note_changes(changed)
        return len(changed)

    def _rename(self, row: Rename) -> set[Path]:
        home = self._root / row.file
        if not home.exists():
            raise TableProblem(f"{row.file} does not exist")
        if not defines(home.read_text(), row.old):
            raise TableProblem(f"{row.file} does not define {row.old}")
        if defines(home.read_text(), _with_last(row.old, row.new)):
            raise TableProblem(f"{row.file} defines {_with_last(row.old, row.new)} already")
        changed = self._rename_at(home, row.old, row.new)
        for file, owner in self._overriders(row):
            member = f"{owner}.{row.word}"
            if defines(file.read_text(), member):  # not yet renamed with its base
                changed |= self._rename_at(file, member, row.new)
        return changed | self._rename_mentions(row, changed)

    def _rename_at(self, file: Path, name: str, new: str) -> set[Path]:
        place = find_place(file.read_text(), name)
        if place is None:
            raise TableProblem(f"{file} does not define {name}")
        try:
            edits = self._server.rename(file, place.line, place.column, new)
        except RenameRefused as error:
            raise TableProblem(f"{name} in {file}: {error}") from None
        apply_edits(edits)
        self._server.note_changes(edits)
        return set(edits)

    def _overriders(self, row: Rename) -> Iterator[tuple[Path, str]]:
        """Yield file and name of each class that derives from the one of a member, and has it."""
        owner, dot, _ = row.old.partition("(")[0].partition(".")
        if not dot or "(" in row.old:
            return
        sources = {file: file.read_text() for file in self._files((".py",))}
        known, frontier = {owner}, frozenset((owner,))
        while frontier:
            derived = [
                (file, name, overrides)
                for file, source in sources.items()
                if any(each in source for each in frontier)
                for name, overrides in find_overriders(source, frontier, row.word)
                if name not in known
            ]
            yield from ((file, name) for file, name, overrides in derived if overrides)
            frontier = frozenset(name for _, name, _ in derived)
            known |= frontier

    def _rename_mentions(self, row: Rename, changed: Iterable[Path]) -> set[Path]:
        module = module_name(row.file)
        rewritten = {}
        for file in changed:
            rewritten[file] = rename_in_prose(file.read_text(), row.word, row.new)
        for file in self._pages():
            rewritten[file] = rename_in_page(file.read_text(), module, row.old, row.new)
        mutants = self._root / MUTANTS
        if mutants.exists():
            for file in changed:
                text = rewritten.get(mutants, mutants.read_text())
                inside = PurePosixPath(file.relative_to(self._root).as_posix())
                rewritten[mutants] = rename_in_mutants(
                    text, inside, file.read_text(), row.word, row.new
                )
        return _write(rewritten)

    def _move(self, row: Move) -> set[Path]:
        old, new = self._root / row.old, self._root / row.new
        if not old.exists():
            raise TableProblem(f"{row.old} does not exist")
        if new.exists():
            raise TableProblem(f"{row.new} exists already")
        if not (new.parent / "__init__.py").exists():
            raise TableProblem(f"{row.new.parent} is not a package: write its __init__.py first")
        subprocess.run(["git", "mv", old, new], cwd=self._root, check=True)
        return self._follow(row) | {old, new}

    def _fold(self, row: Fold) -> set[Path]:
        old, new = self._root / row.old, self._root / row.new
        for file, path in ((old, row.old), (new, row.new)):
            if not file.exists():
                raise TableProblem(f"{path} does not exist")
        before, after = module_name(row.old), module_name(row.new)
        text = fold_modules(before, old.read_text(), after, new.read_text())
        new.write_text(text)
        subprocess.run(["git", "rm", "-q", "--force", old], cwd=self._root, check=True)
        return self._follow(row) | {old, new}

    def _follow(self, row: Move | Fold) -> set[Path]:
        """Rewrite imports and mentions of a module that has another place."""
        before, after = module_name(row.old), module_name(row.new)
        rewritten = {}
        for file in self._files((".py",)):
            text = move_in_code(file.read_text(), before, after)
            rewritten[file] = text.replace(str(row.old), str(row.new))
        for file in self._pages():
            rewritten[file] = move_in_page(file.read_text(), row.old, row.new)
        return _write(rewritten)

    def _files(self, suffixes: Sequence[str]) -> Iterator[Path]:
        command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=self._root, check=True, capture_output=True, text=True)
        for line in listed.stdout.splitlines():
            path = self._root / line
            if path.is_file() and path.suffix in suffixes:
                yield path

    def _pages(self) -> Iterator[Path]:
        yield from self._files(PAGES)
        yield from (self._root / each for each in NAMED_PAGES if (self._root / each).exists())


def apply_edits(edits: Mapping[Path, Sequence[TextEdit]]) -> None:
    """Write the edits of each file, the last one first so that earlier places stay right."""
    for path, of_file in edits.items():
        lines = path.read_text().splitlines(keepends=True)
        for edit in sorted(of_file, key=lambda each: each.start, reverse=True):
            number, column = edit.start
            if edit.end[0] != number:
                raise TableProblem(f"{path}:{number + 1}: a name does not span lines")
            line = lines[number].encode("utf-16-le")
            new = edit.text.encode("utf-16-le")
            lines[number] = (line[: 2 * column] + new + line[2 * edit.end[1] :]).decode("utf-16-le")
        path.write_text("".join(lines))


def _with_last(old: str, new: str) -> str:
    """Return a name with its last word replaced: `Class.old` to `Class.new`."""
    head, bracket, rest = old.rpartition("(")
    if bracket:
        return f"{head}({new})"
    owner, dot, _ = rest.rpartition(".")
    return f"{owner}{dot}{new}"


def _write(rewritten: Mapping[Path, str]) -> set[Path]:
    changed = {path for path, text in rewritten.items() if text != path.read_text()}
    for path in changed:
        path.write_text(rewritten[path])
    return changed


def main(arguments: Sequence[str], root: Path) -> int:
    """Carry out the table that is named; return the exit status."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        rows = list(read_table(Path(arguments[0]).read_text().splitlines()))
        with LanguageServer(root) as server:
            project = Project(root, server)
            for number, row in enumerate(rows, 1):
                count = project.carry_out(row)
                print(f"{number}/{len(rows)} {row.old} -> {row.new}: {count} files", flush=True)
    except (OSError, TableProblem) as error:
        print(f"rename: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], Path.cwd()))
