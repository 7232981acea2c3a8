"""What a DAIDE client's match has come to, in step with what its seat is told, and what is said at its end."""

from __future__ import annotations

from collections.abc import Mapping

from parlour.core import events as ev
from parlour.core.game import Plain, Seat
from parlour.core.player import Told
from parlour.core.terms import PressMode, Vacancy
from parlour.games.diplomacy.position import Position
from parlour.net.daide import sayings
from parlour.net.daide.sayings import Saying, group
from parlour.press.tokens import Lexicon
from parlour.press.values import Unit


class TableTalk:
    """Takes in what is told, one event after the other."""

    def __init__(self, seat: Seat | None) -> None:
        self.position: Position | None = None
        self.k = 0
        """The number of the next event of this view."""
        self.turn = 0
        self.to_act: tuple[Seat, ...] = ()
        self.deadline: float | None = None
        self.paused: float | None = None
        """Since when the clocks stand still; None if they run."""
        self.wait = False
        self.over = False
        self.window = False
        """Whether a press window is still to open in this turn."""
        self.own: Plain = None
        """The action that the own seat has given in this turn."""
        self.away: set[Seat] = set()
        """Seats whose player has left."""
        self.names: dict[Seat, str] = {}
        self.doomed: tuple[Unit, ...] = ()
        """Dislodged units that can go nowhere, while others retreat."""
        self.last_orders: list[Saying] = []
        """ORD of the last movement and of the retreats and builds after it."""
        self._seat = seat
        self.waits_at_first = False
        """Whether the match may stand still in its first turn, until enough have come."""
        self._quorum = 0
        self._flags_up = False
        self._renews = False
        """Whether a seat that changes hands has its flag as when a turn begins."""
        self._windows: tuple[str, ...] = ()
        """Stages in which press has a window."""
        self._gone: dict[Seat, int] = {}

    def take(self, told: Told) -> None:
        """Take in an event."""
        event = told.event
        self.k = told.k + 1
        if isinstance(told.position, Position):
            self.position = told.position
        match event:
            case ev.Acted() if event.seat == self._seat:
                self.own = event.action
            case ev.Retracted() if event.seat == self._seat:
                self.own = None
            case ev.WaitSet() if event.seat == self._seat:
                self.wait = event.wait
            case ev.TurnBegan():
                self.turn, self.to_act, self.wait, self.own = event.turn, event.to_act, self._flags_up, None
                self.deadline = self._own(event.deadlines)
                self.window = event.stage in self._windows
            case ev.TurnEnded():
                self._turn_ended()
            case ev.PositionSet():
                self.doomed = ()
            case ev.Joined():
                self.names[event.seat] = event.name
                self.away.discard(event.seat)
                if event.seat == self._seat and self._renews:
                    self.wait = self._flags_up
            case ev.Left():
                self.away.add(event.seat)
            case ev.Opened():
                press, self._flags_up = event.terms.press, event.terms.wait_flags_up
                self._renews = event.terms.vacancy is Vacancy.AWAITED
                self._windows = press.stages if press.mode is PressMode.WINDOW else ()
                self.waits_at_first, self._quorum = event.terms.quorum is not None, event.terms.quorum or 0
            case ev.Ended():
                self.over, self.to_act, self.deadline, self.window = True, (), None, False
            case ev.PressOpened() | ev.PressClosed():
                self.window = False
            case _:
                self._take_time(event)

    def _take_time(self, event: ev.Event) -> None:
        """The clocks stand still, run again, or are moved."""
        match event:
            case ev.Paused():
                self.paused = event.at if self.paused is None else self.paused
            case ev.Resumed():
                self._move(event.at - (self.paused or event.at))
                self.paused = None
                if event.deadlines:
                    self.deadline = self._own(event.deadlines)
            case ev.Extended() | ev.Stalled():
                if self.paused is None:
                    self._move(event.seconds)

    def _own(self, deadlines: Mapping[str, float]) -> float | None:
        """When the own time is up; for who has nothing to do, when everybody's is."""
        own = None if self._seat is None else deadlines.get(self._seat)
        return own if own is not None else max(deadlines.values(), default=None)

    def _move(self, seconds: float) -> None:
        if self.deadline is not None:
            self.deadline += seconds

    def time_left(self, now: float) -> float | None:
        """Seconds until the deadline; None if there is none."""
        return None if self.deadline is None else self.deadline - (now if self.paused is None else self.paused)

    def _turn_ended(self) -> None:
        self.to_act, self.deadline, self.window = (), None, False
        position = self.position
        if position is None or position.turn is None:
            return
        if position.turn.before.stage == "orders":
            self.last_orders = []
        self.last_orders += sayings.reports(position.turn, self.doomed)
        self.doomed = sayings.doomed_by(position.turn)
        alive = sayings.living(position)
        for seat in map(Seat, position.centers) if len(alive) < len(position.board.powers) else ():
            if seat not in self._gone and seat not in alive:
                self._gone[seat] = position.turn.before.year

    @property
    def lacks_players(self) -> bool:
        """Whether fewer have come than the match waits for."""
        return len(self.names.keys() - self.away) < self._quorum

    def is_out(self, seat: Seat) -> bool:
        """Whether the power is eliminated."""
        return self.position is not None and seat not in sayings.living(self.position)

    def ending(self, event: ev.Ended, lexicon: Lexicon, versions: Mapping[Seat, str], partial: bool) -> list[Saying]:
        """What is said at the end: a draw, unless somebody has won alone, and the summary.

        Where draws may leave somebody out, it is said whose it is.
        """
        position = self.position
        if position is None:
            return []
        found: list[Saying] = []
        if sayings.solo(position) is None:
            sharing = [word for seat, word in lexicon.seats.items() if seat in sayings.sharing(position, event.outcome)]
            found.append(["DRW", *group(sharing)] if partial else ["DRW"])
        rows = [
            (word, self.names.get(seat, ""), versions.get(seat, ""), self._gone.get(seat))
            for seat, word in lexicon.seats.items()
        ]
        return [*found, sayings.summary(position, rows)]
