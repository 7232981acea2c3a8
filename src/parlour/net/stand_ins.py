"""Stand-ins: a house agent plays for a player who left, and gives the seat back at the next turn after the return.

Protocols that cannot say "when the next turn begins" give it back at once, with the agent's orders.

All of it goes through intents, so that the record says who sat where and when: Left, Joined with the stand-in's name,
and Joined once more. The player for whom an agent plays is stored with the seat, and a request to return is stored
before it is confirmed: a restarted server has both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.intents import PlayerType
from parlour.core.table_view import MatchStatus
from parlour.net.accounts.principals import NOBODY, Principal, holder_of
from parlour.referee.table import Answer, Submission
from parlour.store import Seating, Setting, Store

if TYPE_CHECKING:
    from parlour.net.hall import Hall
    from parlour.net.hosted import HostedMatch

LATER = "the seat is yours again when the next turn begins"


class Sitter(NamedTuple):
    """A player about to sit down, with the fields that the match itself does not need."""

    name: str
    who: Principal = NOBODY
    agent: str = ""


class Return(msgspec.Struct, frozen=True):
    """A player's request to return to a seat at which an agent plays."""

    name: str
    player_type: PlayerType
    turn: int
    """The turn in which that was asked: it ends with the stand-in."""


_decode = msgspec.json.Decoder(Return).decode


class StandIns:
    """Seats house agents for players who left, and returns the seats to them."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._sitting: set[tuple[str, Seat]] = set()
        """Seats that are being given back."""

    async def after(self, hosted: HostedMatch, left: Submission, sat: Mapping[int, Seating | None]) -> list[Answer]:
        """Let agents play for those who leave by a submission; sat are they, by the numbers of their intents."""
        answers = await left
        for number, sitting in sat.items():
            if sitting is not None and answers[number].refusal is None:
                await self.take_over(hosted, Seat(sitting.seat), holder_of(sitting))
        return answers

    async def take_over(self, hosted: HostedMatch, seat: Seat, who: Principal) -> None:
        """Let an agent take the seat of a player who left, if the match was set up so and has begun."""
        spec = hosted.about.stand_in
        if spec and hosted.match.state.status is MatchStatus.RUNNING and not hosted.match.is_removed(seat):
            await self._hall.seat_agent(hosted.name, seat, spec, who)

    @staticmethod
    def seat_of(hosted: HostedMatch, who: Principal) -> Seat | None:
        """Return the seat at which an agent plays for that account."""
        if hosted.match.over:
            return None
        return next((seat for seat, sitting in hosted.seating.items() if _is_for(sitting, who)), None)

    async def give_back(self, match: str, seat: Seat, who: Principal, name: str, player_type: PlayerType) -> Answer:
        """Return a seat to the player who left, when the next turn begins."""
        wanted = Return(name, player_type, (await self._hall.wake(match)).match.turn)
        await self._hall.store.keep(Setting(_key(match, seat), msgspec.json.encode(wanted)))
        hosted = await self._hall.wake(match)  # it may have been read anew meanwhile
        if self.seat_of(hosted, who) == seat:
            hosted.returning[seat] = wanted
            self.look(hosted)
        else:  # it was given back, or given away, while that was stored
            await self._hall.store.keep(forgotten_return(match, seat))
        return Answer(notes=(LATER,))

    async def give_back_now(self, match: str, seat: Seat, who: Principal, name: str, player_type: PlayerType) -> Answer:
        """Return a seat to the player who left in the running turn. The agent's orders stand at first."""
        back = it.Substitute("", seat, name, player_type)
        (answer,) = await self._hall.submit(match, back, sitter=Sitter(name, who))
        return answer

    def look(self, hosted: HostedMatch) -> None:
        """Give seats back to players who asked in an earlier turn."""
        for seat, wanted in hosted.returning.items():
            place = hosted.name, seat
            if hosted.match.turn > wanted.turn and place not in self._sitting:
                self._sitting.add(place)
                self._hall.spawn(self._sit(hosted, seat, wanted))

    async def _sit(self, hosted: HostedMatch, seat: Seat, wanted: Return) -> None:
        substitute = it.Substitute("", seat, wanted.name, wanted.player_type)
        try:
            await self._hall.submit(
                hosted.name, substitute, sitter=Sitter(wanted.name, holder_of(hosted.seating[seat]))
            )
        finally:
            self._sitting.discard((hosted.name, seat))


def _is_for(sitting: Seating, who: Principal) -> bool:
    return bool(sitting.agent) and holder_of(sitting) == who


def returns_of(store: Store, match: str, seating: dict[Seat, Seating]) -> dict[Seat, Return]:
    """Return the players who wait for a seat of a match, by seat. Blocks: call it off the loop."""
    stood_in_for = [seat for seat, sitting in seating.items() if sitting.agent and sitting.account]
    kept = {seat: store.setting(_key(match, seat)) for seat in stood_in_for}
    return {seat: _decode(value) for seat, value in kept.items() if value}


def forgotten_return(match: str, seat: Seat) -> Setting:
    """Return the write after which nobody waits for that seat."""
    return Setting(_key(match, seat), b"")


def _key(match: str, seat: Seat) -> str:
    return f"return {match} {seat}"
