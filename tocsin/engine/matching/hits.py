"""Hits: which subscription rang for which event, in the order of (event, insertion of the subscription)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """Pairs of event index and subscription slot. A slot means its subscription until that is removed."""

    events: Numbers
    slots: Numbers

    def __len__(self) -> int:
        return len(self.events)


def joined(parts: list[Hits]) -> Hits:
    """The hits of consecutive parts of a batch."""
    if len(parts) == 1:
        return parts[0]
    nothing = np.empty(0, np.int32)
    return Hits(
        np.concatenate([nothing, *(part.events for part in parts)]),
        np.concatenate([nothing, *(part.slots for part in parts)]),
    )
