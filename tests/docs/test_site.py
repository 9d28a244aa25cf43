"""The site is built strictly and without a network; it has every page, every command and every
public name.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import tocsin
from tests.docs.test_links import PAPERS, links_of
from tocsin.cli.main import COMMANDS
from tocsin.spark import __all__ as spark_names

ROOT = Path(__file__).resolve().parents[2]
NOBODY = "http://127.0.0.1:9"  # the port of discard: whoever asks the network is refused
OFFLINE = {"HTTP_PROXY": NOBODY, "HTTPS_PROXY": NOBODY, "http_proxy": NOBODY, "https_proxy": NOBODY}


def build(project: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """As `make docs` does. Not with --quiet, which lets warnings pass in spite of --strict."""
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=project,
        env=os.environ | OFFLINE | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = build(ROOT, folder)
    assert done.returncode == 0, done.stderr + done.stdout
    return folder


def commands() -> list[str]:
    """Every command by its full name, those inside of others included."""
    found = ["tocsin"]
    for name, lazy in COMMANDS.items():
        command = lazy.load(name)
        found.append(f"tocsin {name}")
        for inner in (
            command.list_commands(typer.Context(command))
            if hasattr(command, "list_commands")
            else ()
        ):
            found.append(f"tocsin {name} {inner}")
    return found


def test_every_page_is_built_and_can_be_reached(site: Path) -> None:
    start = (site / "index.html").read_text()
    for page in (ROOT / "docs").rglob("*.md"):
        address = page.relative_to(ROOT / "docs").with_suffix(".html").as_posix()
        assert (site / address).exists(), f"{address} is not built"
        assert f'href="{address}"' in start or page.name == "index.md", (
            f"nothing leads to {address}"
        )


def test_no_page_asks_another_server(site: Path) -> None:
    """Links that a reader may follow are one thing; what a browser loads by itself is another."""
    loads = re.compile(r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=\"(?:https?:)?//[^\"]*\"")
    for page in site.rglob("*.html"):
        assert loads.findall(page.read_text()) == [], page.name
    for style in site.rglob("*.css"):
        assert not re.search(r"(?:@import|url\()\s*[\"']?(?:https?:)?//", style.read_text()), (
            style.name
        )


def test_links_to_sources_lead_to_the_sources(site: Path) -> None:
    page = (site / "papers.html").read_text()
    outside = {
        target.removeprefix("../") for _, target in links_of(PAPERS) if target.startswith("../")
    }
    assert len(outside) > 30
    for target in outside:
        address = (
            f"source/{target}/index.html" if (ROOT / target).is_dir() else f"source/{target}.html"
        )
        assert (site / address).exists(), target
        assert f'href="{address}"' in page


def test_the_commands_page_has_every_command_and_its_help(site: Path) -> None:
    written = set(
        re.findall(
            r"^#+ `(tocsin[a-z\- ]*)`$", (ROOT / "docs" / "commands.md").read_text(), re.MULTILINE
        )
    )
    assert written == set(commands())
    shown = (site / "commands.html").read_text()
    assert shown.count("Usage: tocsin") == len(written)
    assert "--dead-letters" in shown


def test_the_api_page_has_every_public_name(site: Path) -> None:
    shown = (site / "api.html").read_text()
    for name in (*tocsin.__all__, *(f"spark.{name}" for name in spark_names)):
        assert f'id="tocsin.{name}"' in shown, f"tocsin.{name} is not on the page"


def test_a_link_to_what_is_not_there_fails_the_build(tmp_path: Path) -> None:
    """The strictness is real: also for links to sources, which the site redirects."""
    for name in ("scripts", "tocsin"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "mkdocs.yml").write_text(
        (ROOT / "mkdocs.yml").read_text().partition("\nnav:")[0] + "\nnav: ['*.md']\n"
    )
    (tmp_path / "docs").mkdir()
    for line, wrong in (
        ("[a](../tocsin/errors.py)", False),
        ("[a](../tocsin/nothing.py)", True),
        ("[a](#b)", True),
    ):
        (tmp_path / "docs" / "index.md").write_text(f"# A page\n\n{line}\n")
        done = build(tmp_path, tmp_path / "site")
        assert (done.returncode != 0) is wrong, line + done.stderr
