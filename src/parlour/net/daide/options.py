"""What a DAIDE match is played with: press level, time limits and the switches that HLO tells of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_type_hints

import msgspec

from parlour.core.terms import Clock, PressMode, PressTerms, Terms, Vacancy
from parlour.errors import ConfigError
from parlour.net.daide.tokens import MOST, Token
from parlour.referee.conduct import DIPLOMACY

LIMITS = {"mtl": "orders", "rtl": "retreats", "btl": "adjustments"}
"""The time limits with the stage that each is for."""


class DaideOptions(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The options of a match in the order in which HLO lists them; times in seconds, 0 for no limit."""

    level: int = 0
    mtl: int = 0
    rtl: int = 0
    btl: int = 0
    dsd: bool = False
    """The clock stops when a player is cut off."""
    aoa: bool = False
    """Any order is accepted, whatever it means."""
    pda: bool = False
    """A draw may be one of some of those who are left."""
    npr: bool = False
    """No press in retreats."""
    npb: bool = False
    """No press in builds."""
    ptl: int = 0
    """Press ends so many seconds before the deadline."""

    def check(self) -> None:
        """ConfigError if a number does not fit into a token."""
        for field in ("level", "mtl", "rtl", "btl", "ptl"):
            if not 0 <= getattr(self, field) <= MOST:
                raise ConfigError(f"{field}: expected 0 to {MOST}, got {getattr(self, field)}", field=field)

    def tokens(self) -> list[Token]:
        """What HLO says of them: ( ( LVL 0 ) ( MTL 1200 ) … )."""
        found: list[Token] = ["(", "(", "LVL", self.level, ")"]
        for field in ("mtl", "rtl", "btl", "dsd", "aoa", "pda", "npr", "npb", "ptl"):
            value = getattr(self, field)
            if value is True:
                found += ["(", field.upper(), ")"]
            elif value:
                found += ["(", field.upper(), value, ")"]
        return [*found, ")"]

    def terms(self) -> Terms:
        """The terms of a match that is opened for DAIDE bots: it runs as fast as its slowest member."""
        limits = {stage: float(getattr(self, field)) for field, stage in LIMITS.items() if getattr(self, field)}
        silent = {"retreats": self.npr, "adjustments": self.npb}
        press = PressTerms(
            PressMode.ANYTIME if self.level else PressMode.NONE,
            level=self.level or 10,
            stages=("orders", *(stage for stage, shut in silent.items() if not shut)),
        )
        return Terms(DIPLOMACY, Clock(per_stage=limits), press, vacancy=Vacancy.DEFAULT)


def options_of(terms: Terms, told: object) -> DaideOptions:
    """The options of a match: those that it was opened with, or else what its terms amount to."""
    if isinstance(told, dict):
        return msgspec.convert(told, DaideOptions)
    clock, press = terms.clock, terms.press
    times = [clock.per_stage.get(stage, clock.per_turn) for stage in LIMITS.values()]
    mtl, rtl, btl = (min(MOST, int(time or 0)) for time in times)
    level = 0 if press.mode is PressMode.NONE else min(press.level, MOST)
    return DaideOptions(level=level, mtl=mtl, rtl=rtl, btl=btl)


def read_options(level: int, mtl: int, texts: Sequence[str]) -> DaideOptions:
    """Options as a person writes them: switches by name, times like RTL=60; ConfigError says what there is."""
    found: dict[str, bool | int] = {"level": level, "mtl": mtl}
    kinds = {field: kind for field, kind in get_type_hints(DaideOptions).items() if field not in found}
    for text in texts:
        name, equals, value = text.strip().lower().partition("=")
        kind = kinds.get(name)
        if kind is None or (kind is bool) == bool(equals) or (kind is int and not value.isdecimal()):
            switches = ", ".join(
                field.upper() if kind is bool else f"{field.upper()}=60" for field, kind in kinds.items()
            )
            raise ConfigError(f"daide-options: {text!r:.40} is none, expected {switches}", field="daide_options")
        found[name] = True if kind is bool else int(value[:9])
    options = msgspec.convert(found, DaideOptions)
    options.check()
    return options
