"""Draws the pictures of the rules anew: python tools/pictures.py."""

from __future__ import annotations

from pathlib import Path

from parlour.agents import make_agent
from parlour.core.game import View
from parlour.games import diplomacy
from parlour.games.diplomacy.display.pictures import draw_position, draw_turn
from parlour.games.diplomacy.formats.forms import read_state
from parlour.games.diplomacy.position import Position
from parlour.games.fish import COLOURS, GAME

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
    }
    for name, picture in pictures.items():
        (FOLDER / name).write_text(picture, encoding="utf-8")


def _fish(turns: int) -> str:
    """A game of three after so many turns."""
    position = GAME.start({"rows": 5, "cols": 5}, COLOURS[:3], 4)
    for turn in range(turns):
        (seat,) = position.to_act()
        position, _ = position.apply({seat: make_agent("fish", "greedy", 0).act(View(seat, position, turn))})
    return position._repr_svg_()


if __name__ == "__main__":
    main()
