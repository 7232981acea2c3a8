"""The terms a match is played on: clocks, conduct, press, seats. Part of its record's first event."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from parlour.core.fouls import Conduct
from parlour.core.viewers import OMNISCIENT, Viewer
from parlour.errors import ConfigError

MAX_SECONDS = 1e9
MAX_COUNT = 10**15
"""Of anything that is counted: stores and wires keep whole numbers of 64 bits."""


class Clock(msgspec.Struct, frozen=True):
    """How long a seat may think, in seconds; None means for ever."""

    per_turn: float | None = None
    first_turn: float | None = None
    """For each seat's first turn of the match; per_turn if not given."""
    bank: float = 0.0
    """Extra time of a seat for the whole match; used when a turn's own time is spent."""
    per_stage: dict[str, float] = {}
    """Overrides per_turn in the named stages."""
    tokens: int | None = None
    """What a seat's calls of models may use in the whole match; None: as much as they like."""
    usd: float | None = None
    """What they may cost in the whole match."""


class PressMode(StrEnum):
    """When seats may talk."""

    NONE = "none"
    ANYTIME = "any time"
    WINDOW = "window"  # opens when every press bot is ready, closes after a time or when all who talk are done


class Vacancy(StrEnum):
    """What becomes of seats that nobody takes."""

    LEFT_OUT = "left out"  # the match starts without them, and ends when nobody is left
    DEFAULT = "default"  # they stay, may be taken at any time, and do what an absent seat does
    AWAITED = "awaited"  # they stay, and the turn waits for a proxy's order as for a player's


class PressTerms(msgspec.Struct, frozen=True):
    """Whether, when and how much seats may talk."""

    mode: PressMode = PressMode.ANYTIME
    level: int = 60
    """Highest DAIDE level of structured press; at 8000 whatever is said is delivered, as in the `diplomacy` package."""
    window: float = 60.0
    stages: tuple[str, ...] = ("orders",)
    """In window mode, the stages that have a window; elsewhere press is refused."""
    max_length: int = 4096
    max_per_turn: int = 200
    private: bool = True
    """Whether press may be for some seats only."""
    silent_stages: tuple[str, ...] = ()
    """Stages in which nobody may talk, whatever the mode."""
    silent_before: float = 0.0
    """Seconds before the deadline of a turn in one of the stages above from which on nobody may talk."""
    before_start: bool = False
    """Whether those who have taken a seat may talk to all before play begins."""


class Terms(msgspec.Struct, frozen=True):
    """What a match's players agree to by sitting down."""

    conduct: Conduct
    clock: Clock = Clock()
    press: PressTerms = PressTerms(mode=PressMode.NONE)
    seats_to_start: int | None = None
    """The match starts by itself when so many seats are taken; None: all of them. 0: only a moderator starts it."""
    wait_flags_up: bool = False
    """Whether every seat's wait flag is up when a turn begins, as in the `diplomacy` package."""
    draw_votes: bool = True
    rejoin: bool = True
    """Whether a vacant seat may be taken while the match runs."""
    vacancy: Vacancy = Vacancy.LEFT_OUT
    quorum: int | None = None
    """The match stops in its turn while fewer seats are taken, and goes on with new deadlines; who is there may act."""
    downtime_counts: bool = False
    """Whether the time for which a host was down counts against deadlines."""
    disclosed: bool = False
    """Whether everything, private press too, is open to all when the match is over."""
    partial_draws: bool = False
    """Whether a draw may leave out some who are still in the game, if all of them agree."""
    stops_while_away: bool = False
    """The clocks stand still while somebody is away who is to act in this turn and has not."""
    vacant_flags_up: bool = False
    """Whether those of seats without a player are, so that a turn waits for who orders for them to say so."""

    @property
    def stops_for_want(self) -> bool:
        """Whether the match stops when players are missing."""
        return self.quorum is not None or self.stops_while_away

    def hindsight(self, viewer: Viewer) -> Viewer:
        """The viewer as which somebody may look at the match when it is over."""
        return (OMNISCIENT if self.disclosed else viewer).looking_back()

    def check(self) -> None:
        """ConfigError if a time is not one that a clock can show, or a limit not one that can be kept.

        No time may be zero: a turn that is over as it begins would follow on another for ever.
        """
        clock, press = self.clock, self.press
        times = {"per_turn": clock.per_turn, "first_turn": clock.first_turn, "window": press.window}
        times.update({f"per_stage {stage}": time for stage, time in clock.per_stage.items()})
        for field, time in times.items():
            if time is not None and not 0 < time < MAX_SECONDS:
                raise ConfigError(
                    f"{field} is {time}, expected more than 0 and less than {MAX_SECONDS:g} seconds", field=field
                )
        for field, time in {"bank": clock.bank, "silent_before": press.silent_before}.items():
            if not 0 <= time < MAX_SECONDS:
                raise ConfigError(f"{field} is {time}, expected 0 to {MAX_SECONDS:g} seconds", field=field)
        limits: dict[str, float | None] = {"max_length": press.max_length, "max_per_turn": press.max_per_turn}
        limits |= {"tokens": clock.tokens, "usd": clock.usd}
        limits |= {"quorum": self.quorum, "seats_to_start": self.seats_to_start}
        limits |= {"level": press.level}
        rules = [(f"{stage} {kind}", rule) for stage, row in self.conduct.table.items() for kind, rule in row.items()]
        limits |= {f"limit of {cell}": rule.limit for cell, rule in rules}
        for field, limit in limits.items():
            if limit is not None and not 0 <= limit <= MAX_COUNT:
                found = limit if abs(limit) <= MAX_COUNT else "beyond all measure"
                raise ConfigError(f"{field} is {found}, expected 0 to {MAX_COUNT:,}", field=field)
