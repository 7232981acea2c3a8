"""Events that come too early, too late, or during a gesture: nothing is lost, and nothing is decided wrongly."""

from __future__ import annotations

import re
import time
from functools import partial
from typing import TYPE_CHECKING

import pytest

from parlour.core import events as ev
from parlour.core.game import Seat
from parlour.core.intents import Act, SetWait
from parlour.core.terms import PressMode, PressTerms, Terms
from parlour.core.viewers import SPECTATOR
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import DIPLOMACY, LENIENT
from parlour.web import assets
from support.hall.people import session_of, submitted
from support.web.browser import Tab, needs_chromium, tab
from support.web.server import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Route

pytestmark = [needs_chromium]
POWERS = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")
READY = "button:text-is('Ready')"
LATE_EVENTS = """
const Plain = WebSocket;
window.WebSocket = class extends Plain {
  set onmessage(told) {
    let last = Promise.resolve();
    this.addEventListener("message", (message) => {
      const answer = typeof message.data === "string" && /^.(.ok|.refused)/.test(message.data);
      if (answer) told(message);
      else last = last.then(() => new Promise((settle) => setTimeout(settle, 300))).then(() => told(message));
    });
  }
};
"""
"""Answers come at once, and all else late, though in order."""
MUTE = """
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (text) {
  if (!window.muted) send.call(this, text);
};
"""
"""JavaScript that keeps a page's messages from the server."""


def opened(server: WebServer, *people: str) -> str:
    """Return a match in which accounts named after powers play these, and the house holds still."""
    terms = Terms(conduct=DIPLOMACY, press=PressTerms(PressMode.NONE))
    agents = {Seat(power): "hold" for power in POWERS if power not in people}
    setup = MatchSetup(game="diplomacy", config={"last_year": 1901}, terms=terms, agents=agents)
    match = server.run(session_of(server.hall, "house", admin=True).open(setup))
    for power in people:
        assert server.run(session_of(server.hall, power.lower()).join(match, Seat(power))).refusal is None
    return match


@pytest.fixture(scope="module")
def token(server: WebServer) -> str:
    """Of the account that plays France."""
    return server.sign_in("france")


def ordered(server: WebServer, match: str) -> list[list[str]]:
    """Return France's orders in finished turns."""
    record = server.run(server.hall.record(match))
    return [sorted(event.actions[Seat("FRANCE")]) for event in record if isinstance(event, ev.TurnEnded)]


def test_ready_counts_though_the_events_come_after_the_answers(browser: Browser, server: WebServer, token: str) -> None:
    match = opened(server, "FRANCE")
    here = tab(browser, server, token)
    here.page.add_init_script(LATE_EVENTS)
    here.go(f"{server.url}/match/{match}")
    here.page.select_option("[data-unit=MAR] select", "A MAR - SPA")
    here.page.select_option("[data-unit=PAR] select", "A PAR - BUR")
    here.page.locator(READY).press("Enter")  # at once: nothing that was entered has been answered yet
    here.until(lambda: here.heading() == "Fall 1901, movement")
    assert ordered(server, match) == [["A MAR - SPA", "A PAR - BUR"]]
    assert here.problems == []


def test_news_in_the_middle_of_a_click_takes_nothing_away(browser: Browser, server: WebServer, token: str) -> None:
    match = opened(server, "FRANCE", "ENGLAND")
    here = tab(browser, server, token).go(f"{server.url}/match/{match}")
    here.page.locator(".command").press_sequentially("par")
    here.page.locator(READY).hover()
    here.page.mouse.down()
    waits = SetWait(seat=Seat("ENGLAND"), wait=True)
    server.run(submitted(session_of(server.hall, "england"), match, waits))
    here.page.wait_for_selector("[data-seat=ENGLAND] [title='not ready yet']")
    assert here.page.evaluate("document.activeElement.textContent") == "Ready"
    here.page.mouse.up()
    here.page.wait_for_selector("button:text-is('Not ready after all')")
    assert here.page.locator(".command").input_value() == "par"
    assert here.problems == []


def test_two_browsers_of_one_person_agree(browser: Browser, server: WebServer, token: str) -> None:
    match = opened(server, "FRANCE", "ENGLAND")
    one, other = (tab(browser, server, token).go(f"{server.url}/match/{match}") for _ in range(2))
    one.page.select_option("[data-unit=PAR] select", "A PAR - BUR")
    other.until(lambda: other.page.locator("[data-unit=PAR] select").input_value() == "A PAR - BUR")
    other.page.select_option("[data-unit=MAR] select", "A MAR - SPA")
    other.page.click(READY)
    one.page.wait_for_selector("button:text-is('Not ready after all')")
    server.run(submitted(session_of(server.hall, "england"), match, Act(Seat("ENGLAND"), [], turn=1)))
    one.until(lambda: one.heading() == "Fall 1901, movement")
    assert ordered(server, match) == [["A MAR - SPA", "A PAR - BUR"]]


def test_what_was_never_sent_is_sent_after_a_reload(browser: Browser, server: WebServer, token: str) -> None:
    match = opened(server, "FRANCE")
    here = tab(browser, server, token)
    here.page.add_init_script(MUTE)
    here.go(f"{server.url}/match/{match}")
    other = Tab(here.page.context.new_page())  # of the same browser, and so with the same drafts
    other.page.add_init_script(MUTE)
    other.go(here.page.url)
    for page in (here, other):
        page.page.evaluate("window.muted = true")
    here.page.select_option("[data-unit=PAR] select", "A PAR - BUR")
    other.page.select_option("[aria-label='Vote on a draw']", "no")
    here.page.reload()
    here.until(lambda: here.page.locator("[data-layer=orders] .order").count() == 1)  # drawn by the server
    other.page.close()
    here.page.click(READY)
    here.until(lambda: here.heading() == "Fall 1901, movement")
    assert ordered(server, match) == [["A PAR - BUR"]]
    assert here.page.evaluate("Object.keys(localStorage).filter((name) => name.includes('FRANCE'))") == []


HELD_ANSWERS = """
const Plain = WebSocket;
window.held = [];
window.WebSocket = class extends Plain {
  set onmessage(told) {
    this.addEventListener("message", (message) => {
      const answer = typeof message.data === "string" && /^.(.ok|.refused)/.test(message.data);
      if (answer) window.held.push(() => told(message));
      else told(message);
    });
  }
};
"""
"""Answers come when the test lets them."""
GIVE = "window.held.splice(0).forEach((give) => give())"


def _placed(browser: Browser, server: WebServer, token: str) -> tuple[Tab, Locator]:
    """Return a page whose red penguins all stand and may move, and the first of these moves.

    The answer to the last placement is held; what is entered next is sent once that answer has come.
    """
    config, agents = {"rows": 3, "cols": 4, "players": 2}, {Seat("white"): "greedy"}
    # Not by chance: on some boards red has no second move to wait for.
    setup = MatchSetup(game="fish", config=config, terms=Terms(conduct=LENIENT), agents=agents, seed=1)
    match = server.run(session_of(server.hall, "house", admin=True).open(setup))
    assert server.run(session_of(server.hall, "france").join(match, Seat("red"))).refusal is None
    here = tab(browser, server, token)
    here.page.add_init_script(HELD_ANSWERS)
    here.go(f"{server.url}/match/{match}")
    here.learn_sheet(assets.sheet_address("fish", "3x4"))
    option = here.page.locator(".move-form option").first
    for _ in range(4):  # placements, each after what its neighbour did
        here.page.evaluate(GIVE)
        words = option.inner_text()
        here.click(re.findall(r"\d+,\d+", words)[0])
        here.until(partial(_other, option, words))
    return here, option


def test_a_late_answer_does_not_unmake_what_was_chosen_since(browser: Browser, server: WebServer, token: str) -> None:
    here, option = _placed(browser, server, token)
    start, end = re.findall(r"\d+,\d+", words := option.inner_text())
    here.click(start)
    here.page.evaluate(GIVE)
    here.page.evaluate("new Promise((settle) => setTimeout(settle))")  # until they are taken
    here.click(end)
    here.until(partial(_other, option, words))
    assert here.problems == []


def test_a_penguin_is_chosen_by_its_tile_though_it_is_not_drawn_there_yet(
    browser: Browser, server: WebServer, token: str
) -> None:
    here, option = _placed(browser, server, token)
    here.page.evaluate(GIVE)
    # So that clicks go to what is below.
    here.page.eval_on_selector_all(".penguin", "(all) => all.forEach((one) => { one.style.pointerEvents = 'none'; })")
    start, end = re.findall(r"\d+,\d+", words := option.inner_text())
    here.click(start)
    here.click(end)
    here.until(partial(_other, option, words))


def _other(option: Locator, words: str) -> bool:
    return option.count() > 0 and option.inner_text() != words


REFUSED_TURNS = """
window.refusals = 2;
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (text) {
  const { id, ask } = JSON.parse(text);
  if (ask !== "turns" || window.refusals-- <= 0) return send.call(this, text);
  const data = JSON.stringify({ refused: id, code: "busy", reason: "Not now." });
  this.dispatchEvent(new MessageEvent("message", { data }));
};
"""
"""Old turns are refused twice."""


def _finished(server: WebServer) -> str:
    """Return a match that the house has played to its end."""
    match = opened(server)
    for _ in range(1200):
        if server.run(server.hall.view(match, SPECTATOR)).outcome is not None:
            return match
        time.sleep(0.05)  # a browser and a server live in real time
    raise AssertionError("it did not end")


def test_an_old_turn_that_was_refused_is_asked_for_again(browser: Browser, server: WebServer, token: str) -> None:
    match = _finished(server)
    here = tab(browser, server, token)
    here.page.add_init_script(REFUSED_TURNS)
    here.go(f"{server.url}/match/{match}")
    here.page.keyboard.press("Home")
    here.until(lambda: here.page.locator(".status").inner_text() == "Not now.")
    here.until(lambda: here.page.locator(".results .order-result").count() == 22)
    assert here.heading() == "Spring 1901, movement"
    assert here.page.evaluate("window.refusals") < 0
    assert here.problems == []


def test_an_old_turn_that_was_asked_for_while_the_line_was_cut_comes_when_it_is_back(
    browser: Browser, server: WebServer, token: str
) -> None:
    match = _finished(server)
    here = tab(browser, server, token).go(f"{server.url}/match/{match}")
    here.page.evaluate("() => { window.setTimeout = () => 0; }")  # so that nothing but the line itself can bring it
    server.stop()
    here.page.wait_for_selector(".banner:not([hidden])")
    here.page.keyboard.press("Home")
    here.until(lambda: "cut" in here.page.locator(".status").inner_text())
    server.start()
    here.page.click("text=Try now")
    here.until(lambda: here.page.locator(".results .order-result").count() == 22)
    assert here.heading() == "Spring 1901, movement"


def test_a_board_that_could_not_be_fetched_is_fetched_again(browser: Browser, server: WebServer, token: str) -> None:
    match = opened(server, "FRANCE")
    here = tab(browser, server, token)
    failed: list[str] = []

    def fail_once(route: Route) -> None:
        if failed:
            route.continue_()
        else:
            failed.append(route.request.url)
            route.abort()

    here.page.route("**/sheet/**", fail_once)
    here.go(f"{server.url}/match/{match}")
    here.page.wait_for_selector("[data-unit=PAR] select")
    assert failed


HALF_OPEN = """
const Plain = WebSocket, send = WebSocket.prototype.send;
window.lines = [];
WebSocket.prototype.send = function (text) {
  if (!this.vanished) send.call(this, text);
};
window.WebSocket = class extends Plain {
  constructor(address) {
    super(address);
    window.lines.push(this);
  }
  set onmessage(told) {
    this.answers = 0;
    this.addEventListener("message", (message) => {
      if (this.vanished) return;
      told(message);
      this.answers += /^.(.ok)/.test(message.data);
    });
  }
};
"""
"""A line can vanish: what is sent over it arrives nowhere, on either side, and nobody is told."""


@pytest.mark.parametrize("returns", [False, True], ids=["in time", "when its person comes back"])
def test_a_page_that_only_watches_notices_that_its_line_has_vanished(
    browser: Browser, server: WebServer, returns: bool
) -> None:
    match = opened(server, "FRANCE", "ENGLAND")
    here = tab(browser, server)
    here.page.clock.install()
    here.page.add_init_script(HALF_OPEN)
    here.go(f"{server.url}/match/{match}")
    for answers in (1, 2, 3):  # a line that answers is kept
        here.page.clock.run_for(41_000)
        here.until(partial(here.page.evaluate, f"window.lines[0].answers === {answers}"))
    here.page.evaluate("window.lines[0].vanished = true")
    waits = SetWait(seat=Seat("ENGLAND"), wait=True)
    server.run(submitted(session_of(server.hall, "england"), match, waits))
    if returns:
        here.page.evaluate("window.dispatchEvent(new Event('online'))")
    else:
        here.page.clock.run_for(41_000)  # it asks
    here.page.clock.run_for(21_000)  # nobody answers
    here.page.clock.run_for(2_000)  # it comes back
    assert here.page.evaluate("window.lines.length") == 2
    here.page.wait_for_selector("[data-seat=ENGLAND] [title='not ready yet']")
    assert here.problems == []
