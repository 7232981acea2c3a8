"""Variations of the rules by name; a match's configuration lists those that hold."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from parlour.core.game import Plain
from parlour.errors import ConfigError


class Variation(StrEnum):
    """A rule that differs from the usual one."""

    BUILD_ANYWHERE = "build-anywhere"  # in every free centre that one owns, not only at home
    EVERY_PHASE = "every-phase"  # those in which nobody has anything to order take place as well
    HELD_WIN = "held-win"  # a solo counts once it was held for a year
    UNCHECKED = "unchecked"  # moves are taken as they are written, and void ones found out when all are carried out
    FOG = "fog"  # a power sees only where its units and centres are, and what borders on them


BY_PACKAGE: dict[str, Variation] = {
    "BUILD_ANY": Variation.BUILD_ANYWHERE,
    "DONT_SKIP_PHASES": Variation.EVERY_PHASE,
    "HOLD_WIN": Variation.HELD_WIN,
    "NO_CHECK": Variation.UNCHECKED,
}
"""Rules of the `diplomacy` package as variations.

Its SHARED_VICTORY changes nothing on the maps that ship: only one power can own the centres that a solo needs.
"""


def varied_by(rules: Iterable[str]) -> tuple[Variation, ...]:
    """Return the variations that rules of the package amount to."""
    return in_order(BY_PACKAGE[rule] for rule in rules if rule in BY_PACKAGE)


def in_order(variations: Iterable[Variation]) -> tuple[Variation, ...]:
    """Return each once, and always in the same order, so that equal ones compare equal."""
    wanted = set(variations)
    return tuple(variation for variation in Variation if variation in wanted)


def read_variations(value: Plain) -> tuple[Variation, ...]:
    """Return the variations of a list of their names; ConfigError if it is none."""
    known = {variation.value: variation for variation in Variation}
    listed = isinstance(value, (list, tuple)) and len(value) <= len(known)
    if listed and all(isinstance(name, str) and name in known for name in value):
        return in_order(known[name] for name in value)
    raise ConfigError(f"rules: expected a list of some of {', '.join(known)}, got {str(value)!r:.60}", field="rules")
