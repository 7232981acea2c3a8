"""House agents on the seats beside a single learner, created for each game from its seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parlour.agents import check_match, make_agent, negotiates
from parlour.core import seeds
from parlour.core.game import Action, Plain, Position, Seat, View
from parlour.core.player import Player
from parlour.errors import ConfigError

Wanted = str | Sequence[str]
"""One agent for all other seats, or one agent for each of them in their order."""


def checked_opponents(game: str, wanted: Wanted, count: int, config: Mapping[str, Plain]) -> list[str]:
    """Return one agent for each of the other seats; raise ConfigError if an agent cannot play in the game."""
    names = [wanted] * count if isinstance(wanted, str) else list(wanted)
    if len(names) != count:
        raise ConfigError(f"opponents: expected one agent or {count}, got {len(names)}", field="opponents")
    for name in dict.fromkeys(names):
        if negotiates(game, name):
            raise ConfigError(
                f"opponents: {name!r:.40} negotiates, expected an agent that plays without press", field="opponents"
            )
        make_agent(game, name, 0)
        check_match(game, name, config)
    return names


class HouseOpponents:
    """The house agents of one game, by seat."""

    def __init__(self, game: str, names: Mapping[Seat, str], seed: int) -> None:
        self._players: dict[Seat, Player] = {
            seat: make_agent(game, name, seeds.environment_opponent(seed, number))
            for number, (seat, name) in enumerate(names.items())
        }

    def actions(self, position: Position, turn: int) -> dict[Seat, Action]:
        """Return the actions of the agents that are to act."""
        acting = [seat for seat in position.to_act() if seat in self._players]
        return {seat: self._players[seat].act(View(seat, position, turn)) for seat in acting}


def checked_seat(seat: str | None, seats: Sequence[str]) -> str | None:
    """Return the seat of the learner; None for a random seat. Raise ConfigError if the seat does not exist."""
    if seat is not None and seat not in seats:
        raise ConfigError(f"seat: expected {', '.join(seats)}, got {seat!r:.40}", field="seat")
    return seat
