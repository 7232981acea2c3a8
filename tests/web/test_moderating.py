"""Moderators, votes, delays and crashes as pages show them: extend, substitute, end; what is secret stays so."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from parlour.core import events as ev
from parlour.core.game import Seat
from parlour.core.intents import Ballot, Vote
from parlour.core.terms import Clock, PressMode, PressTerms, Terms
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import DIPLOMACY
from parlour.store import open_store, read_events
from support.hall.people import session_of, submitted
from support.web.browser import Tab, needs_chromium, tab
from support.web.program import Program
from support.web.server import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [needs_chromium]
POWERS = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")


def hosted(server: WebServer, owner: str, **how: float) -> str:
    """Return a match with a clock, in which one person plays each power."""
    terms = Terms(conduct=DIPLOMACY, clock=Clock(per_turn=3600.0), press=PressTerms(PressMode.NONE))
    setup = MatchSetup(game="diplomacy", config={"last_year": 1901}, terms=terms, **how)  # type: ignore[arg-type]
    match = server.run(session_of(server.hall, owner).open(setup))
    for power in POWERS:
        assert server.run(session_of(server.hall, power.lower()).join(match, Seat(power))).refusal is None
    return match


def minutes(here: Tab) -> int:
    """Return the minutes that the clock shows."""
    words = here.page.locator(".clock").inner_text()
    found = [int(part) for part in re.findall(r"\d+", words)]
    return found[0] * 60 + found[1] if len(found) == 3 else found[0] if found else 0


def test_a_moderator_extends_substitutes_and_ends_turns(browser: Browser, server: WebServer) -> None:
    match = hosted(server, "host")
    here = tab(browser, server, server.sign_in("host")).go(f"{server.url}/match/{match}")
    here.until(lambda: minutes(here) in (59, 60))
    here.page.click("text=Moderate")
    here.page.fill("dialog [aria-label=Minutes]", "30")
    here.page.click("dialog button:has-text('Extend')")
    here.until(lambda: minutes(here) in (89, 90))
    here.page.select_option("dialog [aria-label=Seat]", "ITALY")
    here.page.select_option("dialog [aria-label='House agent']", "hold")
    here.page.click("dialog button:has-text('Substitute')")
    sits = server.run(server.hall.head(match)).players["ITALY"]
    assert here.page.locator("dialog [role=group]").inner_text().startswith(f"{sits} loses the seat Italy")
    here.page.keyboard.press("Enter")  # leaves it as it is
    here.until(lambda: here.page.evaluate("document.activeElement.textContent") == "Substitute")
    assert server.run(server.hall.head(match)).players["ITALY"] == sits
    here.page.keyboard.press("Enter")
    here.page.click("dialog button:has-text('Take the seat away')")
    here.until(lambda: "hold" in here.page.locator(".seats [data-seat=ITALY]").inner_text())
    agents = here.page.locator("dialog [aria-label='House agent']")
    agents.evaluate("(all) => all.append(new Option('nobody at all'))")  # as somebody could who sends it by hand
    agents.select_option("nobody at all")
    here.page.click("dialog button:has-text('Substitute')")
    here.page.click("dialog button:has-text('Take the seat away')")
    here.until(lambda: "nobody at all" in here.page.locator("dialog .refused").inner_text())
    assert server.run(server.hall.head(match)).players["ITALY"] == "hold", "nobody makes room for one that is not there"
    here.page.click("dialog button:has-text('End the turn now')")
    here.until(lambda: here.heading() == "Fall 1901, movement")
    here.page.click("dialog button:has-text('End the match')")
    here.page.keyboard.press("Enter")  # goes on: what cannot be undone takes another button
    here.until(lambda: here.page.evaluate("document.activeElement.textContent") == "End the match")
    assert server.run(server.hall.head(match)).status == "running"
    here.page.click("dialog button:has-text('End the match')")
    here.page.click("dialog button:has-text('End it for good')")
    here.until(lambda: "over" in here.page.locator(".status").inner_text())
    record = server.run(server.hall.record(match))
    assert any(isinstance(event, ev.TurnForced) for event in record)
    assert here.problems == []


def test_a_password_is_asked_for_before_one_sits_down(browser: Browser, server: WebServer) -> None:
    form = {"game": "fish", "seat": "red", "agent": "a person", "players": "2", "password": "herring"}
    location = server.request("POST", "/new", form=form, token=server.sign_in("opener")).headers["location"]
    here = tab(browser, server, server.sign_in("guest")).go(server.url + location)
    assert here.page.locator(".lead").inner_text().startswith("Fish: waiting for players.")
    here.page.get_by_label("Password for seats").fill("cod")
    here.page.click("button:has-text('Sit down')")
    here.until(lambda: "password" in here.page.locator(".refused").inner_text())
    assert here.page.get_by_label("Password for seats").input_value() == "cod"
    here.page.get_by_label("Password for seats").fill("herring")
    here.page.click("button:has-text('Sit down')")
    here.until(lambda: here.page.locator(".status").inner_text() == "Red is to move")
    assert here.problems == []


def test_how_many_are_for_a_draw_is_shown_but_not_who(browser: Browser, server: WebServer) -> None:
    match = hosted(server, "count")
    here = tab(browser, server, server.sign_in("france")).go(f"{server.url}/match/{match}")
    assert here.page.locator(".tally").inner_text() == ""
    for power in ("ITALY", "TURKEY"):
        session = session_of(server.hall, power.lower())
        assert server.run(submitted(session, match, Vote(Seat(power), Ballot.YES))).refusal is None
    here.until(lambda: here.page.locator(".tally").inner_text() == "2 for a draw")  # it is told, not asked for
    assert here.page.locator(".seats li").count() == len(POWERS)
    here.page.select_option("[aria-label='Vote on a draw']", "yes")
    here.until(lambda: here.page.locator(".tally").inner_text() == "3 for a draw")
    assert "yes" not in here.page.locator(".seats").inner_text().lower()


def test_a_delayed_spectator_sees_the_match_as_it_stood(browser: Browser, server: WebServer) -> None:
    match = hosted(server, "late", delay=3600.0)
    here = tab(browser, server)
    here.page.goto(f"{server.url}/match/{match}")
    here.page.wait_for_selector("body[data-ready]")
    moderator = tab(browser, server, server.sign_in("late")).go(f"{server.url}/match/{match}")
    moderator.page.click("text=Moderate")
    moderator.page.click("dialog button:has-text('End the turn now')")
    moderator.until(lambda: moderator.heading() == "Fall 1901, movement")
    here.page.reload()
    here.page.wait_for_selector("body[data-ready]")
    assert "Fall 1901" not in here.page.locator("body").inner_text()


def test_a_server_that_is_killed_in_the_middle_of_orders_loses_and_doubles_none(
    browser: Browser, tmp_path: Path
) -> None:
    with Program(tmp_path) as server:
        here = tab(browser, server)
        here.page.goto(f"{server.url}/new")
        here.page.select_option("[name=seat]", "FRANCE")
        here.page.select_option("[name=agent]", "hold")
        here.page.fill("[name=years]", "1")
        here.page.click("text=Open the match")
        here.page.wait_for_selector("[data-unit=PAR] select")
        match = here.page.url.rpartition("/")[2]
        here.page.select_option("[data-unit=PAR] select", "A PAR - BUR")
        here.until(lambda: here.page.locator("[data-layer=orders] .order").count() == 1)
        # One order is on its way, and another is given when nobody is there.
        here.page.select_option("[data-unit=MAR] select", "A MAR - SPA")
        server.kill()
        here.page.wait_for_selector(".banner:not([hidden])")
        here.page.select_option("[data-unit=BRE] select", "F BRE - MAO")
    with Program(tmp_path, server.port) as server:
        # It tries by itself as well, and may be there already.
        here.page.evaluate("document.querySelector('.banner:not([hidden]) button')?.click()")
        here.until(lambda: here.page.locator(".banner").is_hidden())
        here.until(lambda: here.page.locator("[data-layer=orders] .order").count() == 3)
        here.page.reload()
        here.page.wait_for_selector("[data-unit=PAR] select")
        here.until(lambda: here.page.locator("[data-layer=orders] .order").count() == 3)
        here.page.click("button:text-is('Ready')")
        here.until(lambda: here.heading() == "Fall 1901, movement")
    with open_store(str(tmp_path / "parlour.db"), read_only=True) as store:
        ended = [event for event in read_events(store, match) if isinstance(event, ev.TurnEnded)]
    assert len(ended) == 1
    assert sorted(ended[0].actions[Seat("FRANCE")]) == ["A MAR - SPA", "A PAR - BUR", "F BRE - MAO"]
