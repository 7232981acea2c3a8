"""The abstract player class: both spellings, the state dictionary as documented, (x, y), colours, errors."""

from __future__ import annotations

from typing import Any

import pytest

from parlour.agents.fish.abstract_player import AbstractPlayer, AbstractPlayerSeat, gamestate
from parlour.agents.fish.lookahead import LookAheadPlayer
from parlour.core.game import FoulKind, View, Violation
from parlour.core.intents import Refusal, RefusalCode
from parlour.core.terms import Terms
from parlour.errors import NotationError
from parlour.games.fish import COLOURS, GAME, Board, Position, Side
from parlour.referee.conduct import LENIENT, STRICT
from parlour.referee.local import play
from parlour.referee.match import Match

RED, WHITE = COLOURS[:2]
STATE = Position(
    Board.of([[1, 2, 3], [4, 0, 5], [1, 1, 0]]),
    (Side(WHITE, ((0, 1),), 2), Side(RED, ((1, 0), (1, 2)), 5)),
    1,
)


class Walker(AbstractPlayer):
    """Knows the board only from the states it is given, in (x, y); plays the first thing that is possible."""

    def __init__(self) -> None:
        self.color = ""
        self.states: list[dict[str, Any]] = []
        self.errors: list[dict[str, str]] = []

    def setup(self, color: str, gamestate: dict[str, Any]) -> None:
        self.color = color

    def receive_gamestate(self, gamestate: dict[str, Any]) -> None:
        self.states.append(gamestate)

    def receive_error(self, errormessage: dict[str, str]) -> None:
        self.errors.append(errormessage)

    def place_penguin(self) -> tuple[int, int]:
        state = self.states[-1]
        assert state["Turns"][0] == self.color
        return next((x, y) for y, row in enumerate(state["Board"]) for x, _ in enumerate(row) if self.free(x, y))

    def send_next_move(self) -> tuple[tuple[int, int], tuple[int, int]]:
        state = self.states[-1]
        assert state["Turns"][0] == self.color
        for x, y in sorted(state["Players"][self.color]["penguins"]):
            shift = y % 2
            near = ((x, y - 2), (x + shift, y - 1), (x + shift, y + 1), (x, y + 2), (x - 1 + shift, y + 1))
            for there in (*near, (x - 1 + shift, y - 1)):
                if self.free(*there):
                    return (x, y), there
        raise AssertionError("asked though it cannot move")

    def free(self, x: int, y: int) -> bool:
        board = self.states[-1]["Board"]
        taken = {spot for side in self.states[-1]["Players"].values() for spot in side["penguins"]}
        return 0 <= y < len(board) and 0 <= x < len(board[0]) and board[y][x] > 0 and (x, y) not in taken

    def identify(self) -> dict[str, Any]:
        return {"Name": "Player 1", "Age": "20"}


class Misspelt(Walker):
    """Takes the state by the other spelling only."""

    def recieve_gamestate(self, gamestate: dict[str, Any]) -> None:
        self.states.append(gamestate)


def test_the_state_is_the_documented_dictionary() -> None:
    assert gamestate(STATE) == {
        "Board": [[1, 2, 3], [4, 0, 5], [1, 1, 0]],
        "Scores": {"Red": 5, "White": 2},
        "Players": {
            "Red": {"score": 5, "color": "Red", "penguins": [(0, 1), (2, 1)]},
            "White": {"score": 2, "color": "White", "penguins": [(1, 0)]},
        },
        "Turns": ["White", "Red"],
    }


def test_either_spelling_makes_a_player() -> None:
    for player in (Walker(), Misspelt()):
        AbstractPlayerSeat(player).on_start(View(RED, STATE, 0))
        assert player.states == [gamestate(STATE)]
        assert player.color == "Red"
        player.receive_gamestate({"via": 1})
        player.recieve_gamestate({"via": 2})
        assert player.states[1:] == [{"via": 1}, {"via": 2}]


def test_a_class_without_the_state_is_abstract() -> None:
    class Deaf(AbstractPlayer):
        def receive_error(self, errormessage: dict[str, str]) -> None: ...
        def place_penguin(self) -> tuple[int, int]:
            return 0, 0

        def send_next_move(self) -> tuple[tuple[int, int], tuple[int, int]]:
            return (0, 0), (0, 0)

        def identify(self) -> dict[str, Any]:
            return {}

    with pytest.raises(TypeError, match="gamestate"):
        Deaf()


def test_answers_are_turned_from_x_y_to_row_column() -> None:
    class Fixed(Walker):
        def place_penguin(self) -> tuple[int, int]:
            return 2, 1

        def send_next_move(self) -> tuple[tuple[int, int], tuple[int, int]]:
            return (1, 0), (2, 1)

    seat = AbstractPlayerSeat(Fixed())
    assert seat.act(View(WHITE, GAME.start({}, COLOURS[:2], 0), 1)) == [1, 2]
    assert seat.act(View(WHITE, STATE, 1)) == [[0, 1], [1, 2]]


@pytest.mark.parametrize("answer", [None, 5, "x", (1,), ((0, 0), 3), [[1, 2, 3], [0, 0]]])
def test_a_wrong_answer_reaches_the_referee_as_it_is(answer: Any) -> None:
    class Odd(Walker):
        def send_next_move(self) -> Any:
            return answer

    action = AbstractPlayerSeat(Odd()).act(View(WHITE, STATE, 1))
    assert STATE.check(WHITE, action)[0].kind == "garbled"


def test_errors_have_a_type_and_a_message() -> None:
    player = Walker()
    seat = AbstractPlayerSeat(player)
    seat.on_refused(Violation("placement", "[0, 0]", "There is already a penguin in that spot."))
    seat.on_refused(Violation("garbled", "5", "5 is not understood", FoulKind.GARBLED))
    seat.on_refused(Refusal(RefusalCode.OUT_OF_TURN, "white is not to act now"))
    assert player.errors == [
        {"Type": "placement", "Message": "There is already a penguin in that spot."},
        {"Type": "placement", "Message": "A placement is a tuple (x, y) of whole numbers."},
        {"Type": "out of turn", "Message": "white is not to act now"},
    ]


def test_the_error_that_ends_it_is_told_too() -> None:
    class Cheat(Walker):
        def send_next_move(self) -> tuple[tuple[int, int], tuple[int, int]]:
            return (0, 0), (9, 9)

    cheat = Cheat()
    match = Match(GAME, {"players": 2, "rows": 4, "cols": 3}, Terms(STRICT), 0)
    play(match, {RED: AbstractPlayerSeat(cheat), WHITE: LookAheadPlayer(1)})
    assert match.is_removed(RED)
    assert [error["Type"] for error in cheat.errors] == ["move to location"]


@pytest.mark.parametrize("age", ["20", 20])
def test_the_age_is_a_number_or_its_digits(age: Any) -> None:
    class Aged(Walker):
        def identify(self) -> dict[str, Any]:
            return {"Name": "Ada", "Age": age}

    assert AbstractPlayerSeat(Aged()).identify() == {"Name": "Ada", "Age": "20"}


@pytest.mark.parametrize("answer", [None, {}, {"Name": 3, "Age": "1"}, {"Name": "Ada"}, {"Name": "Ada", "Age": "old"}])
def test_an_identity_that_is_none_is_garbled(answer: Any) -> None:
    class Nobody(Walker):
        def identify(self) -> dict[str, Any]:
            return answer  # type: ignore[no-any-return]

    with pytest.raises(NotationError, match="identify"):
        AbstractPlayerSeat(Nobody()).identify()


@pytest.mark.parametrize("conduct", [LENIENT, STRICT], ids=["lenient", "strict"])
def test_it_plays_a_whole_match_by_the_states_it_is_given(conduct: Any) -> None:
    walker = Walker()
    match = Match(GAME, {"players": 2}, Terms(conduct), seed=3)
    outcome = play(match, {RED: AbstractPlayerSeat(walker), WHITE: LookAheadPlayer(1)})
    assert outcome.reason == "nobody can move"
    assert not walker.errors
    actions = [event for event in match.record if type(event).__name__ == "TurnEnded"]
    assert len(walker.states) == len(actions) + 1, "the first state, and one after each valid action"
    assert walker.states[-1]["Scores"] == {"Red": outcome.scores["red"], "White": outcome.scores["white"]}
    assert match.state.places[RED].name == "Player 1"
