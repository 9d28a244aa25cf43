"""Lazily loaded commands: their imports take seconds, their summaries do not need them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group


@dataclass(frozen=True, slots=True)
class Lazy:
    """The location of a command, and its summary, which `--help` shows without loading it.

    At the location is a function, or a `typer.Typer` with commands of its own.
    """

    module: str
    name: str
    summary: str

    def load(self, called: str) -> Any:
        """Load the command, under the name that it is called by."""
        found = getattr(import_module(self.module), self.name)
        if isinstance(found, typer.Typer):
            group = get_group(found)
            group.name = called
            return group
        single = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        single.command(called)(found)
        return get_command(single)

    def outline(self, called: str) -> TyperCommand:
        """Return a command with name and summary only, for lists of commands and for completion."""
        return TyperCommand(called, help=self.summary)


ENTRY_POINTS = "tocsin.commands"
"""The entry point group in which other distributions register commands."""


def installed_commands(summaries: Mapping[str, str]) -> dict[str, Lazy]:
    """Return the commands of other distributions; one that is not in `summaries` has no summary."""
    return {
        each.name: Lazy(each.module, each.attr, summaries.get(each.name, ""))
        for each in entry_points(group=ENTRY_POINTS)
    }


def lazy_group(commands: Mapping[str, Lazy]) -> type[TyperGroup]:
    """Return a group class with these commands, in their order."""

    class LazyGroup(TyperGroup):
        """A group that lists outlines and loads only the command that is called."""

        def list_commands(self, ctx: Any) -> list[str]:
            return list(commands)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            return commands[cmd_name].outline(cmd_name) if cmd_name in commands else None

        def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
            name, command, rest = super().resolve_command(ctx, args)
            if name is None or name not in commands:
                return name, command, rest
            return name, commands[name].load(name), rest

    return LazyGroup
