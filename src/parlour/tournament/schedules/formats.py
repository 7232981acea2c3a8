"""Formats of tournaments between agents: the tables of the next block follow from the earlier blocks alone."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeAlias

import msgspec

from parlour.core import seeds
from parlour.core.text import hint
from parlour.errors import ConfigError
from parlour.tournament.schedules.blocks import Meeting, Seats, groups

MAX_TABLES = 20_000
"""Maximum number of tables in a block."""
MAX_KNOCK_OUT = 100
"""Maximum number of rounds of a knock-out."""

Scores: TypeAlias = Mapping[str, float]
"""The mean score of each player at a table."""
Past: TypeAlias = Sequence[Sequence[Scores]]
"""Scores at the tables of each finished block."""
Ladder: TypeAlias = list[list[str]]
"""Names by place; equal places together."""


class BlockFormat(Protocol):
    """A format. The same past always gives the same block, so a tournament can be resumed."""

    @property
    def waits(self) -> bool:
        """True if a block depends on those before it."""

    @property
    def fair(self) -> bool:
        """True if all meet the same opponents, so that their scores can be compared."""

    @property
    def length(self) -> int | None:
        """Number of blocks of the whole format; None if it has no end."""

    def block(self, number: int, past: Past) -> tuple[Meeting, ...]:
        """Return the tables of a block; none if the format ends before it."""

    def places(self, past: Past) -> Ladder | None:
        """Return the names by place; None if the format does not decide the places."""


class _Independent(msgspec.Struct, frozen=True):
    """A format whose blocks do not depend on one another."""

    seats: Seats
    names: tuple[str, ...]

    @property
    def waits(self) -> bool:
        return False

    @property
    def length(self) -> int | None:
        return None

    def places(self, past: Past) -> Ladder | None:
        return None


class RoundRobinBlocks(_Independent, frozen=True):
    """Everybody meets everybody: in all groups that fill a table, or in pairs, one against copies of the other."""

    @property
    def fair(self) -> bool:
        return True

    def block(self, number: int, past: Past) -> tuple[Meeting, ...]:
        """Return the same tables in each block."""
        if self.seats.contest.rivals is None:
            return tuple(map(self.seats.all_orders, groups(self.names, self.seats.size, MAX_TABLES)))
        pairs = groups(self.names, 2, MAX_TABLES)
        return tuple(self.seats.one_against(*pair) for group in pairs for pair in (group, group[::-1]))


class Gauntlet(_Independent, frozen=True):
    """The first agents are challengers, and each meets all of the field, but no other challenger."""

    challengers: int

    @property
    def fair(self) -> bool:
        return False

    def block(self, number: int, past: Past) -> tuple[Meeting, ...]:
        """Return the same tables in each block."""
        field = self.names[self.challengers :]
        found: list[Meeting] = []
        for one in self.names[: self.challengers]:
            if self.seats.contest.rivals is None:
                others = groups(field, self.seats.size - 1, MAX_TABLES)
                found += [self.seats.all_orders((one, *group)) for group in others]
            else:
                found += [self.seats.one_against(one, other) for other in field]
        return tuple(found)


class OneAgainstRest(_Independent, frozen=True):
    """The first agent alone against copies of each other agent, or copies of it against each other agent alone."""

    alone: bool

    @property
    def fair(self) -> bool:
        return len(self.names) == 2

    def block(self, number: int, past: Past) -> tuple[Meeting, ...]:
        """Return the same tables in each block."""
        first, *others = self.names
        pairs = [(first, other) if self.alone else (other, first) for other in others]
        return tuple(self.seats.one_against(*pair) for pair in pairs)


class Population(_Independent, frozen=True):
    """Everybody has every seat once per block; the other players at the table are random."""

    @property
    def fair(self) -> bool:
        return True

    def block(self, number: int, past: Past) -> tuple[Meeting, ...]:
        """Return the tables of a block; each block mixes the players anew."""
        return (self.seats.mixed(self.names, number),)


class _Rounds(msgspec.Struct, frozen=True):
    """A format whose blocks are rounds: the tables depend on earlier results."""

    seats: Seats
    names: tuple[str, ...]

    @property
    def waits(self) -> bool:
        return True

    @property
    def fair(self) -> bool:
        return False


class Swiss(_Rounds, frozen=True):
    """Pairs agents with equal scores in each round, if possible those that have not met."""

    @property
    def length(self) -> int | None:
        """Number of rounds that are needed to find a first place."""
        return max(1, math.ceil(math.log2(len(self.names))))

    def block(self, number: int, past: Past) -> tuple[Meeting, ...]:
        """Return pairs from the top of the table down; of an odd number of agents, one pauses (see _pausing)."""
        means = mean_scores(self.names, past)
        rng = random.Random(seeds.swiss_pairing(self.seats.seed))
        lots = {name: rng.random() for name in self.names}
        waiting = sorted(self.names, key=lambda name: (-means[name], lots[name]))
        if len(waiting) % 2:
            waiting.remove(_pausing(waiting, past))
        met = {frozenset(table) for tables in past for table in tables}
        found: list[Meeting] = []
        while waiting:
            one = waiting.pop(0)
            fresh = (other for other in waiting if frozenset((one, other)) not in met)
            other = next(fresh, waiting[0])
            waiting.remove(other)
            found.append(self.seats.gathered((one, other), number))
        return tuple(found)

    def places(self, past: Past) -> Ladder | None:
        """Return the names by the mean of the scores of all rounds."""
        return by_score(self.names, mean_scores(self.names, past))


class Climb(_Rounds, frozen=True):
    """A ladder: neighbours meet, and the one with the higher score stands above the other afterwards."""

    @property
    def length(self) -> int | None:
        return None

    def block(self, number: int, past: Past) -> tuple[Meeting, ...]:
        """Return every second pair of neighbours: those from the first rung in one round, the others in the next."""
        rungs = self._rungs(past)
        first = number % 2 if len(rungs) > 2 else 0
        pairs = zip(rungs[first::2], rungs[first + 1 :: 2], strict=False)
        return tuple(self.seats.gathered(pair, number) for pair in pairs)

    def places(self, past: Past) -> Ladder | None:
        """Return the names by rung, the highest first."""
        return [[name] for name in self._rungs(past)]

    def _rungs(self, past: Past) -> list[str]:
        rungs = list(self.names)
        for tables in past:
            for scores in tables:
                if len(scores) < 2:  # the matches of this pair are void
                    continue
                upper, lower = sorted(scores, key=rungs.index)
                if scores[lower] > scores[upper]:
                    above, below = rungs.index(upper), rungs.index(lower)
                    rungs[above], rungs[below] = rungs[below], rungs[above]
        return rungs


class KnockOutBlocks(_Rounds, frozen=True):
    """The best of each table continue, until the remaining players fit at one table: the final."""

    @property
    def length(self) -> int | None:
        return MAX_KNOCK_OUT

    def block(self, number: int, past: Past) -> tuple[Meeting, ...]:
        """Return tables of sizes as equal as possible; a player who is alone continues."""
        left = self._left(past)
        if len(left) < 2 or (past and len(past[-1]) == 1 and len(past[-1][0]) == len(self._left(past[:-1]))):
            return ()
        if len(past) > 1 and left == self._left(past[:-1]):
            return ()  # the same players won twice, and would win every further round
        count = math.ceil(len(left) / self.seats.size)
        found = [tuple(left[at::count]) for at in range(count)]
        return tuple(self.seats.gathered(group, number) for group in found if len(group) > 1)

    def places(self, past: Past) -> Ladder | None:
        """Return the names by the round of their loss; the remaining players have won."""
        found: Ladder = []
        left = list(self.names)
        for at in range(len(past)):
            after = self._left(past[: at + 1])
            if out := [name for name in left if name not in after]:
                found.insert(0, out)
            left = after
        return [left, *found]

    def _left(self, past: Past) -> list[str]:
        left = list(self.names)
        for tables in past:
            lost = set()
            for scores in tables:
                best = max(scores.values(), default=0.0)
                lost |= {name for name, score in scores.items() if score < best}
            left = [name for name in left if name not in lost]
        return left


def mean_scores(names: Sequence[str], past: Past) -> dict[str, float]:
    """Return the mean of each agent's scores at tables so far; 0 without tables."""
    found: dict[str, list[float]] = {name: [] for name in names}
    for tables in past:
        for scores in tables:
            for name, score in scores.items():
                found[name].append(score)
    return {name: math.fsum(scores) / len(scores) if scores else 0.0 for name, scores in found.items()}


def by_score(names: Sequence[str], scores: Mapping[str, float]) -> Ladder:
    """Return the names by score, the best first; equals share a place."""
    levels = sorted({scores[name] for name in names}, reverse=True)
    return [[name for name in names if scores[name] == level] for level in levels]


def _pausing(waiting: Sequence[str], past: Past) -> str:
    """Return the agent that pauses in a round: the lowest of those that paused least."""
    played = {name: sum(name in scores for tables in past for scores in tables) for name in waiting}
    most = max(played.values())
    return [name for name in waiting if played[name] == most][-1]


FORMATS = ("round-robin", "population", "gauntlet", "swiss", "knock-out", "ladder")
"""Names of the formats, besides 1vN and Nv1, such as 1v6 and 6v1."""
_AGAINST = re.compile(r"(1)v(\d{1,2})|(\d{1,2})v(1)")


def against(name: str) -> tuple[bool, int] | None:
    """Return, of a format such as 1v6, True if the first agent plays alone, and the seats per table; otherwise None."""
    found = _AGAINST.fullmatch(name)
    if found is None:
        return None
    one, many, crowd, _ = found.groups()
    return one is not None, 1 + int(many or crowd)


def make_schedule(name: str, seats: Seats, names: Sequence[str], challengers: int = 1) -> BlockFormat:
    """Return the format of this name for a field; raise ConfigError for an unknown name or a field too small."""
    field = tuple(names)
    makers: dict[str, tuple[int, Callable[[], BlockFormat]]] = {
        "round-robin": (seats.contest.rivals or seats.size, lambda: RoundRobinBlocks(seats, field)),
        "population": (1, lambda: Population(seats, field)),
        "gauntlet": (
            challengers + (seats.contest.rivals or seats.size) - 1,
            lambda: Gauntlet(seats, field, challengers),
        ),
        "swiss": (2, lambda: Swiss(seats, field)),
        "knock-out": (2, lambda: KnockOutBlocks(seats, field)),
        "ladder": (2, lambda: Climb(seats, field)),
    }
    if (found := against(name)) is not None:
        alone, size = found
        if size != seats.size:
            raise ConfigError(
                f"format: {name} has {size} seats, a table has {seats.size}: take 1v{seats.size - 1}", field="format"
            )
        makers[name] = (2, lambda: OneAgainstRest(seats, field, alone))
    if name not in makers:
        expected = f"expected {', '.join(FORMATS)} or 1vN{hint(name, FORMATS)}"
        raise ConfigError(f"format: {name[:40]!r} does not exist, {expected}", field="format")
    needed, make = makers[name]
    if len(field) < needed:
        raise ConfigError(
            f"format: {name} at tables of {seats.size} needs at least {needed} agents, {len(field)} given",
            field="agents",
        )
    return make()
