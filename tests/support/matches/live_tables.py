"""Live tables that nobody hosts, for tests of players that are called on the loop."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from parlour.core.events import Event
from parlour.core.game import Seat
from parlour.core.player import Player
from parlour.referee.driver import DriverSeatHandle
from parlour.referee.live import LiveTable, TableClock
from parlour.referee.match import Match, Reaction
from parlour.referee.table import KeepAsync, Table


class LoneTable(LiveTable):
    """A live table that is its own host: stores events with `keep`, and holds its clock meanwhile."""

    def __init__(self, match: Match, players: Mapping[Seat, Player], *, keep: KeepAsync | None = None) -> None:
        clock = TableClock(match)

        def kept(events: Sequence[Event]) -> asyncio.Future[None]:
            assert keep is not None
            clock.hold()
            return keep(events)

        table = Table(match, clock.now, keep=None if keep is None else kept, failed=self.failed)
        super().__init__(table, clock, players)
        table.follow(self)

    def sit(self, seat: Seat, player: Player) -> DriverSeatHandle:
        """Put a player on a seat of the running table; the caller sends the intent."""
        assert self._driver is not None
        return self._driver.sit(seat, player)

    def reacted(self, reaction: Reaction) -> None:
        """Run the clock again once the events are stored."""
        self._clock.release()
