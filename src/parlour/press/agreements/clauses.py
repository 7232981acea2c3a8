"""The parts of a pact: their duties and debtors, their duration, and the events that can break them."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from parlour.press.agreements.promised import Promised
from parlour.press.judging.findings import Finding, PromiseStatus
from parlour.press.language import message_types as v
from parlour.press.orders import performer
from parlour.press.press_position import PhaseBoard

_KEPT = PromiseStatus.KEPT


class Clause:
    """A part of a pact and its settled results."""

    __slots__ = (
        "bound",
        "ended",
        "kept",
        "lasts",
        "left",
        "movement",
        "orders",
        "owing",
        "parties",
        "past",
        "promised",
        "settled",
        "triggers",
        "what",
    )

    def __init__(
        self, what: v.Arrangement, parties: frozenset[str], movement: int = 1, board: PhaseBoard | None = None
    ) -> None:
        self.what, self.parties = what, parties
        order = what.order if isinstance(what, v.Execute) else None
        self.orders = tuple(_orders(what))
        """Every agreed order with the province of its unit; an order among choices is included."""
        self.promised = Promised.on(board, order) if order is not None else Promised()
        """The promised order on the board where it was agreed; empty if the part is not an order."""
        self.bound = performers(what, parties) & parties
        """The performers who agreed to the part."""
        self.owing = tuple(sorted(self.bound))
        """Parties that still owe the part. A power that breaks the part, or is out of the game, no longer owes it."""
        self.left: set[str] = set()
        """The parties that left the part, with or without duties under it."""
        self.settled: dict[v.Execute, Finding] = {}
        self.past: frozenset[v.Execute] = frozenset()
        """Results that were settled before this phase."""
        self.lasts = lasts(what)
        self.movement = movement
        """Number of the movement phase in which, or after which, the pact was made.

        A power in a new demilitarized zone has to leave by the end of the following movement phase (S14).
        """
        self.ended = ""
        """Reason of the end, as the value of a PactState; empty while the part is in force."""
        self.kept = Finding(PromiseStatus.KEPT, what)
        self.triggers = _triggers(what, self.owing)
        """Events that can break the part: (power, power it attacks) or (power, place it enters).

        If none of them happened, every owing power kept the part. A part without triggers is always judged.
        """

    def leave(self, powers: Collection[str]) -> None:
        """Release powers from the part."""
        self.left.update(powers)
        self.owing = tuple([power for power in self.owing if power not in powers])

    @property
    def present(self) -> frozenset[str]:
        """The parties that have not left this part."""
        return self.parties - self.left if self.left else self.parties

    def is_idle(self) -> bool:
        """Return True if no party still owes another party anything under this part."""
        if isinstance(self.what, (v.Peace, v.Alliance)):
            return len(self.owing) < 2
        return not self.owing or len(self.present) < 2

    def is_performed(self) -> bool:
        """Return True if an order among alternatives was given, which satisfies the part for good."""
        if not self.settled or not isinstance(self.what, v.Either):
            return False
        parts = [part for part in self.what.parts if isinstance(part, v.Execute) and part in self.settled]
        return any(self.settled[part].status is _KEPT for part in parts)


def _orders(what: v.Arrangement) -> Iterator[tuple[str, v.Execute]]:
    match what:
        case v.Execute(order) if not isinstance(order, v.Waive):
            yield order.unit.province, what
        case v.Every(parts) | v.Either(parts) | v.Choice(_, _, parts):
            for part in parts:
                yield from _orders(part)
        case v.Not(v.Not(inner)):
            yield from _orders(inner)


def _triggers(what: v.Arrangement, owing: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    match what:
        case v.Peace(powers) | v.Alliance(powers):
            return tuple((power, other) for power in owing for other in powers if other != power)
        case v.Demilitarized(_, places):
            return tuple((power, place) for power in owing for place in places)
        case _:
            return ()


def performers(what: v.Arrangement, parties: frozenset[str] = frozenset()) -> frozenset[str]:
    """Return the powers that an arrangement obliges; a draw that names no power obliges all parties."""
    match what:
        case v.Peace(powers) | v.Alliance(powers) | v.Demilitarized(powers):
            return frozenset(powers)
        case v.Execute(order):
            return frozenset((performer(order),))
        case v.Every(parts) | v.Either(parts) | v.Choice(_, _, parts):
            return frozenset().union(*(performers(part, parties) for part in parts))
        case v.Not(v.Not(inner)):
            return performers(inner, parties)
        case v.Not(inner):
            return frozenset() if lasts(inner) else performers(inner, parties)
        case v.Centres(shares):
            return frozenset(share.power for share in shares)
        case v.Occupied(units):
            return frozenset(unit.power for unit in units)
        case v.Draw(powers):
            return frozenset(powers) or parties
        case _:
            return frozenset()


def lasts(what: v.Arrangement) -> bool:
    """Return True if any part of an arrangement is persistent."""
    match what:
        case v.Peace() | v.Alliance() | v.Demilitarized() | v.Centres() | v.Occupied() | v.Draw():
            return True
        case v.Every(parts) | v.Either(parts) | v.Choice(_, _, parts):
            return any(lasts(part) for part in parts)
        case v.Not(inner):
            return lasts(inner)
        case _:
            return False


def plain(what: v.Arrangement) -> v.Arrangement:
    """Return an arrangement without double negations."""
    while isinstance(what, v.Not) and isinstance(what.what, v.Not):
        what = what.what.what
    return what


def flat(what: v.Arrangement) -> Iterator[v.Arrangement]:
    """Yield the parts of an arrangement that must all hold."""
    what = plain(what)
    if isinstance(what, v.Every):
        for part in what.parts:
            yield from flat(part)
    else:
        yield what
