"""Formats: who meets whom in the next round, decided from the results so far and nothing else."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import msgspec

from parlour.core.game import Game, Plain
from parlour.errors import ConfigError
from parlour.tournament.values import Round, RoundTable

MAX_ROUNDS = 100
"""No tournament lasts longer, whatever its format; far above what players that ever lose need."""


class Conclusion(msgspec.Struct, frozen=True):
    """The end of a tournament: who won and why it is over."""

    winners: tuple[str, ...]
    reason: str


class Format(Protocol):
    """Decides a tournament. The same field and rounds always give the same answer, so a tournament can be resumed."""

    @property
    def name(self) -> str:
        """The word for it on the command line and in records."""
        ...

    @property
    def largest(self) -> int:
        """How many sit at its largest tables."""
        ...

    def next_round(self, field: Sequence[str], rounds: Sequence[Round]) -> tuple[RoundTable, ...] | Conclusion:
        """The tables of the next round, or the verdict. Field is in order of age; all given rounds are over."""
        ...


class KnockOut(msgspec.Struct, frozen=True):
    """Winners of a table go on, until they fit at one table: the final.

    Also over when fewer than two are left, when two rounds in a row had the same winners, or after max_rounds.
    """

    largest: int = 4
    smallest: int = 2
    max_rounds: int = MAX_ROUNDS
    name: str = "knock-out"

    def next_round(self, field: Sequence[str], rounds: Sequence[Round]) -> tuple[RoundTable, ...] | Conclusion:
        """The survivors in order of age at tables as even as the allotment makes them."""
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


class RoundRobin(msgspec.Struct, frozen=True):
    """Everyone meets everyone at tables of one size, each group once per seat order by rotation.

    A shared first place shares the point. Most points win; whoever departed from any table cannot.
    """

    size: int = 2
    max_tables: int = 10_000
    name: str = "round-robin"

    @property
    def largest(self) -> int:
        """All tables have the same size."""
        return self.size

    def next_round(self, field: Sequence[str], rounds: Sequence[Round]) -> tuple[RoundTable, ...] | Conclusion:
        """One round with every group of players; then the verdict."""
        if len(field) < self.size:
            return Conclusion(tuple(field) if len(field) == 1 else (), "too few players")
        if not rounds:
            return self._tables(field)
        results = [table.result for table in rounds[0].tables if table.result is not None]
        gone = {departure.name for result in results for departure in result.departed}
        points = {name: 0.0 for name in field if name not in gone}
        for result in results:
            for name in points.keys() & result.winners:
                points[name] += 1 / len(result.winners)
        best = max(points.values(), default=0.0)
        return Conclusion(tuple(name for name in points if points[name] == best), "everyone has met")

    def _tables(self, field: Sequence[str]) -> tuple[RoundTable, ...]:
        if math.comb(len(field), self.size) * self.size > self.max_tables:
            raise ConfigError(f"a round-robin of {len(field)} needs more than {self.max_tables:,} tables", field="size")
        groups = itertools.combinations(field, self.size)
        return tuple(RoundTable(group[first:] + group[:first]) for group in groups for first in range(self.size))


FORMATS: dict[str, Callable[[], Format]] = {"knock-out": KnockOut, "round-robin": RoundRobin}


def make_format(name: str) -> Format:
    """The format of that name; ConfigError if there is none."""
    if name not in FORMATS:
        raise ConfigError(f"format {name!r} does not exist, expected one of {', '.join(FORMATS)}", field="format")
    return FORMATS[name]()


def check_tables(game: Game, config: Mapping[str, Plain], players: int) -> None:
    """ConfigError if some table that so many players can come to sit at could not be played.

    Tables shrink as players leave, and a smaller one may need more: three have nine penguins, four have eight.
    """
    seats = game.seats(config)
    fewest = game.fewest(config)
    for taken in range(fewest, max(fewest, min(players, len(seats))) + 1):
        game.start(config, seats[:taken], 0)


def allot(players: Sequence[str], largest: int = 4, smallest: int = 2) -> list[tuple[str, ...]]:
    """Groups in order, as many as possible of the largest size; if too few are left over, the last group is taken
    back and smaller ones follow.
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
