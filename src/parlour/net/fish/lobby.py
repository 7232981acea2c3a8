"""Sign-ups: the places of the next tournament and the wait-list. It uses no sockets and no time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

MAX_WAITING = 1000
"""Maximum number of players on the wait-list; others are refused."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """A player who signed up."""

    name: str
    arrival: int
    age: int | None = None
    digest: bytes = b""
    """Digest of the token with which the player can return."""

    def order(self) -> tuple[bool, int, int]:
        """Return a sort key: the youngest first, then those without an age; equal ones by arrival."""
        return self.age is None, self.age or 0, self.arrival


class Lobby:
    """The seats of the next tournament, and the wait-list. While it is closed, all players wait."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._entered: dict[str, Ticket] = {}
        self._waiting: dict[str, Ticket] = {}
        self._open = False

    def __len__(self) -> int:
        """Return the number of players with a place."""
        return len(self._entered)

    def __contains__(self, name: object) -> bool:
        return name in self._entered or name in self._waiting

    def __iter__(self) -> Iterator[str]:
        """Yield the names of all players, those with a place first."""
        yield from self._entered
        yield from self._waiting

    def ticket(self, name: str) -> Ticket | None:
        """Return the ticket of a player; None if there is none."""
        return self._entered.get(name) or self._waiting.get(name)

    def has_place(self, name: str) -> bool:
        """Return True if a player has a place."""
        return name in self._entered

    @property
    def is_full(self) -> bool:
        """True if all places are taken."""
        return self._open and len(self._entered) >= self._most

    @property
    def has_room(self) -> bool:
        """True if there is room on the wait-list."""
        return len(self._waiting) < MAX_WAITING

    def open(self) -> list[Ticket]:
        """Give out places for a tournament; return the players from the wait-list who now have one."""
        self._open = True
        return self._promote()

    def enter(self, ticket: Ticket) -> bool:
        """Add a player, whose name must be new. Return True if it has a place, False if it waits."""
        assert ticket.name not in self
        has_place = self._open and len(self._entered) < self._most
        (self._entered if has_place else self._waiting)[ticket.name] = ticket
        return has_place

    def drop(self, name: str) -> list[Ticket]:
        """Remove a player who left, and return those from the wait-list who now have a place."""
        self._entered.pop(name, None)
        self._waiting.pop(name, None)
        return self._promote()

    def take(self) -> list[Ticket]:
        """Close, and return all players with a place, in order of age."""
        self._open = False
        tickets = sorted(self._entered.values(), key=Ticket.order)
        self._entered.clear()
        return tickets

    def _promote(self) -> list[Ticket]:
        promoted: list[Ticket] = []
        while self._open and self._waiting and len(self._entered) < self._most:
            ticket = self._waiting.pop(next(iter(self._waiting)))
            self._entered[ticket.name] = ticket
            promoted.append(ticket)
        return promoted
