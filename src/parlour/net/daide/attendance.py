"""Somebody at a match: as whom, on which terms, and what it has been told there so far."""

from __future__ import annotations

from collections.abc import Sequence

from parlour.core.game import Seat
from parlour.core.intents import Intent
from parlour.games.diplomacy.position import Position
from parlour.net.daide import sayings
from parlour.net.daide.reception import Gate, Placement, Reception
from parlour.net.daide.talk import TableTalk
from parlour.net.daide.tokens import Token
from parlour.net.hosted import HostedMatch
from parlour.referee.table import Answer, Handed


class Attendance:
    """What the parts of a conversation share. It begins with a place; the seat is known once it is taken."""

    def __init__(self, reception: Reception, gate: Gate, placement: Placement) -> None:
        self.reception, self.placement = reception, placement
        self.board, self.lexicon, self.codec = gate.board, gate.lexicon, gate.codec
        self.match, self.options = placement.match, placement.options
        self.seat: Seat | None = None
        self.talk = TableTalk(None)

    def sit(self, seat: Seat | None) -> None:
        """From now on it is told what that seat may know; (None) what everybody may."""
        self.seat, self.talk = seat, TableTalk(seat)

    @property
    def power(self) -> str:
        """The word of the own power; empty for who only looks on."""
        return "" if self.seat is None else self.lexicon.seats[self.seat]

    @property
    def position(self) -> Position | None:
        """Where the match stands; None before its start."""
        return self.talk.position

    @property
    def playing(self) -> bool:
        """Whether a seat is taken in a match that has begun and not ended."""
        return self.seat is not None and self.talk.position is not None and not self.talk.over

    @property
    def acts(self) -> bool:
        """Whether the own seat is to act in the turn that runs."""
        return self.seat is not None and self.seat in self.talk.to_act

    def is_now(self, turn: Sequence[Token]) -> bool:
        """Whether a turn that was named, if one was, is the one that runs."""
        position = self.talk.position
        return not turn or (position is not None and sayings.phase_of_turn(*turn) == position.phase)

    def now(self) -> float:
        """The time by which the deadlines of the match are kept."""
        return self.reception.hall.now(self.match)

    def seconds_left(self) -> int | None:
        """Until the deadline, as a token can say it; None if there is none."""
        left = self.talk.time_left(self.now())
        return None if left is None else max(0, min(8191, round(left)))

    async def want(self, intent: Intent) -> Answer:
        """Hand in an intent; the answer to it, when what followed is stored."""
        return await self.placement.session.handle(self.match, intent)

    def hosted(self) -> HostedMatch | None:
        """The match, if something can be handed in at this moment; else see at_hand."""
        return self.reception.hall.at_hand(self.match)

    def turn_runs(self, hosted: HostedMatch) -> bool:
        """Whether the turn that the client knows of still runs: one that has ended is stored before anybody hears."""
        return hosted.match.turn == self.talk.turn

    def hand_in(self, hosted: HostedMatch, intents: Sequence[Intent], *, leisurely: bool) -> Handed:
        """Hand in what is played in the match at hand, without waiting until it is stored."""
        return self.placement.session.hand_in(hosted, intents, leisurely=leisurely)

    async def at_hand(self) -> None:
        """Wait until something can be handed in."""
        await self.reception.hall.ready(self.match)
