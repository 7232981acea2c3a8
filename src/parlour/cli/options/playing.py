"""The options of verbs that play, as they were given: seed and terms, and the limits of programs and models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec import UnsetType

from parlour.agents.process_supervisor import Limits
from parlour.cli.options import models
from parlour.cli.options.confining import limits_of
from parlour.cli.options.sealing import seal_terms
from parlour.core.terms import Clock, SealOpening, SealTerms


@dataclass(frozen=True, kw_only=True)
class PlayingOptions:
    """The options that `play` and `tournament` share."""

    seed: int
    conduct: str
    time_per_turn: float | None
    press: bool = False
    seals: str | None = None
    seals_open: str = SealOpening.MATCH
    cassette: Path | None
    tape: str
    tokens: int | None
    usd: float | None
    confined: bool
    trusted: bool
    passed: Sequence[str]
    as_json: bool
    quiet: bool

    @property
    def sealed(self) -> SealTerms | UnsetType:
        """The terms of seals; unset if players seal no plans."""
        return seal_terms(self.seals, self.seals_open)

    @property
    def talks(self) -> bool:
        """True if players may negotiate: with --press, or with seals, which imply press."""
        return self.press or bool(self.sealed)

    @property
    def clock(self) -> Clock:
        """The time per turn, and the limits of models."""
        return Clock(per_turn=self.time_per_turn, tokens=self.tokens, usd=self.usd)

    def program_limits(
        self, hidden: Iterable[Path] = (), *, cpu: int | None = None, memory: int | None = None
    ) -> Limits:
        """Return the limits of players that are programs, from which some files are hidden."""
        return limits_of(
            confined=self.confined, trusted=self.trusted, passed=self.passed, hidden=hidden, cpu=cpu, memory=memory
        )

    def agent(self, given: str) -> str:
        """Return an agent as it is made: a model answers from the cassette, if there is one."""
        return models.on_cassette(given, self.cassette, self.tape)
