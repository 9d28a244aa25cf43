"""A look at what a runner keeps, for somebody who waits for it, though not for long."""

from __future__ import annotations

from typing import Any

from tocsin.errors import StateProblem
from tocsin.service.runner import Runner
from tocsin.service.runner.inspecting import Look

PATIENCE = 10.0
"""Seconds that a look may take."""


def take_look(runner: Runner, look: Look) -> Any:
    """What the look gives; raises `NotHere` where the state is elsewhere, `Busy` where the runner
    does not come to it.
    """
    done = runner.inspect(look)
    try:
        return done.result(PATIENCE)
    except TimeoutError:
        done.cancel()
        raise StateProblem(
            f"the engine did not come to it within {PATIENCE:g} s",
            code="Busy",
            hint="try again in a while; /readyz tells how it is",
        ) from None
