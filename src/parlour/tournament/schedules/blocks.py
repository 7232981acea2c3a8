"""Blocks: the smallest sets of matches in which everybody has every seat equally often, on the same deals."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import combinations

import msgspec

from parlour.core import seeds
from parlour.core.contest import Contest
from parlour.core.game import Plain, Seed
from parlour.errors import ConfigError


class Sitting(msgspec.Struct, frozen=True):
    """A match to be played. With the tournament's plan it decides everything that happens in the match."""

    number: int
    """Number of the match in the tournament, from 0 and without gaps."""
    block: int
    table: int
    """Number of the group within this block."""
    players: tuple[str, ...]
    """Names, in the order of seats; one name may occur several times."""
    seed: Seed
    """The seed, the same for all matches of a block, so that every agent plays the same deals."""
    variant: int = 0
    """Number of the deal's configuration."""
    usd: float | None = None
    """US dollars that the model of each seat may cost; None if only the plan's terms limit them."""


class Meeting(msgspec.Struct, frozen=True):
    """The players who meet in a block, and their seats in its matches."""

    players: tuple[str, ...]
    seatings: tuple[tuple[str, ...], ...]


class Seats(msgspec.Struct, frozen=True):
    """The seating of the tables of a tournament."""

    contest: Contest
    config: dict[str, Plain]
    size: int
    """Number of seats at a table."""
    seed: Seed

    def all_orders(self, group: Sequence[str]) -> Meeting:
        """Return the tables of a group in all orders that balance the seats, each agent on its own seat."""
        orders = self.contest.orders(len(group))
        return Meeting(tuple(group), tuple(tuple(group[player] for player in order) for order in orders))

    def one_against(self, one: str, rest: str) -> Meeting:
        """Return a meeting with one player on each seat once, and another on all other seats."""
        seats = range(self.size)
        return Meeting((one, rest), tuple(tuple(one if seat == own else rest for seat in seats) for own in seats))

    def mixed(self, group: Sequence[str], block: int, size: int | None = None) -> Meeting:
        """Return tables on which everybody has each seat once, in as many matches as players; neighbours are random."""
        size = size or self.size
        rng = random.Random(seeds.draw_of_seats(self.seed, block, group))
        shuffled = rng.sample(list(group), len(group))
        # Seats take players by different steps, so that nobody sits twice at a table where there are enough.
        steps = [seat % len(group) for seat in range(size)]
        if size > len(group):
            rng.shuffle(steps)
        else:
            steps = rng.sample(range(len(group)), size)
        matches = range(len(group))
        seatings = tuple(tuple(shuffled[(match + step) % len(group)] for step in steps) for match in matches)
        return Meeting(tuple(group), seatings)

    def gathered(self, group: Sequence[str], block: int) -> Meeting:
        """Return the tables of a group that fits at one table: each agent on its own seat if the game allows that."""
        smallest, largest = self.contest.sizes(self.config)
        if smallest <= len(group) <= largest:
            return self.all_orders(group)
        return self.mixed(group, block, smallest if len(group) < smallest else largest)

    def sittings(self, number: int, first: int, tables: Sequence[Meeting]) -> tuple[Sitting, ...]:
        """Return the matches of a block, numbered from first on."""
        seed = seeds.block_matches(self.seed, number)
        found: list[Sitting] = []
        for at, table in enumerate(tables):
            variants = len(self.contest.deals(self.config, len(table.seatings[0]), seed))
            for players in table.seatings:
                for variant in range(variants):
                    found.append(Sitting(first + len(found), number, at, players, seed, variant))
        return tuple(found)


def groups(names: Sequence[str], size: int, most: int) -> list[tuple[str, ...]]:
    """Return all groups of a size; raise ConfigError if there are too many for one block."""
    found = []
    for group in combinations(names, size):
        found.append(group)
        if len(found) > most:
            raise ConfigError(
                f"format: a block of {len(names)} agents at tables of {size} has more than {most:,} tables: "
                "take population, which draws them by lot",
                field="format",
            )
    return found


def config_of(contest: Contest, config: Mapping[str, Plain], sitting: Sitting) -> dict[str, Plain]:
    """Return the configuration of a match."""
    return contest.deals(config, len(sitting.players), sitting.seed)[sitting.variant]
