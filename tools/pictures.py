"""Draws the pictures of the rules and of one turn's events: `make screenshots` runs it."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from parlour.agents import make_agent
from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.events import Event, seen_by
from parlour.core.game import Seat, View
from parlour.core.terms import PressMode, PressTerms, Terms
from parlour.core.viewers import SPECTATOR, seated_on
from parlour.games import diplomacy, load_game
from parlour.games.diplomacy.display.pictures import draw_position, draw_turn
from parlour.games.diplomacy.formats.forms import read_state
from parlour.games.diplomacy.position import Position
from parlour.games.fish import COLOURS, GAME
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.match import Match

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
WIDTH = 900
UNITS = {
    "AUSTRIA": ["A VIE", "A TRI", "A TYR"],
    "ENGLAND": ["F ENG", "A LON", "F NTH"],
    "FRANCE": ["A PAR", "A MAR", "F BRE"],
    "GERMANY": ["A MUN", "A BER", "F KIE"],
    "ITALY": ["A VEN", "A ROM", "F NAP"],
}
ORDERS = {
    "AUSTRIA": ["A TYR S A TRI", "A TRI H", "A VIE - BUD"],
    "ENGLAND": ["F ENG C A LON - PIC", "A LON - PIC VIA", "F NTH S F KIE - DEN"],
    "FRANCE": ["A PAR - BUR", "A MAR S A PAR - BUR", "F BRE H"],
    "GERMANY": ["A MUN - BUR", "A BER - KIE", "F KIE - DEN"],
    "ITALY": ["A VEN - TRI", "A ROM - VEN", "F NAP - TYS"],
}


def main() -> None:
    """Write every picture."""
    start = diplomacy.start()
    turn = Position(*read_state({"phase": "S1901M", "units": UNITS}, start.board)).resolve(ORDERS).turn
    assert turn is not None
    pictures = {
        "rules-start.svg": draw_position(start, width=WIDTH),
        "rules-turn.svg": draw_turn(turn, width=WIDTH),
        "rules-fish.svg": _fish(14),
        "turn-sequence.svg": _sequence(),
    }
    for name, picture in pictures.items():
        (FOLDER / name).write_text(picture, encoding="utf-8")


def _fish(turns: int) -> str:
    """Return a picture of a game of three after a number of turns."""
    position = GAME.start({"rows": 5, "cols": 5}, COLOURS[:3], 4)
    for turn in range(turns):
        (seat,) = position.to_act()
        position, _ = position.apply({seat: make_agent("fish", "greedy", 0).act(View(seat, position, turn))})
    return position._repr_svg_()


def _turn() -> Match:
    """Return a match of two powers after its first turn, in which they agree on peace."""
    austria, france = Seat("AUSTRIA"), Seat("FRANCE")
    terms = Terms(conduct=DIPLOMACY, press=PressTerms(mode=PressMode.WINDOW, level=10))
    match = Match(load_game("diplomacy"), {"map": "france-austria"}, terms, 1)
    match.start(0.0)
    for seat in (austria, france):
        match.handle(it.Join(seat.title(), seat, it.PlayerType.PRESS_BOT), 0.0)
    for intent in (
        it.SetCommStatus(austria, it.CommStatus.READY),
        it.SetCommStatus(france, it.CommStatus.READY),
        it.Say(france, "PRP ( PCE ( FRA AUS ) )", (austria,)),
        it.Say(austria, "YES ( PRP ( PCE ( FRA AUS ) ) )", (france,)),
        it.Act(france, ["A MAR - SPA"]),
        it.Act(austria, ["A VIE - TYR"]),
    ):
        assert match.handle(intent, 1.0).refusal is None, intent
    match.tick(2.0 + 60.0)
    return match


def _sequence() -> str:
    """Return a picture of the events of a turn from top to bottom: the cause of each, and its viewers."""
    match = _turn()
    first = next(number for number, event in enumerate(match.record) if isinstance(event, ev.TurnBegan))
    last = next(number for number, event in enumerate(match.record) if isinstance(event, ev.TurnEnded))
    events = match.record[first : last + 1]
    columns = {"France": 300, "match": 420, "Austria": 540, "spectators": 660}
    viewers = {"France": seated_on("FRANCE"), "Austria": seated_on("AUSTRIA"), "spectators": SPECTATOR}
    height = 60 + 30 * len(events) + 46
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="760" height="{height}" viewBox="0 0 760 {height}" '
        'font-family="system-ui, sans-serif" font-size="13"><rect width="100%" height="100%" fill="#fffdf7"/>'
    ]
    for name, x in columns.items():
        lines.append(f'<text x="{x}" y="28" text-anchor="middle" font-weight="bold">{name}</text>')
        lines.append(f'<line x1="{x}" y1="38" x2="{x}" y2="{height - 46}" stroke="#c9bfa5"/>')
    for row, event in enumerate(events):
        lines += _row(
            event, 60 + 30 * row, columns, {name: seen_by(event, one, match.game) for name, one in viewers.items()}
        )
    lines.append(
        f'<text x="16" y="{height - 18}" fill="#555">arrow: the seat whose intent caused the event; '
        "filled: sees all of it; ring: sees a part; none: sees nothing</text></svg>"
    )
    return "\n".join(lines) + "\n"


def _row(event: Event, y: int, columns: dict[str, int], seen: dict[str, Event | None]) -> list[str]:
    """Return one event: its words, the arrow of its cause, and a mark for each viewer."""
    seat = getattr(event, "seat", "").title()
    words: Any = getattr(event, "text", "") or " ".join(getattr(event, "action", ()) or ())
    label = f"{event.__struct_config__.tag}{': ' if words else ''}{words}"
    found = [f'<text x="16" y="{y + 4}">{escape(label)}</text>']
    if seat in columns:
        here, there = columns[seat], columns["match"]
        side = 12 if here < there else -12
        found.append(
            f'<line x1="{here + side}" y1="{y}" x2="{there - side}" y2="{y}" stroke="#31618f" stroke-width="2"/>'
        )
        found.append(f'<path d="M{there - side} {y - 5} l{side} 5 l{-side} 5 z" fill="#31618f"/>')
    found.append(f'<circle cx="{columns["match"]}" cy="{y}" r="4" fill="#2c2a26"/>')
    for name, sight in seen.items():
        if sight is not None:
            fill = "#31618f" if sight == event else "#fffdf7"
            found.append(
                f'<circle cx="{columns[name]}" cy="{y}" r="6" fill="{fill}" stroke="#31618f" stroke-width="2"/>'
            )
    return found


if __name__ == "__main__":
    main()
