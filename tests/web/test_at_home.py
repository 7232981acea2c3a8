"""Living there: what waits comes first, a match ends with a card, forms keep what was typed, boards have room."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from parlour.core.game import Seat
from parlour.core.intents import Ballot, Vote
from parlour.core.terms import Clock, PressMode, PressTerms, Terms, Vacancy
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import HOSTED, LENIENT
from support.hall.people import session_of, submitted
from support.web.browser import LOOKS, Tab, look_at, needs_axe, needs_chromium, tab, violations
from support.web.server import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [needs_chromium]
POWERS = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")
SHARE = """() => {
  const box = document.querySelector(".stage").getBoundingClientRect();
  return box.width * box.height / (innerWidth * innerHeight);
}"""
"""JavaScript that returns the share of the page that the board covers."""
CUT_OFF = """() => {
  const wide = (one) => one.scrollWidth > one.clientWidth + 1;
  const short = (one) => one.clientWidth < 150;
  const name = (one) => `${one.className} ${one.clientWidth}`;
  const all = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.clientWidth);
  return [...all(".tabs, .pane.chosen, .top").filter(wide), ...all(".unit-row select").filter(short)].map(name);
}"""
"""JavaScript that returns the parts that do not fit: tabs, the sheet beside the board, the head, lists of orders."""
COUNT_SOUNDS = """
window.sounds = 0;
window.AudioContext = class extends window.AudioContext {
  constructor() {
    super();
    window.sounds += 1;
  }
};
"""
"""Count the sounds that a page makes."""
SETTLED_AT = """async ([width, height]) => {
  const size = () => JSON.stringify(document.querySelector(".stage").getBoundingClientRect());
  const frame = () => new Promise((settle) => requestAnimationFrame(settle));
  const before = size();
  for (let i = 0; i < 3; i++) await frame();
  return innerWidth === width && innerHeight === height && size() === before;
}"""
"""JavaScript that returns True if the page has that size, and the board has stood still for a few frames."""


def opened(server: WebServer, account: str, title: str = "", *, other: str = "") -> str:
    """Open a match in which an account plays France, another plays Germany if there is one, and the rest hold still."""
    people = {"FRANCE": account} | ({"GERMANY": other} if other else {})
    terms = Terms(HOSTED, Clock(per_turn=3600.0), PressTerms(PressMode.ANYTIME, level=8000), vacancy=Vacancy.DEFAULT)
    agents = {Seat(power): "hold" for power in POWERS if power not in people}
    setup = MatchSetup(game="diplomacy", config={"last_year": 1901}, terms=terms, agents=agents, title=title)
    match = server.run(session_of(server.hall, "house", admin=True).open(setup))
    for power, name in people.items():
        assert server.run(session_of(server.hall, name).join(match, Seat(power))).refusal is None
    return match


def is_at(here: Tab, turn: str) -> bool:
    return here.heading() == turn


def test_the_first_page_begins_with_what_waits_for_you(browser: Browser, server: WebServer) -> None:
    match = opened(server, "una2", "Waits for Una", other="ulf2")
    here = tab(browser, server, server.sign_in("una2"))
    here.page.add_init_script(COUNT_SOUNDS)
    here.page.clock.install()
    here.go(f"{server.url}/")
    assert here.page.locator("main h2").first.inner_text() == "Your matches: 1 waits for you"
    assert here.page.title().startswith("(1) ")
    card = here.page.locator(".own .match-card").inner_text()
    assert "Spring 1901, orders" in card
    assert "You play France" in card
    assert "your turn" in card
    assert re.search(r"until (today|tomorrow), \d", card)
    assert "UTC" not in card  # the reader's own time
    opened(server, "una2", "Waits, too")
    here.page.clock.fast_forward(31_000)
    here.until(lambda: here.page.title().startswith("(2) "))
    assert here.page.evaluate("window.sounds") == 1
    here.page.click("text=Waits for Una")
    here.page.wait_for_selector(".order-form")
    assert here.page.title().startswith("(your turn) ")
    here.page.click("button:text-is('Ready')")
    here.until(lambda: not here.page.title().startswith("(your turn) "))
    there = tab(browser, server, server.sign_in("ulf2")).go(f"{server.url}/")
    assert there.page.title().startswith("(1) ")  # now it waits for the other alone
    assert "You play Germany" in there.page.locator(".own .match-card").inner_text()
    there.page.click("text=Waits for Una")
    there.page.click("button:text-is('Ready')")
    here.until(lambda: here.page.title().startswith("(your turn) "))
    assert "Fall" in here.heading()
    assert match in here.page.url
    assert here.problems == there.problems == []


def test_a_match_ends_with_a_card_that_says_how(browser: Browser, server: WebServer) -> None:
    match = opened(server, "vic2", "The end of it")
    here = tab(browser, server, server.sign_in("vic2"), (1280, 720)).go(f"{server.url}/match/{match}")
    here.page.click("button:text-is('Ready')")
    here.until(lambda: here.heading() == "Fall 1901, movement")
    here.page.click("button:text-is('Ready')")
    here.until(lambda: "over" in here.page.locator(".status").inner_text())
    here.page.wait_for_selector(".result .chart")
    rows = here.page.locator(".result tbody tr")
    assert rows.count() == len(POWERS)
    below = "(one) => one.getBoundingClientRect().bottom - one.closest('.pane').getBoundingClientRect().bottom"
    assert here.page.locator(".result button:has-text('Rematch')").evaluate(below) < 0, "one has to scroll for it"
    assert "vic2" in here.page.locator(".result").inner_text()
    assert here.page.locator(".result button:has-text('Copy the address')").count() == 1
    with here.page.expect_download() as record:
        here.page.click(".result a:has-text('Download')")
    assert '"ended"' in record.value.path().read_text(encoding="utf-8")
    here.page.click(".result button:has-text('Copy the address')")
    here.page.wait_for_selector(".result button:has-text('Copied')")
    there = tab(browser, server, server.sign_in("val2")).go(f"{server.url}/match/{match}")
    lines = list[str]()
    there.page.on("websocket", lambda line: lines.append(line.url))
    for page in (here, there):  # whoever wants it comes to the same table
        page.page.click(".result button:has-text('Rematch')")
        page.page.wait_for_selector(".lobby")
        assert page.heading() == "The end of it, again"
        assert "Each turn lasts 1 hour at most" in page.page.locator(".terms").inner_text()
    assert there.page.url == here.page.url
    here.page.click("button:has-text('Sit down as Italy')")
    there.page.click("button:has-text('Sit down as Turkey')")
    here.until(lambda: "val2" in here.page.locator(".lobby-seats").inner_text())
    here.page.click("text=Stand up")
    there.until(lambda: "vic2" not in there.page.locator(".lobby-seats").inner_text())
    assert len(lines) == 1, "each arrival is told on the same line, so that no click of the others is lost"
    assert here.problems == there.problems == []


def test_a_finished_match_of_fish_opens_with_its_moves(browser: Browser, server: WebServer) -> None:
    agents = {Seat("red"): "greedy", Seat("white"): "greedy"}
    config = {"rows": 3, "cols": 4, "players": 2}
    setup = MatchSetup(game="fish", config=config, terms=Terms(LENIENT), agents=agents, seed=1)
    match = server.run(session_of(server.hall, "house", admin=True).open(setup))
    here = tab(browser, server, server.sign_in("flo2"))
    here.until(lambda: server.run(server.hall.head(match)).status == "over")
    here.go(f"{server.url}/match/{match}")
    here.page.wait_for_selector(".result")
    here.until(
        lambda: here.page.locator(".moves li").count() > 4 and "…" not in here.page.locator(".moves").inner_text()
    )
    assert here.page.evaluate("document.querySelector('.pane-orders').scrollTop") == 0  # it begins with the result
    assert here.problems == []


def test_a_form_keeps_what_was_typed_and_templates_fill_it(browser: Browser, server: WebServer) -> None:
    here = tab(browser, server, server.sign_in("wil2"))
    here.page.goto(f"{server.url}/new?game=fish")
    here.page.fill("[name=title]", "A long winter" * 5)
    here.page.evaluate("document.querySelector('form.new-match').noValidate = true")
    here.page.fill("[name=rows]", "1")
    here.page.fill("[name=password]", "herring")
    here.page.click("text=Open the match")
    here.page.wait_for_selector(".refused")
    assert here.page.input_value("[name=title]") == "A long winter" * 5
    assert here.page.input_value("[name=password]") == "herring"  # without it the match would be open to all
    here.go(f"{server.url}/new?game=diplomacy")
    here.page.fill("[name=title]", "A longer winter")
    for name, clock, missed, rests in (
        ("By mail: a day a turn, weekends free", "1 day", "frees the seat", True),
        ("Blitz: 5 minutes a turn", "5 minutes", "keeps the seat", False),
    ):
        here.page.click(f"text={name}")
        assert here.page.locator(".templates [aria-current]").all_inner_texts() == [name]
        assert here.page.input_value("[name=agent]") == "a person"
        assert here.page.input_value("[name=clock]") == clock
        assert here.page.input_value("[name=missed]") == missed
        assert here.page.is_checked("[name=rests]") == rests
    assert here.page.input_value("[name=title]") == "A longer winter"


def test_the_board_comes_first_at_every_size(browser: Browser, server: WebServer) -> None:
    match = opened(server, "xan2", "A title that goes on " * 4, other="xia2")
    here = tab(browser, server, server.sign_in("xan2")).go(f"{server.url}/match/{match}")
    for width, height in ((1440, 900), (720, 450), (844, 390), (1024, 768), (1180, 820), (768, 1024), (390, 844)):
        here.page.set_viewport_size({"width": width, "height": height})
        here.page.wait_for_function(SETTLED_AT, arg=[width, height])
        assert here.page.evaluate(SHARE) > 0.25, (width, height)
        assert here.page.evaluate("document.documentElement.scrollWidth") <= width, (width, height)
        assert here.page.evaluate(CUT_OFF) == [], (width, height)
    here.page.set_viewport_size({"width": 720, "height": 450})
    here.page.keyboard.press("?")
    dialog = here.page.locator("dialog[open]")
    assert dialog.evaluate("(one) => one.scrollWidth <= one.clientWidth"), "all of the help is above or below"
    here.page.keyboard.press("Escape")
    # The other plays on a phone held sideways, at this one's table.
    there = tab(browser, server, server.sign_in("xia2"), (844, 390), has_touch=True, is_mobile=True)
    there.go(f"{server.url}/match/{match}")
    there.page.click("[aria-label^=Help]")  # gestures are of use where fingers point
    assert "Drag a unit" in there.page.locator("dialog[open]").inner_text()
    there.page.tap("dialog button:text-is('Close')")
    there.page.select_option("[data-unit=MUN] select", "A MUN - RUH")
    there.until(lambda: there.page.locator("[data-layer=orders] .order").count() == 1)
    there.page.tap("button:text-is('Ready')")
    here.page.click("button:text-is('Ready')")
    for page in (here, there):
        page.until(partial(is_at, page, "Fall 1901, movement"))
        page.page.wait_for_selector("[data-layer=units] [data-key=RUH]")
        assert page.page.evaluate(SHARE) > 0.25
        assert page.page.evaluate(CUT_OFF) == []
    assert there.problems == []
    for path in ("/sandbox", "/learn"):
        here.go(server.url + path)
        for width, height in ((720, 450), (844, 390), (390, 844)):
            here.page.set_viewport_size({"width": width, "height": height})
            here.page.wait_for_function(SETTLED_AT, arg=[width, height])
            assert here.page.evaluate(SHARE) > 0.25, (path, width, height)
            assert here.page.evaluate(CUT_OFF) == [], (path, width, height)
    assert here.problems == []


def test_a_deep_link_into_a_live_match_shows_that_turn(browser: Browser, server: WebServer) -> None:
    match = opened(server, "yan2")
    here = tab(browser, server, server.sign_in("yan2")).go(f"{server.url}/match/{match}")
    here.page.click("button:text-is('Ready')")
    here.until(lambda: here.heading() == "Fall 1901, movement")
    here.go(f"{server.url}/match/{match}#S1901M")
    here.page.reload()
    here.until(lambda: here.heading() == "Spring 1901, movement")
    assert "army Paris" in str(here.page.locator("[aria-label='Units on the board']").text_content())
    there = tab(browser, server).go(here.page.url)  # somebody else gets the link
    there.until(lambda: there.heading() == "Spring 1901, movement")
    there.page.keyboard.press("End")
    there.until(lambda: there.heading() == "Fall 1901, movement")
    assert here.problems == there.problems == []


def test_two_people_hear_all_units_and_who_is_asked_for_which(browser: Browser, server: WebServer) -> None:
    match = opened(server, "eva2", other="ede2")
    own = {
        "eva2": ["Fleet Brest", "Army Marseilles", "Army Paris"],
        "ede2": ["Army Berlin", "Fleet Kiel", "Army Munich"],
    }
    pages = {name: tab(browser, server, server.sign_in(name)).go(f"{server.url}/match/{match}") for name in own}
    labels = "(all) => all.map((one) => one.getAttribute('aria-label')).sort()"
    for name, here in pages.items():
        heard = here.page.eval_on_selector_all(".unit-row select", labels)
        assert heard == sorted(f"Order for {unit}" for unit in own[name])
    pages["ede2"].page.select_option("[data-unit=MUN] select", "A MUN - RUH")
    pages["ede2"].until(lambda: pages["ede2"].page.locator("[data-layer=orders] .order").count() == 1)
    for here in pages.values():
        here.page.click("button:text-is('Ready')")
    for here in pages.values():
        here.until(partial(is_at, here, "Fall 1901, movement"))
        heard = here.page.locator("[aria-label='Units on the board'] p").all_text_contents()
        assert len(heard) == len(POWERS)
        assert {
            "France: fleet Brest, army Marseilles, army Paris",
            "Germany: army Berlin, fleet Kiel, army Ruhr",
        } <= set(heard)
        assert here.problems == []


def test_a_printed_match_has_its_board_first_and_nothing_to_press(browser: Browser, server: WebServer) -> None:
    match = opened(server, "pri2", "A title that goes on " * 4)
    for token, size in ((server.sign_in("pri2"), (1440, 900)), ("", (390, 844))):  # who plays, and who watches
        here = tab(browser, server, token, size).go(f"{server.url}/match/{match}")
        here.page.emulate_media(media="print")
        here.page.wait_for_function("""() => {
          const [board, seats] = [".stage", ".seats"].map((one) => document.querySelector(one).getBoundingClientRect());
          return board.height > 0 && board.bottom <= seats.top;
        }""")
        for one in (".actions", ".timeline", ".entry", ".pane-press", ".map-tools"):
            assert here.page.locator(one).count() == 0 or here.page.locator(one).is_hidden(), one
        assert here.problems == []


@needs_axe
def test_new_states_of_pages_are_for_everyone(browser: Browser, server: WebServer) -> None:
    match = opened(server, "zoe2")
    token = server.sign_in("zoe2")
    here = tab(browser, server, token).go(f"{server.url}/match/{match}")
    server.run(submitted(session_of(server.hall, "zoe2"), match, Vote(Seat("FRANCE"), Ballot.NO)))
    for path, prepare in (
        (f"/match/{match}", "text=Leave …"),
        ("/account", ""),
        ("/signout", ""),
        ("/new?game=diplomacy&template=day", ""),
    ):
        here.page.goto(server.url + path)
        if prepare:
            here.page.click(prepare)
        for theme, width, height in LOOKS:
            look_at(here, theme, width, height)
            assert violations(here) == [], (path, theme, width)
