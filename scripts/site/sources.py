"""A hook of the site: a link from a page to a file or folder outside docs leads to a page that
shows it.

Only what is linked gets a page, so that the site needs no server of sources. A link to what is not
there stays as it is, and the strict build refuses it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from os.path import relpath
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "source"

_FENCE = "`" * 12
_FENCED = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?P<words>\]\()(?P<target>\.\.?/[^)\s#]+)")
_LANGUAGES = {
    ".py": "python",
    ".toml": "toml",
    ".json": "json",
    ".md": "markdown",
    ".sh": "sh",
    ".yml": "yaml",
}
_BESIDE_A_PAGE = "---\nsearch:\n  exclude: true\n---\n"


def on_files(files: Files, config: Any) -> Files:
    linked = {
        target
        for page in Path(config["docs_dir"]).rglob("*.md")
        for target in _targets(page.read_text(), page.parent)
    }
    for target in sorted(linked | {inner for folder in linked for inner in _inside(folder)}):
        files.append(File.generated(config, _page_of(target), content=_shown(target)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    here = (Path(config["docs_dir"]) / page.file.src_uri).parent

    def redirected(link: re.Match[str]) -> str:
        target = _outside(here / link["target"])
        if target is None:
            return link[0]
        return link["words"] + relpath(_page_of(target), PurePosixPath(page.file.src_uri).parent)

    parts = _FENCED.split(markdown)
    return "".join(
        part if part.startswith("```") else _LINK.sub(redirected, part) for part in parts
    )


def _targets(markdown: str, folder: Path) -> Iterator[Path]:
    for part in _FENCED.split(markdown):
        if not part.startswith("```"):
            found = (_outside(folder / link["target"]) for link in _LINK.finditer(part))
            yield from (target for target in found if target is not None)


def _outside(path: Path) -> Path | None:
    """The path from the root of the repository, where something is there that does not belong to
    the docs.
    """
    there = path.resolve()
    if not there.exists() or not there.is_relative_to(ROOT) or there.is_relative_to(ROOT / "docs"):
        return None
    return there.relative_to(ROOT)


def _page_of(target: Path) -> str:
    return f"{FOLDER}/{target.as_posix()}{'/index' if (ROOT / target).is_dir() else ''}.md"


def _inside(folder: Path) -> list[Path]:
    """The files of a folder that have text to show; of a file, nothing."""
    found = sorted(path for path in (ROOT / folder).rglob("*") if path.suffix in _LANGUAGES)
    return [path.relative_to(ROOT) for path in found if "__pycache__" not in path.parts]


def _shown(target: Path) -> str:
    title = f"{_BESIDE_A_PAGE}# {target.as_posix()}\n\n"
    path = ROOT / target
    if path.is_dir():
        here = f"{FOLDER}/{target.as_posix()}"
        lines = (
            f"* [{each.relative_to(target)}]({relpath(_page_of(each), here)})"
            for each in _inside(target)
        )
        return title + "\n".join(lines) + "\n"
    language = _LANGUAGES.get(path.suffix, "text")
    return f"{title}{_FENCE}{language}\n{path.read_text().rstrip()}\n{_FENCE}\n"
