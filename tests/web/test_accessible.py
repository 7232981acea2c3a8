"""Pages for everyone: axe finds nothing in either theme at any width, and motion stops for who asks for that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from parlour.core.game import Seat
from parlour.core.intents import Ballot, Pause, Vote
from parlour.core.terms import PressMode, PressTerms, Terms
from parlour.games import load_game
from parlour.net.setup import Admission, MatchSetup
from parlour.referee.conduct import DIPLOMACY
from parlour.web.packing import replay_page
from parlour.web.stories import story_of
from support.hall.people import session_of, submitted
from support.web.browser import LOOKS, Tab, look_at, needs_axe, needs_chromium, tab, violations
from support.web.records import fish_record, press_record
from support.web.server import WebServer

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = [needs_chromium, needs_axe]
POWERS = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")


def match_of(server: WebServer, account: str) -> str:
    terms = Terms(conduct=DIPLOMACY, press=PressTerms(PressMode.ANYTIME))
    agents = {Seat(power): "hold" for power in POWERS if power != "FRANCE"}
    setup = MatchSetup(game="diplomacy", config={"last_year": 1901}, terms=terms, agents=agents)
    match = server.run(session_of(server.hall, account).open(setup))
    server.run(session_of(server.hall, account).join(match, Seat("FRANCE")))
    return match


@pytest.mark.parametrize(
    "path", ["/", "/new", "/new?game=fish", "/signin", "/match/nothing", "/sandbox", "/sandbox?game=fish"]
)
def test_pages_of_the_site(browser: Browser, server: WebServer, path: str) -> None:
    here = tab(browser, server)
    here.page.goto(server.url + path)
    if path == "/" or path.startswith("/sandbox"):
        here.page.wait_for_selector("body[data-ready]")
    for theme, width, height in LOOKS:
        look_at(here, theme, width, height)
        assert violations(here) == [], (theme, width)


def test_the_page_of_a_player(browser: Browser, server: WebServer) -> None:
    token = server.sign_in("axel")
    match = match_of(server, "axel")
    here = tab(browser, server, token).go(f"{server.url}/match/{match}")
    here.page.select_option("[data-unit=PAR] select", "A PAR - BUR")
    for theme, width, height in LOOKS:
        look_at(here, theme, width, height)
        if width < 900:
            here.page.click("#tab-press")
        if here.page.locator("text=Propose something").is_visible():
            here.page.click("text=Propose something")
        assert violations(here) == [], (theme, width)
    here.page.keyboard.press("Escape")


def test_dialogs_of_a_match_and_its_result(browser: Browser, server: WebServer) -> None:
    token = server.sign_in("dia")
    match = match_of(server, "dia")
    here = tab(browser, server, token).go(f"{server.url}/match/{match}")
    openers = ("text=Leave …", "button:text-is('Moderate')", "[aria-label^='Take away']")
    for theme, width, height in LOOKS:
        look_at(here, theme, width, height)
        for opener in openers:
            here.page.click(opener)
            assert violations(here) == [], (theme, width, opener)
            here.page.click("dialog[open] button:text-is('Close')")
        here.page.keyboard.press("?")
        assert violations(here) == [], (theme, width, "help")
        here.page.keyboard.press("Escape")
    vote = submitted(session_of(server.hall, "dia"), match, Vote(Seat("FRANCE"), Ballot.YES))
    assert server.run(vote).refusal is None
    here.page.wait_for_selector(".result", state="attached")
    for theme, width, height in LOOKS:
        look_at(here, theme, width, height)
        assert violations(here) == [], (theme, width, "result")
    assert here.problems == []


def test_what_is_announced_over_a_board_and_a_match_that_one_may_not_see(browser: Browser, server: WebServer) -> None:
    match = match_of(server, "ada")
    here = tab(browser, server, server.sign_in("ada")).go(f"{server.url}/match/{match}")
    paused = submitted(session_of(server.hall, "house", admin=True), match, Pause("house"))
    assert server.run(paused).refusal is None
    here.page.wait_for_selector(".banner p")
    private = MatchSetup(game="diplomacy", terms=Terms(conduct=DIPLOMACY), admission=Admission(watched=False))
    other = Tab(here.page.context.new_page())
    other.page.goto(f"{server.url}/match/{server.run(session_of(server.hall, 'owner').open(private))}")
    other.page.wait_for_selector("h1")
    for theme, width, height in LOOKS:
        for page in (here, other):
            look_at(page, theme, width, height)
            assert violations(page) == [], (theme, width)
    assert here.problems == other.problems == []


@pytest.mark.parametrize("account", ["", "ria", "uwe"])
def test_the_waiting_room(browser: Browser, server: WebServer, account: str) -> None:
    """As a stranger, the owner and another player see it."""
    terms = Terms(conduct=DIPLOMACY, press=PressTerms(PressMode.ANYTIME))
    setup = MatchSetup(game="diplomacy", terms=terms, agents={Seat("ITALY"): "hold"}, title="A room " * 12)
    match = server.run(session_of(server.hall, "ria").open(setup))
    here = tab(browser, server, server.sign_in(account) if account else "").go(f"{server.url}/match/{match}")
    for theme, width, height in LOOKS:
        look_at(here, theme, width, height)
        assert violations(here) == [], (theme, width, account)
        assert here.page.evaluate("document.documentElement.scrollWidth") <= width, (theme, width, account)
    assert here.problems == []


@pytest.mark.parametrize("game", ["diplomacy", "fish"])
def test_replays(browser: Browser, tmp_path: Path, game: str) -> None:
    events = press_record() if game == "diplomacy" else fish_record()
    path = tmp_path / "replay.html"
    path.write_text(replay_page(story_of(load_game(game), events, title=game)), encoding="utf-8")
    here = Tab(browser.new_page())
    here.page.goto(path.as_uri())
    here.page.wait_for_selector(".stage")
    here.page.keyboard.press("End")
    for theme, width, height in LOOKS:
        look_at(here, theme, width, height)
        tabs = [f"#tab-{name}" for name in ("orders", "press", "ledger", "table")]
        for one in [one for one in tabs if here.page.locator(one).is_visible()] or ["body"]:
            here.page.click(one)
            assert violations(here) == [], (theme, width, one)
    assert here.problems == []


def test_a_replay_works_from_a_file_and_says_what_it_shows(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "replay.html"
    path.write_text(replay_page(story_of(load_game("diplomacy"), press_record(), title="a match")), encoding="utf-8")
    here = Tab(browser.new_page(reduced_motion="reduce"))
    here.page.goto(path.as_uri())
    here.page.wait_for_selector(".stage")
    assert here.heading() == "Spring 1901, movement"
    here.page.keyboard.press("ArrowRight")
    assert here.heading() == "Fall 1901, movement"
    here.until(lambda: "Fall 1901, movement" in here.page.locator("[role=status]").first.inner_text())
    assert here.page.evaluate("document.getAnimations().length") == 0  # who wants no motion sees none
    here.page.emulate_media(reduced_motion="no-preference")
    here.page.keyboard.press("ArrowRight")
    assert here.page.evaluate("document.getAnimations().length") > 0
    here.page.keyboard.press("End")
    assert "over" in here.page.locator(".status").inner_text()
    assert here.page.locator(".results").inner_text() == "The match is over: the last orders are one turn back."
    here.page.keyboard.press("Home")
    here.page.click("[aria-label='Use dark colours']")
    assert here.page.evaluate("document.documentElement.dataset.theme") == "dark"
    here.page.keyboard.press("?")
    assert here.page.locator("dialog[open]").count() == 1
    assert here.problems == []
    here.page.goto(f"{path.as_uri()}#F1902M")
    here.page.wait_for_selector(".stage")
    assert here.heading() == "Fall 1902, movement"
