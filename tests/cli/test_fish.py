"""The course's harnesses on the command line: worked examples, many lines at once, bad input."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from click.testing import CliRunner, Result

from parlour.cli.fish import command
from parlour.errors import ParlourError

FULL = [[1, 1, 1]] * 5


def run(harness: str, value: Any, *options: str) -> Result:
    text = value if isinstance(value, (str, bytes)) else json.dumps(value)
    return CliRunner().invoke(command, [harness, *options], input=text)


def reply(harness: str, value: Any) -> Any:
    result = run(harness, value)
    assert result.exception is None
    return json.loads(result.output)


def state(board: Any, *players: Any) -> dict[str, Any]:
    colors = ("red", "white", "brown", "black")
    sides = [{"color": c, "score": 0, "places": places} for c, places in zip(colors, players, strict=False)]
    return {"players": sides, "board": board}


@pytest.mark.parametrize(
    ("position", "board", "count"),
    [
        ([0, 0], FULL, 6),
        ([2, 1], FULL, 10),
        ([3, 1], FULL, 8),
        ([0, 0], [[1], [], [0]], 0),
        ([0, 0], [[1], [2], [0, 3]], 2),
    ],
)
def test_xboard_counts_the_tiles_in_reach(position: list[int], board: Any, count: int) -> None:
    assert reply("xboard", {"position": position, "board": board}) == count


def test_xstate_steps_in_the_first_free_direction() -> None:
    after = reply("xstate", state(FULL, [[2, 1], [0, 0]], [[0, 1], [4, 2]]))
    # North is taken, so the penguin goes north-east; white is next.
    assert after == {
        "players": [
            {"color": "white", "score": 0, "places": [[0, 1], [4, 2]]},
            {"color": "red", "score": 1, "places": [[1, 1], [0, 0]]},
        ],
        "board": [[1, 1, 1], [1, 1, 1], [1, 0, 1], [1, 1, 1], [1, 1, 1]],
    }


def test_xstate_is_false_when_the_first_penguin_is_stuck() -> None:
    assert reply("xstate", state([[1, 1], [0, 0], [0, 1]], [[0, 0], [0, 1]])) is False
    assert reply("xstate", state([[1, 1]], [], [[0, 0]])) is False


def test_xtree_answers_next_to_the_move() -> None:
    value = {"state": state(FULL, [[0, 0]], [[4, 2], [4, 0]]), "from": [0, 0], "to": [2, 1]}
    # The neighbours of (2,1) north and north-east are out of white's reach; south-east is (3,1).
    assert reply("xtree", value) == [[4, 2], [3, 1]]


def test_xtree_is_false_when_nobody_gets_there() -> None:
    value = {"state": state([[1, 1], [0, 0], [1, 1]], [[0, 0]], [[0, 1]]), "from": [0, 0], "to": [2, 0]}
    assert reply("xtree", value) is False


def test_xstrategy_breaks_ties_by_from_then_to() -> None:
    value = state(FULL, [[4, 0], [0, 0]], [[0, 2], [4, 2]])
    assert reply("xstrategy", [1, value]) == [[0, 0], [1, 0]]


def test_xstrategy_is_false_when_the_first_player_is_stuck() -> None:
    assert reply("xstrategy", [2, state([[1, 1], [0, 1]], [[0, 0]], [[0, 1]])]) is False


def test_xstrategy_looks_two_turns_ahead() -> None:
    # One turn ahead every move is worth 1; two turns ahead only the tile with five fish is worth 6.
    board = [[1, 0, 0], [1, 0, 0], [5, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 0], [0, 0, 1]]
    value = state(board, [[0, 0]], [[4, 2]])
    assert reply("xstrategy", [1, value]) == [[0, 0], [1, 0]]
    assert reply("xstrategy", [2, value]) == [[0, 0], [2, 0]]


def test_xref_names_the_winners_in_order() -> None:
    game = {"row": 4, "column": 4, "players": [["zoe", 1], ["bob", 1]], "fish": 2}
    winners = reply("xref", game)
    assert winners == sorted(winners)
    assert set(winners) <= {"zoe", "bob"}
    # All penguins stand in two rows and every tile is alike: eight tiles, eight penguins, nobody moves, all win.
    assert reply("xref", {"row": 2, "column": 4, "players": [["b", 2], ["a", 2]], "fish": 1}) == ["a", "b"]


def test_a_byte_order_mark_is_skipped() -> None:
    text = b"\xef\xbb\xbf" + json.dumps({"position": [0, 0], "board": FULL}).encode()
    assert json.loads(run("xboard", text).output) == 6


def test_each_value_is_answered_before_the_next_is_sent() -> None:
    harness = subprocess.Popen(
        [sys.executable, "-m", "parlour", "fish", "xboard"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with harness:
        assert harness.stdin is not None
        assert harness.stdout is not None
        for position, count in (([0, 0], 6), ([2, 1], 10)):
            harness.stdin.write(json.dumps({"position": position, "board": FULL}).encode())  # and no end of the line
            harness.stdin.flush()
            assert json.loads(harness.stdout.readline()) == count
        harness.stdin.close()
        assert harness.stdout.read() == b""


def test_any_natural_number_is_a_score() -> None:
    value = state(FULL, [[4, 0], [0, 0]], [[0, 2], [4, 2]])
    value["players"][0]["score"] = 10**30
    assert reply("xstrategy", [2, value]) == reply("xstrategy", [2, state(FULL, [[4, 0], [0, 0]], [[0, 2], [4, 2]])])
    assert reply("xstate", value)["players"][1]["score"] == 10**30 + 1


def test_lines_are_answered_one_by_one_and_a_bad_one_hurts_no_other() -> None:
    good = json.dumps({"position": [0, 0], "board": FULL})
    result = run("xboard", f"{good}\nnonsense\n\n{good}", "--jsonl")
    assert result.exception is None
    lines = [json.loads(line) for line in result.output.splitlines()]
    assert lines[0] == lines[2] == 6
    assert lines[1]["line"] == 2
    assert "not JSON" in lines[1]["error"]


@pytest.mark.parametrize(
    ("harness", "value", "message"),
    [
        ("xboard", {"position": [0, 0], "board": [[-1]]}, "row 0, column 0: expected a whole number of fish"),
        ("xboard", {"position": [0, 0], "board": [[1.5]]}, "expected a whole number of fish from 0 to 5"),
        ("xboard", {"position": [0, 0], "board": [[6]]}, "expected a whole number of fish from 0 to 5"),
        ("xboard", {"position": [0, 0], "board": [[1], 7]}, "a list of rows"),
        ("xboard", {"position": [7, 0], "board": [[1]]}, "position: expected a place on the board"),
        ("xboard", {"position": [0, 0]}, "expected an object with position, board"),
        ("xstate", [], "state: expected an object"),
        ("xtree", {"state": state(FULL, [[0, 0]]), "from": [0, 0], "to": [0, 1]}, "expected a move"),
        ("xstrategy", [6, state(FULL, [[0, 0]])], "D: expected 1 to 5"),
        ("xstrategy", [True, state(FULL, [[0, 0]])], "D: expected 1 to 5"),
        ("xstrategy", {}, "expected .D, State."),
        ("xref", {"row": 2, "column": 2, "players": [["a", 1], ["b", 1]], "fish": 1}, "8 penguins need"),
        ("xref", {"row": 26, "column": 2, "players": [["a", 1], ["b", 1]], "fish": 1}, "rows: expected"),
        ("xref", {"row": 2, "column": 2, "players": [["a", 1]], "fish": 1}, "players: expected two to 4"),
        ("xref", {"row": 2, "column": 9, "players": [["a", 1], "b"], "fish": 1}, "players, 1: expected"),
        ("xref", {"row": None, "column": 9, "players": [["a", 1], ["b", 1]], "fish": 1}, "row: expected"),
        ("xboard", "[" * 100, "not JSON|too deep"),
        ("xboard", "x" * (10 << 20), "not JSON: the value is too large"),
        ("xboard", "[" + " " * (2 << 20), "too large"),
        ("xboard", '{"position": [0', "ended in the middle of a value"),
        ("xboard", "", "not JSON"),
    ],
)
def test_bad_input_is_one_line(harness: str, value: Any, message: str) -> None:
    error = run(harness, value).exception
    assert isinstance(error, ParlourError), error
    with pytest.raises(type(error), match=message):
        raise error
    assert "\n" not in str(error)


def test_bad_input_exits_with_two(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import io

    from parlour.cli import main

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"{}")))
    with pytest.raises(SystemExit) as left:
        main(["fish", "xboard"])
    assert left.value.code == 2
    assert capsys.readouterr().err.startswith("parlour: input: expected an object")


def test_boards_of_holes_and_states_without_players_are_answered() -> None:
    holes = [[0, 0], [0, 0]]
    assert reply("xboard", {"position": [0, 0], "board": holes}) == 0
    for board in (holes, FULL):
        assert reply("xstate", {"players": [], "board": board}) is False
        assert reply("xstrategy", [2, {"players": [], "board": board}]) is False
        assert reply("xtree", {"state": {"players": [], "board": board}, "from": [0, 0], "to": [1, 0]}) is False
    assert reply("xstate", state(holes, [])) is False
    assert reply("xstrategy", [1, state(holes, [])]) is False


@pytest.mark.parametrize("depth", [3, 5])
def test_players_look_up_to_five_turns_ahead(depth: int) -> None:
    small = [[1, 2, 3], [2, 1, 1]]
    found = reply("xstrategy", [depth, state(small, [[0, 0]], [[0, 2]])])
    assert found[0] == [0, 0]
    winners = reply("xref", {"row": 3, "column": 3, "players": [["a", depth], ["b", 1]], "fish": 1})
    assert set(winners) <= {"a", "b"}
    assert winners
