"""The plan of a tournament: all that decides its matches. It is the first entry of its record."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from parlour.agents.process_supervisor import UNLIMITED, Limits
from parlour.core.game import Plain, Seed
from parlour.core.terms import PressMode, Terms
from parlour.errors import ConfigError
from parlour.games import load_contest, load_game
from parlour.tournament.schedules.blocks import Seats
from parlour.tournament.schedules.formats import BlockFormat, against, make_schedule
from parlour.tournament.statistics.stopping import StopRule

MAX_AGENTS = 1000


class Contender(msgspec.Struct, frozen=True):
    """An agent that takes part, under a unique name."""

    name: str
    agent: str
    """The agent as given: a name with options, path.py:Class, or a command. Empty for a player who signed up."""
    fingerprint: dict[str, str] = {}
    """Digests of the parts of the agent, so that a change is noticed."""


class Plan(msgspec.Struct, frozen=True, kw_only=True, tag_field="entry", tag="plan"):
    """The matches to play, their players, their number, and the score that counts."""

    tournament: str
    game: str
    config: dict[str, Plain]
    terms: Terms
    format: str
    seats: int
    """Number of seats at a table."""
    contenders: tuple[Contender, ...]
    blocks: int
    """Maximum number of blocks."""
    seed: Seed
    score: str
    anchor: str
    """The agent with zero points in the ratings."""
    stop: StopRule | None = None
    challengers: int = 1
    limits: Limits = UNLIMITED
    """Limits of agents that are commands."""
    records: bool = True
    """True if the records of matches are kept."""
    version: str = ""
    """Version of Parlour."""
    protocol: str | msgspec.UnsetType = msgspec.UNSET
    """Protocol of the players who signed up; unset between agents."""

    @property
    def between_agents(self) -> bool:
        """True if all players are agents, and nobody signed up on a server."""
        return self.protocol is msgspec.UNSET

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all entrants."""
        return tuple(contender.name for contender in self.contenders)

    @property
    def agents(self) -> dict[str, str]:
        """The agent that plays under each name."""
        return {contender.name: contender.agent for contender in self.contenders}

    @property
    def talks(self) -> bool:
        """True if there is press."""
        return self.terms.press.mode is not PressMode.NONE

    @property
    def reproducible(self) -> bool:
        """True if the same plan gives the same results: without a time limit or limits of programs."""
        timed = any(":seconds=" in agent or ",seconds=" in agent for agent in self.agents.values())
        return self.terms.clock.per_turn is None and not self.limits.is_bounded and not timed

    @property
    def simultaneous(self) -> bool:
        """True if several seats are asked at once."""
        game = load_game(self.game)
        config = load_contest(self.game).deals(self.config, self.seats, self.seed)[0]
        return len(game.start(config, game.seats(config), self.seed).to_act()) > 1

    def schedule(self) -> BlockFormat:
        """Return the format for these contenders and seats."""
        seats = Seats(load_contest(self.game), dict(self.config), self.seats, self.seed)
        return make_schedule(self.format, seats, self.names, self.challengers)

    def check(self) -> None:
        """Raise ConfigError if the plan cannot be played."""
        contest, game = load_contest(self.game), load_game(self.game)
        smallest, largest = contest.sizes(self.config)
        if not smallest <= self.seats <= largest:
            expected = str(smallest) if smallest == largest else f"{smallest} to {largest}"
            raise ConfigError(f"seats: a table of {self.game} has {expected}, not {self.seats}", field="seats")
        if self.score not in contest.scores:
            expected = ", ".join(contest.scores)
            raise ConfigError(f"score: expected {expected}, got {self.score!r:.40}", field="score")
        if self.anchor not in self.names:
            raise ConfigError(
                f"anchor: nobody here is called {self.anchor!r:.60}: {', '.join(self.names)}", field="anchor"
            )
        self.terms.check()
        self.limits.check()
        schedule = self.schedule()
        # A board that is too small fails here, for every size of table that may come about.
        for meeting in schedule.block(0, ()):
            for config in contest.deals(self.config, len(meeting.seatings[0]), self.seed):
                game.start(config, game.seats(config), self.seed)
        if self.stop is not None and schedule.waits:
            raise ConfigError(f"stop: who meets in {self.format} depends on the results; it has no rule", field="stop")


def seats_of(game: str, config: dict[str, Plain], form: str, wanted: int | None) -> int:
    """Return the number of seats at a table: the wanted one, that of the format, or the format's default."""
    smallest, largest = load_contest(game).sizes(config)
    if wanted is not None:
        return wanted
    if (found := against(form)) is not None:
        return found[1]
    return largest if form == "knock-out" else smallest


def named(agents: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return each agent with a name of its own; a repeated agent gets a number."""
    seen: dict[str, int] = {}
    found = []
    for agent in agents:
        seen[agent] = seen.get(agent, 0) + 1
        found.append((agent if seen[agent] == 1 else f"{agent}#{seen[agent]}", agent))
    return tuple(found)
