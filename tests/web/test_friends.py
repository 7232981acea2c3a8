"""Friends who play friends: they know whom they talk to, lose nothing, come by a link and are told who did what."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from parlour.core import events as ev
from parlour.core.game import Seat
from parlour.core.intents import Act, Intent, Say, SetWait
from parlour.core.terms import PressMode, PressTerms, Terms, Vacancy
from parlour.net.sessions import Session
from parlour.net.setup import Admission, MatchSetup
from parlour.referee.conduct import HOSTED
from parlour.referee.table import Answer
from parlour.web import assets
from support.hall.people import session_of
from support.web.browser import Tab, needs_chromium, tab
from support.web.server import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [needs_chromium]
STANDARD = assets.sheet_address("diplomacy", "standard")
POWERS = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")
READY = "button:text-is('Ready')"
APART = """([one, other]) => {
  const [a, b] = [one, other].map((selector) => document.querySelector(selector).getBoundingClientRect());
  return a.width > 0 && (a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top);
}"""
"""JavaScript that returns True if neither of two parts of a page covers the other."""
KEEP_WORDS = """() => {
  window.words = "";
  const keep = () => { window.words += document.body.textContent; };
  new MutationObserver(keep).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""
"""JavaScript that keeps every text of the page from now on, however briefly it stands there."""


def opened(server: WebServer, people: dict[str, str], *, owner: str = "", free: tuple[str, ...] = ()) -> str:
    """Open a match with free text in which these people play, some seats are free and others hold still."""
    press, taken = PressTerms(PressMode.ANYTIME, level=8000), len(POWERS) - len(free)
    terms = Terms(conduct=HOSTED, press=press, vacancy=Vacancy.DEFAULT, seats_to_start=taken)
    agents = {Seat(power): "hold" for power in POWERS if power not in people and power not in free}
    setup = MatchSetup(
        game="diplomacy", config={"last_year": 1902}, terms=terms, agents=agents, admission=Admission(seats_each=1)
    )
    session = session_of(server.hall, owner or "house", admin=not owner)
    match = server.run(session.open(setup))
    for power, account in people.items():
        assert server.run(session_of(server.hall, account).join(match, Seat(power))).refusal is None
    return match


async def submitted(session: Session, match: str, *intents: Intent) -> list[Answer]:
    return await session.submit(match, *intents)


def ready_for(power: str) -> tuple[Intent, ...]:
    return (Act(Seat(power), []), SetWait(Seat(power), False))


def said(server: WebServer, match: str) -> list[tuple[tuple[str, ...], str]]:
    return [(event.to, event.text) for event in server.run(server.hall.record(match)) if isinstance(event, ev.Said)]


def test_nothing_is_said_to_anybody_who_was_not_chosen(browser: Browser, server: WebServer) -> None:
    match = opened(server, {"FRANCE": "ann1", "GERMANY": "ben1"})
    here = tab(browser, server, server.sign_in("ann1")).go(f"{server.url}/match/{match}")
    there = tab(browser, server, server.sign_in("ben1")).go(f"{server.url}/match/{match}")
    assert here.page.locator(".thread").all_inner_texts() == [
        "Everyone", "Austria", "England", "Germany", "Italy", "Russia", "Turkey", "Group",
    ]  # fmt: skip
    here.page.fill(".free textarea", "to nobody")
    here.page.click(".free button")
    here.until(lambda: "nothing was sent" in here.page.locator(".composer .refused").inner_text())
    here.page.click("text=Propose something")
    here.page.click(".proposal .powers button:has-text('Germany')")
    here.page.click(".proposal [aria-label=Close]")
    assert here.page.locator(".to").inner_text() == "To: Germany"
    here.page.click(".free button")
    there.until(lambda: there.page.locator(".thread:has-text('France') .unread").count() == 1)
    there.page.click(".thread:has-text('France')")
    there.page.wait_for_selector(".press-message time")
    here.page.click(".new-group")
    for power in ("Italy", "Turkey"):
        here.page.click(f".picker button:has-text('{power}')")
    here.page.fill(".free textarea", "to the three of us")
    here.page.press(".free textarea", "Tab")
    here.page.keyboard.press("Enter")
    here.page.click(".thread[data-key=all]")
    here.page.fill(".free textarea", "to all")
    here.page.click(".free button")
    there.until(lambda: there.page.locator(".thread[data-key=all] .unread").count() == 1)
    assert said(server, match) == [
        (("GERMANY",), "to nobody"),
        (("ITALY", "TURKEY"), "to the three of us"),
        ((), "to all"),
    ]
    assert "three of us" not in there.page.content()
    assert here.problems == there.problems == []


def test_an_invited_friend_sits_down_as_a_guest_and_keeps_the_seat(browser: Browser, server: WebServer) -> None:
    match = opened(server, {"FRANCE": "ann2"}, free=("GERMANY", "ITALY"))
    host = tab(browser, server, server.sign_in("ann2")).go(f"{server.url}/match/{match}")
    here = tab(browser, server).go(f"{server.url}/match/{match}")
    here.page.click("text=Take a seat")
    here.page.click("text=Germany as a guest")
    here.page.wait_for_selector(".order-form")
    name = here.page.locator(".seat.own .player").inner_text().strip().removeprefix("you (").removesuffix(")")
    host.until(lambda: name in host.page.locator("[data-seat=GERMANY]").inner_text())
    here.page.goto(f"{server.url}/account")
    here.page.click("text=Sign out …")
    assert "your seats and matches are lost" in here.page.locator(".warning").inner_text()
    for field in ("new", "again"):
        here.page.fill(f"[name={field}]", "a good password")
    here.page.click("text=Set the password")
    here.page.click("text=Sign out …")
    here.page.click("button:has-text('Sign out')")
    here.go(f"{server.url}/match/{match}")
    here.page.click("text=Take a seat")
    here.page.click("text=Sign in or open an account")
    here.page.fill("[name=name]", name)
    here.page.fill("[name=password]", "a bad password")
    here.page.click("button:has-text('Sign in')")
    assert here.page.input_value("[name=name]") == name  # what was typed is kept
    here.page.fill("[name=password]", "a good password")
    here.page.click("button:has-text('Sign in')")
    here.page.wait_for_selector(".order-form")  # back at the seat
    assert server.run(server.hall.head(match)).players["GERMANY"] == name
    assert here.problems == ["Failed to load resource: the server responded with a status of 400 (Bad Request)"]


def test_what_a_moderator_does_is_told_to_all_with_the_name(browser: Browser, server: WebServer) -> None:
    match = opened(server, {"FRANCE": "ann3", "GERMANY": "ben3"}, owner="mod3")
    here = tab(browser, server, server.sign_in("ann3")).go(f"{server.url}/match/{match}")
    mod = session_of(server.hall, "mod3")
    assert server.run(mod.replace_by_agent(match, Seat("GERMANY"), "hold")).refusal is None
    here.until(lambda: "mod3 took Germany away from ben3" in here.page.locator(".notes").inner_text())
    here.until(lambda: "mod3 gave Germany to hold" in here.page.locator(".notes").inner_text())
    announced = here.page.locator(".banner p span").all_inner_texts()  # also where the table is a tab that is not open
    assert announced == ["mod3 took Germany away from ben3", "mod3 gave Germany to hold"]
    here.page.click(".banner p:has-text('took') button")
    assert here.page.locator(".banner p").count() == 1
    assert here.page.locator("text=Moderate").count() == 0
    assert here.problems == []


def test_players_leave_are_replaced_and_come_back(browser: Browser, server: WebServer) -> None:
    match = opened(server, {"FRANCE": "ann4", "GERMANY": "ben4", "ITALY": "cat4"})
    ann, ben, dan = (tab(browser, server, server.sign_in(name)) for name in ("ann4", "ben4", "dan4"))
    for here in (ann, ben, dan):
        here.go(f"{server.url}/match/{match}")
    assert dan.page.locator("text=Take a seat").count() == 0
    ann.page.click("text=Leave …")
    ann.page.click("dialog button:has-text('Ask for a replacement')")
    dan.page.click("text=Take a seat")
    dan.page.click("dialog button:has-text('France')")
    dan.page.wait_for_selector(".order-form")
    ann.until(lambda: ann.page.locator(".order-form").count() == 0)
    assert "dan4 sits down as France" in ben.page.locator(".notes").inner_text()
    ben.page.click("text=Leave …")
    ben.page.select_option("dialog select", "hold")
    ben.page.click("dialog button:has-text('Let it play')")
    ben.page.evaluate(KEEP_WORDS)
    ben.page.click("text=Take my seat back")
    ben.until(lambda: "Your seat is yours again" in ben.page.evaluate("window.words"))
    dan.page.click(READY)
    server.run(submitted(session_of(server.hall, "cat4"), match, *ready_for("ITALY")))
    ben.page.wait_for_selector(".order-form")
    ben.page.click("text=Leave …")
    ben.page.click("dialog button:has-text('Resign')")
    ben.page.keyboard.press("Enter")  # plays on: what is final takes another button
    ben.until(lambda: ben.page.evaluate("document.activeElement.textContent") == "Resign")
    ben.page.click("dialog button:text-is('Resign')")
    ben.page.click("dialog button:has-text('Resign for good')")
    ben.until(lambda: ben.page.locator("text=Leave …").count() == 0)
    assert ann.problems == ben.problems == dan.problems == []


def test_what_is_entered_while_the_line_is_cut_is_sent_once(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with WebServer(tmp_path_factory.mktemp("cut")) as server:
        match = opened(server, {"FRANCE": "ann5", "GERMANY": "ben5"})
        here, there = (
            tab(browser, server, server.sign_in(name)).go(f"{server.url}/match/{match}") for name in ("ann5", "ben5")
        )
        here.page.click(".thread:has-text('Germany')")
        there.page.click(".thread:has-text('France')")
        there.page.click(READY)  # only France is missing: its first orders could end the turn
        there.page.wait_for_selector("text=Not ready after all")
        server.stop()
        here.page.wait_for_selector(".banner:not([hidden])")
        here.page.fill(".free textarea", "I am still here")
        here.page.click(".free button")
        here.page.wait_for_selector(".press-message.unsent")
        here.page.select_option("[data-unit=MAR] select", "A MAR - SPA")
        here.page.fill(".command", "par - bur")
        here.page.press(".command", "Enter")
        here.page.click(READY)
        waiting = here.page.locator(".waiting").inner_text()
        assert "a message to Germany" in waiting
        assert "par - bur" in waiting
        assert here.page.evaluate(APART, [".waiting", ".composer"])
        server.start()
        here.until(partial(is_at, here, "Fall 1901, movement"))
        here.until(lambda: here.page.locator(".waiting").is_hidden() and here.page.locator(".banner").is_hidden())
        assert said(server, match) == [(("GERMANY",), "I am still here")]
        (ended,) = [event for event in server.run(server.hall.record(match)) if isinstance(event, ev.TurnEnded)]
        assert sorted(ended.actions[Seat("FRANCE")]) == ["A MAR - SPA", "A PAR - BUR"]
        assert here.page.locator(".press-message.unsent").count() == 0
        assert here.page.locator(".press-message.mine").count() == 1
        there.until(lambda: "I am still here" in there.page.locator(".log").inner_text())
        assert there.page.locator(".press-message").count() == 1


def test_a_foreign_unit_is_attacked_and_units_can_be_dragged(browser: Browser, server: WebServer) -> None:
    match = opened(server, {"GERMANY": "ann6", "AUSTRIA": "ben6"})
    here, there, spectator = (
        tab(browser, server, token).go(f"{server.url}/match/{match}")
        for token in (server.sign_in("ann6"), server.sign_in("ben6"), "")
    )
    here.learn_sheet(STANDARD)
    here.page.mouse.move(*here.at("MUN"))
    here.page.mouse.down()
    here.page.mouse.move(*here.at("TYR"), steps=4)
    here.page.mouse.up()
    here.until(lambda: here.page.locator("[data-unit=MUN] select").input_value() == "A MUN - TYR")
    for page in (here, there):
        page.page.click(READY)
    here.until(lambda: here.heading() == "Fall 1901, movement" and here.page.locator(".order-form").count())
    here.until(lambda: here.page.locator(".result-mark.past").count() > 0)  # what was ordered stays in sight
    here.click("TYR")
    here.click("VIE")
    here.until(lambda: here.page.locator("[data-unit=TYR] select").input_value() == "A TYR - VIE")
    here.page.click(".chip:has-text('help Army Vienna instead')")
    here.click("BOH")
    here.until(lambda: here.page.locator("[data-unit=TYR] select").input_value() == "A TYR S A VIE - BOH")
    here.click("TYR")
    here.click("VIE")
    here.until(lambda: here.page.locator("[data-unit=TYR] select").input_value() == "A TYR - VIE")
    there.until(lambda: there.heading() == "Fall 1901, movement" and there.page.locator(".order-form").count())
    for page in (here, there):
        page.page.click(READY)
    for page in (there, spectator):  # whom it attacked, and whoever watches, see the order and what became of it
        page.until(partial(is_at, page, "Spring 1902, movement"))
        page.page.keyboard.press("ArrowLeft")
        page.until(partial(is_at, page, "Fall 1901, movement"))
        assert "A TYR - VIE" in page.page.locator(".order-result.bad .text").all_inner_texts()
        assert page.page.locator("[data-layer=signs] [data-sign=bounce]").count() == 1
    assert here.problems == there.problems == spectator.problems == []


def is_at(here: Tab, turn: str) -> bool:
    return here.heading() == turn


def test_promises_are_entered_warned_of_and_announced_when_broken(browser: Browser, server: WebServer) -> None:
    match = opened(server, {"FRANCE": "ann7", "GERMANY": "ben7"})

    def propose(what: str) -> None:
        message = Say(Seat("FRANCE"), f"PRP ( {what} )", (Seat("GERMANY"),))
        (answer,) = server.run(submitted(session_of(server.hall, "ann7"), match, message))
        assert answer.refusal is None

    order = "XDO ( ( GER AMY MUN ) MTO RUH )"
    here = tab(browser, server, server.sign_in("ben7")).go(f"{server.url}/match/{match}")
    there = tab(browser, server, server.sign_in("ann7")).go(f"{server.url}/match/{match}")
    propose(order)
    propose(order)  # said again, it can be answered there, too
    here.page.click(".thread:has-text('France')")
    here.until(lambda: here.page.locator(".press-message .reply").count() == 2)
    here.page.locator(".press-message .reply button:has-text('Yes')").last.click()
    here.page.locator("button:has-text('Enter my order')").last.click()
    here.until(lambda: here.page.locator("[data-unit=MUN] select").input_value() == "A MUN - RUH")
    propose("DMZ ( FRA GER ) ( BUR )")
    here.page.locator(".press-message .reply button:has-text('Yes')").last.click()
    here.until(lambda: len(said(server, match)) == 5)
    here.page.select_option("[data-unit=MUN] select", "A MUN - BUR")
    here.until(lambda: here.page.locator(".order-form .warning").count() == 2)
    warnings = here.page.locator(".order-form .warning").all_inner_texts()
    assert all(text.startswith("These orders would break your promise to France") for text in warnings)
    here.page.click(READY)
    there.page.click(READY)
    broke = "Germany broke its promise to France"
    there.until(lambda: broke in there.page.locator(".banner").inner_text())
    assert here.page.locator(".banner").is_hidden()
    there.page.reload()  # who was not here when it happened is told, too, until they have read it
    there.until(lambda: broke in there.page.locator(".banner").inner_text())
    there.page.click(".banner button:has-text('Close')")
    there.page.reload()
    there.page.wait_for_selector(".order-form")
    assert there.page.locator(".banner").is_hidden()
    for page in (here, there):
        page.page.select_option("[aria-label='Vote on a draw']", "yes")
    for page in (here, there):
        page.until(partial(counts_promises, page, {"Germany (ben7)": "0 / 2", "France (ann7)": "1 / 0"}))
    late = tab(browser, server, server.sign_in("ann7")).go(f"{server.url}/match/{match}")
    assert late.page.locator(".banner").is_hidden()  # it is over, and stands in the ledger
    assert here.problems == there.problems == []


def counts_promises(here: Tab, wanted: dict[str, str]) -> bool:
    """Return True once the result says how many promises these players kept and broke."""
    rows = here.page.locator(".result tbody tr").all_inner_texts()
    return all(any(name in row and row.endswith(count) for row in rows) for name, count in wanted.items())


def test_a_vote_that_lapses_is_told(browser: Browser, server: WebServer) -> None:
    match = opened(server, {"FRANCE": "ann8", "GERMANY": "ben8"})
    here, there = (
        tab(browser, server, server.sign_in(name)).go(f"{server.url}/match/{match}") for name in ("ann8", "ben8")
    )
    there.page.select_option("[aria-label='Vote on a draw']", "yes")
    here.until(lambda: here.page.locator(".tally").inner_text() == "1 for a draw")
    for page in (here, there):
        page.page.click(READY)
    for page in (here, there):
        page.until(partial(is_noted, page, "The vote on a draw lapsed with the turn: 1 was for it"))
        assert page.page.input_value("[aria-label='Vote on a draw']") == "neutral"


def test_a_draw_that_all_people_want_passes_with_agents_at_the_table(browser: Browser, server: WebServer) -> None:
    match = opened(server, {"FRANCE": "ann9", "GERMANY": "ben9"})
    here, there = (
        tab(browser, server, server.sign_in(name)).go(f"{server.url}/match/{match}") for name in ("ann9", "ben9")
    )
    here.page.select_option("[aria-label='Vote on a draw']", "yes")
    there.until(lambda: there.page.locator(".tally").inner_text() == "1 for a draw")
    there.page.select_option("[aria-label='Vote on a draw']", "yes")
    for page in (here, there):
        page.page.wait_for_selector(".result")
        assert "raw" in page.page.locator(".result h3").inner_text()
    assert here.problems == there.problems == []


def is_noted(here: Tab, text: str) -> bool:
    return text in here.page.locator(".notes").inner_text()


def test_an_owner_who_plays_moderates_once_all_others_agree(browser: Browser, server: WebServer) -> None:
    match = opened(server, {"FRANCE": "own10", "GERMANY": "ben10", "ITALY": "cat10"}, owner="own10")
    owner, ben, cat = (
        tab(browser, server, server.sign_in(name)).go(f"{server.url}/match/{match}")
        for name in ("own10", "ben10", "cat10")
    )
    assert owner.page.locator(".actions button:has-text('Moderat')").count() == 0
    for here, name, agree in ((ben, "ben10", "0 of 2 agree."), (cat, "cat10", "1 of 2 agree.")):
        here.page.click("text=Moderator …")
        assert here.page.locator("dialog .tally").inner_text() == agree
        here.page.click("dialog button:text-is('Agree')")
        cat.until(partial(is_noted, cat, f"{name} agrees that a player moderates"))
    owner.page.click("button:text-is('Moderate')")
    owner.page.click("dialog button:has-text('Pause')")
    ben.until(lambda: ben.page.locator(".status").inner_text() == "The match is paused")
    ben.page.click("text=Moderator …")
    ben.page.click("dialog button:text-is('Agree no longer')")
    owner.until(lambda: owner.page.locator(".actions button:has-text('Moderat')").count() == 0)
    assert owner.problems == ben.problems == cat.problems == []
