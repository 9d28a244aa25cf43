"""`make measures`: how easy the package is to read and to change, in figures. Prints one line for
each.

Lines and tokens are of what is shipped. An import inside a function counts for no chain: it is not
there when a module is loaded. Two folders are two-way where files of each import files of the
other.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tokenize
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "tocsin"
WIDE = 100
_LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}

Graph = Mapping[str, frozenset[str]]


def main() -> None:
    files = sorted((ROOT / PACKAGE).rglob("*.py"))
    lines = [line for path in files for line in path.read_text().splitlines()]
    tokens, code_lines = map(sum, zip(*map(_tokens, files), strict=True))
    graph = {_module(path): frozenset(_imported(path)) for path in files}
    chain = longest_chain(graph)
    seconds, modules = _import_cost()
    print(f"shipped lines                 {len(lines):,}")
    print(f"tokens per line of code       {tokens / code_lines:.1f}")
    print(f"lines over {WIDE} columns        {sum(len(line) > WIDE for line in lines):,}")
    print(
        "comment lines                "
        f" {sum(line.lstrip().startswith('#') for line in lines) / len(lines):.1%}"
    )
    print(f"longest chain of imports      {len(chain)} modules, from {chain[0]} to {chain[-1]}")
    print(f"import {PACKAGE}                 {seconds:.2f} s of CPU, {modules} modules of ours")
    print(f"two-way folders               {', '.join(two_way_folders(graph)) or 'none'}")
    for module, name in (
        ("tocsin.engine.engine", "Engine"),
        ("tocsin.engine.detection.base", "Operator"),
    ):
        print(f"public members of {name:<12}{_public_members(module, name)}")


def _tokens(path: Path) -> tuple[int, int]:
    """Tokens that say something, and the lines that have any; docstrings are prose and count as
    neither.
    """
    with path.open("rb") as file:
        found = [each for each in tokenize.tokenize(file.readline) if each.type not in _LAYOUT]
    prose = {line for node in ast.walk(ast.parse(path.read_text())) for line in _prose(node)}
    said = [each for each in found[1:] if each.start[0] not in prose]
    return len(said), len({each.start[0] for each in said})


def _prose(node: ast.AST) -> Iterator[int]:
    if (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ):
        yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _imported(path: Path) -> Iterator[str]:
    """Our modules that are loaded with this one."""
    own = _module(path)
    for node in _loaded(ast.parse(path.read_text())):
        names = [each.name for each in node.names]
        if isinstance(node, ast.Import):
            yield from (name for name in names if name.split(".")[0] == PACKAGE and name != own)
        elif node.module and node.module.split(".")[0] == PACKAGE:
            yield from ({_meant(node.module, name) for name in names} - {own})


def _loaded(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif not isinstance(
            child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
        ) and not _is_for_types(child):
            yield from _loaded(child)


def _is_for_types(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Name)
        and node.test.id == "TYPE_CHECKING"
    )


def _meant(module: str, name: str) -> str:
    """`from a import b` loads a.b where that is a module, else a."""
    path = ROOT / Path(*module.split(".")) / name
    return f"{module}.{name}" if path.is_dir() or path.with_suffix(".py").is_file() else module


def longest_chain(graph: Graph) -> tuple[str, ...]:
    """The longest way from module to module by imports; a module that is on the way already is not
    gone to again.
    """

    @cache
    def longest(module: str) -> tuple[str, ...]:
        rest = max((longest(each) for each in graph.get(module, ())), key=len, default=())
        return (module, *rest)

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000)
    try:
        return max(map(longest, graph), key=len)
    except RecursionError:
        raise SystemExit("modules import each other in a circle") from None
    finally:
        sys.setrecursionlimit(limit)


def two_way_folders(graph: Graph) -> list[str]:
    """Pairs of folders that import each other; a folder and what lies inside it are no pair."""
    ways = {(_folder(one), _folder(other)) for one, others in graph.items() for other in others}
    return sorted(
        f"{one} <-> {other}"
        for one, other in ways
        if one < other and (other, one) in ways and not other.startswith(f"{one}.")
    )


def _folder(module: str) -> str:
    is_package = (ROOT / Path(*module.split("."))).is_dir()
    return module if is_package else module.rpartition(".")[0]


def _import_cost() -> tuple[float, int]:
    """Processor time of a Hub in a fresh process, the best of three, and how many modules of ours
    it loads. A run before them keeps the bytecode, as it is kept where the package is installed.
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
            ).stdout
            for _ in range(4)
        ]
    best = min(found[1:], key=lambda line: float(line.split()[0])).split()
    return float(best[0]), int(best[1])


def _public_members(module: str, name: str) -> int:
    """Methods, properties and attributes of a class that do not begin with an underscore."""
    tree = ast.parse((ROOT / Path(*module.split("."))).with_suffix(".py").read_text())
    body = next(
        node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name
    )
    names = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    names |= {
        node.target.id
        for node in body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    return sum(not each.startswith("_") for each in names)


if __name__ == "__main__":
    main()
