"""Completions of the Tab key: the next word of a legal order, of a move, and of press by its slots."""

from __future__ import annotations

import pytest

from parlour.agents.colours import painted
from parlour.agents.completing import completer, press_words
from parlour.agents.listing import lines_of
from parlour.core.game import Seat
from parlour.games.diplomacy.position import Position
from parlour.games.fish import COLOURS, GAME
from parlour.press.language.tokens import standard_lexicon
from support.press.stories import SEATS

FRANCE = SEATS["FRA"]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("A", {"A", "AUSTRIA:"}),
        ("A ", {"PAR", "MAR"}),
        ("a p", {"PAR"}),
        ("A PAR ", {"H", "-", "S"}),
        ("A PAR - ", {"BUR", "GAS", "PIC", "BRE"}),
        ("A PAR - BUR; F ", {"BRE"}),
        ("A PAR - BUR, F BRE - M", {"MAO"}),
        ("A PAR - BUR;", {"A", "F"}),
        ("he", {"help"}),
        ("yes ", {"AUSTRIA", "ENGLAND", "GERMANY", "ITALY", "RUSSIA", "TURKEY"}),
        ("huh g", {"GERMANY"}),
        ("GERMANY: ", {"PRP", "FCT", "YES", "REJ", "CCL", "HUH"}),
        ("A XXX ", set()),
    ],
)
def test_lines_of_diplomacy_are_completed(typed: str, offered: set[str]) -> None:
    complete = completer(Position.start(), FRANCE, tuple(SEATS.values()), talks=True)
    assert set(complete(typed)) == offered


def test_without_press_nobody_is_named() -> None:
    complete = completer(Position.start(), FRANCE, tuple(SEATS.values()), talks=False)
    assert set(complete("")) == {"A", "F", "help", "hold", "quit"}


def test_moves_of_fish_are_completed() -> None:
    position = GAME.start({"players": 2, "rows": 2, "cols": 4}, COLOURS[:2], 1)
    complete = completer(position, COLOURS[0], COLOURS[:2], talks=False)
    assert set(complete("1 ")) == {"0", "1", "2", "3"}
    assert set(complete("2")) == set()


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("", {"PRP", "FCT", "YES", "REJ", "CCL", "HUH"}),
        ("P", {"PRP"}),
        ("PRP ", {"("}),
        ("PRP ( ", {"PCE", "ALY", "DMZ", "XDO", "AND", "ORR", "NOT", "DRW", "SLO"}),
        ("PRP ( PCE ( ", {"AUS", "ENG", "FRA", "GER", "ITA", "RUS", "TUR", ")"}),
        ("PRP ( PCE ( FRA G", {"GER"}),
        ("PRP ( PCE ( FRA GER ) ", {")"}),
        ("PRP ( ALY ( FRA GER ) ", {"VSS"}),
        ("PRP ( ALY ( FRA GER ) VSS ( I", {"ITA"}),
        ("PRP ( DMZ ( FRA GER ) ", {"("}),
        ("PRP ( DMZ ( FRA GER ) ( BU", {"BUD", "BUL", "BUR"}),
        ("PRP ( XDO ( ( F", {"FRA"}),
        ("PRP ( XDO ( ( FRA ", {"AMY", "FLT"}),
        ("PRP ( XDO ( ( FRA AMY PA", {"PAR"}),
        ("PRP ( XDO ( ( FRA AMY PAR ", {")"}),
        ("PRP ( XDO ( ( FRA AMY PAR ) M", {"MTO"}),
        ("PRP ( XDO ( ( FRA AMY PAR ) MTO BUR", {"BUR"}),
        ("YES ( ", {"PRP"}),
    ],
)
def test_press_is_completed_by_slots(typed: str, offered: set[str]) -> None:
    assert set(press_words(typed, standard_lexicon())) == offered


def test_actions_are_listed_in_few_lines() -> None:
    position = Position.start()
    assert lines_of(position.legal(FRANCE))[0].startswith("A PAR: H; - BUR GAS PIC BRE; S F BRE: H GAS PIC")
    assert lines_of([[[0, 0], [2, 0]], [[0, 0], [4, 0]], [[1, 1], [3, 1]]]) == ["0 0 to 2 0, 4 0", "1 1 to 3 1"]
    assert lines_of([[0, 0], [0, 1]]) == ["0 0, 0 1"]
    assert all(len(line) <= 100 for line in lines_of([[row, 0] for row in range(90)]))
    assert lines_of([]) == []
    assert lines_of([3]) == ["3"]


def test_seats_and_penguins_have_colours() -> None:
    red, white = COLOURS[:2]
    text = painted(" 0  / 2R \\____/ 5W \\\nred (R) 3, white (W) 0; red to move", (red, white))
    assert "2\x1b[1;31mR\x1b[0m" in text
    assert "5\x1b[1;97mW\x1b[0m" in text
    assert text.count("\x1b[1;31mred\x1b[0m") == 2
    assert painted("nobody", ()) == "nobody"
    assert painted("FRANCES", (Seat("FRANCE"),)) == "FRANCES"
