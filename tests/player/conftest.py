"""Pages opened in Chromium. `make test-browser` installs what that needs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from algolens.evaluation import Side
from algolens.player.page import player_page

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
OWN = ("file:", "blob:", "about:")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed: `make test-browser` brings it"
    )
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed, in which the page would be opened")
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def window(browser: Any) -> Iterator[Any]:
    """One window for all pages, for opening one takes longer than most tests."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    context.set_default_timeout(10_000)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    page.on(
        "console",
        lambda message: page.problems.append(message.text) if message.type == "error" else None,
    )
    page.on("dialog", lambda dialog: page.problems.append(dialog.message))
    page.on(
        "request",
        lambda request: None if request.url.startswith(OWN) else page.problems.append(request.url),
    )
    yield page
    context.close()


@pytest.fixture
def show(window: Any, tmp_path: Path) -> Iterator[Any]:
    """Opens the page of runs; whatever goes wrong in it, or is asked of the network, fails the
    test.
    """
    window.problems = []

    def opened(
        *sides: Side, width: int = 1280, height: int = 800, scheme: str = "light", at: str = ""
    ) -> Any:
        path = tmp_path / "run.html"
        path.write_text(player_page(sides, "a graph"))
        window.emulate_media(color_scheme=scheme)
        window.set_viewport_size({"width": width, "height": height})
        window.goto("about:blank")  # else another step of the same page would not be opened anew
        window.goto(path.as_uri() + at)
        return window

    yield opened
    assert not window.problems
