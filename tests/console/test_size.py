"""How much a visitor has to fetch."""

from __future__ import annotations

import gzip
import re

from playwright.sync_api import Page, Request, expect

from tocsin.service.console.files import STATIC, built_files

KILOBYTE = 1024


def _packed(name: str) -> int:
    return len(gzip.compress(built_files()[name].read_bytes(), 9))


def test_scripts_without_the_map_are_small() -> None:
    scripts = [name for name in built_files() if name.endswith(".js") and "map" not in name.lower()]
    assert len(scripts) > 8
    assert sum(map(_packed, scripts)) < 500 * KILOBYTE


def test_the_first_view_fetches_little_and_no_map(page: Page) -> None:
    asked: list[str] = []

    def note(request: Request) -> None:
        if "/assets/" in request.url:
            asked.append("assets/" + request.url.rsplit("/", 1)[-1])

    page.on("request", note)
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Live")
    expect(page.locator(".tile").first).to_be_visible()
    assert 2 < len(asked) < 20
    assert not [name for name in asked if re.search("map|countries|editor", name, re.IGNORECASE)]
    assert sum(map(_packed, asked)) < 100 * KILOBYTE


def test_the_page_has_nothing_inline() -> None:
    text = (STATIC / "index.html").read_text(encoding="utf-8")
    assert "<style" not in text
    assert "style=" not in text
    assert not re.search(r"<script(?![^>]*\ssrc=)", text)
    assert not re.search(r"\son\w+=", text)
    assert "://" not in text
