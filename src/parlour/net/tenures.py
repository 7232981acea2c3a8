"""Remembers the holders of a seat over time, so that a new holder sees nothing private from before.

Nothing is stored for a seat that only one principal ever held. Once a holder leaves or is replaced, the store has the
seat's latest holders and, for each change, the number of private events that the seat could see by then.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import msgspec

from parlour.core.events import Event
from parlour.core.game import Seat
from parlour.core.viewers import Span, Viewer, Visibility
from parlour.net.accounts.principals import MADE_HERE, Principal, holder_of
from parlour.store import Seating, Setting

MOST = 8
"""Maximum number of remembered holders of a seat; earlier ones see nothing of their time if they return."""
VACANT, HOUSE, FORGOTTEN = (f"{MADE_HERE}{word}" for word in ("vacant", "house", "forgotten"))
"""Holders that are not principals: nobody, a house agent that is not a stand-in, and holders not remembered."""

Secrets: TypeAlias = dict[tuple[tuple[Seat, ...], bool], int]
"""Number of private events, by the seats that may see them and the flag opens_later."""


class Tenure(msgspec.Struct, frozen=True, array_like=True):
    """A period in which a holder had a seat."""

    holder: str
    begin: float
    """Time in the match at which the period began."""
    before: list[tuple[tuple[Seat, ...], bool, int]] = []
    """Numbers of the seat's private events before this tenure."""


_decode = msgspec.json.Decoder(dict[Seat, list[Tenure]]).decode


class Tenures:
    """The holders of those seats of a match that have had several, or whose holder has left."""

    def __init__(self, kept: bytes | None = None) -> None:
        self._of: dict[Seat, list[Tenure]] = _decode(kept) if kept else {}

    def __bool__(self) -> bool:
        """Return True if any seat may have had several holders."""
        return bool(self._of)

    def last(self, seat: Seat, sitting: Seating | None) -> str:
        """Return the key of the last holder of a seat; empty without one."""
        known = [tenure.holder for tenure in self._of.get(seat, ()) if tenure.holder != VACANT]
        return known[-1] if known else key_of(sitting)

    def holders(self, seat: Seat, sitting: Seating | None) -> list[tuple[float, str]]:
        """Return the remembered holders of a seat as their keys, each with the time at which their period began."""
        return [(tenure.begin, tenure.holder) for tenure in self._of.get(seat, ())] or [(0.0, key_of(sitting))]

    def clients(self, seat: Seat, sitting: Seating | None) -> list[Principal]:
        """Return the remembered holders of a seat that are DAIDE clients, each once, the latest last."""
        keys = [tenure.holder for tenure in self._of.get(seat, ())] or [key_of(sitting)]
        found = {who: None for who in map(Principal, reversed(keys)) if who.is_daide}
        return list(found)[::-1]

    def left(self, seat: Seat, sitting: Seating | None, at: float, secrets: Secrets) -> None:
        """Note that the seat is vacant."""
        self._begin(seat, sitting, Tenure(VACANT, at, _listed(secrets)))

    def taken(self, seat: Seat, before: Seating | None, now: Seating, at: float, secrets: Secrets) -> None:
        """Note a new holder, if it differs from the last. Events during the vacancy belong to the new holder."""
        holder, known = key_of(now), self._of.get(seat, [])
        if holder == self.last(seat, before):
            if known and known[-1].holder == VACANT:
                known.pop()
                if len(known) == 1:
                    del self._of[seat]
        elif known and known[-1].holder == VACANT:
            known[-1] = msgspec.structs.replace(known[-1], holder=holder)
        else:
            self._begin(seat, before, Tenure(holder, at, _listed(secrets)))

    def _begin(self, seat: Seat, before: Seating | None, tenure: Tenure) -> None:
        known = self._of.get(seat)
        if known is None:
            if not (first := key_of(before)):
                return
            known = self._of[seat] = [Tenure(first, 0.0)]
        known.append(tenure)
        if len(known) > MOST:
            known[:2] = [Tenure(FORGOTTEN, 0.0)]

    def kept(self, match: str) -> Setting:
        """Return the write that stores the tenures."""
        return Setting(tenures_key(match), msgspec.json.encode(self._of) if self._of else b"")

    def viewer(self, viewer: Viewer, who: Principal, seats: Sequence[Seat]) -> Viewer:
        """Return the viewer limited to the periods in which the principal held its present seats."""
        if viewer.visibility is not Visibility.SEATED:
            return viewer
        shared = [seat for seat in viewer.seats if seat in self._of and seat in seats]
        # A seat without a span would count as always the viewer's, so each gets an empty one.
        spans = tuple(span for seat in shared for span in (*self._spans(seat, who), Span(seat, math.inf, math.inf)))
        withheld = self._withheld(spans, shared, set(viewer.seats) - set(shared)) if shared else ()
        return Viewer(viewer.visibility, viewer.seats, viewer.hindsight, spans, withheld)

    def _spans(self, seat: Seat, who: Principal) -> Iterable[Span]:
        known = self._of[seat]
        for tenure, end in zip(known, [*(later.begin for later in known[1:]), math.inf], strict=True):
            if tenure.holder == who.key:
                yield Span(seat, tenure.begin, end)

    def _withheld(self, spans: Sequence[Span], shared: Sequence[Seat], always: set[Seat]) -> tuple[int, int]:
        """Count the private events that the viewer may not see: those of its seats from when it held none of them."""
        changes = [
            (tenure.begin, seat, {(privy, opens_later): number for privy, opens_later, number in tenure.before})
            for seat in shared
            for tenure in self._of[seat][1:]
        ]
        found = [0, 0]
        for key in {key for _, _, before in changes for key in before}:
            privy, opens_later = key
            if not always.isdisjoint(privy):
                continue
            begin, known = 0.0, 0
            for end, before in sorted((end, before.get(key, 0)) for end, seat, before in changes if seat in privy):
                if not any(span.seat in privy and span.begin <= begin < span.end for span in spans):
                    found[0] += before - known
                    found[1] += 0 if opens_later else before - known
                begin, known = end, before
        return found[0], found[1]


def tenures_key(match: str) -> str:
    """Return the key of the setting that holds the tenures of a match."""
    return f"tenures {match}"


def key_of(sitting: Seating | None) -> str:
    """Return the key of a seat's holder, also while a stand-in plays; empty without a player."""
    if sitting is None or not sitting.player:
        return ""
    return holder_of(sitting).key or HOUSE


def secrets_of(seat: Seat, hidden: Mapping[tuple[tuple[Seat, ...], bool], int], later: Iterable[Event]) -> Secrets:
    """Return the numbers of private events that a seat may see, without the events in `later`."""
    found: Secrets = {}
    for (privy, opens_later), number in hidden.items():
        if seat in privy:
            key = tuple(sorted(set(privy))), opens_later
            found[key] = found.get(key, 0) + number
    for event in later:
        if (own := event.privy()) is not None and seat in own:
            found[tuple(sorted(set(own))), event.opens_later] -= 1
    return found


def _listed(secrets: Secrets) -> list[tuple[tuple[Seat, ...], bool, int]]:
    return [(*key, number) for key, number in secrets.items() if number]
