"""Stand-ins: a house agent plays for a player who left, and gives the seat back at the next turn after the return.

Where the protocol cannot announce that turn to the player, the seat is given back at once, with the agent's orders.

All changes go through intents, so the record shows each player of a seat: Left, Joined with the stand-in's name, and
Joined once more. The account for which an agent plays is stored with the seat, and a request to return is stored before
it is confirmed: a restarted server has both.
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
    """A player about to take a seat, with the fields that the match itself does not need."""

    name: str
    who: Principal = NOBODY
    agent: str = ""


class Return(msgspec.Struct, frozen=True):
    """A player's request to return to a seat that a stand-in plays."""

    name: str
    player_type: PlayerType
    turn: int
    """The turn of the request: the stand-in plays it to its end."""


_decode = msgspec.json.Decoder(Return).decode


class StandIns:
    """Seats house agents for players who left, and returns the seats to them."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._sitting: set[tuple[str, Seat]] = set()
        """Seats that are being given back."""

    async def after(self, hosted: HostedMatch, left: Submission, sat: Mapping[int, Seating | None]) -> list[Answer]:
        """Put agents on the seats that a submission leaves; `sat` has the seatings, by index of the intent."""
        answers = await left
        for number, sitting in sat.items():
            if sitting is not None and answers[number].refusal is None:
                await self.take_over(hosted, Seat(sitting.seat), holder_of(sitting))
        return answers

    async def take_over(self, hosted: HostedMatch, seat: Seat, who: Principal) -> None:
        """Put an agent on the seat of a player who left, if the match has a stand-in and is running."""
        spec = hosted.about.stand_in
        if spec and hosted.match.state.status is MatchStatus.RUNNING and not hosted.match.is_removed(seat):
            await self._hall.seat_agent(hosted.name, seat, spec, who)

    @staticmethod
    def seat_of(hosted: HostedMatch, who: Principal) -> Seat | None:
        """Return the seat that an agent plays for that principal; None if there is none."""
        if hosted.match.over:
            return None
        return next((seat for seat, sitting in hosted.seating.items() if _is_for(sitting, who)), None)

    async def give_back(self, match: str, seat: Seat, who: Principal, name: str, player_type: PlayerType) -> Answer:
        """Return a seat to the player who left, when the next turn begins."""
        wanted = Return(name, player_type, (await self._hall.wake(match)).match.turn)
        await self._hall.store.keep(Setting(_key(match, seat), msgspec.json.encode(wanted)))
        hosted = await self._hall.wake(match)  # the match may have been read again during the write
        if self.seat_of(hosted, who) == seat:
            hosted.returning[seat] = wanted
            self.look(hosted)
        else:  # the seat was given back, or given away, during the write
            await self._hall.store.keep(forgotten_return(match, seat))
        return Answer(notes=(LATER,))

    async def give_back_now(self, match: str, seat: Seat, who: Principal, name: str, player_type: PlayerType) -> Answer:
        """Return a seat to the player who left in the running turn. The agent's orders stand at first."""
        back = it.Substitute("", seat, name, player_type)
        (answer,) = await self._hall.submit(match, back, sitter=Sitter(name, who))
        return answer

    def look(self, hosted: HostedMatch) -> None:
        """Give the seats back that players asked for in an earlier turn."""
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
    """Return the requests to return to seats of a match, by seat. Blocks: call it off the loop."""
    stood_in_for = [seat for seat, sitting in seating.items() if sitting.agent and sitting.account]
    kept = {seat: store.setting(_key(match, seat)) for seat in stood_in_for}
    return {seat: _decode(value) for seat, value in kept.items() if value}


def forgotten_return(match: str, seat: Seat) -> Setting:
    """Return the write that deletes the request to return to a seat."""
    return Setting(_key(match, seat), b"")


def _key(match: str, seat: Seat) -> str:
    return f"return {match} {seat}"
