"""`tocsin bench xml`: K blocks over small and large documents beside one XPath for each, and the
paper's table 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from tocsin_benchmarks.harness.output import save, show
from tocsin_benchmarks.harness.runner import about_machine, run_module
from tocsin_benchmarks.harness.table import NOTHING, Table, rounded
from tocsin_benchmarks.selectors.command import _numbers, _progress
from tocsin_benchmarks.xml.paper import KEYS, paper_table

SIZES = (1_000, 10_000, 100_000)
BYTES = (2_000, 50_000)
DOCUMENT_BYTES = 200_000
"""So many bytes of documents, and 8 of them at least, are used again and again in each measurement.
"""

_HEADER = (
    "blocks",
    "document",
    "documents/s",
    "with parsing",
    "XPath each, documents/s",
    "times as fast",
    "matches/document",
    "candidates/document",
    "built in",
    "bytes/block",
)


class Part(StrEnum):
    """What is measured."""

    BLOCKS = "blocks"
    PAPER = "paper"


def xml(
    part: Annotated[
        list[Part] | None,
        typer.Option(
            help="blocks: many blocks beside XPath; paper: the experiment of its table 1."
        ),
    ] = None,
    sizes: Annotated[
        str | None, typer.Option(help="Numbers of blocks, as 1000,10000,100000.")
    ] = None,
    document: Annotated[
        str | None, typer.Option(help="Bytes of a document, as 2000,50000.")
    ] = None,
    orders: Annotated[int, typer.Option(min=1, help="Orders of the paper's events.")] = 30,
    seed: Annotated[int, typer.Option(help="Blocks and documents are drawn from it.")] = 5,
    output: Annotated[
        Path, typer.Option(help="Where results.json, report.md and the plot go.", file_okay=False)
    ] = Path("artifacts/bench-xml"),
) -> None:
    """Measure matching of XML blocks: documents in memory, many blocks at once, on one core.

    Every measurement runs in a process of its own; the baseline is one compiled lxml XPath
    expression per block.
    """
    lengths, numbers = (
        _numbers(document, "--document") or BYTES,
        _numbers(sizes, "--sizes") or SIZES,
    )
    requests = [
        request
        for each in part or list(Part)
        for request in _requests(each, lengths, numbers, orders, seed)
    ]
    saved: dict[str, Any] = {
        "machine": about_machine(),
        "seed": seed,
        "trials": [],
        "plot": _plot([]),
    }
    with _progress(len(requests)) as advance:
        for module, request in requests:
            advance(
                ", ".join(f"{name} {value:,}" for name, value in request.items() if name != "seed")
            )
            saved["trials"].append(run_module(module, request))
            saved["plot"] = _plot(_about_blocks(saved["trials"]))
            save(saved, output)
    show(saved, tables_of(saved["trials"]), output)


def _requests(
    part: Part, lengths: Sequence[int], numbers: Sequence[int], orders: int, seed: int
) -> Iterator[tuple[str, dict[str, Any]]]:
    if part is Part.PAPER:
        for keys in KEYS:
            yield "tocsin_benchmarks.xml.paper", {"keys": keys, "orders": orders, "seed": seed}
        return
    for length in lengths:
        for size in numbers:
            documents = max(8, DOCUMENT_BYTES // length)
            yield (
                "tocsin_benchmarks.xml.trial",
                {"blocks": size, "bytes": length, "documents": documents, "seed": seed},
            )


def tables_of(trials: Sequence[Mapping[str, Any]]) -> list[Table]:
    """The blocks, and the paper's table, as far as they were asked for."""
    blocks, paper = _about_blocks(trials), [trial for trial in trials if "keys" in trial["trial"]]
    return [*([table_of(blocks)] if blocks else []), *([paper_table(paper)] if paper else [])]


def _about_blocks(trials: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [trial for trial in trials if "blocks" in trial["trial"]]


def table_of(trials: Sequence[Mapping[str, Any]]) -> Table:
    """One line for each trial."""
    return Table("XML blocks", _HEADER, tuple(map(_row, trials)), _notes(trials))


def _row(figures: Mapping[str, Any]) -> tuple[str, ...]:
    blocks = f"{figures['trial']['blocks']:,}"
    if "refused" in figures:
        return (blocks, figures["refused"], *[NOTHING] * (len(_HEADER) - 2))
    ours, theirs = figures["seconds_per_document"], figures["baseline_seconds_per_document"]
    sampled = "~" if figures["baseline_blocks"] < figures["trial"]["blocks"] else ""
    return (
        blocks,
        f"{figures['document_bytes'] / 1000:.0f} KB",
        rounded(1 / ours),
        rounded(1 / (ours + figures["parsing_seconds"])),
        sampled + rounded(1 / theirs),
        rounded(theirs / ours),
        rounded(figures["hits"]),
        rounded(figures["candidates"]),
        f"{figures['build_seconds']:.2f} s",
        rounded(figures["bytes_per_block"]),
    )


def _notes(trials: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    differing = [trial["trial"] for trial in trials if not trial.get("same_matches", True)]
    said = f"DIFFERENT matches in {differing}." if differing else "Both find the same matches."
    return (
        (
            "Both sides use the same trees, parsed before the clock runs except where parsing is"
            f" named. {said}"
        ),
        (
            "~ is scaled from 10,000 of the blocks. A candidate is a block whose anchor, a path"
            " with a text or an attribute, is in the document."
        ),
    )


def _plot(trials: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    lines: dict[str, list[tuple[int, float]]] = {}
    for figures in trials:
        if "refused" not in figures:
            blocks, size = figures["trial"]["blocks"], f"{figures['document_bytes'] / 1000:.0f} KB"
            lines.setdefault(f"tocsin, {size}", []).append(
                (blocks, 1 / figures["seconds_per_document"])
            )
            lines.setdefault(f"XPath each, {size}", []).append(
                (blocks, 1 / figures["baseline_seconds_per_document"])
            )
    return {"x": "blocks", "lines": lines}
