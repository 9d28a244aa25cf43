"""Moves of modules: what changes in the files that import or mention one."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

import libcst as cst
from libcst.metadata import Assignment, MetadataWrapper, ScopeProvider


def module_name(file: PurePosixPath) -> str:
    """Return the dotted name of a module's file; a package is named by its folder."""
    parts = file.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def move_in_code(source: str, old: str, new: str) -> str:
    """Rewrite the imports of a module, the uses of its name, and dotted names in strings."""
    if old not in source and old.rpartition(".")[2] not in source:
        return source
    source = _move_imported_name(source, old, new)
    return re.sub(rf"(?<![\w.]){re.escape(old)}(?!\w)", new, source)


def move_in_page(text: str, old: PurePosixPath, new: PurePosixPath) -> str:
    """Rewrite mentions of a module in a text: its path and its dotted name.

    In backticks a dotted name may lack the package in front, as in docs/architecture.md.
    """
    upwards = r"(?<![\w/])((?:\.\./)*)"  # the target of a link may begin above its page
    text = re.sub(rf"{upwards}{re.escape(str(old))}(?!\w)", rf"\g<1>{new}", text)
    before, after = module_name(old), module_name(new)
    text = re.sub(rf"(?<![\w.]){re.escape(before)}(?!\w)", after, text)
    bare, renamed = before.partition(".")[2], after.partition(".")[2]
    if "." not in bare:  # a single word in backticks may be anything
        return text
    return re.sub(rf"(?<=`){re.escape(bare)}(?!\w)", renamed, text)


def _move_imported_name(source: str, old: str, new: str) -> str:
    """Rewrite `from package import module`, and the uses of that name in the file."""
    package, _, name = old.rpartition(".")
    if not re.search(rf"from {re.escape(package)} import\b", source):
        return source
    wrapper = MetadataWrapper(cst.parse_module(source))
    uses: set[cst.CSTNode] = set()
    for scope in set(wrapper.resolve(ScopeProvider).values()):
        for assignment in scope[name] if scope is not None else ():
            if isinstance(assignment, Assignment) and _is_import_of(assignment.node, package):
                uses |= {access.node for access in assignment.references}
    return wrapper.module.visit(_Mover(package, name, new, frozenset(uses))).code


def _is_import_of(node: cst.CSTNode, package: str) -> bool:
    return isinstance(node, cst.ImportFrom) and _dotted(node.module) == package


def _dotted(node: cst.BaseExpression | None) -> str:
    match node:
        case cst.Name(value=value):
            return value
        case cst.Attribute(value=value, attr=attr):
            return f"{_dotted(value)}.{attr.value}"
    return ""


class _Mover(cst.CSTTransformer):
    """Splits an imported module off its import statement, and renames the uses of its name."""

    def __init__(self, package: str, name: str, new: str, uses: frozenset[cst.CSTNode]) -> None:
        super().__init__()
        self._package, self._name = package, name
        self._new_package, _, self._new_name = new.rpartition(".")
        self._uses = uses

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        if original_node in self._uses:
            return updated_node.with_changes(value=self._new_name)
        return updated_node

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.SimpleStatementLine]:
        statement = updated_node.body[0]
        if not isinstance(statement, cst.ImportFrom) or not _is_import_of(statement, self._package):
            return updated_node
        if isinstance(statement.names, cst.ImportStar):
            return updated_node
        moved = [each for each in statement.names if _dotted(each.name) == self._name]
        if not moved:
            return updated_node
        others = [each for each in statement.names if each not in moved]
        lines = [updated_node.with_changes(body=[self._import_of(moved[0])])]
        if others:
            others[-1] = others[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
            rest = statement.with_changes(names=others)
            lines.insert(0, updated_node.with_changes(body=[rest]))
        return cst.FlattenSentinel(lines)

    def _import_of(self, alias: cst.ImportAlias) -> cst.ImportFrom:
        renamed = alias.with_changes(name=cst.Name(self._new_name), comma=cst.MaybeSentinel.DEFAULT)
        package = cst.parse_expression(self._new_package)
        assert isinstance(package, cst.Name | cst.Attribute)
        return cst.ImportFrom(module=package, names=[renamed])
