"""Debian's Chromium for tests of pages, driven by Playwright; where it is missing, tests are skipped and say so."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Self

import pytest

from support import TESTS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from support.web.program import Program
    from support.web.server import WebServer

WIDE, PHONE = (1440, 900), (390, 844)
CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-software-rasterizer",
    "--in-process-gpu",  # a process fewer to paint through
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
AXE = TESTS.parent / "tools" / "web" / "node_modules" / "axe-core" / "axe.min.js"

STILL = """async ([place, coast]) => {
  const { view, places } = window.parlourSheet;
  const look = () => document.querySelector(".stage").getBoundingClientRect();
  const frame = () => new Promise((settle) => requestAnimationFrame(settle));
  for (let box = look(); ; box = look()) {
    await frame();
    const { x, y, width, height } = look();
    if (width && x === box.x && y === box.y && width === box.width) {
      return [view, coast ? places[place].coasts[coast].at : places[place].at, { x, y, width, height }];
    }
  }
}"""
"""Where a place is, once the board has stood still for a frame."""

ALL_LOOKS = [("light", 1440, 900), ("dark", 1440, 900), ("light", 390, 844), ("dark", 390, 844)]
LOOKS = ALL_LOOKS if os.environ.get("PARLOUR_HYPOTHESIS") == "long" else ALL_LOOKS[::3]
"""Each theme and each width once: a rule of axe is about colours or about the layout. The long profile has them all."""
SETTLED = """([theme, width]) => document.documentElement.dataset.theme === theme && innerWidth === width
  && !document.getAnimations().some((one) => one.playState === "running" && one.effect.getTiming().iterations < 9)"""

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: run tools/web/install")
needs_axe = pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not installed: run tools/web/install")


class OpenBrowser:
    """A browser that stays open from test to test: to start it takes longer than most tests of pages."""

    def __enter__(self) -> Self:
        from playwright.sync_api import sync_playwright

        with ExitStack() as stack:
            playwright = stack.enter_context(sync_playwright())
            self._browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            stack.callback(self._browser.close)
            self._stack = stack.pop_all()
        # Playwright leaves its loop as the one that runs in this thread, where other tests could then run none.
        self._loop = asyncio.get_running_loop()
        asyncio._set_running_loop(None)
        return self

    def __exit__(self, *error: object) -> None:
        asyncio._set_running_loop(self._loop)
        self._stack.close()

    @contextmanager
    def in_use(self) -> Iterator[Browser]:
        """Let a test use the browser, and run no other loop meanwhile."""
        asyncio._set_running_loop(self._loop)
        try:
            yield self._browser
        finally:
            asyncio._set_running_loop(None)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield a browser for a program that is not a test."""
    with OpenBrowser() as opened, opened.in_use() as found:
        yield found


def violations(here: Tab) -> list[str]:
    """Return the findings of axe, as rule and element."""
    # The script of axe is not the page's own, so it comes in by the tools of the browser, past the page's policy.
    if not here.page.evaluate("typeof window.axe !== 'undefined'"):
        here.page.evaluate(AXE.read_text(encoding="utf-8"))
    found: Any = here.page.evaluate("async () => (await axe.run()).violations")
    return [f"{one['id']}: {node['html'][:160]}" for one in found for node in one["nodes"]]


def look_at(here: Tab, theme: str, width: int, height: int) -> None:
    """Look at the page in a theme and at a size, once it has settled."""
    here.page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    here.page.set_viewport_size({"width": width, "height": height})
    here.page.wait_for_function(SETTLED, arg=[theme, width])


def tab(
    browser: Browser, server: WebServer | Program, token: str = "", size: tuple[int, int] = WIDE, **options: Any
) -> Tab:
    """Return a page in a context of its own, signed in if there is a token.

    Unless a test wants motion, nothing glides or fades: the processor would paint each frame.
    """
    viewport = {"width": size[0], "height": size[1]}
    context = browser.new_context(**{"viewport": viewport, "reduced_motion": "reduce", **options})
    if token:
        context.add_cookies([{"name": "parlour", "value": token, "url": server.url}])
    return Tab(context.new_page())


class Tab:
    """A page, with what went wrong in it, and places on its board as points on the screen."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.problems: list[str] = []
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", lambda message: self.problems.append(message.text) if message.type == "error" else None)
        page.set_default_timeout(60_000)

    def go(self, url: str) -> Tab:
        """Open an address, and wait until its script has shown something."""
        self.page.goto(url)
        self.page.wait_for_selector("body[data-ready]")
        return self

    def at(self, place: str, dx: float = 0, dy: float = 0, coast: str = "") -> tuple[float, float]:
        """Where a place of the board is on the screen."""
        (left, top, width, height), (x, y), box = self.page.evaluate(STILL, [place, coast])
        return (
            box["x"] + (x + dx - left) / width * box["width"],
            box["y"] + (y + dy - top) / height * box["height"],
        )

    def learn_sheet(self, url: str) -> None:
        """Keep the sheet of the page's board at hand for at."""
        self.page.evaluate("async (url) => { window.parlourSheet = await (await fetch(url)).json(); }", url)

    def click(self, place: str, dx: float = 0, dy: float = 0, coast: str = "") -> None:
        """Click a place of the board."""
        self.page.mouse.click(*self.at(place, dx, dy, coast))

    def until(self, check: Callable[[], Any]) -> None:
        """Wait until something holds."""
        for _ in range(1200):
            if check():
                return
            self.page.wait_for_timeout(50)
        raise AssertionError("it did not come about")

    def heading(self) -> str:
        """Return the event that the page shows."""
        return self.page.locator("h1").first.inner_text()
