"""Players who have just taken a seat, until that is stored.

Rights follow the stored seats. Meanwhile the seat's former player has no rights any more, and the new one has none yet,
but the seat counts as the new one's: otherwise several requests at once would pass the same check.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.game import Seat
from parlour.net.accounts.principals import Principal
from parlour.net.stand_ins import Sitter


class Arrivals:
    """The arrivals of one match that are not stored yet."""

    def __init__(self) -> None:
        self._sitters: list[Sitter] = []
        """Players in order of arrival, so that two of the same name are not confused."""
        self._at: Counter[Seat] = Counter()
        """Number of arrivals by seat."""

    def __contains__(self, seat: Seat) -> bool:
        """Return True if somebody has just taken that seat."""
        return seat in self._at

    @property
    def seats(self) -> Iterable[Seat]:
        """The seats that were just taken."""
        return self._at.keys()

    def add(self, sitter: Sitter, events: Iterable[Event] = ()) -> None:
        """Note a player whose arrival led to these events."""
        self._sitters.append(sitter)
        self._at.update(event.seat for event in events if isinstance(event, ev.Joined))

    def add_agents(self, names: Iterable[str]) -> None:
        """Note the house agents that join a new match."""
        self._sitters += [Sitter(name, agent=name) for name in names]

    def stored(self, event: ev.Joined) -> Sitter:
        """Return the player of an arrival that is stored now, and forget it."""
        sitter = next((sitter for sitter in self._sitters if sitter.name == event.name), Sitter(event.name))
        self._sitters[:] = [other for other in self._sitters if other is not sitter]
        self._at -= Counter((event.seat,))
        return sitter

    def of(self, who: Principal) -> int:
        """Return the number of seats that a principal has just taken."""
        return sum(sitter.who == who and not sitter.agent for sitter in self._sitters)
