"""Takes pictures of the main states of the pages: `make screenshots` writes them to docs/pictures."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from parlour.games import load_game  # noqa: E402
from parlour.web.packing import replay_page  # noqa: E402
from parlour.web.stories import story_of  # noqa: E402
from web_browser import CHROMIUM, chromium  # noqa: E402
from web_records import fish_record, press_record  # noqa: E402

STATES = (
    # name, game, phase, theme, width, height, keys
    ("page-orders", "diplomacy", "F1902M", "light", 1440, 900, ()),
    ("page-ledger", "diplomacy", "F1903M", "dark", 1440, 900, ("l",)),
    ("page-phone", "diplomacy", "F1902M", "light", 390, 844, ()),
    ("page-fish", "fish", "12", "light", 1440, 900, ()),
)


def main() -> None:
    """Write one picture for each state."""
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


if __name__ == "__main__":
    main()
