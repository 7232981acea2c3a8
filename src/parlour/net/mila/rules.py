"""Converts the rules of the protocol's games to terms, and terms to rules; and terms of Parlour's own client."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec
from msgspec.structs import replace

from parlour.core.fouls import Consequence
from parlour.core.game import FoulKind, Plain, Seat
from parlour.core.terms import FREE_TEXT, Clock, PressMode, PressTerms, Terms, Vacancy
from parlour.errors import ConfigError
from parlour.games.diplomacy.maps.map import Builds, Map
from parlour.games.diplomacy.variations import BY_PACKAGE
from parlour.net.daide.options import DaideOptions, read_options
from parlour.net.mila.protocol_values import OBSERVER
from parlour.referee.conduct import HOSTED, VACATING

DEFAULT_RULES = ("NO_PRESS", "IGNORE_ERRORS", "POWER_CHOICE")
"""Rules of a game by default."""
DEFAULT_DEADLINE = 300
MAX_MESSAGE = 150_000
MAX_MESSAGES = 100_000
"""Maximum messages per seat and turn: the protocol has no limit, but a record needs one."""

_ADDED = {
    "SOLITAIRE": ("NO_DEADLINE", "CD_DUMMIES", "ALWAYS_WAIT"),
    "CIVIL_DISORDER": ("CD_DUMMIES",),
}
_STRONGER = (("NO_PRESS", "PUBLIC_PRESS"), ("ALWAYS_WAIT", "REAL_TIME"), ("NO_DIAS", "PROPOSE_DIAS"))
"""Pairs of contradicting rules; the first of a pair applies, whatever their order in a request."""
KNOWN = (
    "POWER_CHOICE",
    "MULTIPLE_POWERS_PER_PLAYER",
    "NO_OBSERVATIONS",
    "SOLITAIRE",
    "START_MASTER",
    "NO_PRESS",
    "PUBLIC_PRESS",
    "IGNORE_ERRORS",
    "CIVIL_DISORDER",
    "CD_DUMMIES",
    "NO_DEADLINE",
    "REAL_TIME",
    "ALWAYS_WAIT",
    "PROPOSE_DIAS",
    "NO_DIAS",
    "DONT_SKIP_PHASES",
    "BUILD_ANY",
    "HOLD_WIN",
    "SHARED_VICTORY",
    "NO_CHECK",
    "DIFFERENT_ADJUDICATION",
)
"""The rules of the package; some of them have no effect, in the package or here. Unknown names are ignored, as in the
package."""


NOT_SAVED = ("SOLITAIRE", "NO_DEADLINE", "CD_DUMMIES", "ALWAYS_WAIT", "IGNORE_ERRORS")
"""Rules that the package leaves out of saved games."""


class HouseRules(msgspec.Struct, frozen=True):
    """Settings of a match of the protocol besides its terms; stored with its head."""

    rules: tuple[str, ...]
    n_controls: int

    @property
    def choice(self) -> bool:
        """Return True if a player may choose the power."""
        return "POWER_CHOICE" in self.rules

    @property
    def several(self) -> bool:
        """Return True if an account may play several powers."""
        return "MULTIPLE_POWERS_PER_PLAYER" in self.rules

    @property
    def observed(self) -> bool:
        """Return True if anybody may watch."""
        return "NO_OBSERVATIONS" not in self.rules

    def shown_level(self, level: str) -> str | None:
        """Return the observer level that clients read; None for an account that may not even watch."""
        return None if level == OBSERVER and not self.observed else level

    @property
    def started_by_master(self) -> bool:
        """Return True if only a moderator starts the match."""
        return "START_MASTER" in self.rules


def resolved(rules: Iterable[str] | None) -> tuple[str, ...]:
    """Return the rules that apply when these are requested, always in the same order."""
    asked = set(rules or DEFAULT_RULES)
    for rule in sorted(asked):
        asked.update(_ADDED.get(rule, ()))
    for stronger, weaker in _STRONGER:
        if stronger in asked:
            asked.discard(weaker)
    return tuple(rule for rule in KNOWN if rule in asked)


def excluded(rules: Iterable[str]) -> list[str]:
    """Return the rules that the active ones exclude, as the package lists them, without those of press."""
    pairs = [pair for pair in _STRONGER if "NO_PRESS" not in pair]
    return [other for one, other in (*pairs, *((b, a) for a, b in pairs)) if one in rules and other not in rules]


def house_rules(rules: Iterable[str] | None, n_controls: int | None, board: Map) -> HouseRules:
    """Return the rules of a match and the number of powers that need a player; with 0 it is a solitaire."""
    found = resolved(rules)
    if board.builds is Builds.ANYWHERE:
        found = tuple(rule for rule in KNOWN if rule in found or rule == "BUILD_ANY")
    if n_controls == 0:
        alone = resolved((*found, "SOLITAIRE"))
        found = tuple(rule for rule in KNOWN if rule in alone or rule in found)  # rules that are already active stay
    wanted = 0 if "SOLITAIRE" in found else len(board.players) if n_controls is None else n_controls
    return HouseRules(found, max(0, min(wanted, len(board.players))))


def terms_of(house: HouseRules, deadline: int) -> Terms:
    """Return the terms of a match: vacant powers stay, and turns wait for their orders, as in the package."""
    rules = house.rules
    seconds = None if deadline <= 0 or "NO_DEADLINE" in rules else float(deadline)
    mode = PressMode.NONE if "NO_PRESS" in rules else PressMode.ANYTIME
    return Terms(
        conduct=HOSTED if "CIVIL_DISORDER" in rules else VACATING,  # a late player loses the orders, or the power
        clock=Clock(per_turn=seconds),
        press=PressTerms(
            mode=mode,
            level=FREE_TEXT,
            max_length=MAX_MESSAGE,
            max_per_turn=MAX_MESSAGES,
            private="PUBLIC_PRESS" not in rules,
            before_start=True,
            eliminated=True,
        ),
        seats_to_start=0,
        wait_flags_up="REAL_TIME" not in rules,
        vacant_flags_up=True,
        vacancy=Vacancy.AWAITED,
        quorum=house.n_controls,
        idle_turns_last=True if "DONT_SKIP_PHASES" in rules else msgspec.UNSET,
    )


def seconds_of(terms: Terms, stage: str = "orders") -> float | None:
    """Return the seconds for a phase of that stage; None without a limit. Clients have one deadline: of movements."""
    return terms.clock.per_stage.get(stage, terms.clock.per_turn)


def deadline_of(terms: Terms) -> int:
    """Return the seconds of a movement phase, as clients receive them; 0 means no limit."""
    return round(seconds_of(terms) or 0)


def rules_of(terms: Terms, config: Mapping[str, Plain]) -> HouseRules:
    """Return the rules that correspond to terms and a configuration, for a match that another door opened."""
    rules = ["POWER_CHOICE", "IGNORE_ERRORS"]
    rules += [rule for rule, variation in BY_PACKAGE.items() if variation in config.get("rules", ())]
    if terms.press.mode is PressMode.NONE:
        rules.append("NO_PRESS")
    elif not terms.press.private:
        rules.append("PUBLIC_PRESS")
    if not terms.wait_flags_up:
        rules.append("REAL_TIME")
    if terms.conduct.rule("orders", FoulKind.LATE).does is Consequence.DEFAULT:
        rules.append("CIVIL_DISORDER")
    if seconds_of(terms) is None:
        rules.append("NO_DEADLINE")
    return HouseRules(resolved(rules), terms.quorum or terms.seats_to_start or 0)


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
            press = replace(press, mode=mode, level=self.daide_level or press.level)
        return options.applied(replace(terms, press=press))
