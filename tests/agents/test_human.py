"""A person at the terminal: what lines mean, what is explained, who leaves."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pytest

from fish_positions import random_game
from parlour.agents.human import Human, read_action
from parlour.core.game import Outcome, View
from parlour.core.intents import Refusal, RefusalCode
from parlour.games.fish import COLOURS, GAME


def human(*lines: str) -> tuple[Human, io.StringIO]:
    typed: Iterator[str] = iter(lines)

    def read(prompt: str) -> str:
        for line in typed:
            return line
        raise EOFError

    out = io.StringIO()
    return Human(read, out), out


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("0 2", [0, 2]),
        ("0,2", [0, 2]),
        ("[0, 2]", [0, 2]),
        ("0 2 4 2", [[0, 2], [4, 2]]),
        ("[[0,2],[4,2]]", [[0, 2], [4, 2]]),
        ("A PAR - BUR; F BRE H", ["A PAR - BUR", "F BRE H"]),
        ("", []),
        ("1 " + "9" * 5000, ["1 " + "9" * 5000]),
    ],
)
def test_a_line_is_json_or_numbers_or_orders(line: str, action: Any) -> None:
    assert read_action(line) == action


def test_a_wrong_line_is_explained_and_asked_for_again() -> None:
    position = GAME.start({}, COLOURS[:2], 1)
    player, out = human("hello", "9 9", "0 3")
    assert player.act(View(COLOURS[0], position, 1)) == [0, 3]
    assert str(position) in out.getvalue()
    assert "a placement is [row, column]" in out.getvalue()
    assert "That spot is not on the board." in out.getvalue()


def test_a_question_mark_lists_what_is_possible() -> None:
    position = next(p for p in random_game(20, 20, 2, 1) if p.stage == "move")
    legal = position.legal(position.to_act()[0])
    player, out = human("?", str(legal[0]))
    assert player.act(View(position.to_act()[0], position, 1)) == legal[0]
    assert f"and {len(legal) - 40} more" in out.getvalue()


def test_a_person_who_leaves_is_gone() -> None:
    player, _ = human()
    with pytest.raises(EOFError):
        player.act(View(COLOURS[0], GAME.start({}, COLOURS[:2], 1), 1))


def test_refusals_and_the_end_are_shown() -> None:
    player, out = human()
    player.refused(Refusal(RefusalCode.OUT_OF_TURN, "red is not to act now"))
    player.ended(Outcome({}, (("red", "white"), ("brown",)), "nobody can move"))
    assert out.getvalue() == "red is not to act now\nThe match is over (nobody can move): red and white, brown.\n"
