"""A DAIDE client at a match: its place, its terms, and the table as it was last told."""

from __future__ import annotations

from collections.abc import Sequence

from parlour.core.game import Seat
from parlour.games.diplomacy.position import Position
from parlour.net.daide import sayings
from parlour.net.daide.free_orders import FreeOrdersOfTurn
from parlour.net.daide.places import Gate, Placement
from parlour.net.daide.reception import Reception
from parlour.net.daide.talk import TableTalk
from parlour.net.daide.tokens import Token
from parlour.net.fair_pool import Requester
from parlour.net.hosted import HostedMatch


class Attendance:
    """State that the parts of a conversation share; the seat is known once it is taken."""

    def __init__(self, reception: Reception, gate: Gate, placement: Placement, asker: Requester) -> None:
        self.reception, self.placement, self.session = reception, placement, placement.session
        self.board, self.lexicon, self.codec = gate.board, gate.lexicon, gate.codec
        self.match, self.options = placement.match, placement.options
        self.asker = asker
        """In whose turn work is done for it."""
        self.sit(None)

    def sit(self, seat: Seat | None) -> None:
        """Follow the match from a seat from now on; (None) as a spectator."""
        self.seat, self.talk = seat, TableTalk(seat, self.free_orders)

    def free_orders(self, phase: str) -> FreeOrdersOfTurn:
        """Return the orders of a turn that were accepted though they cannot be carried out."""
        return self.reception.free_orders.of(self.match, phase)

    @property
    def power(self) -> str:
        """The word of the own power; empty for who only looks on."""
        return "" if self.seat is None else self.lexicon.seats[self.seat]

    @property
    def position(self) -> Position | None:
        """The match's position; None before its start."""
        return self.talk.position

    @property
    def playing(self) -> bool:
        """True if a seat is taken in a match that has begun and not ended."""
        return self.seat is not None and self.talk.position is not None and not self.talk.over

    @property
    def acts(self) -> bool:
        """True if the own seat is to act in the turn that runs."""
        return self.seat is not None and self.seat in self.talk.view.to_act

    def is_now(self, turn: Sequence[Token]) -> bool:
        """Return True if a turn that was named, if one was, is the one that runs."""
        position = self.talk.position
        return not turn or (position is not None and sayings.phase_of_turn(*turn) == position.phase)

    def now(self) -> float:
        """Return the time by which the deadlines of the match are kept."""
        return self.reception.hall.now(self.match)

    def seconds_left(self) -> int | None:
        """Return the seconds until the deadline, within the range of a token; None if there is no deadline."""
        left = self.talk.time_left(self.now())
        return None if left is None else max(0, min(8191, round(left)))

    def hosted(self) -> HostedMatch | None:
        """Return the match if something can be submitted at this moment; else see at_hand."""
        return self.reception.hall.at_hand(self.match)

    def turn_runs(self, hosted: HostedMatch) -> bool:
        """Return True if the turn that the client knows of still runs.

        A turn's end is stored before anybody is told of it.
        """
        return hosted.match.turn == self.talk.view.turn

    async def at_hand(self) -> None:
        """Wait until something can be submitted."""
        await self.reception.hall.ready(self.match)
