"""The built files of the console, with a policy that restricts its page. Only existing files are
served.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

STATIC = Path(__file__).parent / "static"
"""Folder of the files built by `make console`."""

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
    """A file in the form that is sent: its body, its gzip body if that is shorter, type and tag."""

    kind: str
    body: bytes
    packed: bytes | None
    tag: str


def built_files(folder: Path = STATIC) -> dict[str, Path]:
    """Return the built files by their path below the folder; empty if there is no index page."""
    if not (folder / INDEX).is_file():
        return {}
    found = (each for each in folder.rglob("*") if each.is_file() and each.suffix in KINDS)
    return {each.relative_to(folder).as_posix(): each for each in found}


def read_file(file: Path) -> BuiltFile:
    """Return a file; it is read and compressed once per version."""
    return _read(file, file.stat().st_mtime_ns)


@lru_cache(maxsize=256)
def _read(file: Path, _changed: int) -> BuiltFile:
    body = file.read_bytes()
    packed = None if file.suffix in _PACKED_ALREADY else gzip.compress(body, 9, mtime=0)
    if packed is not None and len(packed) >= len(body):
        packed = None
    return BuiltFile(KINDS[file.suffix], body, packed, blake2b(body, digest_size=12).hexdigest())


def page_policy(tile_server: str = "") -> str:
    """Return the content security policy of the console: its own files, this service, and tiles."""
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
