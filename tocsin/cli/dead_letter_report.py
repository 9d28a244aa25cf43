"""Reports of unserved events on standard error; if no event could be read at all, that is a
problem.
"""

from __future__ import annotations

import typer

from tocsin.cli.evaluators import EvaluationResult
from tocsin.cli.inputs import EventFiles
from tocsin.errors import MeaningProblem
from tocsin.plan.semantics.expired_windows import WINDOW_IN_PAST


def report_dead_letters(answer: EvaluationResult, files: EventFiles, *, kept: bool) -> None:
    """Report the number of dead letters and the first of them; `kept` if they were written to a
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
        typer.echo(f"tocsin: there is no event in {files.describe()}", err=True)


def require_some(answer: EvaluationResult, files: EventFiles) -> None:
    """Raise if there was input and none of it was an event."""
    if not answer.some_read and answer.dead_letters:
        hint = "--format says what a file holds, where its name and first bytes do not tell"
        raise MeaningProblem(
            f"nothing in {files.describe()} could be read as an event",
            code="NothingRead",
            hint=hint,
        )
