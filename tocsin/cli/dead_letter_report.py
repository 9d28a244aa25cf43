"""What was not served is told on standard error, always; where nothing at all could be read, that
is a problem.
"""

from __future__ import annotations

import typer

from tocsin.cli.evaluators import Answer
from tocsin.cli.inputs import EventFiles
from tocsin.errors import MeaningProblem
from tocsin.plan.semantics.expired_windows import WINDOW_IN_PAST


def tell_unserved(answer: Answer, files: EventFiles, *, kept: bool) -> None:
    """Counts the dead letters and tells the first of them; `kept` where they were written to a
    file.
    """
    unserved = [letter for letter in answer.dead_letters if letter.code != WINDOW_IN_PAST]
    if unserved:
        first = unserved[0]
        where = f", the first at {first.place}" if first.line else ", the first"
        more = "" if kept else "; --dead-letters FILE keeps them all"
        typer.echo(
            f"tocsin: {len(unserved)} event(s) not served{where}: {first.reason}{more}", err=True
        )
    elif not answer.some_read:
        typer.echo(f"tocsin: there is no event in {files.told()}", err=True)


def require_some(answer: Answer, files: EventFiles) -> None:
    """Raises where there was something to read and none of it was an event."""
    if not answer.some_read and answer.dead_letters:
        hint = "--format says what a file holds, where its name and first bytes do not tell"
        raise MeaningProblem(
            f"nothing in {files.told()} could be read as an event", code="NothingRead", hint=hint
        )
