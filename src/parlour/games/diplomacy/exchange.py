"""Diplomacy for the outside: posted positions in JSON, and matches as the `diplomacy` package saves them."""

from __future__ import annotations

from collections.abc import Iterable

from parlour.core import events as ev
from parlour.core.game import Plain
from parlour.core.intents import PlayerType
from parlour.core.player import Told
from parlour.games.diplomacy.draw import Style
from parlour.games.diplomacy.forms import read_orders, read_state
from parlour.games.diplomacy.map import Map
from parlour.games.diplomacy.pictures import draw_position, draw_turn
from parlour.games.diplomacy.position import Position
from parlour.games.diplomacy.saved import save_game
from parlour.games.diplomacy.turn import Turn

MICROSECONDS = 1e6
VACANT = "dummy"
"""The controller of a power that nobody controls, in the package's words."""


class DiplomacyExchange:
    """What is posted and saved of Diplomacy."""

    def adjudicate(self, value: Plain) -> Plain:
        """Play one phase, and say what became of every order, and why."""
        return adjudicate(value)

    def orders(self, value: Plain) -> Plain:
        """The possible orders, by province, and whose they are."""
        position = Position(*read_state(value))
        return {"orders": position.orders(), "by_power": position.orderable()}

    def draw(self, value: Plain, *, theme: str, width: int | None) -> str:
        """A position; with orders, these and their results."""
        board, state = read_state(value)
        position, orders = Position(board, state), read_orders(value.get("orders"), board)
        style = Style(theme=theme, width=width)
        if not orders:
            return draw_position(position, **style)
        turn = position.resolve(orders).turn
        assert turn is not None
        return draw_turn(turn, **style)

    def saved(self, match: str, told: Iterable[Told]) -> Plain:
        """A match in the form of the `diplomacy` package; None before it has started."""
        story = _Story()
        for each in told:
            story.take(each)
        if story.last is None:
            return None
        return save_game(story.turns, story.last, id=match, messages=story.messages, more=story.more()).value


class _Story:
    """What a saved game tells, gathered from events as somebody may see them."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.messages: dict[str, list[Plain]] = {}
        self.last: Position | None = None
        self._ended: ev.Ended | None = None
        self._paused = False
        self._players: dict[str, ev.Joined] = {}
        self._deadline = 0.0

    def take(self, told: Told) -> None:
        """Take in an event and the position after it."""
        event, position = told.event, told.position
        if isinstance(position, Position):
            self.last = position
        match event:
            case ev.Opened(terms=terms):
                self._deadline = terms.clock.per_turn or 0.0
            case ev.Joined(seat=seat):
                self._players[seat] = event
            case ev.Left(seat=seat) | ev.Removed(seat=seat):
                self._players.pop(seat, None)
            case ev.Paused() | ev.Resumed():
                self._paused = isinstance(event, ev.Paused)
            case ev.TurnEnded() if self.last is not None and self.last.turn is not None:
                self.turns.append(self.last.turn)
            case ev.Said() if self.last is not None:
                self.messages.setdefault(self.last.phase, []).extend(_messages(event, self.last.phase))
            case ev.Ended():
                self._ended = event

    def more(self) -> dict[str, Plain]:
        """What the package itself does not save, in the words in which it has it."""
        assert self.last is not None
        names = [power.name for power in self.last.board.powers]
        more: dict[str, Plain] = {
            "status": self._status(),
            "controllers": {name: self._players[name].name if name in self._players else VACANT for name in names},
            "player_types": {
                name: (self._players[name].player_type if name in self._players else PlayerType.HUMAN).value
                for name in names
            },
            "deadline": round(self._deadline),
        }
        if self._ended is not None and self._ended.outcome.places and self.turns:
            more["outcome"] = [self.turns[-1].before.phase, *self._ended.outcome.winners]
        return more

    def _status(self) -> str:
        if self._ended is not None:
            return "completed" if self._ended.outcome.places else "canceled"
        return "paused" if self._paused else "active"


EXCHANGE = DiplomacyExchange()


def adjudicate(value: Plain, *, explicit_via: bool = False, board: Map | None = None) -> Plain:
    """The answer to one position with orders, both as plain values; without a board the position names its map."""
    board, state = read_state(value, board)
    orders = read_orders(value.get("orders"), board)
    after = Position(board, state).resolve(orders, explicit_via=explicit_via)
    turn = after.turn
    assert turn is not None
    results = {name: {str(text): str(verdict) for text, verdict in own.items()} for name, own in turn.results.items()}
    explanations: dict[str, dict[str, str]] = {name: {} for name in orders}
    for explained in turn.explanations:
        if not explained.default:
            explanations[explained.power].setdefault(explained.text, explained.sentence)
    return {
        "phase": after.phase,
        "units": after.units,
        "retreats": {name: own for name, own in after.retreats.items() if own},
        "centers": after.centers,
        "builds": {name: count for name, count in after.builds.items() if count},
        "disbanded": turn.disbanded,
        "results": {name: results.get(name, {}) for name in orders},
        "explanations": explanations,
        "defaults": turn.defaults,
    }


def _messages(said: ev.Said, phase: str) -> list[Plain]:
    """Press as the package has it: one message for each who is spoken to."""
    sent = int(said.at * MICROSECONDS)
    recipients: list[str] = list(said.to) or ["GLOBAL"]
    return [
        {"sender": said.seat, "recipient": to, "phase": phase, "message": said.text, "time_sent": sent}
        for to in recipients
    ]
