"""The terms a match is played on: clocks, conduct, press, seats. Part of its record's first event."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from parlour.core.fouls import Conduct
from parlour.errors import ConfigError

MAX_SECONDS = 1e9


class Clock(msgspec.Struct, frozen=True):
    """How long a seat may think, in seconds; None means for ever."""

    per_turn: float | None = None
    first_turn: float | None = None
    """For each seat's first turn of the match; per_turn if not given."""
    bank: float = 0.0
    """Extra time of a seat for the whole match; used when a turn's own time is spent."""
    per_stage: dict[str, float] = {}
    """Overrides per_turn in the named stages."""


class PressMode(StrEnum):
    """When seats may talk."""

    NONE = "none"
    ANYTIME = "any time"
    WINDOW = "window"  # opens when every press bot is ready, closes after a time or when all who talk are done


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
        if not 0 <= clock.bank < MAX_SECONDS:
            raise ConfigError(f"bank is {clock.bank}, expected 0 to {MAX_SECONDS:g} seconds", field="bank")
        for field, limit in (("max_length", press.max_length), ("max_per_turn", press.max_per_turn)):
            if limit < 0:
                raise ConfigError(f"{field} is {limit}, expected 0 or more", field=field)
