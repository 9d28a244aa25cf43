"""`make measures`: how easy the package is to read and to change, in figures.

Prints a line for each measure, with its aim; with `--list`, the places behind it. An import inside
a function counts for no chain: it is not run when a module is loaded.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from scripts.ways import files_of_event, files_of_rule

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "tocsin"
THIN = 60
"""Lines; a shorter module that only one other imports may belong into that one."""

_LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
    tokenize.ENCODING,
}
_FREE_RELATIVE = re.compile(r"(What|Who|Which|Whom|Whose|Where|When|How|Whether|That|Those)\b")
_PARTICIPLE = re.compile(
    r"(^|_)(\w+ed|told|sent|kept|found|given|shown|written|held|made|said|met|read_in)$"
)
_COMPILED = re.compile(r"(compiled|inlined|njit)\b")

Graph = Mapping[str, frozenset[str]]


class Measure(NamedTuple):
    """A figure, the aim that it should keep, and the places behind it."""

    name: str
    value: float
    aim: str
    places: Sequence[str] = ()


class Source(NamedTuple):
    """A module: its path below the root, its dotted name, its text and its tree."""

    path: Path
    name: str
    text: str
    tree: ast.Module


def read_sources(root: Path = ROOT) -> list[Source]:
    """Return all modules of the package."""
    found = []
    for path in sorted((root / PACKAGE).rglob("*.py")):
        inside = path.relative_to(root)
        name = ".".join(inside.with_suffix("").parts).removesuffix(".__init__")
        text = path.read_text()
        found.append(Source(inside, name, text, ast.parse(text)))
    return found


def measure_sources(sources: Sequence[Source]) -> Iterator[Measure]:
    """Yield what the sources alone say."""
    graph = import_graph(sources)
    yield Measure("files", len(sources), "600")
    yield Measure("lines", sum(each.text.count("\n") for each in sources), "95,000")
    yield Measure("tokens", sum(_tokens(each.path) for each in sources), "600,000")
    documented = [doc for each in sources for doc in _docstrings(each)]
    relative = [place for place, text in documented if _FREE_RELATIVE.match(text)]
    share = 100 * len(relative) / max(1, len(documented))
    yield Measure("docstrings that begin with a free relative, percent", share, "3", relative)
    homes = class_homes(sources)
    yield Measure("class names with several homes", len(homes), "40", homes)
    named = [
        f"{each.path}:{node.lineno} {node.name}"
        for each in sources
        for node in each.tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if not node.name.startswith("_") and _PARTICIPLE.search(node.name)
    ]
    yield Measure("public functions named by a participle", len(named), "20", named)
    yield Measure(
        "comment lines per 100 lines of compiled loops", _comments_in_loops(sources), "10 or more"
    )
    folders = two_way_folders(graph)
    yield Measure("two-way folders", len(folders), "0", folders)
    chain = longest_chain(graph)
    yield Measure("longest chain of imports", len(chain), "30", chain)
    importers = Counter(other for others in graph.values() for other in others)
    thin = [
        str(each.path)
        for each in sources
        if importers[each.name] == 1
        and each.path.name != "__init__.py"
        and each.text.count("\n") < THIN
    ]
    yield Measure(f"modules under {THIN} lines with one importer", len(thin), "40", thin)
    for module, name in (
        ("tocsin.engine.engine", "Engine"),
        ("tocsin.engine.detection.base", "Operator"),
    ):
        members = _public_members(sources, module, name)
        yield Measure(f"public members of {name}", len(members), "14", members)


def class_homes(sources: Sequence[Source]) -> list[str]:
    """Return class names that several modules define, each with its modules."""
    homes: dict[str, list[str]] = defaultdict(list)
    for each in sources:
        for node in each.tree.body:
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(str(each.path))
    return [f"{name}: {', '.join(at)}" for name, at in sorted(homes.items()) if len(at) > 1]


def _docstrings(source: Source) -> Iterator[tuple[str, str]]:
    """Yield place and text of each docstring."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield f"{source.path}:{getattr(node, 'name', 'module')}", text


def _tokens(path: Path) -> int:
    with (ROOT / path).open("rb") as file:
        return sum(each.type not in _LAYOUT for each in tokenize.tokenize(file.readline))


def _comments_in_loops(sources: Sequence[Source]) -> float:
    """Return the lines with a comment per 100 lines of compiled functions."""
    lines = comments = 0
    for each in sources:
        for node in ast.walk(each.tree):
            if isinstance(node, ast.FunctionDef) and any(
                _COMPILED.match(ast.unparse(decorator).rpartition("numba.")[2])
                for decorator in node.decorator_list
            ):
                body = each.text.splitlines()[node.lineno - 1 : node.end_lineno]
                lines += len(body)
                comments += sum("#" in line for line in body)
    return 100 * comments / max(1, lines)


def import_graph(sources: Sequence[Source]) -> Graph:
    """Return for each module those that it loads; imports for the type checker count, too."""
    known = {each.name for each in sources}
    return {each.name: frozenset(_imported(each, known)) for each in sources}


def _imported(source: Source, known: set[str]) -> Iterator[str]:
    for node in _loaded(source.tree):
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        else:
            inside = [f"{node.module}.{each.name}" for each in node.names]
            names = [each if each in known else str(node.module) for each in inside]
        yield from (name for name in names if name in known and name != source.name)


def _loaded(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from _loaded(child)


def longest_chain(graph: Graph) -> tuple[str, ...]:
    """Return the longest way from module to module by imports, without going in a circle."""
    on_the_way: set[str] = set()

    @cache
    def longest(module: str) -> tuple[str, ...]:
        on_the_way.add(module)
        others = sorted(graph.get(module, frozenset()) - on_the_way)
        rest = max((longest(each) for each in others), key=len, default=())
        on_the_way.discard(module)
        return (module, *rest)

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000)
    try:
        return max(map(longest, sorted(graph)), key=len)
    finally:
        sys.setrecursionlimit(limit)


def two_way_folders(graph: Graph) -> list[str]:
    """Return pairs of folders whose own files import each other, parent and child included."""
    packages = {each.rpartition(".")[0] for each in graph}
    ways = {
        (_folder(one, packages), _folder(other, packages))
        for one, others in graph.items()
        for other in others
    }
    return sorted(
        f"{one} <-> {other}"
        for one, other in ways
        if one < other and (other, one) in ways and PACKAGE not in (one, other)
    )


def _folder(module: str, packages: set[str]) -> str:
    return module if module in packages else module.rpartition(".")[0]


def _public_members(sources: Sequence[Source], module: str, name: str) -> list[str]:
    """Return methods, properties and attributes of a class without an underscore in front."""
    (tree,) = (each.tree for each in sources if each.name == module)
    (body,) = (n.body for n in tree.body if isinstance(n, ast.ClassDef) and n.name == name)
    names = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    names |= {
        node.target.id
        for node in body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    return sorted(each for each in names if not each.startswith("_"))


def measure_import() -> Iterator[Measure]:
    """Yield what importing the package and making a Hub costs, in a fresh process.

    The best of three; a run before them writes the bytecode, as an installation has it.
    """
    program = (
        "import sys, time; begun = time.process_time(); import tocsin; tocsin.Hub();"
        " print(time.process_time() - begun, sum(name.split('.')[0] == 'tocsin' for name in"
        " sys.modules))"
    )
    with TemporaryDirectory() as bytecode:
        environment = os.environ | {
            "PYTHONPYCACHEPREFIX": bytecode,
            "PYTHONDONTWRITEBYTECODE": "",
        }
        found = [
            subprocess.run(
                [sys.executable, "-c", program],
                capture_output=True,
                text=True,
                check=True,
                cwd=ROOT,
                env=environment,
            ).stdout.split()
            for _ in range(4)
        ]
    seconds, modules = min(found[1:], key=lambda each: float(each[0]))
    yield Measure("seconds of processor time to import it and make a Hub", float(seconds), "0.4")
    yield Measure("modules of ours that are loaded for that", int(modules), "")


def measure_ways() -> Iterator[Measure]:
    """Yield the files that an event, and the second event of a rule, run through in the Hub."""
    event, second = files_of_event(), files_of_rule()
    yield Measure("files of the package that an event runs through", len(event), "30", event)
    yield Measure("files that the second event of a rule runs through", len(second), "42", second)


def main(arguments: Sequence[str], write: Callable[[str], object] = print) -> None:
    """Write all measures; with `--list`, the places too."""
    for each in (*measure_sources(read_sources()), *measure_ways(), *measure_import()):
        value = f"{each.value:,}" if isinstance(each.value, int) else f"{each.value:.1f}"
        write(f"{each.name:<56}{value:>10}   {each.aim and f'aim {each.aim}'}".rstrip())
        if "--list" in arguments:
            for place in each.places:
                write(f"    {place}")


if __name__ == "__main__":
    main(sys.argv[1:])
