"""The settings of the console: the section `[console]`."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BaseModel, Field, field_validator

_ADDRESS = re.compile(r"(https?)://([A-Za-z0-9.:\[\]-]|\{s\})+(?=/)")
_PLACES = ("{z}", "{x}", "{y}")


class ConsoleSettings(BaseModel):
    """`tiles` is the URL of map tiles with {z}, {x} and {y} in it; empty for the included
    coastlines.
    """

    model_config = {"extra": "forbid"}

    enabled: bool = True
    tiles: Annotated[str, Field(description="address of map tiles; empty for none")] = ""

    @field_validator("tiles")
    @classmethod
    def _is_address(cls, given: str) -> str:
        if given and not _is_tile_address(given):
            raise ValueError("an address such as https://tiles.example/{z}/{x}/{y}.png is expected")
        return given

    @property
    def tile_server(self) -> str:
        """Origin of the tiles for the page's policy; empty without tiles."""
        found = _ADDRESS.match(self.tiles)
        return "" if found is None else found[0].replace("{s}", "*")


def _is_tile_address(given: str) -> bool:
    sound = given.isascii() and given.isprintable() and not set(given) & set(" ;,'\"<>\\")
    return sound and _ADDRESS.match(given) is not None and all(each in given for each in _PLACES)
