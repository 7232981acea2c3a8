"""The board of a page: what moves keeps its element, and what is painted follows phases, themes and sizes."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from parlour.games import load_game
from parlour.games.diplomacy.draw.geometry import geometry_of
from parlour.games.diplomacy.draw.sheets import sheet_of
from parlour.games.diplomacy.maps.map import standard
from parlour.web.packing import replay_page
from parlour.web.stories import Story, story_of
from support.web.browser import Tab, needs_chromium
from support.web.records import press_record

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = needs_chromium

PIXEL = """([x, y]) => {
  const canvas = document.querySelector("canvas");
  const [left, top] = [Math.round(canvas.width * x), Math.round(canvas.height * y)];
  return canvas.width ? [...canvas.getContext("2d").getImageData(left, top, 1, 1).data] : null;
}"""
AROUND = """([x, y]) => {
  const canvas = document.querySelector("canvas");
  const [left, top] = [Math.round(canvas.width * x) - 5, Math.round(canvas.height * y) - 5];
  const { data } = canvas.getContext("2d").getImageData(left, top, 11, 11);
  return Array.from({ length: 121 }, (_, i) => [...data.slice(4 * i, 4 * i + 4)]);
}"""
FITTED = """() => {
  const [canvas, stage] = [document.querySelector("canvas"), document.querySelector(".stage")];
  return canvas.width === Math.round(stage.clientWidth * devicePixelRatio) ? canvas.width : 0;
}"""
"""The width of the painting, once it is that of the board."""
COLOURS = """() => {
  const canvas = document.querySelector("canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const found = new Set();
  for (let i = 0; i < data.length; i += 4) found.add([...data.slice(i, i + 4)].join());
  return [...found];
}"""


@cache
def story() -> Story:
    return story_of(load_game("diplomacy"), press_record(), title="board")


@pytest.fixture
def here(browser: Browser, tmp_path: Path) -> Iterator[Tab]:
    """A page for each test: what one has clicked has the focus, and the arrow keys then are not the timeline's."""
    path = tmp_path / "replay.html"
    path.write_text(replay_page(story()), encoding="utf-8")
    context = browser.new_context(viewport={"width": 1300, "height": 800}, reduced_motion="reduce")
    tab = Tab(context.new_page())
    tab.page.goto(path.as_uri() + "#S1901M")
    tab.page.wait_for_selector(".stage")
    yield tab
    assert tab.problems == []
    context.close()


def paint(name: str, theme: str = "light") -> list[int]:
    colour = sheet_of(standard()).paints[theme][name]
    return [*bytes.fromhex(colour[1:]), 255]


def pixel(here: Tab, tag: str) -> Any:
    """Return the colour painted at a province's unit."""
    left, top, width, height = sheet_of(standard()).view
    x, y = geometry_of(standard()).provinces[tag].unit
    return here.page.evaluate(PIXEL, [(x - left) / width, (y - top) / height])


def show(here: Tab, key: str, title: str) -> None:
    here.page.keyboard.press(key)
    here.until(lambda: here.heading() == title)


def test_a_unit_that_moves_is_the_same_element_elsewhere(here: Tab) -> None:
    show(here, "Home", "Spring 1901, movement")
    told: list[dict[str, Any]] = msgspec.to_builtins(story())["past"]
    moved = next(one["x"]["turn"]["moved"] for one in told if "turn" in one.get("x", {}))
    assert len(moved) > 5
    here.page.evaluate(
        "(all) => { window.kept = all.map(([from]) => document.querySelector(`.unit[data-key=${from}]`)); }", moved
    )
    places = "() => window.kept.map((one) => one.isConnected && one.getAttribute('data-key'))"
    show(here, "ArrowRight", "Fall 1901, movement")
    assert here.page.evaluate(places) == [to for _, to in moved]
    show(here, "ArrowLeft", "Spring 1901, movement")
    assert here.page.evaluate(places) == [start for start, _ in moved]


def test_stars_stay_where_they_are_while_units_glide(here: Tab) -> None:
    here.page.emulate_media(reduced_motion="no-preference")
    show(here, "Home", "Spring 1901, movement")
    gliding = """() => {
      document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
      const layers = document.getAnimations().map((one) => one.effect.target.closest("[data-layer]")?.dataset.layer);
      return [...new Set(layers.filter(Boolean))];
    }"""
    assert here.page.evaluate(gliding) == ["units"]


def test_orders_take_the_place_of_others_and_few_are_drawn_anew(here: Tab) -> None:
    show(here, "Home", "Spring 1901, movement")
    here.page.evaluate("() => { window.lines = [...document.querySelectorAll('[data-layer=orders] path')]; }")
    show(here, "ArrowRight", "Fall 1901, movement")
    stayed = here.page.evaluate("() => window.lines.map((one) => one.isConnected)")
    assert len(stayed) > 30
    assert stayed.count(False) <= 2


def test_what_powers_own_is_painted_and_what_they_lose_is_not(here: Tab) -> None:
    show(here, "Home", "Spring 1901, movement")
    assert pixel(here, "PAR") == paint("france-land")
    assert pixel(here, "SPA") == paint("neutral")
    assert pixel(here, "NAF") == paint("land")
    found = here.page.evaluate(COLOURS)
    for name in ("france-band", "germany-band", "turkey-band"):
        assert ",".join(map(str, paint(name))) in found
    here.page.keyboard.press("End")
    here.until(lambda: pixel(here, "SPA") == paint("france-land"))
    show(here, "Home", "Spring 1901, movement")
    assert pixel(here, "SPA") == paint("neutral")


SEEN = """async ([shot, points]) => {
  const image = Object.assign(new Image(), { src: `data:image/png;base64,${shot}` });
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const pixel = (x, y) => context.getImageData(Math.round(x * image.width), Math.round(y * image.height), 1, 1).data;
  return points.map(([x, y]) => [...pixel(x, y)]);
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_ground_has_holes_where_land_is_and_hides_what_is_painted_elsewhere(here: Tab, theme: str) -> None:
    here.page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    show(here, "Home", "Spring 1901, movement")
    wanted = {"PIC": "france-land", "UKR": "russia-land", "NAF": "land", "NWY": "neutral", "ION": "sea"}
    left, top, width, height = sheet_of(standard()).view
    berths = [geometry_of(standard()).provinces[tag].unit for tag in wanted]
    points = [((x - left) / width, (y - top) / height) for x, y in berths]

    def seen() -> Any:
        shot = base64.b64encode(here.page.locator(".stage").screenshot()).decode()
        return here.page.evaluate(SEEN, [shot, points])

    here.until(lambda: seen() == [paint(name, theme) for name in wanted.values()])


def test_a_border_within_a_realm_has_no_band(here: Tab) -> None:
    show(here, "Home", "Spring 1901, movement")
    left, top, width, height = sheet_of(standard()).view
    borders = geometry_of(standard()).borders

    def seen(one: str, other: str) -> set[str]:
        """Return the paints that what is round the middle of a border comes nearest to."""
        edges = borders[one, other]
        (ax, ay), (bx, by) = edges[len(edges) // 2]
        at = [((ax + bx) / 2 - left) / width, ((ay + by) / 2 - top) / height]
        names = [f"{power}-{part}" for power in ("france", "germany") for part in ("land", "band")]
        return {min(names, key=lambda name: math.dist(paint(name), found)) for found in here.page.evaluate(AROUND, at)}

    assert seen("GAS", "PAR") == {"france-land"}
    assert {"france-band", "germany-band"} <= seen("BUR", "MUN")


def test_the_address_names_the_turn_that_is_looked_at_and_so_it_is_said(here: Tab) -> None:
    show(here, "Home", "Spring 1901, movement")
    here.page.wait_for_url("**#S1901M")
    show(here, "ArrowRight", "Fall 1901, movement")
    here.page.wait_for_url("**#F1901M")
    here.page.evaluate("location.hash = '#S1901M'")
    here.until(lambda: here.heading() == "Spring 1901, movement")
    here.page.evaluate("""() => {
      [window.written, window.said] = [[], []];
      const live = document.querySelector("[role=status]");
      new MutationObserver(() => window.said.push(live.textContent)).observe(live, { childList: true });
      history.replaceState = (_, __, address) => { window.written.push(address); };
      for (const key of ["ArrowRight", "ArrowRight", "ArrowRight", "Home", "ArrowRight"]) {
        document.dispatchEvent(new KeyboardEvent("keydown", { key }));
      }
    }""")
    here.until(lambda: here.page.evaluate("window.written.length"))
    assert here.page.evaluate("window.written") == ["#F1901M"]  # once, and not for what was passed on the way
    here.until(lambda: here.page.evaluate("window.said.length"))
    (said,) = here.page.evaluate("window.said")
    assert said.startswith("Fall 1901, movement. ")
    here.page.keyboard.press("l")
    here.until(lambda: here.page.evaluate("window.said.at(-1)") == "Pacts are shown on the map")


def test_press_stands_at_its_newest_line_until_somebody_scrolls(here: Tab) -> None:
    here.page.keyboard.press("End")
    here.page.click("#tab-press")
    log = here.page.locator(".log")
    here.until(lambda: log.evaluate("(log) => log.scrollHeight > log.clientHeight + 200"))
    bottom = "const bottom = (one) => one.getBoundingClientRect().bottom;"
    lowest = f"(log) => {{ {bottom} return bottom(log.querySelector('.press-message:last-child')) <= bottom(log); }}"
    assert log.evaluate(lowest)
    log.evaluate("(log) => log.scrollBy(0, -150)")
    here.until(lambda: not log.evaluate(lowest))
    show(here, "Home", "Spring 1901, movement")
    log.evaluate("(log) => log.firstElementChild.replaceChildren('A word')")
    top = "(log) => log.firstElementChild.getBoundingClientRect().top - log.getBoundingClientRect().top"
    assert abs(log.evaluate(top)) < 1  # what is short begins above


def test_colours_follow_the_theme_and_the_painting_its_size(here: Tab) -> None:
    show(here, "Home", "Spring 1901, movement")
    here.page.emulate_media(color_scheme="dark")
    here.until(lambda: pixel(here, "PAR") == paint("france-land", "dark"))
    fill = here.page.locator(".unit[data-key=PAR] use").get_attribute("fill")
    assert fill == sheet_of(standard()).paints["dark"]["france-unit"]
    sizes = {here.page.evaluate("document.querySelector('canvas').width")}
    # Without its side columns the board is larger on the narrower page; on a small one it is smaller.
    for width, height in ((1000, 700), (600, 400)):
        here.page.set_viewport_size({"width": width, "height": height})
        here.until(lambda: here.page.evaluate(FITTED) not in {0, *sizes})
        sizes.add(here.page.evaluate(FITTED))
    here.until(lambda: pixel(here, "PAR") == paint("france-land", "dark"))
    here.page.emulate_media(color_scheme="light")
    here.until(lambda: pixel(here, "PAR") == paint("france-land"))


DATA = """() => {
  const canvas = document.querySelector("canvas");
  return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
}"""
OTHER = f"""() => {{
  const fresh = ({DATA})();
  const across = 4 * document.querySelector("canvas").width;
  const other = (i) => [0, 1, 2].some((part) => Math.abs(window.before[i + part] - fresh[i + part]) > 20);
  let count = 0;
  for (let i = 4; i < fresh.length - across; i += 4) count += [i - 4, i, i + across, i + across - 4].every(other);
  return count;
}}"""
"""Number of differing squares of four pixels: along edges, each further painting lets the ground shine through."""


def test_what_is_painted_bit_by_bit_is_as_if_it_were_painted_at_once(here: Tab) -> None:
    show(here, "Home", "Spring 1901, movement")
    others = []
    for key in ("ArrowRight",) * 6 + ("ArrowLeft",) * 2:
        title = here.heading()
        here.page.keyboard.press(key)
        here.until(partial(differs, here, title))
        here.page.evaluate(f"() => {{ window.before = ({DATA})(); }}")
        here.page.emulate_media(color_scheme="dark")
        here.until(partial(is_painted, here, "dark"))
        here.page.emulate_media(color_scheme="light")
        here.until(partial(is_painted, here, "light"))
        others.append(here.page.evaluate(OTHER))
    assert max(others) < 40, others


def differs(here: Tab, title: str) -> bool:
    return here.heading() != title


def is_painted(here: Tab, theme: str) -> bool:
    """Return True if the colours are those of a theme."""
    return pixel(here, "PAR") in [paint(f"{power}-land", theme) for power in ("france", "germany", "england")]


OUTSIDE = """([outlines, paper]) => {
  const canvas = document.querySelector("canvas");
  const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
  const context = copy.getContext("2d");
  context.drawImage(canvas, 0, 0);
  context.globalCompositeOperation = "destination-out";
  context.setTransform(canvas.getContext("2d").getTransform());
  context.lineWidth = 16;
  for (const outline of outlines) {
    context.fill(new Path2D(outline));
    context.stroke(new Path2D(outline));
  }
  const { data } = context.getImageData(0, 0, copy.width, copy.height);
  let count = 0;
  const other = (pixel) => pixel[3] > 99 && paper.slice(0, 3).some((part, i) => Math.abs(part - pixel[i]) > 9);
  for (let i = 0; i < data.length; i += 4) count += other(data.subarray(i, i + 4));
  return count;
}"""


def test_bands_stay_inside_their_provinces(here: Tab) -> None:
    """Islands are narrower than two bands, and Constantinople has a sea within it."""
    here.page.set_viewport_size({"width": 2400, "height": 1800})
    here.until(lambda: here.page.evaluate("document.querySelector('canvas').width") > 1400)
    show(here, "Home", "Spring 1901, movement")
    assert pixel(here, "CON") == paint("turkey-land")
    geometry = geometry_of(standard())
    land = [geometry.paths[tag] for tag, shape in geometry.provinces.items() if not shape.sea]
    assert here.page.evaluate(OUTSIDE, [land, paint("paper")]) < 20
    assert here.page.evaluate(OUTSIDE, [land[1:], paint("paper")]) > 20


WHOLE = """() => {
  const room = document.querySelector(".board").getBoundingClientRect();
  const { left, top, width, height, right, bottom } = document.querySelector(".stage").getBoundingClientRect();
  const canvas = document.querySelector("canvas");
  const inside = left >= room.left && top >= room.top && right <= room.right && bottom <= room.bottom;
  const slack = Math.min(room.width - width, room.height - height);
  return width > 0 && inside && slack < 2 && [left, top, width, height].every(Number.isInteger)
    && canvas.width === width && canvas.height === height;
}"""
"""True once the stage fills its room in one direction, with its edges and its painting on whole pixels."""


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1201, 803), (845, 391), (391, 845)])
def test_the_board_lies_on_whole_pixels_and_hides_what_is_below(here: Tab, width: int, height: int) -> None:
    here.page.set_viewport_size({"width": width, "height": height})
    here.until(lambda: here.page.evaluate("innerWidth") == width)
    here.until(lambda: here.page.evaluate(WHOLE))
    lowest = here.page.evaluate_handle("""() => document.querySelector(".stage > .layer")""")
    assert lowest.evaluate("""(one) => one.getContext("2d").getContextAttributes().alpha""") is False


def test_names_lie_above_pieces(here: Tab) -> None:
    """Hide the orders and units that would cover the places."""
    last = "[...document.querySelectorAll('.stage > .layer')].findLastIndex((one) => one.matches('img'))"
    pieces = "[...document.querySelectorAll('.stage > .layer')].findIndex((one) => one.querySelector('.unit'))"
    assert here.page.evaluate(last) > here.page.evaluate(pieces) > 0
