"""Folds of modules: two texts of one idea become one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scripts.rename.table import TableProblem

Statement = ast.Import | ast.ImportFrom


class Half:
    """A module in its parts: docstring, imports, and the lines after them."""

    def __init__(self, name: str, source: str) -> None:
        self.name = name
        self._lines = source.splitlines(keepends=True)
        self.tree = ast.parse(source)
        self.docstring = ast.get_docstring(self.tree) or ""
        self._head = [each for each in self.tree.body if _is_head(each)]
        if [each for each in self.tree.body[: len(self._head)] if not _is_head(each)]:
            raise TableProblem(f"{name}: a statement stands before its last import")

    def docstring_text(self) -> str:
        """Return the docstring as it is written, with its quotes."""
        first = self.tree.body[0] if self.docstring else None
        return "" if first is None else self._text(first)

    def import_lines(self, *, without: str) -> list[str]:
        """Return the statements of the head, but for imports of the module `without`."""
        return [
            self._text(each)
            for each in self._head
            if not isinstance(each, ast.Expr) and not _is_import_of(each, without)
        ]

    def body(self) -> str:
        """Return all that follows the head."""
        end = max((each.end_lineno or 0 for each in self._head), default=0)
        return "".join(self._lines[end:]).strip("\n") + "\n"

    def defined(self) -> set[str]:
        """Return the names that the module binds itself, imports aside."""
        return set(_bound(each for each in self.tree.body if not _is_head(each)))

    def imported(self) -> dict[str, str]:
        """Return the names that imports bind, each with its origin."""
        found: dict[str, str] = {}
        for node in self._head:
            for each in ast.walk(node):
                if isinstance(each, ast.ImportFrom):
                    for alias in each.names:
                        found[alias.asname or alias.name] = f"{each.module}.{alias.name}"
                elif isinstance(each, ast.Import):
                    for alias in each.names:
                        found[alias.asname or alias.name] = alias.name
        return found

    def imports_from(self, other: str) -> bool:
        """True if the module imports names of another."""
        return any(_is_import_of(each, other) for each in self._head)

    def aliases_of(self, other: str) -> list[str]:
        """Return the names of another module that are imported under a second name."""
        statements = (each for each in self._head if _is_import_of(each, other))
        return [
            f"{alias.name} as {alias.asname}"
            for each in statements
            if isinstance(each, ast.ImportFrom)
            for alias in each.names
            if alias.asname not in (None, alias.name)
        ]

    def _text(self, node: ast.stmt) -> str:
        return "".join(self._lines[node.lineno - 1 : node.end_lineno])


def fold_modules(source_name: str, source: str, target_name: str, target: str) -> str:
    """Return the text of a module that takes another one in.

    What the target uses of the source comes before the target's own text, otherwise after it. Of
    the docstring of the source a comment is left. Raises TableProblem where a name would mean two
    things.
    """
    small, large = Half(source_name, source), Half(target_name, target)
    _check_names(small, large)
    first, second = (small, large) if large.imports_from(source_name) else (large, small)
    bodies = [_with_comment(each, small) for each in (first, second)]
    imports = [
        *large.import_lines(without=source_name),
        *small.import_lines(without=target_name),
    ]
    unique = sorted(dict.fromkeys(imports), key=lambda each: "__future__" not in each)
    return f"{large.docstring_text()}\n{''.join(unique)}\n\n" + "\n\n".join(bodies)


def _check_names(small: Half, large: Half) -> None:
    both = sorted(small.defined() & large.defined())
    ours, theirs = small.imported(), large.imported()
    for one, other in ((small, large), (large, small)):
        imported = one.imported()
        both += [
            each
            for each in sorted(other.defined() & imported.keys())
            if imported[each] != f"{other.name}.{each}"
        ]
        both += one.aliases_of(other.name)
    both += [each for each in sorted(ours.keys() & theirs.keys()) if ours[each] != theirs[each]]
    if both:
        raise TableProblem(
            f"{small.name} and {large.name} both use {', '.join(both)}: rename one first"
        )


def _with_comment(half: Half, small: Half) -> str:
    if half is not small or not half.docstring:
        return half.body()
    comment = "\n".join(f"# {line}".rstrip() for line in half.docstring.splitlines())
    return f"{comment}\n\n{half.body()}"


def _is_head(node: ast.stmt) -> bool:
    """True for docstrings at the top, imports, and imports for the type checker alone."""
    match node:
        case ast.Import() | ast.ImportFrom():
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Expr(value=ast.Constant(value=str())):
            return node.lineno == 1
    return False


def _is_import_of(node: ast.stmt, module: str) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == module


def _bound(statements: Iterator[ast.stmt]) -> Iterator[str]:
    for node in statements:
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                yield name
            case ast.AsyncFunctionDef(name=name):
                yield name
            case _:
                for each in ast.walk(node):
                    if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                        yield each.id
