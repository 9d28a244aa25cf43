"""What a user tries first: `--version`, `--help`, completion, `python -m tocsin`; all without the
engine.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys

import pytest
import typer
from typer.main import get_command
from typer.testing import CliRunner

import tocsin
from tocsin.cli.main import COMMANDS, app

HEAVY = ("numba", "numpy", "sqlalchemy", "lxml", "shapely", "lark", "pyspark", "pyarrow")
TELL = (
    "import json, sys; sys.argv = ['tocsin', *{arguments!r}]\n"
    "from tocsin.cli.main import run\n"
    "try: run()\n"
    "finally: print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
)


def call(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tocsin", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
    )


def loaded_by(*arguments: str, **environment: str) -> set[str]:
    """The packages that a call has loaded by its end."""
    done = subprocess.run(
        [sys.executable, "-c", TELL.format(arguments=arguments)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
    )
    return {name.partition(".")[0] for name in json.loads(done.stderr.splitlines()[-1])}


def test_the_package_runs_as_the_command() -> None:
    done = call("--version")
    assert (done.returncode, done.stdout) == (0, f"tocsin {tocsin.__version__}\n")


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["nonsense"], []])
def test_what_needs_no_engine_does_not_load_it(arguments: list[str]) -> None:
    assert loaded_by(*arguments).isdisjoint(HEAVY)


def test_a_few_events_do_not_load_what_compiles() -> None:
    program = (
        "import sys; from tocsin import Hub; hub = Hub(); hub.subscribe('price > 3')\n"
        "found = [hub.publish({'id': str(n), 'source': 's', 'type': 't', 'data': {'price': n}})"
        " for n in range(9)]\n"
        "print(sum(map(len, found)), 'numba' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stdout == "5 False\n"


def test_completion_of_commands_does_not_load_the_engine() -> None:
    words = {"_TOCSIN_COMPLETE": "complete_bash", "COMP_WORDS": "tocsin ma", "COMP_CWORD": "1"}
    assert call(**words).stdout.split() == ["match"]
    assert loaded_by(**words).isdisjoint(HEAVY)


@pytest.mark.parametrize(
    ("typed", "found"),
    [("match --dead", {"--dead-letters"}), ("catalog sh", {"show"}), ("bench sel", {"selectors"})],
)
def test_completion_knows_what_is_inside_a_command(typed: str, found: set[str]) -> None:
    last = len(typed.split())
    words = {
        "_TOCSIN_COMPLETE": "complete_bash",
        "COMP_WORDS": f"tocsin {typed}",
        "COMP_CWORD": str(last),
    }
    assert set(call(**words).stdout.split()) == found


def test_the_shell_can_be_told_of_completion() -> None:
    tocsin = shlex.join([sys.executable, "-m", "tocsin", "--show-completion"])
    done = subprocess.run(
        ["bash", "-c", f"{tocsin}; exit $?"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert "_TOCSIN_COMPLETE" in done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_the_commands_say(name: str) -> None:
    command = COMMANDS[name].load(name)
    assert command.name == name
    assert (command.help or "").partition("\n")[0] == COMMANDS[name].summary


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_of_its_own(name: str) -> None:
    done = CliRunner().invoke(app, [name, "-h"])
    assert done.exit_code == 0
    assert f"Usage: tocsin {name}" in done.output


def test_the_group_lists_its_commands_in_order() -> None:
    group = get_command(app)
    assert list(COMMANDS) == group.list_commands(typer.Context(group))  # type: ignore[attr-defined]


def test_public_names_are_there_when_asked_for() -> None:
    found = {getattr(tocsin, name).__name__.rpartition(".")[2] for name in tocsin.__all__}
    assert found == set(tocsin.__all__)
    assert set(tocsin.__all__) <= set(dir(tocsin))
    with pytest.raises(AttributeError, match="has no attribute 'Hubb'"):
        tocsin.Hubb  # noqa: B018


def test_parts_of_the_package_need_no_import_of_their_own() -> None:
    code = (
        "import tocsin; assert tocsin.errors.Problem is tocsin.Problem; tocsin.catalog.Subscription"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
