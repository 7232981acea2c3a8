"""Shows DAIDE clients without a seat what they may see: observers their match, all others a position."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress

from parlour.core.table_view import MatchStatus
from parlour.errors import Denied
from parlour.games.diplomacy.position import Position
from parlour.net.daide.places import Gate, Placement, board_of_match, split_name
from parlour.net.hall import Hall
from parlour.net.hosted import HostedMatch
from parlour.net.setup import is_match_id
from parlour.store import Filter, RecordKind

Attend = Callable[[Placement], Awaitable[None]]
"""Called with the place of an observer at a match."""


class Observers:
    """Places at matches for clients without a seat; the clients that wait for the next match to start."""

    def __init__(self, hall: Hall, placed: Callable[[HostedMatch, None], Placement]) -> None:
        self._hall, self._placed = hall, placed
        self._waiting: dict[Attend, Gate] = {}
        self._hall.started.append(self._started)

    async def place(self, gate: Gate) -> Placement | None:
        """Return a place at the port's match, or at the newest listed match if it has started; else None."""
        wanted = Filter(kind=RecordKind.MATCH, game="diplomacy", unfinished=True)
        for head in (await self._hall.page(wanted)).heads:
            if gate.match not in ("", head.id):
                continue  # it need not be woken
            hosted = await self._hall.wake(head.id)
            if (found := await self._at(hosted, gate)) is not None:
                forming = hosted.match.state.status is MatchStatus.FORMING
                return None if forming and not gate.match else found
        return None

    def wait(self, gate: Gate, attend: Attend) -> Callable[[], None]:
        """Call back with a place at the next match that starts; return a function that stops waiting."""
        self._waiting[attend] = gate

        def stop() -> None:
            self._waiting.pop(attend, None)

        return stop

    async def position(self, gate: Gate, name: str) -> Position | None:
        """Return the position of the match that the port or the client's name says, if anybody may watch it."""
        match = gate.match or split_name(name)[1]
        if not is_match_id(match):
            return None
        with suppress(Denied):  # there is no match of that name, or it is not public
            placement = await self._at(await self._hall.wake(match), gate, named=True)
            if placement is not None:
                found = (await placement.session.view(match)).position
                return found if isinstance(found, Position) else None
        return None

    async def _at(self, hosted: HostedMatch, gate: Gate, *, named: bool = False) -> Placement | None:
        """Return an observer's place at a match; None if it is on another board or not for everybody."""
        if gate.match not in ("", hosted.name) or board_of_match(hosted) != gate.board:
            return None
        if not (named or gate.match or hosted.about.listed):
            return None
        placement = self._placed(hosted, None)
        try:
            await placement.session.ask_to_watch(hosted.name)
        except Denied:
            return None
        return placement

    def _started(self, match: str) -> None:
        if self._waiting:
            self._hall.spawn(self._show(match))

    async def _show(self, match: str) -> None:
        """Give a match that has just started to all who wait and may watch it."""
        hosted = await self._hall.wake(match)
        if hosted.match.game.name != "diplomacy":
            return
        for attend, gate in tuple(self._waiting.items()):
            placement = await self._at(hosted, gate)
            if placement is not None and self._waiting.pop(attend, None) is not None:
                await attend(placement)
