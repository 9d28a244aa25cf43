"""A client of the Pyright language server, which knows the types behind each name.

A method is renamed where an object of its class is used, and nowhere else: that takes types, which
a rewrite of syntax trees does not have.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any
from urllib.parse import unquote, urlparse

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class TextEdit:
    """A replacement of the characters from `start` to `end`, each a line and a column from 0.

    Columns count UTF-16 units, as the protocol has it.
    """

    start: tuple[int, int]
    end: tuple[int, int]
    text: str


class RenameRefused(Exception):
    """Raised where the server finds nothing to rename, or answers with an error."""


class LanguageServer:
    """A running language server for the files below a folder. Used as a context manager."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        command = [str(Path(sys.executable).parent / "basedpyright-langserver"), "--stdio"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=self._root
        )
        self._number = 0

    def __enter__(self) -> LanguageServer:
        folder = {"uri": self._root.as_uri(), "name": self._root.name}
        capabilities = {
            "workspace": {
                "configuration": True,
                "workspaceFolders": True,
                "workspaceEdit": {"documentChanges": True},
                "didChangeWatchedFiles": {"dynamicRegistration": False},
            }
        }
        self._ask(
            "initialize",
            {
                "processId": None,
                "rootUri": folder["uri"],
                "workspaceFolders": [folder],
                "capabilities": capabilities,
            },
        )
        self._notify("initialized", {})
        self._wait_for_files()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.terminate()
        self._process.wait()

    def rename(
        self, path: Path, line: int, column: int, name: str
    ) -> Mapping[Path, tuple[TextEdit, ...]]:
        """Return the edits, by file, that rename what stands at a place; raise RenameRefused."""
        uri = path.resolve().as_uri()
        document = {"uri": uri, "languageId": "python", "version": 1, "text": path.read_text()}
        self._notify("textDocument/didOpen", {"textDocument": document})
        try:
            answer = self._ask(
                "textDocument/rename",
                {
                    "textDocument": {"uri": uri},
                    "position": {"line": line, "character": column},
                    "newName": name,
                },
            )
        finally:
            self._notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        if not answer:
            raise RenameRefused(f"{path}:{line + 1}: the language server finds no name here")
        return _edits_in(answer)

    def note_changes(self, paths: Iterable[Path]) -> None:
        """Tell the server which files have changed on the disk."""
        changes = [{"uri": path.resolve().as_uri(), "type": 2} for path in paths]
        self._notify("workspace/didChangeWatchedFiles", {"changes": changes})

    def _ask(self, method: str, parameters: Json) -> Any:
        self._number += 1
        self._send({"id": self._number, "method": method, "params": parameters})
        while True:
            message = self._receive()
            if message.get("id") == self._number and "method" not in message:
                if "error" in message:
                    raise RenameRefused(message["error"]["message"])
                return message["result"]
            self._answer(message)

    def _wait_for_files(self) -> None:
        """Wait until the server has listed the source files: earlier, it would miss uses."""
        while True:
            message = self._receive()
            self._answer(message)
            if message.get("method") == "window/logMessage":
                text = message["params"]["message"]
                if "source file" in text:  # "Found 12 source files", "No source files found."
                    return

    def _answer(self, message: Json) -> None:
        """Answer what the server asks for by the way: it waits for its settings."""
        if "id" not in message or "method" not in message:
            return
        result: Any = None
        if message["method"] == "workspace/configuration":
            settings = {"typeCheckingMode": "off", "diagnosticMode": "openFilesOnly"}
            result = [
                settings if each.get("section", "").endswith("analysis") else {}
                for each in message["params"]["items"]
            ]
        self._send({"id": message["id"], "result": result})

    def _notify(self, method: str, parameters: Json) -> None:
        self._send({"method": method, "params": parameters})

    def _send(self, message: Json) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        pipe = _pipe(self._process.stdin)
        pipe.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        pipe.flush()

    def _receive(self) -> Json:
        pipe = _pipe(self._process.stdout)
        length = 0
        while line := pipe.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if not length:
            raise RenameRefused("the language server has ended")
        message: Json = json.loads(pipe.read(length))
        return message


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise RenameRefused("the language server has no pipe")
    return pipe


def _edits_in(answer: Json) -> dict[Path, tuple[TextEdit, ...]]:
    by_file = {
        each["textDocument"]["uri"]: each["edits"]
        for each in answer.get("documentChanges", ())
        if "textDocument" in each
    } or answer.get("changes", {})
    return {
        Path(unquote(urlparse(uri).path)): tuple(_edit_of(each) for each in edits)
        for uri, edits in by_file.items()
    }


def _edit_of(given: Json) -> TextEdit:
    start, end = given["range"]["start"], given["range"]["end"]
    return TextEdit(
        (start["line"], start["character"]), (end["line"], end["character"]), given["newText"]
    )
