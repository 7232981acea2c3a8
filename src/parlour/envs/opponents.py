"""House agents on the seats that a single learner leaves, made anew for each game from its seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parlour.agents import make_agent, negotiates
from parlour.core.game import Action, Position, Seat, View
from parlour.core.player import Player
from parlour.errors import ConfigError

Wanted = str | Sequence[str]
"""An agent for all other seats, or an agent for each of them in their order."""


def checked_opponents(game: str, wanted: Wanted, count: int) -> list[str]:
    """Return one agent for each of the other seats; ConfigError if an agent cannot play there."""
    names = [wanted] * count if isinstance(wanted, str) else list(wanted)
    if len(names) != count:
        raise ConfigError(f"opponents: expected one agent or {count}, got {len(names)}", field="opponents")
    for name in dict.fromkeys(names):
        if negotiates(game, name):
            raise ConfigError(
                f"opponents: {name!r:.40} negotiates, expected an agent that plays without press", field="opponents"
            )
        make_agent(game, name, 0)
    return names


class HouseOpponents:
    """The agents of one game."""

    def __init__(self, game: str, names: Mapping[Seat, str], seed: int) -> None:
        self._players: dict[Seat, Player] = {
            seat: make_agent(game, name, seed + number) for number, (seat, name) in enumerate(names.items())
        }

    def actions(self, position: Position, turn: int) -> dict[Seat, Action]:
        """Return what the agents do that are to act."""
        acting = [seat for seat in position.to_act() if seat in self._players]
        return {seat: self._players[seat].act(View(seat, position, turn)) for seat in acting}


def checked_seat(seat: str | None, seats: Sequence[str]) -> str | None:
    """Return the seat of the learner; None if each game draws it. ConfigError if there is no such seat."""
    if seat is not None and seat not in seats:
        raise ConfigError(f"seat: expected {', '.join(seats)}, got {seat!r:.40}", field="seat")
    return seat
