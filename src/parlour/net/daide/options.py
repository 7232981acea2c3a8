"""Options of a DAIDE match: press level, time limits and the switches in HLO."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import get_type_hints

import msgspec
from msgspec.structs import replace

from parlour.core.game import Plain
from parlour.core.terms import PressMode, PressTerms, Terms, Vacancy
from parlour.errors import ConfigError
from parlour.net.daide.tokens import MOST, Token
from parlour.press.language.tokens import MAX_LEVEL
from parlour.referee.conduct import HOSTED

LIMITS = {"mtl": "orders", "rtl": "retreats", "btl": "adjustments"}
"""Time limits with their stages."""
SILENCES = {"npr": "retreats", "npb": "adjustments"}
"""Switches that forbid press, with their stages."""
BESIDES = ("aoa", "adm")
"""Options of this door that are not in a match's terms."""


class DaideOptions(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The options of a match in the order in which HLO lists them; times in seconds, 0 for no limit."""

    level: int = 0
    mtl: int = 0
    rtl: int = 0
    btl: int = 0
    dsd: bool = False
    """True if the clock stops while a player is disconnected."""
    aoa: bool = False
    """True if any order is accepted, whatever it means."""
    pda: bool = False
    """True if a draw may leave out some of the survivors."""
    npr: bool = False
    """True if there is no press in retreats."""
    npb: bool = False
    """True if there is no press in builds."""
    ptl: int = 0
    """Seconds before the deadline of a movement turn at which press ends."""
    adm: bool = False
    """True if admin messages of clients are sent to all; HLO does not mention it."""

    def check(self) -> None:
        """Raise ConfigError if a number does not fit into a token, or press of the level could not be read."""
        if not 0 <= self.level <= MAX_LEVEL:
            reason = f"press above level {MAX_LEVEL} is not supported, so it must not be announced"
            raise ConfigError(f"level: expected 0 to {MAX_LEVEL}, got {self.level}: {reason}", field="level")
        for field in ("mtl", "rtl", "btl", "ptl"):
            if not 0 <= getattr(self, field) <= MOST:
                raise ConfigError(f"{field}: expected 0 to {MOST}, got {getattr(self, field)}", field=field)

    def tokens(self) -> list[Token]:
        """Return the options as in HLO: ( ( LVL 0 ) ( MTL 1200 ) … )."""
        found: list[Token] = ["(", "(", "LVL", self.level, ")"]
        for field in ("mtl", "rtl", "btl", "dsd", "aoa", "pda", "npr", "npb", "ptl"):
            value = getattr(self, field)
            if value is True:
                found += ["(", field.upper(), ")"]
            elif value:
                found += ["(", field.upper(), value, ")"]
        return [*found, ")"]

    @property
    def longest(self) -> int:
        """Seconds of the longest turn; -1 if no turn has a limit."""
        return max(self.mtl, self.rtl, self.btl) or -1

    def extras(self) -> dict[str, Plain]:
        """Return the options that a match's terms do not hold."""
        return {field: True for field in BESIDES if getattr(self, field)}

    def terms(self) -> Terms:
        """Return the terms of a match that is opened for DAIDE bots."""
        press = PressTerms(PressMode.ANYTIME if self.level else PressMode.NONE, level=self.level or 10)
        return self.applied(Terms(HOSTED, press=press, vacancy=Vacancy.DEFAULT))

    def applied(self, terms: Terms) -> Terms:
        """Return terms with the limits, silences and switches of these options, but the press level that they have."""
        limits = {stage: float(getattr(self, field)) for field, stage in LIMITS.items() if getattr(self, field)}
        silent = tuple(stage for field, stage in SILENCES.items() if getattr(self, field))
        return replace(
            terms,
            clock=replace(terms.clock, per_stage={**terms.clock.per_stage, **limits}),
            press=replace(terms.press, silent_stages=silent, silent_before=float(self.ptl)),
            partial_draws=self.pda,
            stops_while_away=self.dsd,
        )


def options_of(terms: Terms, besides: object) -> DaideOptions:
    """Return the options of a match, from its terms and from the extras stored with it."""
    clock, press = terms.clock, terms.press
    times = [clock.per_stage.get(stage, clock.per_turn) for stage in LIMITS.values()]
    mtl, rtl, btl = (min(MOST, math.ceil(time or 0)) for time in times)
    shut = set(press.silent_stages)
    if press.mode is PressMode.WINDOW:
        shut |= {*SILENCES.values()} - {*press.stages}
    more = {field: True for field in BESIDES if isinstance(besides, dict) and besides.get(field) is True}
    return DaideOptions(
        level=0 if press.mode is PressMode.NONE else min(press.level, MAX_LEVEL),
        mtl=mtl,
        rtl=rtl,
        btl=btl,
        dsd=terms.stops_while_away,
        pda=terms.partial_draws,
        npr=SILENCES["npr"] in shut,
        npb=SILENCES["npb"] in shut,
        ptl=min(MOST, math.ceil(press.silent_before)),
        **more,
    )


def read_options(level: int, mtl: int, texts: Sequence[str]) -> DaideOptions:
    """Return options from texts: switches by name, times like RTL=60; raise ConfigError with the known options."""
    found: dict[str, bool | int] = {"level": level, "mtl": mtl}
    kinds = {field: kind for field, kind in get_type_hints(DaideOptions).items() if field not in found}
    for text in texts:
        name, equals, value = text.strip().lower().partition("=")
        kind = kinds.get(name)
        if kind is None or (kind is bool) == bool(equals) or (kind is int and not value.isdecimal()):
            switches = ", ".join(
                field.upper() if kind is bool else f"{field.upper()}=60" for field, kind in kinds.items()
            )
            raise ConfigError(f"daide-options: expected {switches}, got {text!r:.40}", field="daide_options")
        found[name] = True if kind is bool else int(value[:9])
    options = msgspec.convert(found, DaideOptions)
    options.check()
    return options
