"""Serves DAIDE clients without a seat: observers watch a match, all others may ask for a position."""

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
"""Called with the place of an observer in a match."""


class Observers:
    """Finds matches for clients without a seat, and holds those that wait for the next match to start."""

    def __init__(self, hall: Hall, placed: Callable[[HostedMatch, None], Placement]) -> None:
        self._hall, self._placed = hall, placed
        self._waiting: dict[Attend, Gate] = {}
        self._hall.started.append(self._started)

    async def place(self, gate: Gate) -> Placement | None:
        """Return a place in the port's match, or in the newest listed match if it has started; else None."""
        wanted = Filter(kind=RecordKind.MATCH, game="diplomacy", unfinished=True)
        for head in (await self._hall.page(wanted)).heads:
            if gate.match not in ("", head.id):
                continue  # the port does not serve this match, so it is not woken
            hosted = await self._hall.wake(head.id)
            if (found := await self._at(hosted, gate)) is not None:
                forming = hosted.match.state.status is MatchStatus.FORMING
                return None if forming and not gate.match else found
        return None

    def wait(self, gate: Gate, attend: Attend) -> Callable[[], None]:
        """Call back with a place in the next match that starts; call the result to stop waiting."""
        self._waiting[attend] = gate

        def stop() -> None:
            self._waiting.pop(attend, None)

        return stop

    async def position(self, gate: Gate, name: str) -> Position | None:
        """Return the position of the match that the port or the client's name selects, if anybody may watch it."""
        match = gate.match or split_name(name)[1]
        if not is_match_id(match):
            return None
        with suppress(Denied):  # the match does not exist, or is not public
            placement = await self._at(await self._hall.wake(match), gate, named=True)
            if placement is not None:
                found = (await placement.session.view(match)).position
                return found if isinstance(found, Position) else None
        return None

    async def _at(self, hosted: HostedMatch, gate: Gate, *, named: bool = False) -> Placement | None:
        """Return an observer's place in a match; None if it has another map or not everybody may watch it."""
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
        """Show a match that has just started to all waiting observers who may watch it."""
        hosted = await self._hall.wake(match)
        if hosted.match.game.name != "diplomacy":
            return
        for attend, gate in tuple(self._waiting.items()):
            placement = await self._at(hosted, gate)
            if placement is not None and self._waiting.pop(attend, None) is not None:
                await attend(placement)
