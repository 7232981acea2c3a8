"""The result of one match of a tournament, and what its place of play delivers with it: its record, and remarks."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from parlour.core.game import Seed
from parlour.core.text import printable
from parlour.tournament.schedules.blocks import Sitting

MAX_REASON = 300


class Kept(msgspec.Struct, frozen=True):
    """The promises and pacts of a seat in a match with press."""

    kept: int = 0
    broken: int = 0
    void: int = 0
    stabs: int = 0
    messages: int = 0
    pacts: int = 0
    """Number of pacts that the seat made."""
    pacts_kept: int = 0
    """Number of these that it never broke."""


class Calls(msgspec.Struct, frozen=True):
    """The calls of a seat's language model: legality apart from strength."""

    answered: int = 0
    usable: int = 0
    """Number of good answers, at once or after their repair."""
    decisions: int = 0
    tokens: int = 0
    usd: float = 0.0
    unpriced: int = 0
    """Number of calls without a known price."""


class Cost(msgspec.Struct, frozen=True):
    """The cost of model calls."""

    usd: float = 0.0
    tokens: int = 0


class SeatResult(msgspec.Struct, frozen=True):
    """The result of one seat."""

    player: str
    place: int
    """The place, from 0; equals share one, and agents that lost by a foul share the last."""
    scores: dict[str, float]
    lost_by: str = ""
    """The reason why the player was removed; empty if it was not."""
    fouls: int = 0
    """Number of all fouls, including those with lower costs."""
    decisions: int = 0
    press: Kept | None = None
    calls: Calls | None = None


class MatchPlayed(msgspec.Struct, frozen=True, kw_only=True, tag_field="entry", tag="played"):
    """The result of a match. The same sitting of the same plan gives the same result, except for times."""

    number: int
    block: int
    table: int
    seed: Seed
    seats: tuple[SeatResult, ...] = ()
    reason: str = ""
    turns: int = 0
    void: str = ""
    """The reason why the match does not count; empty if it does."""
    seconds: tuple[float, ...] = ()
    """Seconds that each seat thought."""
    took: float = 0.0
    cost: Cost | msgspec.UnsetType = msgspec.UNSET
    """Cost of the model calls of all seats, also of a match that does not count; unset if no model was called."""

    @property
    def spent(self) -> Cost:
        """Cost of the model calls; nothing if there were none."""
        return Cost() if self.cost is msgspec.UNSET else self.cost

    def timeless(self) -> MatchPlayed:
        """Return the result without times: all of it follows from the plan."""
        return msgspec.structs.replace(self, seconds=(), took=0.0)


class Remark(msgspec.Struct, frozen=True):
    """A line for the log of a player."""

    player: str
    text: str
    """The match, the seat and the error, as text."""


class Delivery(msgspec.Struct, frozen=True):
    """The result of a match, its record if that is kept, and remarks for the logs of its players."""

    played: MatchPlayed
    record: tuple[bytes, ...] = ()
    remarks: tuple[Remark, ...] = ()


def void(sitting: Sitting, reason: str, cost: Cost | msgspec.UnsetType = msgspec.UNSET) -> MatchPlayed:
    """Return the result of a match that does not count, with its cost."""
    return MatchPlayed(
        number=sitting.number,
        block=sitting.block,
        table=sitting.table,
        seed=sitting.seed,
        void=printable(reason, MAX_REASON) or "unknown",
        cost=cost,
    )


def is_drawn(result: bytes | None) -> bool:
    """Return True if nobody won a match: the first place is shared, or it was stopped, drawn or without a solo."""
    match None if result is None else msgspec.json.decode(result):
        case {"places": [[*first], *_], "reason": str(reason)}:
            return len(first) > 1 or reason.startswith(("stopped ", "draw agreed by "))
        case {"seats": [*seats]}:
            first = [seat for seat in seats if seat.get("place") == 0 and not seat.get("lost_by")]
            return len(first) > 1 or any(seat.get("scores", {}).get("solo") == 0.0 for seat in first)
    return False


def winners_of(result: bytes | None, players: Mapping[str, str]) -> list[str]:
    """Return the winners of a stored result: of a tournament, one of its matches, or any other match."""
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
