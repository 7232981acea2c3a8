"""Stories of friends that no other module tells: tokens that end, names that look alike, broken links."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.terms import Terms
from parlour.net.setup import Admission, MatchSetup
from parlour.referee.conduct import HOSTED
from support.hall.people import session_of, submitted
from support.waiting import PATIENCE
from support.web.browser import Tab, needs_chromium, tab
from support.web.server import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [needs_chromium]
POWERS = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")
CYRILLIC_A, RIGHT_TO_LEFT = "\u0430", "\u202e"
PASSWORD = "a good password"
LOOKS_LIKE = """() => [...document.querySelectorAll("link[rel=icon], link[rel=stylesheet], .brand, header nav a")]
  .map((one) => `${one.getAttribute("href")} ${one.textContent}`)"""
"""The parts that make pages look alike: icon, style, head."""


def opened(server: WebServer, people: dict[str, str], *, hold: bool = True, title: str = "", **how: object) -> str:
    """Open a match in which these people play; house agents hold still on the other seats, or those are free."""
    agents = {Seat(power): "hold" for power in POWERS if hold and power not in people}
    setup = MatchSetup(
        game="diplomacy",
        config={"last_year": 1901},
        terms=Terms(HOSTED),
        agents=agents,
        title=title,
        **how,  # type: ignore[arg-type]
    )
    match = server.run(session_of(server.hall, "owner").open(setup))
    for power, account in people.items():
        assert server.run(session_of(server.hall, account).join(match, Seat(power))).refusal is None
    return match


def shows(here: Tab, turn: str) -> bool:
    return here.heading() == turn


def text_of(here: Tab) -> str:
    return here.page.locator("body").inner_text()


def test_who_signs_out_in_one_browser_ends_that_token_everywhere_and_no_other(
    browser: Browser, server: WebServer
) -> None:
    match = opened(server, {"FRANCE": "tess"})
    shared, other = server.sign_in("tess"), server.sign_in("tess")
    here, copied, elsewhere = (tab(browser, server, token) for token in (shared, shared, other))
    for page in (here, copied, elsewhere):
        page.go(f"{server.url}/match/{match}")
        page.page.wait_for_selector(".order-form")
    here.page.goto(f"{server.url}/account")
    assert here.page.locator(".tokens-list li").count() == 2
    here.page.click("text=Sign out …")
    here.page.click("button:has-text('Sign out')")
    copied.page.wait_for_selector(".banner:has-text('You are signed out.')")
    copied.go(f"{server.url}/match/{match}")
    assert copied.page.locator(".order-form").count() == 0  # whoever has a copy of the token has nothing
    copied.page.click(".actions >> text=Sign in")
    copied.page.fill("[name=name]", "tess")
    copied.page.fill("[name=password]", PASSWORD)
    copied.page.click("button:text-is('Sign in')")
    copied.page.wait_for_selector(".order-form")  # back at the seat
    copied.page.goto(f"{server.url}/nowhere")
    assert copied.page.locator(".account").inner_text() == "tess"
    copied.page.goto(f"{server.url}/signout")
    copied.page.click("button:has-text('Sign out')")
    elsewhere.go(f"{server.url}/match/{match}")
    elsewhere.page.wait_for_selector(".order-form")
    elsewhere.page.goto(f"{server.url}/account")
    assert elsewhere.page.locator(".tokens-list li").count() == 1


def registers(here: Tab, name: str) -> None:
    here.page.fill("[name=name]", name)
    here.page.fill("[name=password]", PASSWORD)
    here.page.click("button:has-text('Open an account')")


def test_nobody_takes_a_name_that_looks_like_anothers(browser: Browser, server: WebServer) -> None:
    annabel, here = tab(browser, server), tab(browser, server)
    for page in (annabel, here):
        page.page.goto(f"{server.url}/signin")
    registers(annabel, "annabel")
    annabel.until(lambda: annabel.page.locator(".account").inner_text() == "annabel")
    for name in (f"{CYRILLIC_A}nnabel", f"anna{RIGHT_TO_LEFT}bel", "Annabel"):
        registers(here, name)
        here.until(lambda: here.page.input_value("[name=password]") == "")  # that is the answer's page
        assert "name" in here.page.locator(".refused").inner_text()
        assert here.page.locator(".account").inner_text() == "Sign in"
    registers(here, "annabella")
    here.until(lambda: here.page.locator(".account").inner_text() == "annabella")


def test_who_plays_in_the_browser_from_a_terminal_has_one_seat(browser: Browser, tmp_path: Path) -> None:
    program = [sys.executable, "-m", "parlour", "play", "diplomacy", "human", "hold", "--browser"]
    quiet = {**os.environ, "BROWSER": "true", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(program, cwd=tmp_path, env=quiet, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        try:
            found = re.search(r"http://127\.0\.0\.1:\d+/enter\?key=\S+", running.stdout.readline())
            assert found is not None
            here = Tab(browser.new_context(viewport={"width": 1440, "height": 900}).new_page()).go(found[0])
            here.page.wait_for_selector(".order-form")
            assert here.page.locator(".seat.own").count() == 1
            assert here.page.locator(".seat-tabs").count() == 0
            players = here.page.locator(".seat:not(.own) .player").all_inner_texts()
            assert [player.strip() for player in players] == ["hold"] * 6
            # The same address in another browser is the same person at the same seat; without its key one only watches.
            there, stranger = (Tab(browser.new_context().new_page()).go(url) for url in (found[0], here.page.url))
            there.page.wait_for_selector(".order-form")
            assert there.page.locator(".seat.own").count() == 1
            here.page.select_option("[data-unit=VIE] select", "A VIE - TYR")
            there.until(lambda: there.page.input_value("[data-unit=VIE] select") == "A VIE - TYR")
            assert stranger.page.locator(".seat.own, .order-form, [data-layer=orders] .order").count() == 0
            assert stranger.page.locator("text=Take a seat").count() == 0
            there.page.click("button:text-is('Ready')")
            for page in (here, there, stranger):
                page.until(partial(shows, page, "Fall 1901, movement"))
                assert page.problems == []
        finally:
            running.send_signal(signal.SIGINT)
        assert running.wait(PATIENCE) == 0


def test_seats_drawn_by_lot_go_to_two_people_who_cannot_choose(browser: Browser, server: WebServer) -> None:
    match = opened(server, {}, hold=False, admission=Admission(seats_each=1, by_lot=True))
    pages = [tab(browser, server, server.sign_in(name)).go(f"{server.url}/match/{match}") for name in ("lot1", "lot2")]
    for here in pages:
        assert here.page.locator("button:has-text('Sit down')").count() == 1
        assert "Seats are drawn by lot." in here.page.locator(".terms").inner_text()
        here.page.click("button:has-text('Sit down')")
        here.page.wait_for_selector("button:has-text('Stand up')")
        assert here.page.locator("button:has-text('Sit down')").count() == 0  # one seat each
    seats = server.run(server.hall.head(match)).players
    assert sorted(filter(None, seats.values())) == ["lot1", "lot2"]
    pages[0].until(lambda: "lot2" in pages[0].page.locator(".lobby-seats").inner_text())
    assert pages[0].problems == pages[1].problems == []


def test_what_always_fails_here_is_not_offered(browser: Browser, server: WebServer) -> None:
    here = tab(browser, server, server.sign_in("chooser")).go(f"{server.url}/new?game=diplomacy")
    offered = here.page.locator("[name=agent] option").evaluate_all("(all) => all.map((one) => one.value)")
    assert "dumbbot" in offered
    assert "deepmind" not in " ".join(offered)


def test_every_page_begins_with_a_way_past_its_head(browser: Browser, server: WebServer) -> None:
    match = opened(server, {"FRANCE": "skipper"})
    here = tab(browser, server, server.sign_in("skipper"))
    anybody = tab(browser, server)
    for path in ("/", "/new", "/account", "/player/skipper", "/sandbox", "/learn", f"/match/{match}"):
        here.page.goto(server.url + path)
        here.page.wait_for_selector(".skip", state="attached")
        here.page.keyboard.press("Tab")
        assert here.page.evaluate("document.activeElement.className") == "skip", path
        target = str(here.page.evaluate("document.activeElement.getAttribute('href')"))
        assert here.page.locator(target).count() == 1, path
        assert here.page.locator("link[rel=icon]").count() == 1, path
        if path != "/account":  # who is not signed in has none
            anybody.page.goto(server.url + path)
            anybody.page.wait_for_selector(".skip", state="attached")
            looks = here.page.evaluate(LOOKS_LIKE)
            assert len(looks) > 2, path
            assert anybody.page.evaluate(LOOKS_LIKE) == looks, path
            framed = path in ("/", "/new", "/player/skipper")  # boards need the room
            for page, name in ((here, "skipper"), (anybody, "Sign in")):
                assert page.page.locator(".account").all_inner_texts() == [name] * framed, path


# Links that lead nowhere


def test_a_link_to_a_match_that_is_not_there_or_not_for_everybody_is_a_sentence(
    browser: Browser, server: WebServer
) -> None:
    setup = MatchSetup(game="diplomacy", terms=Terms(HOSTED), admission=Admission(guarded=True), title="Behind a door")
    shut = server.run(session_of(server.hall, "owner").open(setup, password="sesame"))
    here = tab(browser, server)
    for match, says in (("nothing", "Unknown match"), ("x" * 3000, "Unknown match"), (shut, "Behind a door")):
        here.page.goto(f"{server.url}/match/{match}")
        assert says in here.heading()
    assert "without a seat, enter its password" in text_of(here)
    private = opened(server, {}, hold=False, admission=Admission(watched=False))
    stranger = tab(browser, server, server.sign_in("stranger"))
    stranger.page.goto(f"{server.url}/match/{private}")
    stranger.until(lambda: "may not" in text_of(stranger))
    assert stranger.page.locator("header .brand").count() == 1
    assert "You are signed in as stranger." in text_of(stranger)
    nobody = tab(browser, server)
    nobody.page.goto(f"{server.url}/match/{private}")
    nobody.page.click("main >> text=Sign in")
    assert nobody.page.url == f"{server.url}/signin?next=%2Fmatch%2F{private}"
    here.page.fill("[name=password]", "open")
    here.page.click("button:has-text('Watch')")
    assert "password" in here.page.locator(".refused").inner_text()
    here.page.fill("[name=password]", "sesame")
    here.page.click("button:has-text('Watch')")
    here.page.wait_for_selector(".lobby-seats")


@pytest.mark.parametrize("began", [False, True], ids=["before it began", "while it ran"])
def test_a_match_that_is_deleted_says_so_to_those_who_look_and_those_who_come(
    browser: Browser, server: WebServer, began: bool
) -> None:
    account = f"del{began}"
    match = opened(server, {"FRANCE": account} if began else {}, hold=began, title="To be deleted")
    here = tab(browser, server, server.sign_in(account)).go(f"{server.url}/match/{match}")
    deleted = submitted(session_of(server.hall, "owner"), match, it.Cancel("owner", "deleted"))
    assert server.run(deleted).refusal is None
    says = "The match is over. Deleted" if began else "This match was called off before it began: deleted."
    here.until(lambda: says in text_of(here))
    late = tab(browser, server).go(f"{server.url}/match/{match}")
    late.until(lambda: says in text_of(late))
    for page in (here, late):
        assert page.page.locator("text=Sit down").count() == page.page.locator("button:text-is('Ready')").count() == 0
        assert page.problems == []
    here.page.goto(server.url)  # nothing else stops
    assert here.page.locator("h1").inner_text() == "Watch, or take a seat"


def test_a_title_of_ten_thousand_signs_is_cut_and_breaks_no_page(browser: Browser, server: WebServer) -> None:
    here = tab(browser, server, server.sign_in("wordy" * 8))
    here.page.goto(f"{server.url}/new?game=diplomacy")
    here.page.evaluate("document.querySelector('[name=title]').removeAttribute('maxlength')")
    here.page.fill("[name=title]", "W" * 10_000)
    here.page.select_option("[name=agent]", "a person")
    here.page.click("text=Open the match")
    here.page.wait_for_selector(".lobby-seats")
    match = here.page.url
    for width in (1440, 390):
        here.page.set_viewport_size({"width": width, "height": 844})
        for path, shown in ((match, ".lobby-seats"), (server.url, "h1")):
            here.page.goto(path)
            here.page.wait_for_selector(shown)
            assert here.page.evaluate("document.documentElement.scrollWidth") <= width, (path, width)
            assert here.page.evaluate("document.querySelector('.top, .site-top').clientHeight") < 90, (path, width)
    assert "W" * 40 in text_of(here)
    assert here.problems == []
