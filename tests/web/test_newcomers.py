"""Stumbling blocks of a first visit: the own identity, results of orders, parts that hide others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from parlour.core.game import Seat
from parlour.core.intents import Act
from parlour.core.terms import PressMode, PressTerms, Terms
from parlour.games.diplomacy.draw.sheets import sheet_of
from parlour.games.diplomacy.maps.map import standard
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import DIPLOMACY
from support.hall.people import session_of, submitted
from support.web.browser import Tab, needs_chromium, tab
from support.web.server import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [needs_chromium]
POWERS = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")
READY = "button:text-is('Ready')"
COVERED = """([selector, points, view]) => {
  const stage = document.querySelector(".stage").getBoundingClientRect();
  const box = document.querySelector(selector).getBoundingClientRect();
  return points.filter(([x, y]) => {
    const across = stage.x + ((x - view[0]) / view[2]) * stage.width;
    const down = stage.y + ((y - view[1]) / view[3]) * stage.height;
    return box.width && across > box.left - 9 && across < box.right + 9 && down > box.top - 9 && down < box.bottom + 9;
  });
}"""
"""JavaScript that returns the points on the board, or close to it, that are covered."""
APART = """(selector) => {
  const stage = document.querySelector(".stage").getBoundingClientRect();
  const box = document.querySelector(selector).getBoundingClientRect();
  return stage.width > 0 && box.width > 0 && (box.top >= stage.bottom || box.left >= stage.right);
}"""


def opened(server: WebServer, account: str = "", seat: str = "FRANCE") -> str:
    """Return a match with press, in which the house holds still wherever nobody sits."""
    terms = Terms(conduct=DIPLOMACY, press=PressTerms(PressMode.ANYTIME, level=8000))
    agents = {Seat(power): "hold" for power in POWERS if power != seat or not account}
    setup = MatchSetup(game="diplomacy", config={"last_year": 1901}, terms=terms, agents=agents)
    match = server.run(session_of(server.hall, "house", admin=True).open(setup))
    if account:
        assert server.run(session_of(server.hall, account).join(match, Seat(seat))).refusal is None
    return match


def visit(
    browser: Browser, server: WebServer, path: str, account: str = "", size: tuple[int, int] = (1440, 900)
) -> Tab:
    return tab(browser, server, server.sign_in(account) if account else "", size).go(f"{server.url}{path}")


def test_a_player_is_told_what_became_of_the_orders_and_can_look_back(browser: Browser, server: WebServer) -> None:
    match = opened(server, "nora")
    here = visit(browser, server, f"/match/{match}", "nora")
    assert here.page.locator(".seat.own .player").inner_text().strip() == "you (nora)"
    assert here.page.locator(".before").count() == 0  # nothing was before
    here.page.click(".seats-panel summary")  # the terms can still be read
    assert "Last year: 1901" in here.page.locator(".seats-panel .terms").inner_text()
    here.page.select_option("[data-unit=PAR] select", "A PAR - BUR")
    # Nobody goes there, so that to help with it fails.
    here.page.select_option("[data-unit=MAR] select", "A MAR S A MUN - BUR")
    here.until(lambda: here.page.locator("[data-layer=orders] .order").count() == 2)
    here.page.click(READY)
    said = "Spring 1901, movement: 1 of 3 of your orders failed."
    here.until(lambda: here.page.locator(".before").count() and said in here.page.locator(".before").inner_text())
    here.page.click(".before button")
    here.until(lambda: here.heading() == "Spring 1901, movement")
    assert here.page.locator(".order-result.bad .text").inner_text() == "A MAR S A MUN - BUR"
    here.page.keyboard.press("End")
    here.until(lambda: here.page.locator(READY).count())
    here.page.click(READY)
    here.until(lambda: "Fall 1901, movement: all your orders succeeded." in here.page.locator(".entry").inner_text())
    assert here.problems == []


def test_who_watches_is_offered_no_seat_that_is_not_there(browser: Browser, server: WebServer) -> None:
    match = opened(server, "olga")
    here = visit(browser, server, f"/match/{match}")
    here.until(lambda: here.page.locator(".seat").count() == 7)
    empty = "Nothing was said to everyone. What powers say among themselves only they hear."
    assert here.page.locator(".said .empty").inner_text() == empty
    acts = submitted(session_of(server.hall, "olga"), match, Act(Seat("FRANCE"), ["A PAR - BUR"]))
    assert server.run(acts).refusal is None
    here.until(lambda: here.heading() == "Fall 1901, movement")
    assert here.page.locator(".seat").count() == 7
    assert here.page.locator("text=Take a seat").count() == 0
    assert here.problems == []


def test_neither_tools_nor_sentences_hide_the_board(browser: Browser, server: WebServer) -> None:
    here = visit(browser, server, f"/match/{opened(server, 'petra')}", "petra")
    for width, height in ((1920, 1080), (1280, 720), (1440, 900)):
        here.page.set_viewport_size({"width": width, "height": height})
        here.until(lambda: here.page.evaluate(APART, ".map-tools") and here.page.evaluate(APART, ".sentence-bar"))
    here.page.goto(f"{server.url}/sandbox")
    here.until(lambda: here.page.locator(".sentence-bar").count() and here.page.evaluate(APART, ".sentence-bar"))


def test_on_a_phone_tools_hide_no_unit_and_press_has_room(browser: Browser, server: WebServer) -> None:
    here = visit(browser, server, f"/match/{opened(server, 'quinn')}", "quinn", (390, 844))
    sheet: Any = sheet_of(standard())
    points = [place["at"] for place in sheet.places.values()]
    points += [coast["at"] for place in sheet.places.values() for coast in place.get("coasts", {}).values()]
    here.until(lambda: here.page.evaluate("document.querySelector('.stage').clientWidth") > 300)
    assert here.page.evaluate(COVERED, [".map-tools", points, sheet.view]) == []
    here.page.click("#tab-press")
    # Enough for a message with what one may answer to it.
    here.until(lambda: here.page.evaluate("document.querySelector('.log').clientHeight") > 150)
    here.page.fill(".free textarea", "Shall we talk?")
    here.page.click("button:has-text('Propose something')")
    here.page.wait_for_selector(".proposal")


def test_the_press_of_the_exhibition_is_there_to_be_read(browser: Browser, empty_server: WebServer) -> None:
    here = visit(browser, empty_server, "/")
    here.page.click("text=Look closer")
    here.page.wait_for_selector("body[data-ready]")
    here.until(lambda: here.page.locator(".threads .thread").count() > 0)
    assert here.page.locator(".press-message").count() > 0
    assert here.page.locator("text=Take a seat").count() == 0
    assert here.page.locator("text=Moderate").count() == 0
    assert here.problems == []
