"""Real Chromium, as Debian has it, and pages that tell what went wrong in them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, Request

from tests.servers import without
from tests.waiting import PATIENCE

LAUNCH = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync"
).split()

DESK = {"width": 1360, "height": 860}
PHONE = {"width": 390, "height": 844}

MILLISECONDS = PATIENCE * 1000
"""How long a page may take to show what must appear."""


def launch(playwright: Playwright) -> Browser:
    """The browser of this process."""
    found = shutil.which("chromium")
    if found is None:
        without("no Chromium; the tests of the console need it (install chromium)")
    return playwright.chromium.launch(executable_path=found, headless=True, args=LAUNCH)


@dataclass
class Complaints:
    """What a page complained of: errors in its console, uncaught ones, what the policy of the
    service refused, and requests to anybody but the service. A test that brings one about on
    purpose allows it.
    """

    found: list[str] = field(default_factory=list)
    allowed: list[str] = field(default_factory=list)

    def allow(self, pattern: str) -> None:
        """This is meant to happen."""
        self.allowed.append(pattern)

    def listen(self, page: Page) -> None:
        """Hears all of a page."""
        page.on("console", self._hear)
        page.on("request", self._see)
        page.on("pageerror", lambda error: self.found.append(f"uncaught: {error}"))

    @property
    def unexpected(self) -> list[str]:
        """What nobody allowed."""
        return [
            each
            for each in self.found
            if not any(re.search(pattern, each) for pattern in self.allowed)
        ]

    def _see(self, request: Request) -> None:
        if not re.match(r"http://127\.0\.0\.1:|data:|blob:", request.url):
            self.found.append(f"a request to {request.url}")

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.found.append(f"{message.type}: {message.text} {message.location.get('url', '')}")


@contextmanager
def context_of(browser: Browser, url: str, **options: Any) -> Iterator[BrowserContext]:
    """A visitor of a service who has seen the tour; nothing of others is kept."""
    shape = {"viewport": DESK, "locale": "en-GB", "timezone_id": "UTC", **options}
    context = browser.new_context(base_url=url, **shape)
    context.set_default_timeout(MILLISECONDS)
    context.add_init_script("localStorage.setItem('tocsin.tour', 'taken')")
    try:
        yield context
    finally:
        context.close()
