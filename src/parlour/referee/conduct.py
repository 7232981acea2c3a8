"""The conduct tables that ship: the cost of each foul under strict, lenient and diplomacy conduct.

strict     any foul removes: the rules of the documents with sync and kicks, and of the course
lenient    an illegal action is answered and asked for again; a late move is skipped, two in a row remove
diplomacy  nobody is removed: an illegal or missing action becomes the default of an absent seat
hosted     the same, and leaving or being away is not a foul: the seat waits for the clock or for another player
vacating   the same, and a late player loses the seat
"""

from __future__ import annotations

from parlour.core.fouls import Conduct, Consequence, Rule, Standing
from parlour.core.game import FoulKind
from parlour.errors import ConfigError

ASK_AGAIN_LIMIT = 100
"""Number of times a turn is asked for again before flooding counts as silence."""

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
# A player who cannot answer at the end keeps the place; the foul is recorded.
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
    """Return the same conduct, except that a player who is gone loses the seat to a stand-in."""
    gone = Rule(Consequence.VACATE, Standing.FAILURE)
    table = {stage: {**row, FoulKind.DISCONNECTED: gone} for stage, row in conduct.table.items() if stage != "identify"}
    return Conduct(f"{conduct.name} with stand-ins", {**conduct.table, **table})


def preset(name: str) -> Conduct:
    """The conduct of that name; ConfigError if there is none."""
    try:
        return PRESETS[name]
    except KeyError:
        raise ConfigError(
            f"conduct {name!r} does not exist, expected one of {', '.join(PRESETS)}", field="conduct"
        ) from None
