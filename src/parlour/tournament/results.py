"""What one match of a tournament says: places, scores, fouls, promises, for every seat."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from parlour.core.game import Seed

MAX_REASON = 300


class Kept(msgspec.Struct, frozen=True):
    """What a seat did with its word, in a match with press."""

    kept: int = 0
    broken: int = 0
    void: int = 0
    stabs: int = 0
    messages: int = 0
    pacts: int = 0
    """How many it made."""
    pacts_kept: int = 0
    """How many of these it never broke."""


class Calls(msgspec.Struct, frozen=True):
    """What a seat's language model was asked and answered, and what that took: legality apart from strength."""

    answered: int = 0
    usable: int = 0
    """Answers that were good, at once or after their repair."""
    decisions: int = 0
    tokens: int = 0
    usd: float = 0.0
    unpriced: int = 0
    """Calls whose price is not known."""


class SeatResult(msgspec.Struct, frozen=True):
    """How a match ended for one seat."""

    player: str
    place: int
    """From 0; equals share one, and who lost by a foul shares the last."""
    scores: dict[str, float]
    lost_by: str = ""
    """The foul for which it was removed, if it was."""
    fouls: int = 0
    """All fouls, also those that cost less."""
    decisions: int = 0
    press: Kept | None = None
    calls: Calls | None = None


class MatchPlayed(msgspec.Struct, frozen=True, kw_only=True, tag_field="entry", tag="played"):
    """How a match ended. The same sitting of the same plan gives the same, but for how long it took."""

    number: int
    block: int
    table: int
    seed: Seed
    seats: tuple[SeatResult, ...] = ()
    reason: str = ""
    turns: int = 0
    void: str = ""
    """Why it does not count, if it could not be played."""
    seconds: tuple[float, ...] = ()
    """How long each seat thought."""
    took: float = 0.0

    def timeless(self) -> MatchPlayed:
        """What the plan decides of it."""
        return msgspec.structs.replace(self, seconds=(), took=0.0)


def winners_of(result: bytes | None, players: Mapping[str, str]) -> list[str]:
    """Who won what a store keeps, whichever result it is: of a tournament, of one of its matches, or of any match."""
    if result is None:
        return []
    match msgspec.json.decode(result):
        case {"winners": [*winners]}:
            return [str(name) for name in winners]
        case {"places": [[*first], *_]}:
            return [players.get(str(seat), str(seat)) for seat in first]
        case {"seats": [*seats]}:
            return [seat["player"] for seat in seats if seat.get("place") == 0 and not seat.get("lost_by")]
    return []
