"""What the door asks of the house: accounts, matches and tables. Whatever may not be is refused there, not here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

import msgspec

from parlour.core.game import Plain, Seat
from parlour.core.intents import Intent, PlayerType
from parlour.core.player import Told
from parlour.core.terms import Terms
from parlour.core.viewers import Viewer
from parlour.net.mila.rules import HouseRules
from parlour.net.mila.values import GameStatus, Grade
from parlour.referee.table import Answer, Handed


class Member(msgspec.Struct, frozen=True):
    """Somebody who signed in."""

    name: str
    is_admin: bool
    token: str


class Opening(NamedTuple):
    """A match that somebody wants to open."""

    id: str
    config: dict[str, Plain]
    terms: Terms
    house: HouseRules
    password: str
    """Empty if none is needed to take part."""
    saved: bytes = b""
    """The game that goes on, as JSON, if one does."""


class MatchHead(NamedTuple):
    """What a list says of a match, without looking into it; times are in microseconds."""

    id: str
    status: GameStatus
    phase: str
    map_name: str
    deadline: int
    house: HouseRules
    protected: bool
    owner: str
    players: Mapping[str, str]
    """Who controls each power that somebody controls."""
    created: int
    updated: int


class Host(Protocol):
    """The house behind the door. Every method that changes something says for whom.

    What is refused raises a ResponseException, of the class that the protocol has for it.
    """

    async def sign_in(self, name: str, password: str, address: str) -> str:
        """A new token; an unknown name makes an account where registration is open."""
        ...

    async def member(self, token: str) -> Member:
        """Whose token it is; TokenException if nobody's."""
        ...

    def known(self, token: str) -> Member | None:
        """Whose token it is, if that is known without asking; None if one has to ask."""
        ...

    async def sign_out(self, member: Member) -> None:
        """The member's token counts no longer."""
        ...

    async def delete_account(self, by: Member, name: str) -> None:
        """Close an account, and free what it controls."""
        ...

    async def set_grade(self, by: Member, name: str, grade: Grade, given: bool, match: str) -> None:
        """Give or take a grade, of the server or of a match."""
        ...

    async def named(self, name: str) -> Member:
        """An account by its name, signed in or not; UserException if there is none."""
        ...

    async def may_moderate(self, by: Member, match: str) -> bool:
        """Whether somebody may moderate a match."""
        ...

    async def may_see_all(self, by: Member, match: str) -> bool:
        """Whether somebody may look at all of a match."""
        ...

    async def open(self, by: Member, opening: Opening) -> str:
        """Open a match; by is its moderator. Gives its id."""
        ...

    async def saved(self, match: str) -> bytes:
        """The saved game that a match goes on from, as JSON; empty if it began here."""
        ...

    async def head(self, match: str) -> MatchHead:
        """The head of a match; GameIdException if there is none."""
        ...

    async def heads(self) -> list[MatchHead]:
        """The heads of matches of Diplomacy, the newest, which come last, as clients are used to."""
        ...

    async def watch(self, by: Member, match: str, password: str) -> None:
        """Refused if somebody may not watch a match."""
        ...

    async def watch_all(self, match: str, viewer: Viewer, watcher: Callable[[Told], object]) -> Callable[[], None]:
        """Tell the watcher all that the viewer may see, from the first event on; call what is returned to end that."""
        ...

    def when_given_up(self, told: Callable[[str], None]) -> None:
        """Call with each match that could not be stored, and is read again: nobody watches it any more."""
        ...

    async def sit(
        self,
        by: Member,
        match: str,
        seats: Iterable[Seat],
        player_type: PlayerType,
        password: str,
        *,
        at_once: bool = False,
    ) -> tuple[Seat, ...]:
        """Take all these seats, or none; gives those that were taken, which may be others where chance decides.

        At once: an account may have several in this way, whatever the rules say of one after the other.
        """
        ...

    async def handle(self, by: Member, match: str, *intents: Intent) -> list[Answer]:
        """Hand intents in, one after the other; refused if somebody may not send one of them."""
        ...

    def hand_in(self, by: Member, match: str, intents: Sequence[Intent]) -> Handed | None:
        """The same without waiting until what follows is durable; None if something has to be waited for first.

        Where players act together what they do may be stored a moment later, with what the others do.
        """
        ...

    def hurry(self, match: str) -> None:
        """Somebody waits for what was handed in: let it be stored now."""
        ...

    async def time_left(self, match: str) -> float | None:
        """Seconds until something happens by itself; None if nothing does."""
        ...

    async def delete(self, by: Member, match: str) -> None:
        """Delete a match."""
        ...

    async def waiting_powers(self, by: Member, most: int) -> dict[str, list[str]]:
        """Powers without a player that have orders to give, by match; for the account of the house's bots."""
        ...

    async def daide_port(self, match: str) -> int:
        """The port for DAIDE players; DaidePortException if there is none."""
        ...
