"""Reliability of players: turns missed, seats left and promises kept, counted when a match ends.

The counts of an account are stored, so that a page need not read records.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

import msgspec

from parlour.core import events as ev
from parlour.core.declaration import fetch
from parlour.core.decoding import UNREADABLE
from parlour.core.events import Event
from parlour.core.game import FoulKind, Seat
from parlour.errors import Denied, ParlourError
from parlour.games import declared, games
from parlour.net.accounts.principals import MADE_HERE
from parlour.net.fair_pool import HOUSE
from parlour.net.hall import Hall
from parlour.net.hosted import HostedMatch
from parlour.store import Setting, Store

KEY = "reliability "
"""Prefix of the keys of settings, before the account's name."""
Holders: TypeAlias = Mapping[Seat, Sequence[tuple[float, str]]]
"""Accounts that held each seat, each with the time at which its period began."""
_log = logging.getLogger(__name__)


class Reliability(msgspec.Struct, frozen=True, omit_defaults=True):
    """The counts of an account over all its finished matches."""

    matches: int = 0
    turns: int = 0
    """Turns in which an action was due."""
    missed: int = 0
    """Number of those turns in which the account was late or the referee used the default action."""
    left: int = 0
    """Number of seats that the player left or lost before the end."""
    kept: int = 0
    broken: int = 0
    """Number of promises that were kept, and of those that were broken."""

    def plus(self, other: Reliability) -> Reliability:
        """Return the sum of two counts."""
        one, two = msgspec.structs.asdict(self), msgspec.structs.asdict(other)
        return Reliability(**{name: one[name] + two[name] for name in one})

    @property
    def present(self) -> float | None:
        """Share of turns that were not missed; None without turns."""
        return None if not self.turns else 1 - self.missed / self.turns

    @property
    def faithful(self) -> float | None:
        """Share of promises that were kept; None without promises."""
        due = self.kept + self.broken
        return None if not due else self.kept / due


def counts_of(
    events: Iterable[Event], promises: Iterable[Mapping[str, object]], holders: Holders
) -> dict[str, Reliability]:
    """Return the counts of each holder of a seat, by account.

    The names in a record are for display only: a player under another's name is counted for their own account.

    Args:
        events: The record.
        promises: Rows about promises, as a game's declaration gives them.
        holders: The accounts that held each seat.
    """
    sitting: dict[str, str] = {}
    shown: dict[str, set[str]] = defaultdict(set)
    found: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(Reliability.__struct_fields__, 0))
    to_act: Sequence[str] = ()
    late: set[str] = set()
    begun = False
    everybody: set[str] = set()
    for event in events:
        match event:
            case ev.Joined(seat=seat, name=name):
                sitting[seat] = _holder(holders.get(seat, ()), event.at)
                shown[name].add(sitting[seat])
                everybody.add(sitting[seat])
            case ev.Left(seat=seat):
                name = sitting.pop(seat, "")
                if begun:
                    found[name]["left"] += 1
            case ev.Started():
                begun, everybody = True, set(sitting.values())
            case ev.TurnBegan():
                to_act, late = event.to_act, set()
            case ev.Fouled(seat=seat, kind=FoulKind.LATE):
                late.add(seat)
            case ev.TurnEnded():
                missed = late | set(event.defaulted)
                for acting in to_act:
                    found[sitting.get(acting, "")]["turns"] += 1
                    found[sitting.get(acting, "")]["missed"] += acting in missed
            case _:
                pass
    for row in promises:
        accounts = shown.get(str(row.get("player")), set())
        name = next(iter(accounts)) if len(accounts) == 1 else ""  # a name that two players used counts for neither
        if row.get("status") in ("kept", "broken"):
            found[name][str(row["status"])] += 1
    for name in everybody:
        found[name]["matches"] += 1
    return {name: Reliability(**counts) for name, counts in found.items() if name}


def _holder(holders: Sequence[tuple[float, str]], time: float) -> str:
    """Return the account that held a seat at a time; empty if that is not known."""
    return next((key for begin, key in reversed(holders) if begin <= time), "")


class ReliabilityBook:
    """Counts the reliability of players when their matches end, and stores the sums."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._adding = asyncio.Lock()
        hall.happenings.append(self.look)

    def close(self) -> None:
        """Stop counting."""
        if self.look in self._hall.happenings:
            self._hall.happenings.remove(self.look)

    def look(self, hosted: HostedMatch, events: Sequence[Event]) -> None:
        """Count a match that has just ended, once its spectators may know the end.

        Unlisted matches are not counted, because the sums would reveal them.
        """
        if any(type(event) is ev.Ended for event in events) and not hosted.in_tournament and hosted.about.listed:
            seats = hosted.match.state.places
            holders = {seat: hosted.tenures.holders(seat, hosted.seating.get(seat)) for seat in seats}
            begin = partial(self._begin, hosted.name, hosted.head.game, holders)
            asyncio.get_running_loop().call_later(hosted.about.delay, begin) if hosted.about.delay else begin()

    def _begin(self, match: str, game: str, holders: Holders) -> None:
        if self.look in self._hall.happenings:  # the counting was not stopped meanwhile
            self._hall.spawn(self._count(match, game, holders))

    async def of(self, account: str) -> Reliability:
        """Return the stored counts of an account."""
        return await self._hall.store.fetch(_read, self._hall.store, account)

    async def _count(self, match: str, game: str, holders: Holders) -> None:
        if not any(key and not key.startswith(MADE_HERE) for known in holders.values() for _, key in known):
            return
        async with self._hall.whole_reads.place(HOUSE):
            try:
                events = await self._hall.record(match)
                found = await self._hall.pool.run(HOUSE, lambda: _counted(game, events, holders))
            except (ParlourError, Denied) as error:
                _log.warning("match %s: its players' reliability is not counted: %s", match, error)
                return
        async with self._adding:
            await self._hall.store.fetch(_add, self._hall.store, found)


def _counted(game: str, events: Sequence[Event], holders: Holders) -> dict[str, Reliability]:
    declaration = declared(game) if game in games() else None
    rows = fetch(declaration.promises)(events) if declaration is not None and declaration.promises else ()
    return counts_of(events, rows, holders)


def _read(store: Store, account: str) -> Reliability:
    try:
        return msgspec.json.decode(store.setting(KEY + account) or b"{}", type=Reliability)
    except UNREADABLE:
        return Reliability()


def _add(store: Store, found: Mapping[str, Reliability]) -> None:
    """Add counts to those of accounts that exist. Blocks: call it off the loop."""
    sums = {name: _read(store, name).plus(more) for name, more in found.items() if store.account(name) is not None}
    if sums:
        store.write(*(Setting(KEY + name, msgspec.json.encode(value)) for name, value in sums.items()))
