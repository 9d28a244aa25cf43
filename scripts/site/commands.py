"""A hook of the site: under each heading `tocsin ...` of the page of commands stands what the
command's --help says.

The words come from the command, so that they are never out of date.
"""

from __future__ import annotations

import re
from typing import Any

from typer.testing import CliRunner

from tocsin.cli.main import app

PAGE = "commands.md"

_HEADING = re.compile(r"^(#+ `tocsin(?P<path>[a-z\- ]*)`)$", re.MULTILINE)
_PLAIN = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    if page.file.src_uri != PAGE:
        return markdown
    return _HEADING.sub(lambda found: f"{found[1]}\n\n{_help_of(found['path'].split())}", markdown)


def _help_of(path: list[str]) -> str:
    """The help as it is printed; a command that is not there fails the build."""
    done = CliRunner(env=_PLAIN).invoke(app, [*path, "--help"], prog_name="tocsin")
    if done.exit_code:
        raise RuntimeError(f"no help of tocsin {' '.join(path)}: {done.output}")
    lines = (line.rstrip() for line in done.output.splitlines())
    return "```text\n" + "\n".join(lines).strip("\n") + "\n```\n"
