"""The options that let players seal their plans."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import UNSET, UnsetType

from parlour.cli.options.kinds import FC, option, with_options
from parlour.core.terms import SealMode, SealOpening, SealTerms
from parlour.errors import ConfigError

_MODES = f"{', '.join(mode.value for mode in SealMode)}, or drawn:CHANCE"


def seal_options(opens: SealOpening) -> Callable[[FC], FC]:
    """Return the options; opens is the default of --seals-open."""
    return with_options(
        option(
            "--seals",
            f"Let players seal their plans in secret, with --press implied: {_MODES}.  [default: none]",
            metavar="MODE",
        ),
        option(
            "--seals-open",
            "Time at which others see sealed plans: the end of the match, that of the tournament, or never.",
            [opening.value for opening in SealOpening],
            opens.value,
        ),
    )


def seal_terms(seals: str | None, opens: str) -> SealTerms | UnsetType:
    """Return the terms that the options set; raise ConfigError for an unknown mode or a bad chance."""
    if seals is None:
        return UNSET
    word, _, chance = seals.partition(":")
    expected = f"seals: expected {_MODES}, got {seals!r:.40}"
    try:
        mode = SealMode(word)
        share = float(chance) if chance else SealTerms().chance
    except ValueError:
        raise ConfigError(expected, field="seals") from None
    if (chance and mode is not SealMode.DRAWN) or not 0 <= share <= 1:
        raise ConfigError(f"{expected}; the chance of a turn is 0 to 1, as in drawn:0.3", field="seals")
    return UNSET if mode is SealMode.NONE else SealTerms(mode, SealOpening(opens), share)
