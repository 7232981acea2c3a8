"""The terms of a match: clocks, conduct, press, seats. They are part of its record's first event."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from parlour.core.fouls import Conduct
from parlour.core.viewers import OMNISCIENT, Viewer
from parlour.errors import ConfigError

MAX_SECONDS = 1e9
MAX_COUNT = 10**15
"""Maximum of every count: stores and protocols carry whole numbers of 64 bits."""


class Clock(msgspec.Struct, frozen=True):
    """Time limits of a seat, in seconds, and limits of its model calls; None means no limit."""

    per_turn: float | None = None
    first_turn: float | None = None
    """Seconds of each seat's first turn of the match; per_turn if not given."""
    bank: float = 0.0
    """Extra time of a seat for the whole match; used when a turn's own time is spent."""
    per_stage: dict[str, float] = {}
    """Overrides per_turn in the named stages."""
    tokens: int | None = None
    """Tokens that a seat's model calls may use in the whole match; None means without limit."""
    usd: float | None = None
    """Dollars that a seat's model calls may cost in the whole match; None means without limit."""
    weekends: bool | msgspec.UnsetType = msgspec.UNSET
    """False if Saturdays and Sundays (UTC) do not count; not stored where they do. Read `rests`."""

    @property
    def rests(self) -> bool:
        """True if time stands still at weekends."""
        return self.weekends is False

    def later(self, now: float, seconds: float) -> float:
        """Return the time when `seconds` have passed since `now`, without weekends if they do not count."""
        return after_weekends(now, seconds) if self.rests else now + seconds


DAY = 86_400.0
_THURSDAY = 3
"""The weekday of 1 January 1970, from which times are counted; Monday is 0."""


def after_weekends(now: float, seconds: float) -> float:
    """Return the time at which that number of seconds of working days (UTC) has passed."""
    weekday, since = (now // DAY + _THURSDAY) % 7, now % DAY
    if weekday >= 5:  # time counts from Monday on
        now, weekday, since = now + (7 - weekday) * DAY - since, 0.0, 0.0
    monday = now - weekday * DAY - since
    worked = weekday * DAY + since + seconds
    weeks, rest = divmod(worked, 5 * DAY)
    if rest == 0 and weeks:  # returns the end of Friday instead of the beginning of Monday
        weeks, rest = weeks - 1, 5 * DAY
    return monday + weeks * 7 * DAY + rest


class PressMode(StrEnum):
    """The times at which seats may negotiate."""

    NONE = "none"
    ANYTIME = "any time"
    WINDOW = "window"  # opens when every press bot is ready, closes after a time or when all talkers have acted


class Vacancy(StrEnum):
    """The treatment of seats that nobody takes."""

    LEFT_OUT = "left out"  # the match starts without vacant seats, and ends when no player is left
    DEFAULT = "default"  # vacant seats stay, may be taken at any time, and do the default of an absent seat
    AWAITED = "awaited"  # vacant seats stay, and the turn waits until a proxy has ordered for them


FREE_TEXT = 8000
"""Press level from which any text is delivered, even an empty one."""


class PressTerms(msgspec.Struct, frozen=True):
    """The terms of press: when, to whom and how much seats may write."""

    mode: PressMode = PressMode.ANYTIME
    level: int = 60
    """Highest DAIDE level of structured press; at 8000 any text is delivered, as in the `diplomacy` package."""
    window: float = 60.0
    stages: tuple[str, ...] = ("orders",)
    """Stages that have a window, in window mode; in other stages press is refused."""
    max_length: int = 4096
    max_per_turn: int = 200
    private: bool = True
    """True if press may be addressed to some seats only."""
    silent_stages: tuple[str, ...] = ()
    """Stages in which nobody may talk, in any mode."""
    silent_before: float = 0.0
    """Number of seconds before the end of a turn, in one of `stages`, in which nobody may talk."""
    before_start: bool = False
    """True if seated players may address all before play begins."""
    eliminated: bool | msgspec.UnsetType = msgspec.UNSET
    """True if seats that are out of the game may still write and be written to."""


class SealMode(StrEnum):
    """The rule by which seats seal their plans."""

    NONE = "none"
    INVITED = "invited"  # seats may seal, but need not
    REQUIRED = "required"  # talk waits for the bots' seals, and an action without one is refused once
    DRAWN = "drawn"  # required in turns that are drawn by the match's seed, and refused in the others


class SealOpening(StrEnum):
    """The time at which others may see the plans of a seat."""

    MATCH = "match"  # others see plans after the end of the match
    TOURNAMENT = "tournament"  # others see plans in the results of the match's tournament
    NEVER = "never"


class SealTerms(msgspec.Struct, frozen=True):
    """The rules of sealed plans: when they are written, and when they open."""

    mode: SealMode = SealMode.NONE
    opens: SealOpening = SealOpening.MATCH
    chance: float = 0.5
    """Probability that plans are sealed in a turn, in the mode `drawn`."""


NO_SEALS = SealTerms()


class Terms(msgspec.Struct, frozen=True):
    """The terms that players accept by taking a seat in a match."""

    conduct: Conduct
    clock: Clock = Clock()
    press: PressTerms = PressTerms(mode=PressMode.NONE)
    seats_to_start: int | None = None
    """Number of taken seats at which the match starts automatically; None: all. 0: only a moderator starts it."""
    wait_flags_up: bool = False
    """True if every seat's wait flag is up when a turn begins, as in the `diplomacy` package."""
    draw_votes: bool = True
    rejoin: bool = True
    """True if a vacant seat may be taken while the match runs."""
    vacancy: Vacancy = Vacancy.LEFT_OUT
    quorum: int | None = None
    """Number of seats below which the match stops; it continues with new deadlines. Seats that are taken may still act.
    """
    downtime_counts: bool = False
    """True if the time for which a host was down counts against deadlines."""
    disclosed: bool = False
    """True if everything, private press included, is open to all after the end of the match."""
    partial_draws: bool = False
    """True if a draw may leave out players who are still in the game, if all of them agree."""
    stops_while_away: bool = False
    """True if the clocks stand still while a seat that has yet to act in this turn is vacant."""
    vacant_flags_up: bool = False
    """True if wait flags of vacant seats are up, so that a turn waits until their orders are complete."""
    idle_turns_last: bool | msgspec.UnsetType = msgspec.UNSET
    """True if a turn in which nobody is to act lasts until its time is up, it is forced, or a wait flag is lowered.

    Where all players are bots it passes at once. Not stored where it is not set.
    """
    seals: SealTerms | msgspec.UnsetType = msgspec.UNSET
    """Terms of sealed plans; not stored where there are none. Read `sealing`."""

    @property
    def sealing(self) -> SealTerms:
        """Terms of sealed plans."""
        return NO_SEALS if self.seals is msgspec.UNSET else self.seals

    @property
    def stops_for_want(self) -> bool:
        """True if the match stops when players are missing."""
        return self.quorum is not None or self.stops_while_away

    def hindsight(self, viewer: Viewer) -> Viewer:
        """Return the viewer as it is after the match: with everything visible if the terms disclose the match."""
        return (OMNISCIENT if self.disclosed else viewer).looking_back()

    def check(self) -> None:
        """Raise ConfigError if a time, a probability or a limit is out of range.

        No turn may last 0 seconds: turns that end as they begin would follow one another for ever.
        """
        clock, press = self.clock, self.press
        times = {"per_turn": clock.per_turn, "first_turn": clock.first_turn, "window": press.window}
        times.update({f"per_stage {stage}": time for stage, time in clock.per_stage.items()})
        for field, time in times.items():
            if time is not None and not 0 < time < MAX_SECONDS:
                raise ConfigError(
                    f"{field}: expected more than 0 and less than {MAX_SECONDS:g} seconds, got {time}", field=field
                )
        for field, time in {"bank": clock.bank, "silent_before": press.silent_before}.items():
            if not 0 <= time < MAX_SECONDS:
                raise ConfigError(f"{field}: expected 0 to {MAX_SECONDS:g} seconds, got {time}", field=field)
        if not 0 <= self.sealing.chance <= 1:
            raise ConfigError(f"seals chance: expected 0 to 1, got {self.sealing.chance}", field="chance")
        limits: dict[str, float | None] = {"max_length": press.max_length, "max_per_turn": press.max_per_turn}
        limits |= {"tokens": clock.tokens, "usd": clock.usd}
        limits |= {"quorum": self.quorum, "seats_to_start": self.seats_to_start}
        limits |= {"level": press.level}
        rules = [(f"{stage} {kind}", rule) for stage, row in self.conduct.table.items() for kind, rule in row.items()]
        limits |= {f"limit of {cell}": rule.limit for cell, rule in rules}
        for field, limit in limits.items():
            if limit is not None and not 0 <= limit <= MAX_COUNT:
                found = limit if abs(limit) <= MAX_COUNT else "a larger one"
                raise ConfigError(f"{field}: expected 0 to {MAX_COUNT:,}, got {found}", field=field)
