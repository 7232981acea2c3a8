"""What the door asks of the house: accounts, matches and tables. Whatever may not be is refused there, not here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

from parlour.core.game import Plain, Seat
from parlour.core.intents import Intent, PlayerType
from parlour.core.terms import Terms
from parlour.net.mila.rooms import Watchable
from parlour.net.mila.rules import HouseRules
from parlour.net.mila.values import GameStatus, Grade
from parlour.referee.table import Answer


class Opening(NamedTuple):
    """A match that somebody wants to open."""

    id: str
    """Empty for any that is free."""
    config: dict[str, Plain]
    terms: Terms
    house: HouseRules
    password: str
    """Empty if none is needed to take part."""


class MatchHead(NamedTuple):
    """What a list says of a match, without looking into it; times are in microseconds."""

    id: str
    status: GameStatus
    phase: str
    map_name: str
    deadline: int
    house: HouseRules
    protected: bool
    players: Mapping[str, str]
    """Who controls each power that somebody controls."""
    created: int
    updated: int


class Host(Protocol):
    """The house behind the door. Every method that changes something says for whom: the name of an account.

    What is refused raises a ResponseException, of the class that the protocol has for it.
    """

    async def sign_in(self, name: str, password: str) -> str:
        """A new token; an unknown name makes an account where registration is open."""
        ...

    async def account(self, token: str) -> str:
        """Whose token it is; TokenException if nobody's."""
        ...

    async def sign_out(self, token: str) -> None:
        """The token counts no longer."""
        ...

    async def delete_account(self, by: str, name: str) -> None:
        """Delete an account, and free what it controls."""
        ...

    async def set_grade(self, by: str, name: str, grade: Grade, given: bool, match: str) -> None:
        """Give or take a grade, of the server or of a match."""
        ...

    async def may_moderate(self, name: str, match: str) -> bool:
        """Whether the account is an administrator, or a moderator of the match."""
        ...

    async def may_see_all(self, name: str, match: str) -> bool:
        """Whether the account may look at all of a match."""
        ...

    async def open(self, by: str, opening: Opening) -> str:
        """Open a match; by is its moderator. Gives its id."""
        ...

    async def head(self, match: str) -> MatchHead:
        """The head of a match; GameIdException if there is none."""
        ...

    async def heads(self) -> list[MatchHead]:
        """The heads of all matches of Diplomacy."""
        ...

    async def table(self, match: str) -> Watchable:
        """The table of a match, awake."""
        ...

    async def watch(self, name: str, match: str, password: str) -> None:
        """May the account watch? Refused if not."""
        ...

    async def sit(
        self, name: str, match: str, seats: Iterable[Seat], player_type: PlayerType, password: str
    ) -> tuple[Seat, ...]:
        """Take all these seats, or none; gives those that were taken, which may be others where chance decides."""
        ...

    async def handle(self, by: str, match: str, *intents: Intent) -> list[Answer]:
        """Hand intents in, one after the other; refused if the account may not send one of them."""
        ...

    async def delete(self, by: str, match: str) -> None:
        """Delete a match."""
        ...

    async def waiting_powers(self, name: str, most: int) -> dict[str, list[str]]:
        """Powers without a player that have orders to give, by match; for the account of the house's bots."""
        ...

    async def daide_port(self, match: str) -> int:
        """The port for DAIDE players; DaidePortException if there is none."""
        ...
