"""Tables for tests of negotiating players: whole matches among them, and one alone among seats that a test plays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from msgspec import UNSET, UnsetType

from parlour.agents import make_agent
from parlour.agents.press.base import PressAgent
from parlour.core import events as ev
from parlour.core.game import Action, Seat, View
from parlour.core.intents import Ballot, CommStatus, Consultation, Refusal
from parlour.core.terms import PressMode, PressTerms, SealTerms, Terms
from parlour.games.diplomacy.game import Diplomacy
from parlour.games.diplomacy.position import Position
from parlour.referee.conduct import PRESETS
from parlour.referee.local import play
from parlour.referee.match import Match
from parlour.testing import observed
from support.press.stories import SEATS

GAME = Diplomacy()
BUDGET = 40
"""Rollouts a decision where it matters only what is said and kept."""


def played(
    names: tuple[str, ...],
    *,
    mode: PressMode = PressMode.WINDOW,
    last_year: int = 1902,
    level: int = 60,
    seed: int = 1,
    seals: SealTerms | UnsetType = UNSET,
) -> list[ev.Event]:
    config = {"last_year": last_year}
    terms = Terms(conduct=PRESETS["diplomacy"], press=PressTerms(mode=mode, level=level), seals=seals)
    seats = GAME.seats(config)
    players = {
        seat: make_agent("diplomacy", f"{names[number % len(names)]}:budget={BUDGET}", seed + number)
        for number, seat in enumerate(seats)
    }
    events: list[ev.Event] = []
    play(Match(GAME, config, terms, seed), players, keep=events.extend)
    return events


class SeatHandle:
    """A handle that writes down what the player does in it."""

    def __init__(self, seat: Seat) -> None:
        self.seat = seat
        self.said: list[tuple[str, tuple[Seat, ...]]] = []
        self.acted: list[Action] = []
        self.waits: list[bool] = []

    def say(self, text: str, to: Sequence[Seat] = ()) -> None:
        self.said.append((text, tuple(to)))

    def set_comm_status(self, status: CommStatus) -> None:
        pass

    def set_wait(self, wait: bool) -> None:
        self.waits.append(wait)

    def vote(self, ballot: Ballot) -> None:
        pass

    def act(self, action: Action) -> None:
        self.acted.append(action)

    def note(self, text: str) -> None: ...

    def seal(
        self,
        action: Action = None,
        stances: Mapping[str, str] = MappingProxyType({}),
        text: str = "",
        expects: Mapping[Seat, Action] = MappingProxyType({}),
    ) -> None: ...

    def reserve(self, tokens: int, usd: float = 0.0) -> int | Refusal:
        return 0

    def consult(self, consultation: Consultation, call: int | None = None) -> Refusal | None:
        return None


class Alone:
    """A player at a table whose other seats are played by the test."""

    def __init__(self, name: str, seat: Seat, position: Position) -> None:
        self.position, self.turn = position, 0
        self.handle, self.player = SeatHandle(seat), make_agent("diplomacy", name, 1)
        assert isinstance(self.player, PressAgent)
        terms = Terms(conduct=PRESETS["diplomacy"], press=PressTerms(mode=PressMode.WINDOW))
        self.tell(ev.Opened(at=0.0, game="diplomacy", config={}, terms=terms, seed=1))
        self.player.on_seated(self.handle)
        self.tell(ev.Started(at=0.0, seats=tuple(SEATS.values()), position=position.encode()))

    def tell(self, event: ev.Event) -> None:
        assert isinstance(self.player, PressAgent)
        self.player.on_event(observed(event))

    def begin(self) -> Action:
        """Return a movement phase up to the talk; the player's provisional orders."""
        self.turn += 1
        self.tell(ev.TurnBegan(at=0.0, turn=self.turn, stage="orders", to_act=self.position.to_act()))
        orders = self.player.act(View(self.handle.seat, self.position, self.turn))
        self.tell(ev.PressOpened(at=0.0, turn=self.turn, until=60.0))
        return orders

    def hear(self, sender: str, text: str) -> list[str]:
        """Return the player's answers to a message; the table confirms all of them."""
        before = len(self.handle.said)
        self.tell(ev.Said(at=1.0, seat=SEATS[sender], to=(self.handle.seat,), text=text, turn=self.turn))
        answers = self.handle.said[before:]
        self.confirm(before)
        return [answer for answer, _ in answers]

    def confirm(self, since: int) -> None:
        """The table delivers what the player has said since then."""
        for text, to in self.handle.said[since:]:
            self.tell(ev.Said(at=2.0, seat=self.handle.seat, to=to, text=text, turn=self.turn))

    def end(self, orders: dict[str, list[str]]) -> None:
        """The turn ends with these orders."""
        actions = {str(seat): self.position.default(seat) for seat in self.position.to_act()}
        actions |= {str(SEATS[power]): given for power, given in orders.items()}
        self.position, happened = self.position.apply({Seat(seat): action for seat, action in actions.items()})
        self.tell(ev.TurnEnded(at=3.0, turn=self.turn, actions=actions, happened=happened))
