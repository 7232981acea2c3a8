"""The conduct tables that ship: the cost of each foul under strict, lenient and diplomacy conduct.

strict     any foul removes the seat
lenient    an illegal action is refused and asked for again; a late move is skipped, two skips in a row remove the seat
diplomacy  the legal part of an action stands; the rest, or a missing action, becomes the default of an absent seat
hosted     as diplomacy, but leaving costs nothing: the seat waits for the clock or for another player
vacating   as hosted, and a late player loses the seat

Under all of them a foul after the end of the match is only recorded.
"""

from __future__ import annotations

from parlour.core.fouls import Conduct, Consequence, Rule, Standing
from parlour.core.game import FoulKind
from parlour.errors import ConfigError

ASK_AGAIN_LIMIT = 100
"""Number of times that a seat is asked again in a turn before it is skipped, removed or given the default."""

_CHEATER = Rule(Consequence.REMOVE, Standing.CHEATER)
_FAILURE = Rule(Consequence.REMOVE, Standing.FAILURE)
_NOTED = Rule(Consequence.NOTE)

_ALL_FOULS_REMOVE = {
    FoulKind.LATE: _FAILURE,
    FoulKind.ILLEGAL: _CHEATER,
    FoulKind.GARBLED: _FAILURE,
    FoulKind.CRASHED: _FAILURE,
    FoulKind.DISCONNECTED: _FAILURE,
}
# A player who cannot answer after the end keeps its rank; the foul is recorded.
_END = dict.fromkeys(FoulKind, _NOTED)


def _asked_again(beyond: Consequence) -> Rule:
    return Rule(Consequence.ASK_AGAIN, Standing.FAILURE, limit=ASK_AGAIN_LIMIT, beyond=beyond)


STRICT = Conduct("strict", {"*": _ALL_FOULS_REMOVE, "end": _END})

LENIENT = Conduct(
    "lenient",
    {
        "*": {
            FoulKind.LATE: Rule(Consequence.SKIP, Standing.FAILURE, limit=2, beyond=Consequence.REMOVE),
            FoulKind.ILLEGAL: _asked_again(Consequence.SKIP),
            FoulKind.GARBLED: _asked_again(Consequence.SKIP),
            FoulKind.CRASHED: _asked_again(Consequence.SKIP),
            FoulKind.DISCONNECTED: _FAILURE,
        },
        "identify": _ALL_FOULS_REMOVE,
        "placement": {
            FoulKind.LATE: _FAILURE,
            FoulKind.ILLEGAL: _asked_again(Consequence.REMOVE),
            FoulKind.GARBLED: _asked_again(Consequence.REMOVE),
            FoulKind.CRASHED: _asked_again(Consequence.REMOVE),
        },
        "end": _END,
    },
)

DIPLOMACY = Conduct(
    "diplomacy",
    {
        "*": {
            FoulKind.LATE: Rule(Consequence.DEFAULT),
            FoulKind.ILLEGAL: Rule(Consequence.REPAIR),
            FoulKind.GARBLED: _asked_again(Consequence.DEFAULT),
            FoulKind.CRASHED: Rule(Consequence.DEFAULT),
            FoulKind.DISCONNECTED: Rule(Consequence.DEFAULT),
        },
        "end": _END,
    },
)

HOSTED = Conduct("hosted", {**DIPLOMACY.table, "*": {**DIPLOMACY.table["*"], FoulKind.DISCONNECTED: _NOTED}})

VACATING = Conduct(
    "vacating", {**HOSTED.table, "*": {**HOSTED.table["*"], FoulKind.LATE: Rule(Consequence.VACATE, Standing.FAILURE)}}
)

PRESETS = {conduct.name: conduct for conduct in (STRICT, LENIENT, DIPLOMACY, HOSTED, VACATING)}


def with_stand_ins(conduct: Conduct) -> Conduct:
    """Return the same conduct, except that a disconnected player loses the seat, which a stand-in can then take."""
    gone = Rule(Consequence.VACATE, Standing.FAILURE)
    table = {stage: {**row, FoulKind.DISCONNECTED: gone} for stage, row in conduct.table.items() if stage != "identify"}
    return Conduct(f"{conduct.name} with stand-ins", {**conduct.table, **table})


def preset(name: str) -> Conduct:
    """Return the conduct of that name; raise ConfigError if there is none."""
    try:
        return PRESETS[name]
    except KeyError:
        raise ConfigError(f"conduct: expected one of {', '.join(PRESETS)}, got {name!r}", field="conduct") from None
