"""Lines printed during a negotiated match: press with its English, and each breach."""

from __future__ import annotations

from parlour.core.events import Event, Said, Started, TurnBegan, TurnEnded
from parlour.core.game import Seat
from parlour.games.diplomacy.position import Position
from parlour.press.reports.verdict_text import Reporter, pact_line, said_lines
from support.press.stories import SEATS, Story

ENGLAND, FRANCE = SEATS["ENG"], SEATS["FRA"]


def _said(seat: Seat, text: str, *to: Seat) -> Said:
    return Said(at=1.0, seat=seat, to=to, text=text, turn=1)


def test_press_is_shown_in_english_and_as_it_was_meant() -> None:
    assert said_lines(_said(FRANCE, "prp(dmz(eng fra)(ech))", ENGLAND)) == (
        "FRANCE → ENGLAND: France proposes to England that both keep out of the English Channel.",
        "    PRP ( DMZ ( ENG FRA ) ( ECH ) )",
    )


def test_what_is_short_is_shown_on_one_line() -> None:
    assert said_lines(_said(FRANCE, "PRP (PCE (ENG FRA))", ENGLAND)) == (
        "FRANCE → ENGLAND: France proposes to England that both keep peace.  PRP ( PCE ( ENG FRA ) )",
    )


def test_free_text_is_quoted_without_control_characters() -> None:
    assert said_lines(_said(FRANCE, "hello\x1b[2J there")) == ("FRANCE → ALL: “hello?[2J there”",)


def _turn(position: Position, orders: dict[Seat, list[str]], turn: int) -> tuple[Position, TurnEnded]:
    actions = {str(seat): position.default(seat) for seat in position.to_act()} | {str(s): o for s, o in orders.items()}
    following, happened = position.apply({Seat(seat): action for seat, action in actions.items()})
    return following, TurnEnded(at=float(turn), turn=turn, actions=actions, happened=happened)


def test_first_broken_promise_is_flagged() -> None:
    position, reporter = Position.start(), Reporter()
    zone = "PRP (DMZ (ENG FRA) (ECH))"
    _, broken = _turn(position, {FRANCE: ["F BRE - ENG"], ENGLAND: ["F LON - ENG"]}, 1)
    events: list[Event] = [
        Started(at=0.0, seats=tuple(SEATS.values()), position=position.encode()),
        TurnBegan(at=0.0, turn=1, stage="orders", to_act=position.to_act()),
        _said(FRANCE, zone, ENGLAND),
        _said(ENGLAND, f"YES ({zone})", FRANCE),
        broken,
    ]
    lines = [line for event in events for line in reporter.lines(event)]
    assert [line[:18] for line in lines[:4:2]] == ["FRANCE → ENGLAND: ", "ENGLAND → FRANCE: "]
    assert [line[:10] for line in lines[1:4:2]] == ["    PRP ( ", "    YES ( "]
    assert lines[4].startswith("! first broken promise: England broke its promise to France")
    assert lines[5].startswith("! France broke its promise to England")


def test_kept_orders_are_told_and_a_kept_peace_is_not() -> None:
    position, reporter = Position.start(), Reporter()
    _, ended = _turn(position, {FRANCE: ["A PAR - BUR"]}, 1)
    reporter.lines(Started(at=0.0, seats=tuple(SEATS.values()), position=position.encode()))
    for what in ("PRP (PCE (ENG FRA))", "PRP (XDO ((FRA AMY PAR) MTO BUR))"):
        reporter.lines(_said(ENGLAND, what, FRANCE))
        reporter.lines(_said(FRANCE, f"YES ({what})", ENGLAND))
    lines = reporter.lines(ended)
    assert lines == ["  France kept its promise to England (S1901M) that France's army in Paris moves to Burgundy."]


def test_pact_has_a_line() -> None:
    story = Story()
    story.agree("ENG", "FRA", "PCE (ENG FRA)")
    line = pact_line(story.ledger.active()[0])
    assert line == "pact 1 of S1901M, active: England and France agreed that England and France keep peace"
