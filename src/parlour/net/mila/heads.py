"""Heads of matches as lists show them, and data of a match that only this protocol has."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

import msgspec

from parlour.core.game import Outcome
from parlour.core.table_view import MatchStatus
from parlour.core.viewers import SPECTATOR
from parlour.games.diplomacy.engine.state import COMPLETED as OVER
from parlour.games.diplomacy.fog import is_foggy
from parlour.games.diplomacy.game import GAME
from parlour.games.diplomacy.maps.map import named, package_name
from parlour.games.diplomacy.position import Position
from parlour.net.accounts.principals import Principal, owner_of
from parlour.net.hall import Hall
from parlour.net.mila.faults import GameIdException
from parlour.net.mila.protocol_values import GameStatus
from parlour.net.mila.refusals import denials_as
from parlour.net.mila.rules import HouseRules, deadline_of, rules_of
from parlour.net.sessions import Session
from parlour.net.setup import about_of
from parlour.net.shared_work import TimeSlices
from parlour.store import Filter, RecordHead, Setting, Store

MAX_LISTED = 2000
"""Maximum number of matches in one list; the newest are listed, last."""
EXTRAS = "mila"
"""Key under which a match stores the data that only this protocol has."""

_outcome = msgspec.json.Decoder(Outcome)


class MatchExtras(msgspec.Struct, frozen=True):
    """Fields that a match of this protocol stores with its head."""

    rules: tuple[str, ...]
    n_controls: int
    deadline: int
    map_name: str
    foggy: bool = False


class MatchHead(NamedTuple):
    """A match in a list, made without reading its record; times are in microseconds."""

    id: str
    status: GameStatus
    phase: str
    map_name: str
    deadline: int
    house: HouseRules
    protected: bool
    owner: Principal
    players: Mapping[str, str]
    """The displayed name of each power's player."""
    created: int
    updated: int


class MatchHeads:
    """Finds the heads of matches of Diplomacy that this protocol can show."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._learnt: dict[str, MatchExtras] = {}
        """Fields of matches that another door opened, derived from their terms."""

    async def find(self, match: str, by: Session | None = None) -> MatchHead:
        """Return the head of a match, as a list shows it to a session if one is given.

        Raise GameIdException if there is none, or it was deleted, or it is played in fog.
        """
        with denials_as():
            head = await self._hall.head(match) if by is None else await by.head(match)
        if head.game != GAME.name or await self._is_deleted(head) or await self._is_foggy(head):
            raise GameIdException
        return await self._summed_up(head)

    async def listed(self, by: Session) -> list[MatchHead]:
        """Return the heads of listed matches for a session, the newest last, as clients expect."""
        found, after, slices = list[MatchHead](), None, TimeSlices()
        while len(found) < MAX_LISTED:
            page = await by.page(Filter(game=GAME.name), limit=500, after=after)
            listed = [head for head in page.heads if about_of(head).listed]
            for head in listed:
                await slices.pause()
                if not (await self._is_deleted(head) or await self._is_foggy(head)):
                    found.append(await self._summed_up(head))
            if (after := page.more) is None:
                break
        return found[:MAX_LISTED][::-1]

    async def _is_foggy(self, head: RecordHead) -> bool:
        """Return True for a match in fog: this protocol shows everybody the whole board."""
        return (await self._extras_of(head)).foggy

    async def is_gone(self, match: str) -> bool:
        """Return True if there was a match of that name and it was deleted."""
        store = self._hall.store
        return await store.fetch(store.setting, _deletion(match)) is not None

    async def _is_deleted(self, head: RecordHead) -> bool:
        return _is_over(head) and await self.is_gone(head.id)

    async def _summed_up(self, head: RecordHead) -> MatchHead:
        extras = await self._extras_of(head)
        status = _status(head, extras)
        return MatchHead(
            id=head.id,
            status=status,
            phase=OVER if status is GameStatus.COMPLETED else head.phase or _first_phase(extras.map_name),
            map_name=extras.map_name,
            deadline=extras.deadline,
            house=HouseRules(extras.rules, extras.n_controls),
            protected=bool(head.password),
            owner=owner_of(head),
            players=head.players,
            created=round(head.opened * 1e6),
            updated=round(head.updated * 1e6),
        )

    async def _extras_of(self, head: RecordHead) -> MatchExtras:
        if (kept := extras_of(head)) is not None:
            return kept
        if head.id not in self._learnt:
            view = await self._hall.view(head.id, SPECTATOR)
            rules, seats = rules_of(view.terms, view.config), len(view.seats)
            deadline, map_name = deadline_of(view.terms), package_name(named(str(view.config.get("map", "standard"))))
            fog = is_foggy(view.config)
            self._learnt[head.id] = MatchExtras(rules.rules, rules.n_controls or seats, deadline, map_name, fog)
        return self._learnt[head.id]


def _is_over(head: RecordHead) -> bool:
    """Return True if a match is over; the head of an awake match may show it by its status alone."""
    return head.result is not None or head.status == MatchStatus.OVER


def _status(head: RecordHead, extras: MatchExtras) -> GameStatus:
    """Return the status of a match, from its head alone."""
    if _is_over(head):
        ended = _outcome.decode(head.result) if head.result else None
        return GameStatus.COMPLETED if ended is None or ended.places else GameStatus.CANCELED
    if head.status == MatchStatus.RUNNING:
        return GameStatus.ACTIVE
    to_be_started = "START_MASTER" in extras.rules and head.turn <= 1
    if head.status == MatchStatus.PAUSED and len(head.players) >= extras.n_controls and not to_be_started:
        return GameStatus.PAUSED
    return GameStatus.FORMING


def extras_of(head: RecordHead) -> MatchExtras | None:
    """Return the extras of a match that was opened at this door; None for one of another door."""
    kept = about_of(head).extras.get(EXTRAS)
    return None if kept is None else msgspec.convert(kept, MatchExtras)


def origin(match: str, saved: bytes) -> Setting:
    """Return the write that stores the saved game that a match continues."""
    return Setting(_origin(match), zlib.compress(saved))


async def played_before(store: Store, match: str) -> bytes:
    """Return the saved game that a match continues, as JSON; empty if it began here."""
    return await store.fetch(origin_of, store, match)


def origin_of(store: Store, match: str) -> bytes:
    """Return the saved game that a match continues, as JSON; empty if it began here. Blocks: call it off the loop."""
    kept = store.setting(_origin(match))
    return b"" if kept is None else zlib.decompress(kept)


def deletion(match: str) -> Setting:
    """Return the write that hides a match, which must be over, from this protocol."""
    return Setting(_deletion(match), b"1")


def _origin(match: str) -> str:
    return f"mila origin {match}"


def _deletion(match: str) -> str:
    return f"mila deleted {match}"


@cache
def _first_phase(map_name: str) -> str:
    """Return the first phase of a map, which clients of this protocol expect before the start."""
    return Position.start(named(map_name)).phase
