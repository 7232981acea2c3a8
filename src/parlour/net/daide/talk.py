"""What a DAIDE client's match has come to, in step with what its seat is told, and what is said of turns and ends."""

from __future__ import annotations

from collections.abc import Sequence

from parlour.core import events as ev
from parlour.core.game import Seat
from parlour.core.player import Told
from parlour.games.diplomacy.position import Position
from parlour.net.daide import sayings
from parlour.net.daide.sayings import group
from parlour.net.daide.tokens import Token
from parlour.press.tokens import Lexicon


class TableTalk:
    """Takes in what is told, one event after the other."""

    def __init__(self, seat: Seat | None) -> None:
        self.position: Position | None = None
        self.k = 0
        """The number of the next event of this view."""
        self.turn = 0
        self.to_act: tuple[Seat, ...] = ()
        self.deadline: float | None = None
        self.wait = False
        self.over = False
        self.away: set[Seat] = set()
        """Seats whose player has left."""
        self.names: dict[Seat, str] = {}
        self.last_orders: list[Sequence[Token]] = []
        """ORD of the last movement and of the retreats and builds after it."""
        self._seat = seat
        self._flags_up = False
        self._gone: dict[Seat, int] = {}

    def take(self, told: Told) -> None:
        """Take in an event."""
        event = told.event
        self.k = told.k + 1
        if isinstance(told.position, Position):
            self.position = told.position
        match event:
            case ev.Opened():
                self._flags_up = event.terms.wait_flags_up
            case ev.Joined():
                self.names[event.seat] = event.name
                self.away.discard(event.seat)
            case ev.Left():
                self.away.add(event.seat)
            case ev.TurnBegan():
                self.turn, self.to_act, self.wait = event.turn, event.to_act, self._flags_up
                self.deadline = max(event.deadlines.values(), default=None)
            case ev.WaitSet() if event.seat == self._seat:
                self.wait = event.wait
            case ev.TurnEnded():
                self._turn_ended()
            case ev.Ended():
                self.over, self.to_act = True, ()

    def _turn_ended(self) -> None:
        self.to_act, self.deadline = (), None
        position = self.position
        if position is None or position.turn is None:
            return
        if position.turn.before.stage == "orders":
            self.last_orders = []
        self.last_orders += sayings.reports(position.turn)
        for seat in position.centers:
            if Seat(seat) not in self._gone and Seat(seat) not in position.alive():
                self._gone[Seat(seat)] = position.turn.before.year

    def is_out(self, seat: Seat) -> bool:
        """Whether the power is eliminated."""
        return self.position is not None and seat not in self.position.alive()

    def ended_turn(self, position: Position) -> list[Sequence[Token]]:
        """What is said when a turn is over: every order, the centres after a fall, who has won, what stands where."""
        turn = position.turn
        if turn is None:
            return [sayings.now(position)]
        found: list[Sequence[Token]] = [*sayings.reports(turn)]
        if sayings.centres_may_change(turn):
            found.append(sayings.supply(position))
        if (winner := _solo(position)) is not None:
            found.append(["SLO", *group(winner)])
        return [*found, sayings.now(position)]

    def ending(self, position: Position, lexicon: Lexicon) -> list[Sequence[Token]]:
        """What is said at the end: a draw of all who are left, unless somebody has won alone, and the summary."""
        found: list[Sequence[Token]] = [] if _solo(position) is not None else [["DRW"]]
        rows = [(word, self.names.get(seat, ""), "", self._gone.get(seat)) for seat, word in lexicon.seats.items()]
        return [*found, sayings.summary(position, rows)]


def _solo(position: Position) -> str | None:
    """The power that has won alone, as its word."""
    outcome = position.outcome()
    if outcome is None or not outcome.reason.startswith("solo"):
        return None
    return next(power.tag for power in position.board.powers if power.name in outcome.winners)
