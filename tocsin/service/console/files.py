"""The files of the console, as they were built, with headers that let a page do nothing but what it
is made for. Only files that are there by name are served.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

STATIC = Path(__file__).parent / "static"
"""Where `make console` puts the built files."""

INDEX = "index.html"

KINDS = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
}
_PACKED_ALREADY = {".png", ".woff2", ".ico"}

NOT_BUILT = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Tocsin</title></head>
<body>
<h1>The console is not built</h1>
<p>The service runs. Its addresses can be read and tried at <a href="/docs">/docs</a>.</p>
<p>In a checkout, <code>make console</code> builds the console; a release has it built in.</p>
</body>
</html>
"""


@dataclass(frozen=True, slots=True)
class BuiltFile:
    """What is sent of a file: as it is and, where that is shorter, packed with gzip."""

    kind: str
    body: bytes
    packed: bytes | None
    tag: str


def built_files(folder: Path = STATIC) -> dict[str, Path]:
    """The built files by their path below the folder; empty where nothing is built."""
    if not (folder / INDEX).is_file():
        return {}
    found = (each for each in folder.rglob("*") if each.is_file() and each.suffix in KINDS)
    return {each.relative_to(folder).as_posix(): each for each in found}


def read_file(file: Path) -> BuiltFile:
    """A file; it is read and packed once, unless it changes."""
    return _read(file, file.stat().st_mtime_ns)


@lru_cache(maxsize=256)
def _read(file: Path, _changed: int) -> BuiltFile:
    body = file.read_bytes()
    packed = None if file.suffix in _PACKED_ALREADY else gzip.compress(body, 9, mtime=0)
    if packed is not None and len(packed) >= len(body):
        packed = None
    return BuiltFile(KINDS[file.suffix], body, packed, blake2b(body, digest_size=12).hexdigest())


def page_policy(tile_server: str = "") -> str:
    """What a page of the console may load, run and ask: its own files, this service, and tiles."""
    images = " ".join(filter(None, ("'self'", "data:", tile_server)))
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            f"img-src {images}",
            "connect-src 'self'",
            "font-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )
