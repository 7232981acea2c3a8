"""Living there: profiles, lobby, anonymous matches, notices in a browser, sandbox addresses, exports, the guide."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest

from parlour.core.game import Seat
from parlour.core.intents import Act
from parlour.core.terms import Clock, PressMode, PressTerms, Terms, Vacancy
from parlour.net.setup import Admission, MatchSetup
from parlour.referee.conduct import HOSTED
from parlour.web import assets
from support.hall.people import session_of, submitted
from support.web.browser import LOOKS, Tab, look_at, needs_axe, needs_chromium, tab, violations
from support.web.server import WebServer

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, CDPSession

pytestmark = [needs_chromium, pytest.mark.timeout(180)]
POWERS = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")
READY = "button:text-is('Ready')"
STANDARD = assets.sheet_address("diplomacy", "standard")


def opened(server: WebServer, account: str, *, free: tuple[str, ...] = (), **how: Any) -> str:
    """Open a match in which an account plays France, and the house holds still."""
    press = PressTerms(PressMode.ANYTIME, level=8000)
    terms = Terms(HOSTED, how.pop("clock", Clock()), press, vacancy=Vacancy.DEFAULT)
    agents = {Seat(power): "hold" for power in POWERS if power != "FRANCE" and power not in free}
    setup = MatchSetup(game="diplomacy", config={"last_year": 1901}, terms=terms, agents=agents, **how)
    match = server.run(session_of(server.hall, account).open(setup))
    assert server.run(session_of(server.hall, account).join(match, Seat("FRANCE"))).refusal is None
    return match


def says(here: Tab, selector: str, text: str) -> bool:
    return text in here.page.locator(selector).inner_text()


def ended(server: WebServer, match: str, account: str) -> None:
    """Play the match to its end, with one action per turn: a second one would replace the first."""
    session = session_of(server.hall, account)
    acted = 0
    while server.run(server.hall.head(match)).result is None:
        turn = server.run(session.view(match)).turn
        if turn > acted:
            orders = [] if acted else ["A PAR - BUR"]
            assert server.run(submitted(session, match, Act(Seat("FRANCE"), orders))).refusal is None
            acted = turn


def test_a_profile_says_how_matches_ended_and_how_reliable_somebody_is(browser: Browser, server: WebServer) -> None:
    token = server.sign_in("pia")
    match = opened(server, "pia", title="The first")
    ended(server, match, "pia")
    here = tab(browser, server, token)
    here.page.goto(f"{server.url}/account")
    here.page.click("text=Your profile, as others see it")
    here.until(lambda: here.page.reload() and "Present in" in here.page.locator("main").inner_text())
    text = here.page.locator("main").inner_text()
    assert "Present in 100% of 2 turns of 1 match; 0 missed." in text
    assert "The first" in here.page.locator("table").inner_text()
    other = tab(browser, server, server.sign_in("quin"))
    other.page.goto(here.page.url)
    assert other.page.locator("main").inner_text() == text  # others see the same
    assert token not in other.page.content()
    assert other.page.locator(".tokens-list, form").count() == 0  # and nothing by which one signs in or ends a token
    other.page.goto(f"{server.url}/account")
    assert other.page.locator("h1").inner_text() == "quin"
    assert other.page.locator(".tokens-list li").count() == 1
    assert server.request("GET", "/player/nobody-at-all").status == 404
    assert here.problems == other.problems == []


def test_the_lobby_shows_terms_and_what_one_looks_for(browser: Browser, server: WebServer) -> None:
    clock = Clock(per_turn=86_400.0, weekends=False)
    opened(server, "lea", title="Slow and open", free=("ITALY", "TURKEY"), clock=clock)
    opened(server, "lea", title="Quick and full")
    here = tab(browser, server).go(server.url)
    card = here.page.locator(".match-card", has_text="Slow and open")
    said = card.inner_text()
    assert "2 of 7 seats free, 1 day a turn, weekends free, proposals and free text" in said
    assert "Diplomacy, waiting for players" in said
    here.page.check("[name=free]")
    here.page.select_option("[name=speed]", "slow")
    here.page.fill("[name=text]", "slow AND")
    here.page.click(".filters button")
    assert here.page.locator(".match-card b").all_inner_texts() == ["Slow and open"]
    assert here.page.evaluate("document.querySelector('.filters').getBoundingClientRect().top < innerHeight / 2")
    here.page.fill("[name=text]", "no such title")
    here.page.click(".filters button")
    assert "No match here is like that" in here.page.locator("main").inner_text()


def test_nobody_learns_who_plays_an_anonymous_match_before_it_is_over(browser: Browser, server: WebServer) -> None:
    token = server.sign_in("zoe9")
    match = opened(server, "zoe9", title="Masks", admission=Admission(seats_each=1, anonymous=True))
    assert server.run(server.hall.head(match)).players["FRANCE"] == "anonymous"
    stranger = session_of(server.hall, "stranger")
    seen = server.run(stranger.events(match))
    assert "zoe9" not in "".join(map(str, seen))
    assert "Masks" not in server.request("GET", "/player/zoe9").text
    here = tab(browser, server, token).go(f"{server.url}/match/{match}")
    other = tab(browser, server).go(f"{server.url}/match/{match}")
    assert "zoe9" not in other.page.locator("body").inner_text()
    ended(server, match, "zoe9")
    for page in (here, other):
        page.until(partial(says, page, "body", "France (zoe9)"))
    assert "Masks" in server.request("GET", "/player/zoe9").text
    assert here.problems == other.problems == []


def test_each_seat_can_have_another_player_and_weekends_can_be_free(browser: Browser, server: WebServer) -> None:
    here = tab(browser, server, server.sign_in("olli"))
    here.go(f"{server.url}/new")
    here.page.click("text=By mail")
    here.page.wait_for_selector("body[data-ready]")
    here.page.fill("[name=title]", "A seat in Rome")
    assert here.page.is_checked("[name=rests]")
    here.page.click("text=Choose a player for each seat")
    assert here.page.locator("[name='agent.ROME']").is_hidden()  # a seat of another map
    here.page.select_option("[name='agent.ITALY']", "a person")
    here.page.select_option("[name='agent.RUSSIA']", "hold")
    here.page.check("[name=anonymous]")
    here.page.click("text=Open the match")
    here.page.wait_for_selector(".lobby-seats")
    words = here.page.locator(".terms").inner_text()
    assert "Ends after years: 10; Map: standard; Sight: clear; Scoring: sum of squares" in words
    assert "Saturdays and Sundays (UTC) do not count." in words
    assert "Nobody learns who sits where before the match is over." in words
    seats = here.page.locator(".lobby-seats").inner_text()
    assert "hold" in seats
    assert "free" in seats
    assert "strongest here" in here.page.locator("select[aria-label='House agent']").inner_text()
    opened(server, "ole", title="In Paris", free=("ITALY",), clock=Clock(per_turn=86_400.0))
    there = tab(browser, server, server.sign_in("otis")).go(server.url)  # who looks for such a match finds it
    there.page.check("[name=free]")
    there.page.select_option("[name=speed]", "slow")
    there.page.fill("[name=text]", "in rome")
    there.page.click(".filters button")
    there.until(lambda: there.page.locator(".match-card b").all_inner_texts() == ["A seat in Rome"])
    assert "1 day a turn, weekends free" in there.page.locator(".match-card").inner_text()
    there.page.click("text=A seat in Rome")
    there.page.wait_for_selector(".lobby-seats")
    assert there.page.locator(".terms").inner_text() == words
    here.page.select_option("select[aria-label='House agent']", "stabber")
    here.page.click("text=Copy")
    here.page.wait_for_selector("text=Copied")
    there.page.click("button:has-text('Sit down as Italy')")
    here.until(lambda: here.page.locator("li:has-text('Italy'):has-text('anonymous')").count() == 1)
    assert here.page.input_value("select[aria-label='House agent']") == "stabber"  # whoever comes and goes
    assert "otis" not in here.page.content()
    assert here.problems == there.problems == []


FAKE_PUSH = """
const kept = { endpoint: "" };
PushManager.prototype.getSubscription = async () => kept.endpoint ? kept : null;
PushManager.prototype.subscribe = async (asked) => {
  window.askedKey = asked.applicationServerKey.length;
  kept.endpoint = "https://push.example.org/abc";
  return kept;
};
kept.unsubscribe = async () => { kept.endpoint = ""; };
"""
"""Instead of a push service, which is elsewhere."""


def test_a_browser_is_told_that_it_is_somebodys_turn(browser: Browser, server: WebServer) -> None:
    token = server.sign_in("nora")
    opened(server, "nora", title="Nora waits")
    there = tab(browser, server, server.sign_in("nils"), permissions=["notifications"])
    here = tab(browser, server, token, permissions=["notifications"])
    here.page.add_init_script(FAKE_PUSH)
    here.page.goto(f"{server.url}/account")
    here.page.click("text=Tell me in this browser")
    here.until(lambda: "This browser is told" in here.page.locator("#push-state").inner_text())
    assert here.page.evaluate("window.askedKey") == 65
    notifier = server.notifier
    assert server.run(notifier.book.of("nora")).browsers == ("https://push.example.org/abc",)
    there.page.goto(f"{server.url}/account")
    there.page.wait_for_selector("text=Tell me in this browser")  # nobody is told who did not ask for it
    assert server.run(notifier.book.of("nils")).browsers == ()
    told = woken(here, server.url)
    assert told == ["Your turn: Nora waits"]
    here.page.click("text=No longer tell me in this browser")
    here.until(lambda: not server.run(notifier.book.of("nora")).browsers)
    assert here.problems == there.problems == []


def woken(here: Tab, origin: str) -> list[str]:
    """Wake the page's worker as its push service would; what it shows."""
    line: CDPSession = here.page.context.new_cdp_session(here.page)
    found: list[str] = []
    line.on("ServiceWorker.workerRegistrationUpdated", lambda event: found.extend(
        one["registrationId"] for one in event["registrations"] if not one["isDeleted"]
    ))  # fmt: skip
    here.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    line.send("ServiceWorker.enable")
    here.until(lambda: found)
    line.send("ServiceWorker.deliverPushMessage", {"origin": origin, "registrationId": found[0], "data": ""})
    shown = """async () => (await (await navigator.serviceWorker.ready).getNotifications())
      .map((one) => `${one.title}: ${one.body}`)"""
    here.until(lambda: here.page.evaluate(shown))
    texts: list[str] = here.page.evaluate(shown)
    return texts


def test_strangers_cannot_set_notices(server: WebServer) -> None:
    token = server.sign_in("mallory")
    body = json.dumps({"endpoint": "https://127.0.0.1/steal"})
    headers = {"cookie": f"parlour={token}", "content-type": "application/json"}
    assert server.send("POST", "/account/push", body, headers).status == 400
    assert server.send("POST", "/account/push", body, {"content-type": "application/json"}).status == 403
    foreign = {**headers, "sec-fetch-site": "cross-site"}
    assert server.send("POST", "/account/push", body, foreign).status == 403
    assert server.request("POST", "/notices/confirm", form={"account": "mallory", "token": "x"}).status == 400
    assert server.request("POST", "/notices/stop?account=mallory&proof=x", form={}).status == 400
    assert json.loads(server.request("GET", "/waiting").text) == {"matches": []}


def test_any_turn_opens_in_the_sandbox_and_its_address_can_be_shared(browser: Browser, server: WebServer) -> None:
    match = opened(server, "sam1")
    ended(server, match, "sam1")
    here = tab(browser, server, server.sign_in("sam1")).go(f"{server.url}/match/{match}#S1901M")
    here.until(lambda: here.heading() == "Spring 1901, movement")
    here.page.click("[aria-label^='Take away']")
    here.page.click("text=Sandbox from this turn")
    here.page.wait_for_selector("body.sandboxed[data-ready]")
    here.until(lambda: here.page.locator("[data-layer=orders] .order").count() > 0)
    address = here.page.evaluate("location.href")
    assert "A PAR - BUR" in unquote(address)
    there = tab(browser, server).go(address)
    there.until(lambda: there.page.locator("[data-layer=orders] .order").count() > 0)
    assert there.page.input_value(".fen").startswith("standard S1901M ")
    assert there.page.input_value(".fen") == here.page.input_value(".fen")
    chosen = "(all) => all.map((one) => one.value)"
    orders, others = (page.page.eval_on_selector_all(".unit-row select", chosen) for page in (here, there))
    assert "A PAR - BUR" in orders
    assert others == orders  # somebody else has the same position and orders
    bad = tab(browser, server).go(f"{server.url}/sandbox#position=nonsense&orders=%7B")
    assert "nonsense" in bad.page.locator(".refused").inner_text() or bad.page.locator(".refused").inner_text()
    assert here.problems == there.problems == []


def test_a_match_can_be_taken_away(browser: Browser, server: WebServer) -> None:
    match = opened(server, "tom1", title="Taken")
    ended(server, match, "tom1")
    here = tab(browser, server, server.sign_in("tom1")).go(f"{server.url}/match/{match}#S1901M")
    here.until(lambda: here.heading() == "Spring 1901, movement")
    here.page.click("[aria-label^='Take away']")
    kinds = ("SVG", "PNG", "Text", "Record", "Saved game", "Film (WebM)")
    found = {name: taken(here, f"dialog .line >> text='{name}'") for name in kinds}
    assert found["SVG"].startswith(b"<svg")
    assert found["PNG"].startswith(b"\x89PNG")
    assert "A PAR - BUR" in found["Text"].decode()
    assert json.loads(found["Record"].splitlines()[1])["event"] == "opened"
    assert json.loads(found["Saved game"])["map"] == "standard"
    assert found["Film (WebM)"].startswith(b"\x1a\x45\xdf\xa3")
    there = tab(browser, server).go(f"{server.url}/match/{match}#S1901M")
    there.until(lambda: there.heading() == "Spring 1901, movement")
    there.page.click("[aria-label^='Take away']")
    for name in ("Text", "Record", "Saved game"):  # who played has the same as whoever watched
        assert taken(there, f"dialog .line >> text='{name}'") == found[name]
    assert here.problems == there.problems == []


def taken(here: Tab, selector: str) -> bytes:
    with here.page.expect_download() as waiting:
        here.page.click(selector)
    path: Path = waiting.value.path()
    return path.read_bytes()


def test_the_guide_teaches_five_things(browser: Browser, server: WebServer) -> None:
    here = tab(browser, server).go(f"{server.url}/learn")
    here.page.click("text=Check")
    here.until(lambda: "Not yet" in here.page.locator(".verdict").inner_text())
    steps = ({"PAR": "A PAR - BUR"}, {"PAR": "A PAR - BUR", "MAR": "A MAR S A PAR - BUR"}, {"HOL": "A HOL - RUH"},
             {"YOR": "A YOR - NWY VIA", "NTH": "F NTH C A YOR - NWY"}, {"PIC": "A PIC - BEL"})  # fmt: skip
    for number, orders in enumerate(steps, 1):
        here.until(partial(says, here, ".status", f"Step {number} of 5"))
        for unit, order in orders.items():
            here.page.select_option(f"[data-unit={unit}] select", order)
        here.page.click("text=Check")
        here.until(lambda: here.page.locator(".verdict").inner_text().startswith("Solved"))
        if number < len(steps):
            here.page.click("text=Next step")
    # Somebody else begins at the beginning, on a phone, by touch.
    there = tab(browser, server, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    there.go(f"{server.url}/learn")
    there.learn_sheet(STANDARD)
    assert there.page.locator(".status").inner_text().startswith("Step 1 of 5")
    for place in ("PAR", "BUR"):
        there.page.touchscreen.tap(*there.at(place))
    there.until(lambda: there.page.input_value("[data-unit=PAR] select") == "A PAR - BUR")
    there.page.locator("text=Check").tap()
    there.until(lambda: there.page.locator(".verdict").inner_text().startswith("Solved"))
    assert there.page.locator(".lesson-steps .icon").count() == 1
    assert here.page.locator(".lesson-steps .icon").count() == len(steps)
    assert here.problems == there.problems == []


@needs_axe
def test_new_pages_are_for_everyone(browser: Browser, server: WebServer) -> None:
    token = server.sign_in("axa")
    ended(server, opened(server, "axa"), "axa")
    here = tab(browser, server, token)
    for path in ("/learn", "/player/axa", "/account", "/?show=open", "/notices/stop?account=a&proof=b"):
        here.page.goto(server.url + path)
        if path == "/learn":
            here.page.wait_for_selector("body[data-ready]")
        for theme, width, height in LOOKS:
            look_at(here, theme, width, height)
            assert violations(here) == [], (path, theme, width)
