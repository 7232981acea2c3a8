"""People at browsers: they watch, play both games by mouse, keys and on a phone, negotiate, and lose their line."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from parlour.core.game import Seat
from parlour.core.terms import PressMode, PressTerms, Terms
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import DIPLOMACY, LENIENT
from parlour.web import assets
from support.hall.people import session_of, submitted
from support.web.browser import PHONE, WIDE, Tab, needs_chromium, tab
from support.web.server import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [needs_chromium]
STANDARD = assets.sheet_address("diplomacy", "standard")
POWERS = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")
READY = "button:text-is('Ready')"
WATCH_SHOWCASE = """() => {
  window.seen = [];
  const count = () => document.querySelectorAll(".result-mark").length;
  const look = () => [document.querySelector(".caption b").textContent, count()];
  new MutationObserver(() => window.seen.push(look())).observe(document.body, { subtree: true, childList: true });
}"""
"""Keep what each change of the first page shows: its phase, and how many orders are drawn."""


def diplomacy(
    server: WebServer, people: dict[str, str], *, last_year: int = 1901, press: bool = False, level: int = 60
) -> str:
    """Return a match in which these accounts sit on these powers and the house holds still on the others."""
    owner = session_of(server.hall, "house", admin=True)
    terms = Terms(
        conduct=DIPLOMACY, press=PressTerms(PressMode.ANYTIME, level=level) if press else PressTerms(PressMode.NONE)
    )
    agents = {Seat(power): "hold" for power in POWERS if power not in people}
    setup = MatchSetup(game="diplomacy", config={"last_year": last_year}, terms=terms, agents=agents)
    match = server.run(owner.open(setup))
    for power, account in people.items():
        answer = server.run(session_of(server.hall, account).join(match, Seat(power)))
        assert answer.refusal is None
    return match


def fish(server: WebServer, account: str, agent: str = "greedy", rows: int = 3, cols: int = 4) -> str:
    owner = session_of(server.hall, "house", admin=True)
    config, agents = {"rows": rows, "cols": cols, "players": 2}, {Seat("white"): agent}
    # Not by chance: on some boards nobody can move for long.
    setup = MatchSetup(game="fish", config=config, terms=Terms(conduct=LENIENT), agents=agents, seed=1)
    match = server.run(owner.open(setup))
    assert server.run(session_of(server.hall, account).join(match, Seat("red"))).refusal is None
    return match


def orders_of(here: Tab) -> list[str]:
    found: list[str] = here.page.eval_on_selector_all(".unit-row select", "(all) => all.map((one) => one.value)")
    return found


def wait_orders(here: Tab, wanted: set[str]) -> None:
    here.until(lambda: wanted <= set(orders_of(here)))


def ordering(here: Tab, phase: str) -> None:
    """Wait until one can order in a phase: it is shown as soon as the one before it ends, which is earlier."""
    here.until(lambda: here.heading() == phase and here.page.locator(".order-form").count())


def test_the_first_page_moves(browser: Browser, empty_server: WebServer) -> None:
    here = tab(browser, empty_server).go(f"{empty_server.url}/")
    assert here.page.locator(".showcase .unit").count() >= 22
    here.page.evaluate(WATCH_SHOWCASE)

    def orders_and_then_where_they_led() -> bool:
        seen = here.page.evaluate("window.seen")
        return any(before[1] and not after[1] and before[0] != after[0] for before, after in pairwise(seen))

    here.until(orders_and_then_where_they_led)
    assert here.problems == []


def test_a_year_of_diplomacy_by_mouse(browser: Browser, server: WebServer) -> None:
    match = diplomacy(server, {"FRANCE": "mia"})
    token = server.sign_in("mia")
    here = tab(browser, server, token).go(f"{server.url}/match/{match}")
    here.learn_sheet(STANDARD)
    here.click("PAR")
    here.click("BUR", dy=-6)  # a move takes two clicks
    wait_orders(here, {"A PAR - BUR"})
    here.click("MAR")
    here.click("PAR")
    here.click("BUR", dy=-6)  # a support three
    wait_orders(here, {"A MAR S A PAR - BUR"})
    here.click("BRE")
    here.click("MAO")
    wait_orders(here, {"F BRE - MAO"})
    here.until(lambda: here.page.locator("[data-layer=orders] .order").count() == 3)  # drawn by the server
    here.page.click(READY)
    ordering(here, "Fall 1901, movement")
    here.click("MAO")
    here.click("SPA", coast="SC")  # the shore nearest the pointer
    wait_orders(here, {"F MAO - SPA/SC"})
    here.click("BUR")
    here.click("BUR")  # the same unit again holds
    wait_orders(here, {"A BUR H"})
    here.page.click(READY)
    ordering(here, "Winter 1901, adjustments")
    assert "0 of 1" in here.page.locator(".counter").inner_text()
    here.click("PAR")
    wait_orders(here, {"A PAR B"})
    here.click("PAR")  # again takes it back
    here.until(lambda: "A PAR B" not in orders_of(here))
    here.click("BRE")
    here.page.click(".chip:has-text('fleet')")
    wait_orders(here, {"F BRE B"})
    here.page.click(READY)
    here.until(lambda: "over" in here.page.locator(".status").inner_text())
    result = server.run(server.hall.record(match))
    assert any("F MAO - SPA/SC" in str(event) for event in result)
    assert here.problems == []


FOCUSED = """([selector, text]) => {
  const focused = document.activeElement;
  return focused.matches(selector) && focused.textContent.includes(text);
}"""


def tab_to(here: Tab, selector: str, text: str = "") -> None:
    """Get to an element as somebody without a mouse does: by Tab, again and again."""
    for _ in range(120):
        here.page.keyboard.press("Tab")
        if here.page.evaluate(FOCUSED, [selector, text]):
            return
    raise AssertionError(f"Tab does not lead to {selector} {text}")


def ready_by_keyboard(here: Tab) -> None:
    """Leave what one is in, go to Ready, and press it."""
    here.page.keyboard.press("Escape")
    tab_to(here, "button", "Ready")
    here.page.keyboard.press("Enter")


def test_a_whole_match_of_diplomacy_by_keyboard_alone(browser: Browser, server: WebServer) -> None:
    match = diplomacy(server, {"FRANCE": "kim"})
    here = tab(browser, server, server.sign_in("kim")).go(f"{server.url}/match/{match}")
    keys = here.page.keyboard
    keys.press("n")
    here.until(lambda: "Army Paris" in here.page.locator(".sentence").inner_text())
    keys.press("h")
    wait_orders(here, {"A PAR H"})
    keys.press("z")
    here.until(lambda: "A PAR H" not in orders_of(here))
    keys.press("/")
    keys.type("par bur; mar s par - bur; bre - mao")
    keys.press("Enter")
    wait_orders(here, {"A PAR - BUR", "A MAR S A PAR - BUR", "F BRE - MAO"})
    ready_by_keyboard(here)
    ordering(here, "Fall 1901, movement")
    tab_to(here, "[data-unit=BUR] select")  # by list
    for _ in range(60):
        if "A BUR - BEL" in orders_of(here):
            break
        keys.press("ArrowDown")
    wait_orders(here, {"A BUR - BEL"})
    ready_by_keyboard(here)
    ordering(here, "Winter 1901, adjustments")
    keys.press("Escape")
    keys.press("w")
    here.until(lambda: "1 of 1" in here.page.locator(".counter").inner_text())
    ready_by_keyboard(here)
    here.page.wait_for_selector(".result .chart")
    assert here.page.locator(".result tbody tr").count() == len(POWERS)
    assert "France" in here.page.locator(".result tbody tr").first.inner_text()  # four centres: the others held still
    keys.press("Home")
    here.until(lambda: here.heading() == "Spring 1901, movement")
    assert "A PAR - BUR" in here.page.locator(".results").inner_text()
    tab_to(here, ".order-result summary", "A PAR - BUR")
    keys.press("Enter")
    assert here.page.locator(".order-result[open]").count() == 1
    assert here.problems == []


def test_a_year_of_diplomacy_on_a_phone(browser: Browser, server: WebServer) -> None:
    match = diplomacy(server, {"FRANCE": "pia"})
    here = tab(browser, server, server.sign_in("pia"), PHONE, has_touch=True, is_mobile=True)
    here.go(f"{server.url}/match/{match}")
    here.learn_sheet(STANDARD)
    assert here.page.evaluate("document.documentElement.scrollWidth") <= 390
    here.page.touchscreen.tap(*here.at("BRE"))
    here.page.touchscreen.tap(*here.at("MAO"))
    wait_orders(here, {"F BRE - MAO"})
    here.page.touchscreen.tap(*here.at("MAR"))
    here.page.touchscreen.tap(*here.at("PAR"))  # fingers are asked what they mean where both could be
    wait_orders(here, {"F BRE - MAO"})
    for phase in ("Fall 1901, movement", "Winter 1901, adjustments"):
        here.page.locator(READY).tap()
        _until_phase(here, phase)
    here.page.locator("#tab-table").tap()
    assert "France" in here.page.locator(".seats").inner_text()
    assert here.problems == []


@pytest.mark.parametrize("way", ["mouse", "keyboard"])
def test_a_whole_match_of_fish(browser: Browser, server: WebServer, way: str) -> None:
    account = f"fin-{way}"
    match = fish(server, account)
    size = WIDE if way == "mouse" else PHONE
    here = tab(browser, server, server.sign_in(account), size).go(f"{server.url}/match/{match}")
    for _ in range(40):
        here.until(lambda: here.page.locator(".move-form select").count() or _over(here))
        if _over(here):
            break
        turn = here.page.locator(".phase-name").inner_text()
        select = here.page.locator(".move-form select")
        if way == "keyboard":
            tab_to(here, ".move-form select")
            here.page.keyboard.press("End")
            here.page.keyboard.press("Tab")
            here.page.keyboard.press("Enter")
        else:
            _move_by_mouse(here, select.locator("option").first.inner_text())
        _until_after(here, turn)
    assert _over(here)
    moves = here.page.locator(".moves li")
    count, third = moves.count(), moves.nth(2).inner_text()
    assert count > 8
    here.page.reload()  # old turns come when they are looked at, and can be chosen before
    here.until(lambda: moves.count() == count)
    here.page.locator("#tab-orders").click() if way == "keyboard" else None
    moves.nth(2).locator("button").click()
    here.until(lambda: moves.nth(2).inner_text() == third)
    assert here.problems == []


def _until_phase(here: Tab, phase: str) -> None:
    here.until(lambda: here.heading() == phase or _over(here))


def _until_after(here: Tab, turn: str) -> None:
    here.until(lambda: here.page.locator(".phase-name").inner_text() != turn or _over(here))


def _over(here: Tab) -> bool:
    return "over" in here.page.locator(".status").inner_text()


def _move_by_mouse(here: Tab, option: str) -> None:
    places = re.findall(r"\d+,\d+", option)
    here.learn_sheet(assets.sheet_address("fish", "3x4"))
    for place in places:
        here.click(place)


def test_two_negotiate_and_one_breaks_the_promise(browser: Browser, server: WebServer) -> None:
    match = diplomacy(server, {"FRANCE": "fay", "GERMANY": "gus"}, press=True)
    france = tab(browser, server, server.sign_in("fay")).go(f"{server.url}/match/{match}")
    germany = tab(browser, server, server.sign_in("gus")).go(f"{server.url}/match/{match}")
    spectator = tab(browser, server).go(f"{server.url}/match/{match}")
    france.page.click("text=Propose something")
    france.page.select_option("[data-slot=kind]", "zone")
    france.page.click(".powers button:has-text('Germany')")
    france.learn_sheet(STANDARD)
    france.click("BUR")  # into the slot, not an order
    france.page.click(".proposal button:has-text('Send')")
    germany.page.click(".thread:has-text('France'):has(.unread)")
    germany.page.wait_for_selector(".press-message")
    assert "Burgundy" in germany.page.locator(".press-message .words").inner_text()
    germany.page.click(".reply button:has-text('Yes')")
    france.page.wait_for_selector(".offer.agreed")
    germany.page.click("text=Propose something")
    germany.page.select_option("[data-slot=kind]", "centres")
    germany.learn_sheet(STANDARD)
    germany.click("BEL")  # a centre for oneself
    germany.page.click("text=Another part")
    germany.page.select_option("[data-slot=kind]", "peace")
    germany.page.select_option("[data-slot=negation]", "NOT")
    germany.page.select_option("[data-slot=join]", "ORR")
    germany.page.click(".proposal .tokens summary")
    told = germany.page.locator(".proposal .tokens code").inner_text()
    assert told == "PRP ( ORR ( SCD ( GER BEL ) ) ( NOT ( PCE ( GER FRA ) ) ) )"
    germany.page.click(".proposal button:has-text('Send')")
    france.until(lambda: "Belgium" in france.page.locator(".log").inner_text())
    germany.page.wait_for_selector(".composer-closed")  # from here on clicks are orders
    germany.click("MUN")
    germany.click("BUR")
    wait_orders(germany, {"A MUN - BUR"})
    germany.page.click(READY)
    france.page.click(READY)
    for here in (france, germany):
        _until_phase(here, "Fall 1901, movement")
        here.page.keyboard.press("ArrowLeft")
        here.page.click("#tab-ledger")
        assert "Germany broke its promise to France" in here.page.locator(".judgements").inner_text()
        assert here.page.locator(".breach").count() == 1
        here.page.keyboard.press("l")
        assert here.page.locator("[data-layer=zones] .pact.broken").count() == 1
        assert here.page.locator(".tick.broken").count() == 1
        assert here.problems == []
    assert spectator.page.locator(".press-message").count() == 0  # private press is private
    for where in (".said", ".ledger", ".notes", "[role=status]"):
        assert "Burgundy" not in " ".join(spectator.page.locator(where).all_inner_texts()), where


def test_a_failed_order_says_why(browser: Browser, server: WebServer) -> None:
    match = diplomacy(server, {"FRANCE": "ida", "GERMANY": "jan"})
    france = tab(browser, server, server.sign_in("ida")).go(f"{server.url}/match/{match}")
    germany = tab(browser, server, server.sign_in("jan")).go(f"{server.url}/match/{match}")
    france.page.select_option("[data-unit=PAR] select", "A PAR - BUR")
    germany.page.select_option("[data-unit=MUN] select", "A MUN - BUR")
    wait_orders(france, {"A PAR - BUR"})
    wait_orders(germany, {"A MUN - BUR"})
    france.page.click(READY)
    germany.page.click(READY)
    france.until(lambda: france.heading() == "Fall 1901, movement")
    france.page.keyboard.press("ArrowLeft")
    france.learn_sheet(STANDARD)
    france.page.mouse.move(*france.at("PAR"))
    france.page.wait_for_selector(".tip:not([hidden])")
    assert "bounced" in france.page.locator(".tip").inner_text()
    france.page.locator(".order-result.bad summary").first.focus()
    france.page.keyboard.press("Enter")
    assert "BUR" in france.page.locator(".order-result.bad .why").first.inner_text()
    assert france.page.locator("[data-layer=signs] [data-sign=bounce]").count() == 2


def test_several_powers_are_played_by_one(browser: Browser, server: WebServer) -> None:
    match = diplomacy(server, {"FRANCE": "lea", "ITALY": "lea"})
    here = tab(browser, server, server.sign_in("lea")).go(f"{server.url}/match/{match}")
    assert here.page.locator(".seat-tabs button").all_inner_texts() == ["France", "Italy"]
    here.learn_sheet(STANDARD)
    here.click("ROM")
    here.click("APU")
    wait_orders(here, {"A ROM - APU"})
    here.page.click(".seat-tabs button:has-text('France')")
    here.page.select_option("[data-unit=PAR] select", "A PAR - PIC")
    wait_orders(here, {"A PAR - PIC"})
    for name in ("France", "Italy"):
        here.page.click(f".seat-tabs button:has-text('{name}')")
        here.page.click(READY)
    here.until(lambda: here.heading() == "Fall 1901, movement")


def test_a_reload_a_restart_and_being_offline_lose_nothing(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with WebServer(tmp_path_factory.mktemp("restarted")) as server:
        match = diplomacy(server, {"FRANCE": "nia"})
        here = tab(browser, server, server.sign_in("nia")).go(f"{server.url}/match/{match}")
        here.page.select_option("[data-unit=PAR] select", "A PAR - BUR")
        here.until(lambda: here.page.locator("[data-layer=orders] .order").count() == 1)
        here.page.reload()
        here.page.wait_for_selector("body[data-ready]")
        wait_orders(here, {"A PAR - BUR"})
        server.stop()
        here.page.wait_for_selector(".banner:not([hidden])")
        assert "kept" in here.page.locator(".banner").inner_text()
        here.page.select_option("[data-unit=MAR] select", "A MAR - SPA")  # while nobody listens
        wait_orders(here, {"A PAR - BUR", "A MAR - SPA"})
        server.start()
        here.until(lambda: here.page.locator(".banner").is_hidden())
        here.until(lambda: here.page.locator("[data-layer=orders] .order").count() == 2)
        here.page.click(READY)
        here.until(lambda: here.heading() == "Fall 1901, movement")
        here.page.context.set_offline(True)
        here.page.select_option("[data-unit=BUR] select", "A BUR - MUN")
        here.page.context.set_offline(False)
        here.page.reload()
        here.page.wait_for_selector("body[data-ready]")
        wait_orders(here, {"A BUR - MUN"})
        here.until(lambda: here.page.locator("[data-layer=orders] .order").count() == 1)  # the server has it, too


def test_hostile_names_and_press_stay_text(browser: Browser, server: WebServer) -> None:
    match = diplomacy(server, {"FRANCE": "oto", "GERMANY": "eve"}, press=True, level=8000)
    evil = "<img src=x onerror=alert(1)><script>alert(2)</script>"
    session = session_of(server.hall, "eve")
    from parlour.core.intents import Say

    assert server.run(submitted(session, match, Say(Seat("GERMANY"), evil, (Seat("FRANCE"),)))).refusal is None
    here = tab(browser, server, server.sign_in("oto"))
    dialogs: list[str] = []
    here.page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    here.go(f"{server.url}/match/{match}")
    here.page.click(".thread:has-text('Germany')")
    here.until(lambda: evil in here.page.locator(".press-message .words").inner_text())
    assert here.page.locator(".press-message img, .press-message script").count() == 0
    assert dialogs == []
    here.page.fill(".free textarea", "<b>hello</b>")
    here.page.click(".free button")
    here.until(lambda: here.page.locator(".press-message.mine").count() == 1)
    assert "<b>hello</b>" in here.page.locator(".press-message.mine").inner_text()


def test_what_was_not_read_is_counted_until_it_is_looked_at(browser: Browser, server: WebServer) -> None:
    from parlour.core.intents import Say

    match = diplomacy(server, {"FRANCE": "una", "GERMANY": "gil", "ITALY": "ira"}, press=True, level=8000)

    def say(account: str, power: str) -> None:
        said = Say(Seat(power), f"{power} says hello", (Seat("FRANCE"),))
        assert server.run(submitted(session_of(server.hall, account), match, said)).refusal is None

    say("gil", "GERMANY")
    here = tab(browser, server, server.sign_in("una"), PHONE).go(f"{server.url}/match/{match}")
    count = here.page.locator("#tab-press .unread")
    here.until(lambda: count.is_visible() and count.inner_text() == "1")  # Press is not looked at yet
    here.page.click("#tab-press")
    here.page.click(".thread:has-text('Germany')")
    here.until(lambda: not count.is_visible())
    assert here.page.locator(".thread .unread").count() == 0
    say("ira", "ITALY")  # in another conversation
    here.until(lambda: count.is_visible() and count.inner_text() == "1")
    say("gil", "GERMANY")  # in the one that is open, and so read
    here.until(lambda: here.page.locator(".press-message").count() == 2)
    assert count.inner_text() == "1"
    assert here.page.locator(".thread:has-text('Germany') .unread").count() == 0
    here.page.reload()
    here.until(lambda: count.is_visible() and count.inner_text() == "1")  # what was read stays read
    here.page.click("#tab-press")
    here.page.click(".thread:has-text('Turkey')")  # at the end of the line; it comes to its begin
    here.page.fill(".free textarea", "Hello")
    here.page.click(".free button")
    here.page.wait_for_selector(".press-message.mine:not(.unsent)")
    here.until(lambda: here.page.evaluate("document.querySelector('.thread.open').getBoundingClientRect().left >= 0"))
    here.page.click(".thread:has-text('Italy')")
    here.until(lambda: not count.is_visible())
    assert here.problems == []


def test_a_long_message_shows_its_first_lines_until_somebody_wants_the_rest(
    browser: Browser, server: WebServer
) -> None:
    from parlour.core.intents import Say

    match = diplomacy(server, {"FRANCE": "liv", "GERMANY": "gab"}, press=True, level=8000)
    for words in ("Let us talk.", "We could go for Burgundy together, and then for Munich. " * 12):
        said = Say(Seat("GERMANY"), words, (Seat("FRANCE"),))
        assert server.run(submitted(session_of(server.hall, "gab"), match, said)).refusal is None
    here = tab(browser, server, server.sign_in("liv"), PHONE).go(f"{server.url}/match/{match}")
    here.page.click("#tab-press")
    here.page.click(".thread:has-text('Germany')")
    here.until(lambda: here.page.locator(".press-message").count() == 2)
    assert here.page.locator(".fold").count() == 1, "a short one has all its lines"
    hidden = "(words) => words.scrollHeight - words.clientHeight"
    long = here.page.locator(".press-message:has(.fold) .words")
    assert long.evaluate(hidden) > 50
    here.page.locator(".fold summary").focus()
    here.page.keyboard.press("Enter")
    here.until(lambda: long.evaluate(hidden) == 0)
    assert here.page.locator(".fold summary").inner_text() == "less"
    here.page.keyboard.press("Enter")
    here.until(lambda: long.evaluate(hidden) > 50)
    assert here.problems == []


def test_a_refusal_is_said_beside_what_was_typed(browser: Browser, server: WebServer) -> None:
    match = diplomacy(server, {"FRANCE": "rob"})
    here = tab(browser, server, server.sign_in("rob")).go(f"{server.url}/match/{match}")
    here.page.fill(".command", "par - mos")
    here.page.press(".command", "Enter")
    here.until(lambda: here.page.locator(".sentence.bad").count() == 1)
    assert here.page.locator(".sentence").inner_text()
    assert orders_of(here) == ["", "", ""]
    here.page.fill(".command", "par - bur")
    here.page.press(".command", "Enter")
    wait_orders(here, {"A PAR - BUR"})
    here.until(lambda: here.page.locator(".sentence.bad").count() == 0)  # an error ends with the next success


def test_an_unknown_match_ends_the_line(browser: Browser, server: WebServer) -> None:
    here = tab(browser, server)
    here.page.goto(f"{server.url}/match/nothing")
    assert "Unknown match" in here.heading()


def test_a_moderator_sees_all_and_can_pause_and_end(browser: Browser, server: WebServer) -> None:
    token = server.sign_in("mod")
    form = {"game": "diplomacy", "agent": "a person", "seat": "", "years": "1"}
    location = server.request("POST", "/new", form=form, token=token).headers["location"]
    here = tab(browser, server, token).go(f"{server.url}{location}")
    assert here.page.locator(".lobby-seats li").count() == 7
    for power in POWERS:
        assert server.run(session_of(server.hall, f"sam {power}").join(location[7:], Seat(power))).refusal is None
    here.page.wait_for_selector(".stage")
    here.page.click("text=Moderate")
    here.page.click("dialog button:has-text('Pause')")
    here.until(lambda: "paused" in here.page.locator(".status").inner_text())
    here.page.click("dialog button:has-text('End the match')")
    here.page.click("dialog button:has-text('End it for good')")
    here.until(lambda: "over" in here.page.locator(".status").inner_text())


def test_a_game_in_fog_on_another_map_shows_what_the_own_units_see(browser: Browser, server: WebServer) -> None:
    token = server.sign_in("fogbound")
    form = {"game": "diplomacy", "agent": "hold", "seat": "FRANCE", "years": "1", "map": "hundred", "sight": "fog"}
    location = server.request("POST", "/new", form=form, token=token).headers["location"]
    here = tab(browser, server, token).go(f"{server.url}{location}")
    here.page.wait_for_selector("[data-layer=units] [data-key=PAR]")
    shown = here.page.locator("[data-layer=units] [data-key]").evaluate_all("all => all.map(each => each.dataset.key)")
    assert {"PAR", "ORL", "DIJ", "CAL"} <= set(shown)
    assert not {"LON", "DEV", "HOL", "FLA", "LUX"} & set(shown)
    here.page.fill(".command", "tou - poi")
    here.page.press(".command", "Enter")
    here.page.click("text=Ready")
    here.until(lambda: "1430" in here.heading())
    assert here.page.locator("[data-layer=units] [data-key=POI]").count() == 1


def test_the_sandbox_shows_what_becomes_of_orders(browser: Browser, server: WebServer) -> None:
    here = tab(browser, server).go(f"{server.url}/sandbox")
    assert here.page.locator(".results .empty").inner_text() == "Nothing was ordered yet."
    here.learn_sheet(STANDARD)
    for start, end in (("PAR", "BUR"), ("MUN", "BUR")):
        here.click(start)
        here.click(end, dy=-6)
    here.until(lambda: here.page.locator("[data-layer=orders] .order").count() == 2)
    here.page.click("text=Adjudicate")
    here.until(lambda: here.page.locator("[data-sign=bounce]").count() == 2)
    here.page.click("text=Go on from here")
    here.until(lambda: here.heading() == "Fall 1901, movement")
    here.page.click("text=Set up units")
    here.click("UKR")
    here.until(lambda: here.page.locator(".unit[data-area=UKR]").count() == 1)
    assert here.problems == []


def test_a_year_of_diplomacy_by_lists_alone(browser: Browser, server: WebServer) -> None:
    match = diplomacy(server, {"FRANCE": "lis"})
    here = tab(browser, server, server.sign_in("lis"), PHONE).go(f"{server.url}/match/{match}")
    here.page.select_option("[data-unit=MAR] select", "A MAR - SPA")
    wait_orders(here, {"A MAR - SPA"})
    here.page.locator(READY).press("Enter")
    _until_phase(here, "Fall 1901, movement")
    here.page.select_option("[data-unit=SPA] select", "A SPA H")
    wait_orders(here, {"A SPA H"})
    here.page.locator(READY).press("Enter")
    _until_phase(here, "Winter 1901, adjustments")
    here.page.select_option("[data-unit=MAR] select", "F MAR B")
    wait_orders(here, {"F MAR B"})
    here.page.locator(READY).press("Enter")
    here.until(lambda: _over(here))
    assert here.page.locator("[role=status][aria-live=polite]").inner_text()  # and it was said
    assert here.problems == []
