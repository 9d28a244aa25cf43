"""`tocsin warm`: machine code of all loops, in a folder that can be shipped to other machines."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from tocsin.engine.index.kernel_folders import VARIABLE
from tocsin.service.runner.warm_up import warm_all


def warm(
    folder: Annotated[Path, typer.Argument(help="The folder; it is made if it is missing.")],
) -> None:
    """Compile all loops into a folder that can be shipped to fresh machines.

    The machine code is for this processor, Python and numba. NUMBA_CPU_NAME=generic, here and for
    the workers, makes it the same for all processors of this kind.
    """
    folder.mkdir(parents=True, exist_ok=True)
    os.environ[VARIABLE] = str(folder.absolute())
    warm_all()
    files = [each for each in folder.rglob("*") if each.is_file()]
    size = sum(each.stat().st_size for each in files) / 1e6
    typer.echo(f"{len(files)} files, {size:.1f} MB in {folder}: set {VARIABLE} to its path")
