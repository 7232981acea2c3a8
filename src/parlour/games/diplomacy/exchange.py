"""Diplomacy for the outside: posted positions in JSON, and matches as the `diplomacy` package saves them."""

from __future__ import annotations

from collections.abc import Iterable

from parlour.core.events import Ended, Said, TurnEnded
from parlour.core.game import Plain
from parlour.core.player import Told
from parlour.games.diplomacy.draw import Style
from parlour.games.diplomacy.forms import read_orders, read_state
from parlour.games.diplomacy.map import Map
from parlour.games.diplomacy.pictures import draw_position, draw_turn
from parlour.games.diplomacy.position import Position
from parlour.games.diplomacy.saved import save_game
from parlour.games.diplomacy.turn import Turn

MICROSECONDS = 1e6


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
        turns: list[Turn] = []
        messages: dict[str, list[Plain]] = {}
        last: Position | None = None
        ended: Ended | None = None
        for each in told:
            position = each.position
            if isinstance(position, Position):
                last = position
            if isinstance(each.event, TurnEnded) and last is not None and last.turn is not None:
                turns.append(last.turn)
            elif isinstance(each.event, Said) and last is not None:
                messages.setdefault(last.phase, []).extend(_messages(each.event, last.phase))
            elif isinstance(each.event, Ended):
                ended = each.event
        if last is None:
            return None
        more: dict[str, Plain] = {"status": "active" if ended is None else "completed"}
        if ended is not None and turns:
            more["outcome"] = [turns[-1].before.phase, *ended.outcome.winners]
        return save_game(turns, last, id=match, messages=messages, more=more).value


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


def _messages(said: Said, phase: str) -> list[Plain]:
    """Press as the package has it: one message for each who is spoken to."""
    sent = int(said.at * MICROSECONDS)
    recipients: list[str] = list(said.to) or ["GLOBAL"]
    return [
        {"sender": said.seat, "recipient": to, "phase": phase, "message": said.text, "time_sent": sent}
        for to in recipients
    ]
