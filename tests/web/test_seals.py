"""Sealed plans in pages: the classes that each view is told, how they are shown, and the question for a plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from parlour.core import events as ev
from parlour.core.events import Event, seen_by
from parlour.core.game import Seat
from parlour.core.terms import PressMode, PressTerms, SealMode, SealTerms, Terms
from parlour.core.viewers import OMNISCIENT, SPECTATOR, Viewer, seated_on
from parlour.games import load_game
from parlour.net.setup import MatchSetup
from parlour.press.ledger import ledger_of
from parlour.referee.audit import audit
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.state import MatchState
from parlour.web.event_stream import Teller, Telling
from parlour.web.packing import replay_page
from parlour.web.stories import story_of
from support.hall.people import session_of
from support.web.browser import Tab, needs_chromium, tab
from support.web.records import SEALERS, sealed_record
from support.web.server import WebServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser

GAME = load_game("diplomacy")
POWERS = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")
CLASSES = {
    "liar": "premeditated",
    "turncoat": "opportunistic",
    "bungler": "mistaken: slip",
    "misreader": "mistaken: misread",
    "absentee": "forced: absent",
    "penitent": "insincere, then kept",
    "honest": "honest",
}


def told_to(viewer: Viewer, events: list[Event]) -> list[Telling]:
    teller, state, told = Teller(GAME, viewer.seats), MatchState(GAME), []
    for event in events:
        audit(state, event)
        if (seen := seen_by(event, viewer, GAME)) is not None:
            told.append(teller.tell(seen, state.view().seen(viewer)))
    return told


def kinds_in(told: list[Telling]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for judged in (judged for one in told for judged in one.x.get("judged") or ()):
        found.setdefault(judged.seat, set()).add(judged.kind)
    return found


EXPECTED = {power: {CLASSES[name]} for power, name in zip(POWERS, SEALERS, strict=True)}


def test_who_sees_the_plans_is_told_the_classes_that_the_ledger_gives() -> None:
    told = told_to(OMNISCIENT, sealed_record())
    assert kinds_in(told) == EXPECTED
    honesty = {one.seat: one for one in told[-1].x["honesty"]}
    ledger = ledger_of(sealed_record())
    for power, name in zip(POWERS, SEALERS, strict=True):
        classes = [kind for verdict, kind in ledger.classes() if ledger.lexicon.seat_of[verdict.performer] == power]
        assert honesty[power].classes == {CLASSES[name]: len(classes)}
    assert honesty["AUSTRIA"].lies == 2
    assert (honesty["AUSTRIA"].reliable, honesty["FRANCE"].reliable) == (True, False)


@pytest.mark.parametrize("power", POWERS)
def test_a_player_who_looks_back_is_told_the_classes_of_the_promises_that_it_knows(power: str) -> None:
    found = kinds_in(told_to(seated_on(Seat(power)).looking_back(), sealed_record()))
    assert power in found
    assert found == {other: EXPECTED[other] for other in found}


def test_who_sees_no_plan_is_told_no_class_but_that_the_referee_broke_nothing() -> None:
    told = told_to(SPECTATOR, sealed_record())
    assert set().union(*kinds_in(told).values()) <= {""}
    assert "honesty" not in told[-1].x
    told = told_to(seated_on(Seat("ITALY")), sealed_record())
    mine = [judged for one in told for judged in one.x.get("judged") or () if judged.seat == "ITALY"]
    assert mine
    assert {judged.status for judged in mine} == {"void"}, "the referee put in the orders of the absentee"


def test_prose_and_its_core_are_told_together() -> None:
    events = sealed_record()
    at = next(number for number, event in enumerate(events) if isinstance(event, ev.Said))
    teller, state = Teller(GAME), MatchState(GAME)
    for event in events[:at]:
        audit(state, event)
        teller.tell(event, state.view())
    text = "Let us rest, <b>friend</b>.\n:: PRP ( PCE ( ENG FRA ) )"
    told = teller.tell(ev.Said(events[at].at, Seat("ENGLAND"), (Seat("FRANCE"),), text, 1), state.view()).x
    assert told["said"]["prose"] == "Let us rest, <b>friend</b>."
    assert told["said"]["tokens"] == "PRP ( PCE ( ENG FRA ) )"
    assert [offer.english for offer in told["offers"]] == ["England and France keep peace"]
    again = teller.tell(ev.Said(events[at].at, Seat("ENGLAND"), (Seat("FRANCE"),), text, 1), state.view()).x
    assert again["about"] == told["about"]


@needs_chromium
def test_the_page_of_a_record_marks_kinds_of_breaches_and_has_a_card_for_each_power(
    browser: Browser, tmp_path: Path
) -> None:
    file = tmp_path / "sealed.html"
    file.write_text(replay_page(story_of(GAME, sealed_record(), title="sealed")), encoding="utf-8")
    here = Tab(browser.new_page(viewport={"width": 1440, "height": 900}))
    here.page.goto(file.as_uri())
    here.page.wait_for_selector(".tick.premeditated", state="attached")
    here.page.click("#tab-ledger")
    kinds = here.page.locator(".judged .kind")
    here.until(lambda: {"premeditated", "opportunistic"} <= set(kinds.all_inner_texts()))
    here.page.keyboard.press("End")
    here.until(lambda: here.page.locator(".honesty-card").count() == 7)
    austria = here.page.locator(".honesty-card").first.inner_text()
    assert "premeditated" in austria
    assert "2 lies" in austria
    assert here.problems == []


def sealed_match(server: WebServer, account: str) -> str:
    press = PressTerms(PressMode.ANYTIME)
    terms = Terms(conduct=DIPLOMACY, press=press, seals=SealTerms(SealMode.REQUIRED))
    agents = {Seat(power): "hold" for power in POWERS if power != "FRANCE"}
    setup = MatchSetup(game="diplomacy", config={"last_year": 1901}, terms=terms, agents=agents)
    match = server.run(session_of(server.hall, "house", admin=True).open(setup))
    assert server.run(session_of(server.hall, account).join(match, Seat("FRANCE"))).refusal is None
    return match


def happened(server: WebServer, match: str, kind: type[Event]) -> list[Event]:
    told = server.run(session_of(server.hall, "house", admin=True).events(match, wanted=OMNISCIENT))
    return [one.event for one in told if isinstance(one.event, kind) and getattr(one.event, "seat", "") == "FRANCE"]


@needs_chromium
def test_a_person_is_asked_for_a_plan_once_a_turn_and_may_skip(browser: Browser, server: WebServer) -> None:
    match = sealed_match(server, "sela")
    here = tab(browser, server, server.sign_in("sela")).go(f"{server.url}/match/{match}")
    here.page.wait_for_selector("fieldset.plan")
    here.page.select_option("[data-unit=PAR] select", "A PAR - BUR")
    here.page.fill(".plan-text", "Burgundy first")
    here.page.click("fieldset.plan button[data-key=seal]")
    here.page.wait_for_selector("p.plan")
    here.until(lambda: any(event.action == ["A PAR - BUR"] for event in happened(server, match, ev.Acted)))  # type: ignore[union-attr]
    [sealed] = happened(server, match, ev.Sealed)
    assert isinstance(sealed, ev.Sealed)
    assert (sealed.action, sealed.text) == (["A PAR - BUR"], "Burgundy first")
    acted = happened(server, match, ev.Acted)[-1]
    assert isinstance(acted, ev.Acted)
    assert acted.unsealed is not True
    here.page.click("button:text-is('Ready')")
    here.until(lambda: here.heading() == "Fall 1901, movement" and here.page.locator("fieldset.plan").count() == 1)
    here.page.select_option("[data-unit=MAR] select", "A MAR - SPA")
    here.page.click("fieldset.plan button[data-key=skip]")
    here.until(lambda: any(event.unsealed is True for event in happened(server, match, ev.Acted)))  # type: ignore[union-attr]
    assert here.page.locator(".plan").count() == 0
    assert len(happened(server, match, ev.Sealed)) == 1
    assert here.problems == []
