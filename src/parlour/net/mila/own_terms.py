"""Terms of a new game beyond the package's rules; only Parlour's own client sets them."""

from __future__ import annotations

import msgspec

from parlour.core.game import Plain, Seat
from parlour.core.terms import PressMode, Terms
from parlour.errors import ConfigError
from parlour.net.daide.options import LIMITS, SILENCES, DaideOptions, read_options


class OwnTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Terms of a new game that the package's protocol cannot express."""

    last_year: int | None = None
    scoring: str = ""
    title: str = ""
    listed: bool = True
    delay: float = 0.0
    """Seconds by which spectators see events later than the players."""
    agents: dict[str, str] = {}
    """Powers that house agents play from the start: {"FRANCE": "dumbbot"}."""
    stand_in: str = ""
    """The house agent that plays for a player who leaves; empty for none."""
    daide_level: int | None = None
    """Press level for DAIDE clients; None for that of the rules."""
    daide_options: tuple[str, ...] = ()
    """Options as `parlour serve --daide-options` takes them: AOA, RTL=60."""

    def config(self) -> dict[str, Plain]:
        """Return the part of the match's configuration that these terms set."""
        found: dict[str, Plain] = {} if self.last_year is None else {"last_year": self.last_year}
        return found | ({"scoring": self.scoring} if self.scoring else {})

    def seated(self) -> dict[Seat, str]:
        """Return the house agents by seat."""
        return {Seat(power): spec for power, spec in self.agents.items()}

    def daide(self) -> DaideOptions:
        """Return the options for DAIDE clients; raise ConfigError for one that does not exist."""
        return read_options(self.daide_level or 0, 0, self.daide_options)

    def applied(self, terms: Terms) -> Terms:
        """Return the terms with these settings applied; raise ConfigError if the rules forbid them."""
        options, press = self.daide(), terms.press
        if self.daide_level and press.mode is PressMode.NONE:
            raise ConfigError(f"daide_level: expected 0 with the rule NO_PRESS, got {self.daide_level}")
        if self.daide_level is not None:
            mode = PressMode.ANYTIME if self.daide_level else PressMode.NONE
            press = msgspec.structs.replace(press, mode=mode, level=self.daide_level or press.level)
        silent = tuple(stage for field, stage in SILENCES.items() if getattr(options, field))
        limits = {stage: float(getattr(options, field)) for field, stage in LIMITS.items() if getattr(options, field)}
        return msgspec.structs.replace(
            terms,
            clock=msgspec.structs.replace(terms.clock, per_stage={**terms.clock.per_stage, **limits}),
            press=msgspec.structs.replace(press, silent_stages=silent, silent_before=float(options.ptl)),
            partial_draws=options.pda,
            stops_while_away=options.dsd,
        )
