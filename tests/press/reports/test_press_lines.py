"""A match of Diplomacy in lines: what became of each order, and of units that nobody ordered anything."""

from __future__ import annotations

from parlour.core import events as ev
from parlour.games.diplomacy.formats.forms import read_state
from parlour.games.diplomacy.position import Position
from parlour.press.reports.press_lines import diplomacy_news


def lines(value: dict[str, object], orders: dict[str, list[str]], *, explain: bool = False) -> list[str]:
    """Return the lines on the turn that begins there."""
    after = Position(*read_state(value)).resolve(orders)
    assert after.turn is not None
    news = diplomacy_news(lambda event: "", explain)
    return list(news(ev.TurnEnded(1.0, 1, {}, after.turn.happened()), after))


def test_what_failed_says_how_and_what_nobody_ordered_is_left_out() -> None:
    units = {"FRANCE": ["A PAR", "A MAR"], "GERMANY": ["A MUN"]}
    orders = {"FRANCE": ["A PAR - BUR"], "GERMANY": ["A MUN - BUR"]}
    assert lines({"phase": "S1901M", "units": units}, orders) == [
        "turn 1:",
        "  FRANCE: A PAR - BUR (bounced)",
        "  GERMANY: A MUN - BUR (bounced)",
    ]


def test_what_left_the_board_is_said_whoever_ordered_it() -> None:
    units = {"FRANCE": ["A SPA", "F MAO", "A PIC", "A BUR"], "ENGLAND": ["A POR", "A BEL"], "ITALY": ["A TUN"]}
    attack = {"FRANCE": ["A SPA - POR", "F MAO S A SPA - POR", "A PIC - BEL", "A BUR S A PIC - BEL"]}
    assert lines({"phase": "S1901M", "units": units}, {**attack, "ENGLAND": ["A POR H"]}) == [
        "turn 1:",
        "  ENGLAND: A POR H (dislodged, disbanded); A BEL H (dislodged, not ordered)",
        "  FRANCE: A SPA - POR; F MAO S A SPA - POR; A PIC - BEL; A BUR S A PIC - BEL",
    ]
    assert "  ENGLAND: A BEL H (dislodged, not ordered); A POR H (dislodged, disbanded, not ordered)" in lines(
        {"phase": "S1901M", "units": units}, attack
    )


def test_a_retreat_that_nobody_ordered_is_said_and_reasons_are_added_where_they_are_wanted() -> None:
    retreats = {"FRANCE": {"A BUR": ["PAR"], "A PIC": ["PAR"], "F BRE": ["ENG"]}}
    told = lines(
        {"phase": "S1901R", "units": {"GERMANY": ["A BUR", "A PIC", "F BRE"]}, "retreats": retreats},
        {"FRANCE": ["A BUR R PAR", "A PIC R PAR"]},
        explain=True,
    )
    assert (
        told[1] == "  FRANCE: A BUR R PAR (bounced, disbanded); A PIC R PAR (bounced, disbanded); F BRE D (not ordered)"
    )
    assert told[2].startswith("  FRANCE: A BUR R PAR: A BUR is disbanded: A PIC retreats to PAR too.")
