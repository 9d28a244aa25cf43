"""What the processes of a paced run have in common: lines come in by themselves, and what is seen
is noted over time.

A process reads its input in a thread, so that nobody who writes to it has to wait; what it cannot
keep up with waits in its memory. It takes notes a few times a second and leaves them in a file of
the run's folder.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from time import time
from typing import IO

from tocsin_benchmarks.harness.process_memory import resident_of_tree

EVERY = 0.2
"""Seconds between two notes."""

READY, DEADLINE = "ready", "deadline"
_MOST_LINES = 500


@dataclass(frozen=True, slots=True)
class Note:
    """At a time of the clock: messages that this process sent or received so far, composites, bytes
    of memory.
    """

    at: float
    messages: int
    composites: int
    memory: int


class Inbox:
    """Lines that come in; a thread takes them off the pipe."""

    def __init__(self, source: IO[bytes]) -> None:
        self._lines: SimpleQueue[bytes | None] = SimpleQueue()
        self._is_over = False
        Thread(target=self._read, args=(source,), daemon=True).start()

    def pieces(self, patience: float) -> Iterator[list[bytes]]:
        """What has come, piece by piece; an empty piece where nothing came for so many seconds.
        Ends with the input.
        """
        while not self._is_over:
            yield self._piece(patience)

    def _piece(self, patience: float) -> list[bytes]:
        piece: list[bytes] = []
        try:
            line = self._lines.get(timeout=patience)
            while line is not None:
                piece.append(line)
                if len(piece) >= _MOST_LINES:
                    return piece
                line = self._lines.get_nowait()
            self._is_over = True
        except Empty:
            pass
        return piece

    def _read(self, source: IO[bytes]) -> None:
        for line in source:
            self._lines.put(line)
        self._lines.put(None)


class Logbook:
    """The notes of one process of a run, counted up by it."""

    def __init__(self, folder: Path, name: str) -> None:
        self.messages = self.composites = 0
        self._folder, self._file = folder, folder / f"{name}.json"
        self._notes: list[Note] = []

    def look(self, *, always: bool = False) -> bool:
        """Takes a note where the last one is old enough; whether it did."""
        is_due = always or not self._notes or time() - self._notes[-1].at >= EVERY
        if is_due:
            self._notes.append(Note(time(), self.messages, self.composites, resident_of_tree()))
        return is_due

    def is_over(self) -> bool:
        """Whether the run has told a deadline, and it has passed."""
        deadline = self._folder / DEADLINE
        return deadline.exists() and time() > float(deadline.read_text())

    def close(self) -> None:
        """The last note, and all of them to the file."""
        self.look(always=True)
        self._file.write_text(json.dumps([asdict(note) for note in self._notes]))


def send(lines: list[bytes]) -> None:
    """Lines to the next process."""
    sys.stdout.buffer.writelines(lines)
    sys.stdout.buffer.flush()


def set_deadline(folder: Path, instant: float) -> None:
    """Until when the processes of a run may work; who looks for it finds it whole or not at all."""
    draft = folder / f"{DEADLINE}.draft"
    draft.write_text(str(instant))
    draft.rename(folder / DEADLINE)


def tell_ready(folder: Path, name: str) -> None:
    """The run waits for this before it begins."""
    (folder / f"{name}.{READY}").touch()
