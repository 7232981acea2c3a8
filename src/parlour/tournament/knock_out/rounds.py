"""The knock-out of strangers: the tables of the next round follow from the results so far alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from parlour.core.game import Game, Plain
from parlour.errors import ConfigError
from parlour.tournament.knock_out.table_results import Round, RoundTable

MAX_ROUNDS = 100
"""Maximum number of rounds of a knock-out, far above the number that it needs."""


class Conclusion(msgspec.Struct, frozen=True):
    """The end of a tournament: its winners and the reason."""

    winners: tuple[str, ...]
    reason: str


class KnockOut(msgspec.Struct, frozen=True):
    """Winners of a table advance until they fit at one table: the final.

    Also over when fewer than two are left, when two rounds in a row had the same winners, or after max_rounds.
    """

    largest: int = 4
    smallest: int = 2
    max_rounds: int = MAX_ROUNDS
    name: str = "knock-out"

    def next_round(self, field: Sequence[str], rounds: Sequence[Round]) -> tuple[RoundTable, ...] | Conclusion:
        """Return the tables of the next round, with the survivors in order of age, or the end of the tournament."""
        survivors = _in_order(field, rounds[-1].winners()) if rounds else tuple(field)
        if rounds and len(rounds[-1].tables) == 1:
            return Conclusion(survivors, "final played")
        if len(survivors) < self.smallest:
            return Conclusion(survivors, "too few players left")
        if len(rounds) >= 2 and set(survivors) == set(rounds[-2].winners()):
            return Conclusion(survivors, "same winners in two rounds")
        if len(rounds) >= self.max_rounds:
            return Conclusion(survivors, f"no decision in {self.max_rounds} rounds")
        return tuple(RoundTable(group) for group in allot(survivors, self.largest, self.smallest))


def check_tables(game: Game, config: Mapping[str, Plain], players: int) -> None:
    """Raise ConfigError if a table that this many players may sit at could not be played.

    Tables shrink as players leave, and a smaller one may need more: three have nine penguins, four have eight.
    """
    seats = game.seats(config)
    fewest = game.fewest(config)
    for taken in range(fewest, max(fewest, min(players, len(seats))) + 1):
        game.start(config, seats[:taken], 0)


def allot(players: Sequence[str], largest: int = 4, smallest: int = 2) -> list[tuple[str, ...]]:
    """Return the players in groups, in order, with as many groups of the largest size as possible.

    If too few players are left over, the last group is dissolved and smaller groups follow.
    """
    if largest < 2 * smallest - 1:
        raise ConfigError(f"tables of {smallest} to {largest} cannot seat every number of players", field="largest")
    groups: list[tuple[str, ...]] = []
    size, at = largest, 0
    while at < len(players):
        left = len(players) - at
        if left >= smallest:
            groups.append(tuple(players[at : at + size]))
            at += len(groups[-1])
        else:
            at -= len(groups.pop())
            size -= 1
    return groups


def _in_order(field: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    chosen = set(names)
    return tuple(name for name in field if name in chosen)
