"""Fixtures of the console's tests: one browser and one real server per module, and pages that fail
the test where they complain.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.console.browser import MILLISECONDS, Complaints, context_of, launch
from tests.service.serving import Served, served

expect.set_options(timeout=MILLISECONDS)

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All that shows a page needs a browser."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent) and "browser" in getattr(
            item, "fixturenames", ()
        ):
            item.add_marker("browser")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The browser of a module. It goes with it, since it comes with an event loop that runs in this
    thread, in which nobody else could run one.
    """
    with sync_playwright() as playwright:
        found = launch(playwright)
        yield found
        found.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A service without keys; modules that need a story tell it to this one."""
    with served(tmp_path_factory.mktemp("service"), lateness="0s") as found:
        yield found


@pytest.fixture
def complaints() -> Iterator[Complaints]:
    """What the pages of a test complain of; whatever was not allowed fails it."""
    found = Complaints()
    yield found
    assert found.unexpected == []


@pytest.fixture
def page(browser: Browser, server: Served, complaints: Complaints) -> Iterator[Page]:
    """A page of a visitor, on a desk; `page.goto("/#/live")` opens the console."""
    with context_of(browser, server.url) as context:
        opened = context.new_page()
        complaints.listen(opened)
        yield opened


@pytest.fixture
def lone(tmp_path: Path) -> Iterator[Served]:
    """A service of its own, with nothing in it, in which only events move time."""
    with served(tmp_path, lateness="0s", idle="off") as found:
        yield found


@pytest.fixture
def visit(browser: Browser, lone: Served, complaints: Complaints) -> Iterator[Page]:
    """A page of that service."""
    with context_of(browser, lone.url) as context:
        page = context.new_page()
        complaints.listen(page)
        yield page


@pytest.fixture
def picture() -> Callable[..., None]:
    """Makes a picture for the documentation, `docs/images/console-NAME.png`, where that is asked
    for (TOCSIN_SCREENSHOTS=1).
    """

    def take(page: Page, name: str) -> None:
        if os.environ.get("TOCSIN_SCREENSHOTS"):
            page.screenshot(path=IMAGES / f"console-{name}.png")

    return take
