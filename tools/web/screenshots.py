"""Takes pictures of the main states of the pages: `make screenshots` writes them to docs/pictures."""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from parlour.games import load_game  # noqa: E402
from parlour.web.packing import replay_page  # noqa: E402
from parlour.web.stories import story_of  # noqa: E402
from support.web.browser import CHROMIUM, chromium  # noqa: E402
from support.web.records import fish_record, press_record  # noqa: E402

STATES = (
    # name, game, phase, theme, width, height, keys
    ("page-orders", "diplomacy", "F1902M", "light", 1440, 900, ()),
    ("page-ledger", "diplomacy", "F1903M", "dark", 1440, 900, ("l",)),
    ("page-phone", "diplomacy", "F1902M", "light", 390, 844, ()),
    ("page-fish", "fish", "12", "light", 1440, 900, ()),
)
PHASES = ("S1901M", "F1901M", "S1902M", "F1902M", "S1903M", "F1903M")
"""Phases of the animated picture."""
MILLISECONDS = 1400
"""Milliseconds of each frame."""
TOURNAMENT = ("fish", "strong:nodes=2000", "greedy", "lookahead2", "--blocks", "8", "--seed", "1", "--quiet")


def main() -> None:
    """Write one picture for each state, the animated one, and that of a tournament."""
    if CHROMIUM is None:
        sys.exit("chromium is not installed: run tools/web/install")
    folder = ROOT / "docs" / "pictures"
    with tempfile.TemporaryDirectory() as place, chromium() as browser:
        for game, events in (("diplomacy", press_record()), ("fish", fish_record())):
            page = replay_page(story_of(load_game(game), events, title=game))
            (Path(place) / f"{game}.html").write_text(page, encoding="utf-8")
        for name, game, phase, theme, width, height, keys in STATES:
            tab = browser.new_page(viewport={"width": width, "height": height}, color_scheme=theme)
            tab.goto(f"{(Path(place) / game).as_uri()}.html#{phase}")
            tab.wait_for_selector(".stage")
            for key in keys:
                tab.keyboard.press(key)
            if keys and tab.locator("#tab-ledger").count():
                tab.click("#tab-ledger")
            tab.wait_for_timeout(600)
            tab.screenshot(path=folder / f"{name}.jpg", type="jpeg", quality=82)
            tab.close()
            print(folder / f"{name}.jpg")
        _move(browser, Path(place), folder / "match.webp")
        _table(browser, Path(place), folder / "tournament.jpg")


def _move(browser: Any, place: Path, target: Path) -> None:
    """Write a negotiated match, phase by phase, as one animated picture."""
    tab = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme="light")
    frames = []
    for phase in PHASES:
        tab.goto(f"{(place / 'diplomacy').as_uri()}.html#{phase}")
        tab.wait_for_selector(".stage")
        tab.wait_for_timeout(900)
        frames.append(Image.open(io.BytesIO(tab.screenshot(type="png"))).convert("RGB").resize((960, 600)))
    tab.close()
    first, *others = frames
    first.save(target, save_all=True, append_images=others, duration=MILLISECONDS, loop=0, quality=60, method=6)
    print(target)


def _table(browser: Any, place: Path, target: Path) -> None:
    """Write the table of a small tournament."""
    page = place / "table.html"
    words = ["tournament", *TOURNAMENT, "--html", str(page), "--store", str(place / "t.db")]
    subprocess.run([sys.executable, "-m", "parlour", *words], check=True, stdout=subprocess.DEVNULL)
    tab = browser.new_page(viewport={"width": 1100, "height": 780}, color_scheme="light")
    tab.goto(page.as_uri())
    tab.wait_for_timeout(400)
    tab.screenshot(path=target, type="jpeg", quality=82)
    tab.close()
    print(target)


if __name__ == "__main__":
    main()
