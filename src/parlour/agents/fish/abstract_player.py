"""The abstract player class with referee callbacks (receive_gamestate, place_penguin, ...), and its seat at a table.

The referee sends the state after every valid action, and asks for placements and moves without the state. It answers
an illegal action with an error. Places are (x, y): x is the column, y the row, counted from zero at the top left, so
Board[y][x] is the tile at (x, y). Colours begin with a capital: Red, White, Brown, Black.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

from parlour.core.events import Fouled, Removed
from parlour.core.fouls import Consequence
from parlour.core.game import Action, Plain, Seat, View, Violation
from parlour.core.game import Position as AnyPosition
from parlour.core.intents import Refusal, RefusalCode
from parlour.core.player import ObservedEvent
from parlour.errors import NotationError
from parlour.games.fish.position import Position


class AbstractPlayer(ABC):
    """The interface that a player implements. receive_gamestate may have either spelling."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        # A subclass must define one of two spellings, which abstract methods cannot express.
        if cls.receive_gamestate is AbstractPlayer.receive_gamestate:
            raise TypeError(f"{cls.__name__} must write receive_gamestate (or recieve_gamestate)")
        return super().__new__(cls)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for written, other in (_SPELLINGS, _SPELLINGS[::-1]):
            if written in cls.__dict__ and other not in cls.__dict__:
                setattr(cls, other, cls.__dict__[written])

    def setup(self, color: str, gamestate: dict[str, Any]) -> None:
        """Receive the colour and the state at the start of a game; optional."""
        return

    def receive_gamestate(self, gamestate: dict[str, Any]) -> None:
        """Receive the state at the start and after each valid placement, move and removal; required."""
        raise NotImplementedError

    def recieve_gamestate(self, gamestate: dict[str, Any]) -> None:
        """Receive the state; this is the spelling in the first description of the interface."""
        raise NotImplementedError

    @abstractmethod
    def receive_error(self, errormessage: dict[str, str]) -> None:
        """Receive the Type and Message of an illegal action (placement, out of turn, move from or to location)."""

    @abstractmethod
    def place_penguin(self) -> tuple[int, int]:
        """Return the place of a penguin: (x, y)."""

    @abstractmethod
    def send_next_move(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return the start and end of a move: (start_x, start_y), (end_x, end_y)."""

    @abstractmethod
    def identify(self) -> dict[str, Any]:
        """Return the name and age, for example {"Name": "Player 1", "Age": "20"}."""


_SPELLINGS = ("receive_gamestate", "recieve_gamestate")


class AbstractPlayerSeat:
    """The seat of a player that has the methods of the abstract player."""

    def __init__(self, player: Any) -> None:
        self._player = player
        self._receive = getattr(player, _SPELLINGS[0], None) or getattr(player, _SPELLINGS[1])
        self._position: AnyPosition | None = None
        self._seat: Seat | None = None
        self._placing = True

    def identify(self) -> Plain:
        """Return the player's name and age; raise NotationError if they are missing or malformed."""
        answer = self._player.identify()
        if not isinstance(answer, dict) or not isinstance(answer.get("Name"), str):
            raise NotationError('identify: expected {"Name": "...", "Age": "..."}')
        if not str(answer.get("Age")).isdecimal():
            raise NotationError("identify: Age is expected to be a whole number of years")
        return {"Name": answer["Name"], "Age": str(answer["Age"])}

    def on_start(self, view: View) -> None:
        """Pass the player its colour, and the state before the first placement."""
        assert isinstance(view.position, Position)
        self._seat, self._position = view.seat, view.position
        state = gamestate(view.position)
        if (setup := getattr(self._player, "setup", None)) is not None:
            setup(colour(view.seat), state)
        self._receive(gamestate(view.position))

    def on_event(self, observed: ObservedEvent) -> None:
        """Pass each new state to the player, and the error for which the player is removed or skipped."""
        event, before, self._position = observed.event, self._position, observed.view.position
        if isinstance(event, Fouled) and event.seat == self._seat and event.does is not Consequence.ASK_AGAIN:
            # A player that is asked again gets the error in on_refused; this is the last illegal action.
            if event.violation is not None:
                self._player.receive_error(self._error(event.violation))
            return
        if before is None or before is self._position or (isinstance(event, Removed) and event.seat == self._seat):
            return
        assert isinstance(self._position, Position)
        self._receive(gamestate(self._position))

    def act(self, view: View) -> Action:
        """Ask for a placement or a move, and turn (x, y) into [row, column]."""
        self._placing = view.position.stage == "placement"
        if self._placing:
            return _turned(self._player.place_penguin())
        answer = self._player.send_next_move()
        if isinstance(answer, (list, tuple)) and len(answer) == 2:
            return [_turned(answer[0]), _turned(answer[1])]
        return answer

    def on_refused(self, reason: Violation | Refusal) -> None:
        """Pass an error to the player."""
        if isinstance(reason, Violation):
            self._player.receive_error(self._error(reason))
        elif reason.code in (RefusalCode.OUT_OF_TURN, RefusalCode.TOO_LATE):
            self._player.receive_error({"Type": "out of turn", "Message": reason.reason})

    def _error(self, violation: Violation) -> dict[str, str]:
        if violation.kind != "garbled":
            return {"Type": violation.kind, "Message": violation.message}
        if self._placing:
            return {"Type": "placement", "Message": "A placement is a tuple (x, y) of whole numbers."}
        message = "A move is two tuples (x, y) of whole numbers: from, to."
        return {"Type": "move from location", "Message": message}


def colour(seat: Seat) -> str:
    """Return the colour of a seat in the spelling of this interface."""
    return seat.capitalize()


def gamestate(position: Position) -> dict[str, Any]:
    """Return the state in the form of this interface: Board, Scores, Players, Turns; the first in Turns is to act."""
    return {
        "Board": position.board.rows(),
        "Scores": {colour(seat): position.side(seat).score for seat in position.alive()},
        "Players": {colour(seat): _side(position, seat) for seat in position.alive()},
        "Turns": [colour(side.seat) for side in position.sides],
    }


def _side(position: Position, seat: Seat) -> dict[str, Any]:
    side = position.side(seat)
    penguins = [(column, row) for row, column in side.penguins]
    return {"score": side.score, "color": colour(seat), "penguins": penguins}


def _turned(place: Any) -> Any:
    """Return (x, y) as [row, column]; any other value unchanged, for the referee to refuse."""
    return [place[1], place[0]] if isinstance(place, (list, tuple)) and len(place) == 2 else place
