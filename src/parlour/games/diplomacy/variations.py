"""Variations of the rules by name; a match's configuration lists those that apply."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from parlour.core.game import Plain
from parlour.errors import ConfigError


class Variation(StrEnum):
    """A rule that differs from the usual one."""

    BUILD_ANYWHERE = "build-anywhere"  # a power builds in every free centre that it owns, not only at home
    EVERY_PHASE = "every-phase"  # phases in which nobody has anything to order take place as well
    HELD_WIN = "held-win"  # a solo counts once it was held for a year
    UNCHECKED = "unchecked"  # moves are accepted as written, and void ones are found when the phase is resolved
    FOG = "fog"  # a power sees only the provinces of its units and centres, and their neighbours


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
    """Return the variations that rules of the package stand for; other rules are ignored."""
    return in_order(BY_PACKAGE[rule] for rule in rules if rule in BY_PACKAGE)


def in_order(variations: Iterable[Variation]) -> tuple[Variation, ...]:
    """Return each variation once, in a fixed order, so that equal sets compare equal."""
    wanted = set(variations)
    return tuple(variation for variation in Variation if variation in wanted)


def read_variations(value: Plain) -> tuple[Variation, ...]:
    """Return the variations of a list of names; raise ConfigError for any other value."""
    known = {variation.value: variation for variation in Variation}
    listed = isinstance(value, (list, tuple)) and len(value) <= len(known)
    if listed and all(isinstance(name, str) and name in known for name in value):
        return in_order(known[name] for name in value)
    raise ConfigError(f"rules: expected a list of some of {', '.join(known)}, got {str(value)!r:.60}", field="rules")
