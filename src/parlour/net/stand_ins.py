"""Stand-ins: an agent of the house plays for whoever left, and gives the seat back at the next turn when he returns.

All of it goes through intents, so that the record says who sat where and when: Left, Joined with the stand-in's name,
and Joined once more. Who may come back is remembered as long as the server runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.player import Told
from parlour.core.viewers import SPECTATOR
from parlour.net.hosted import HostedMatch
from parlour.referee.state import MatchStatus
from parlour.referee.table import Answer

if TYPE_CHECKING:
    from parlour.net.hall import Hall

HOUSE = "house"
"""By whom a seat is given back, in the record."""
LATER = "the seat is yours again when the next turn begins"


class StandIns:
    """Who left which seat of which match, and who plays for him."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._owners: dict[tuple[str, Seat], str] = {}

    async def take_over(self, hosted: HostedMatch, seat: Seat, account: str) -> None:
        """Somebody has left: an agent takes the seat, if the match was set up so and has begun."""
        spec = hosted.about.stand_in
        if spec and hosted.match.state.status is MatchStatus.RUNNING and not hosted.match.is_removed(seat):
            answer = await self._hall.seat_agent(hosted.name, seat, spec)
            if answer.refusal is None and account:
                self._owners[hosted.name, seat] = account

    def seat_of(self, match: str, account: str) -> Seat | None:
        """The seat at which an agent plays for that account."""
        return next((seat for (name, seat), owner in self._owners.items() if (name, owner) == (match, account)), None)

    async def give_back(self, match: str, seat: Seat, intent: it.Join, account: str) -> Answer:
        """Let whoever left have his seat again, as soon as the next turn begins."""
        leave: Callable[[], None] = _nothing

        def told(one: Told) -> None:
            if isinstance(one.event, ev.TurnBegan | ev.Ended):
                leave()
                if self._owners.pop((match, seat), "") and isinstance(one.event, ev.TurnBegan):
                    self._hall.spawn(self._sit(match, seat, intent, account))

        leave = await self._hall.watch(match, SPECTATOR, told)
        return Answer(notes=(LATER,))

    async def _sit(self, match: str, seat: Seat, intent: it.Join, account: str) -> None:
        await self._hall.join(match, it.Substitute(HOUSE, seat, intent.name, intent.player_type), account)


def _nothing() -> None:
    """Nobody listens yet."""
