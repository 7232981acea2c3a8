"""The timeline of a long match: years stand beside one another, and the list of moves follows it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from parlour.games import load_game
from parlour.web.packing import replay_page
from parlour.web.stories import story_of
from support.web.browser import needs_chromium
from support.web.records import fish_record, long_record

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

BOXES = "labels => labels.map((label) => { const box = label.getBoundingClientRect(); return [box.left, box.right]; })"


@needs_chromium
def test_years_are_not_written_over_one_another(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "long.html"
    file.write_text(replay_page(story_of(load_game("diplomacy"), long_record(), title="long")), encoding="utf-8")
    here = browser.new_page(viewport={"width": 1300, "height": 900})
    here.goto(file.as_uri())
    here.wait_for_selector(".tick i", state="attached")
    counts = []
    for width in (1300, 390, 1300):
        here.set_viewport_size({"width": width, "height": 900})
        here.wait_for_timeout(300)
        boxes = here.eval_on_selector_all(".tick i", BOXES)
        assert all(before[1] <= after[0] for before, after in pairwise(boxes)), width
        counts.append(len(boxes))
    assert counts == [counts[0], pytest.approx(counts[0] / 3, abs=3), counts[0]]
    assert counts[1] >= 3


@needs_chromium
def test_at_the_start_the_list_of_moves_begins_with_the_first(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "fish.html"
    file.write_text(replay_page(story_of(load_game("fish"), fish_record(), title="fish")), encoding="utf-8")
    here = browser.new_page(viewport={"width": 1300, "height": 360})
    here.goto(file.as_uri())
    here.wait_for_selector(".moves button")  # before that, nobody listens to keys
    first, last = here.locator(".moves button").first, here.locator(".moves button").last
    for key, shown, hidden in (("End", last, first), ("Home", first, last)):
        here.keyboard.press(key)
        here.wait_for_timeout(300)
        assert [is_in_sight(here, row) for row in (shown, hidden)] == [True, False], key


def is_in_sight(page: Page, row: Locator) -> bool:
    """Return True if a row is within the window and within the rows above and below it."""
    middle = "row => { const box = row.getBoundingClientRect(); return [box.x + 20, box.y + box.height / 2]; }"
    found = "([row, at]) => row.contains(document.elementFromPoint(...at))"
    handle = row.element_handle()
    return bool(page.evaluate(found, [handle, row.evaluate(middle)]))
