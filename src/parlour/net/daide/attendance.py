"""A DAIDE client in a match: its place, its options, the state that it last received, and the messages at the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from parlour.core import events as ev
from parlour.core.game import Outcome, Seat
from parlour.core.player import ObservedEvent
from parlour.core.table_view import MatchStatus, TableView
from parlour.games.diplomacy.position import Position
from parlour.net.daide import server_messages as sm
from parlour.net.daide.free_orders import FreeOrdersOfTurn
from parlour.net.daide.places import Gate, Placement
from parlour.net.daide.reception import Reception
from parlour.net.daide.server_messages import ServerMessage, group
from parlour.net.daide.tokens import Token
from parlour.net.fair_pool import Requester
from parlour.net.hosted import HostedMatch
from parlour.press.language.message_types import Unit
from parlour.press.language.tokens import Lexicon


class TableTalk:
    """The state that a client last received, and what only DAIDE needs: doomed units, last orders, eliminations."""

    def __init__(self, seat: Seat | None, free: Callable[[str], FreeOrdersOfTurn] = lambda phase: ()) -> None:
        self._free = free
        self.view = TableView()
        """The table after the last event that was processed."""
        self.k = 0
        """The number of the next event of this view."""
        self.doomed: tuple[Unit, ...] = ()
        """Dislodged units that cannot retreat, while others do."""
        self.last_orders: list[ServerMessage] = []
        """ORD messages of the last movement and of the retreats and builds after it."""
        self._seat = seat
        self.waits_at_first = False
        """True if the match has a quorum, so that its first turn may wait for players."""
        self._quorum = 0
        self._gone: dict[Seat, int] = {}

    def take(self, told: ObservedEvent) -> None:
        """Process an event."""
        self.k, self.view = told.k + 1, told.view
        match told.event:
            case ev.TurnEnded():
                self._turn_ended()
            case ev.PositionSet():
                self.doomed = ()
                self._count_eliminated()
            case ev.Opened(terms=terms):
                self.waits_at_first, self._quorum = terms.quorum is not None, terms.quorum or 0

    @property
    def position(self) -> Position | None:
        """The match's position; None before its start."""
        return self.view.position if isinstance(self.view.position, Position) else None

    @property
    def over(self) -> bool:
        """True once the match has ended."""
        return self.view.status is MatchStatus.OVER

    @property
    def wait(self) -> bool:
        """True while the client's wait flag is up."""
        return (row := self.view.seat(self._seat)) is not None and row.wait

    def is_away(self, seat: Seat) -> bool:
        """Return True if the player of a seat has left."""
        row = self.view.seat(seat)
        return row is not None and row.name is not None and not row.present and not row.removed

    def name(self, seat: Seat | None) -> str:
        """Return the name of the player who has a seat, or had it last; empty if nobody did."""
        row = self.view.seat(seat)
        return "" if row is None else row.name or ""

    def time_left(self, now: float) -> float | None:
        """Return the seconds until the seat's deadline, or the turn's if it has none; None if there is none."""
        return self.view.time_left(self._seat, now)

    def _turn_ended(self) -> None:
        position = self.position
        if position is None or position.turn is None:
            return
        if position.turn.before.stage == "orders":
            self.last_orders = []
        self.last_orders += sm.reports(position.turn, self.doomed, self._free(position.turn.before.phase))
        self.doomed = sm.doomed_by(position.turn)
        self._count_eliminated()

    def _count_eliminated(self) -> None:
        """Note the year of elimination of each power that is out of the game."""
        position = self.position
        if position is None:
            return
        alive = sm.living(position)
        if position.turn is not None:
            year = position.turn.before.year
        else:  # a moderator set the position; a year begins with spring
            year = position.year - position.phase.startswith("S")
        gone = (Seat(name) for name in position.centers) if len(alive) < len(position.board.powers) else ()
        self._gone = {seat: self._gone.get(seat, year) for seat in gone if seat not in alive}

    @property
    def lacks_players(self) -> bool:
        """True if fewer players are present than the quorum."""
        return sum(row.present for row in self.view.seats) < self._quorum

    def is_out(self, seat: Seat) -> bool:
        """Return True if the power is eliminated."""
        return self.position is not None and seat not in sm.living(self.position)

    def ending(
        self, outcome: Outcome, lexicon: Lexicon, versions: Mapping[Seat, str], partial: bool
    ) -> list[ServerMessage]:
        """Return the messages of the end: a draw, unless one power has won alone, and the summary.

        If draws may leave powers out, the draw names its powers.
        """
        position = self.position
        if position is None:
            return []
        found: list[ServerMessage] = []
        if sm.solo(position) is None:
            sharing = [word for seat, word in lexicon.seats.items() if seat in sm.sharing(position, outcome)]
            found.append(["DRW", *group(sharing)] if partial else ["DRW"])
        rows = [
            (word, self.name(seat), versions.get(seat, ""), self._gone.get(seat))
            for seat, word in lexicon.seats.items()
        ]
        return [*found, sm.summary(position, rows)]


class Attendance:
    """The client's place in a match, as all parts of its conversation use it; the seat is set once it is taken."""

    def __init__(self, reception: Reception, gate: Gate, placement: Placement, asker: Requester) -> None:
        self.reception, self.placement, self.session = reception, placement, placement.session
        self.board, self.lexicon, self.codec = gate.board, gate.lexicon, gate.codec
        self.match, self.options = placement.match, placement.options
        self.asker = asker
        """The client as the sender of work in fair pools."""
        self.sit(None)

    def sit(self, seat: Seat | None) -> None:
        """Follow the match from a seat, or (None) as a spectator, from now on."""
        self.seat, self.talk = seat, TableTalk(seat, self.free_orders)

    def free_orders(self, phase: str) -> FreeOrdersOfTurn:
        """Return the orders of a turn that were accepted though they cannot be carried out."""
        return self.reception.free_orders.of(self.match, phase)

    @property
    def power(self) -> str:
        """The token of the client's power; empty for an observer."""
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
        """True if the client's seat is to act in the running turn."""
        return self.seat is not None and self.seat in self.talk.view.to_act

    def is_now(self, turn: Sequence[Token]) -> bool:
        """Return True if the named turn is the running one, or none was named."""
        position = self.talk.position
        return not turn or (position is not None and sm.phase_of_turn(*turn) == position.phase)

    def now(self) -> float:
        """Return the time in the match, to which deadlines compare."""
        return self.reception.hall.now(self.match)

    def seconds_left(self) -> int | None:
        """Return the seconds until the deadline, within the range of a token; None if there is no deadline."""
        left = self.talk.time_left(self.now())
        return None if left is None else max(0, min(8191, round(left)))

    def hosted(self) -> HostedMatch | None:
        """Return the match if intents can be submitted without waiting; None otherwise, see at_hand."""
        return self.reception.hall.at_hand(self.match)

    def turn_runs(self, hosted: HostedMatch) -> bool:
        """Return True if the turn that the client last received still runs.

        The end of a turn is stored before it is sent, so the match may be ahead.
        """
        return hosted.match.turn == self.talk.view.turn

    async def at_hand(self) -> None:
        """Wait until intents can be submitted."""
        await self.reception.hall.ready(self.match)
