"""Inspection of a runner's state with a timeout."""

from __future__ import annotations

from typing import Any

from tocsin.errors import StateProblem
from tocsin.service.runner import Runner
from tocsin.service.runner.inspection import Look

PATIENCE = 10.0
"""Seconds that an inspection may take."""


def take_look(runner: Runner, look: Look) -> Any:
    """Return the result of an inspection. Raises `NotHere` if the state is in another process,
    `Busy` after PATIENCE seconds.
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
