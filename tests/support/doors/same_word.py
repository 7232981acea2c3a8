"""The law of all doors: given the same order of events, an agent orders and says the same wherever it sits.

A `Logged` player notes how it was called. `played_alone` calls a fresh agent in that order, with nothing in between,
and gives what it orders and says. That must be what the record of the match has, whichever door the agent came by.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from parlour.core import events as ev
from parlour.core.events import Event
from parlour.core.game import Action, Seat, View
from parlour.core.intents import PlayerType
from parlour.core.player import LATER, ObservedEvent, Player, SeatHandle


@dataclass
class Conduct:
    """The acts of a seat by turn: its last action, and its messages with their recipients, in order."""

    actions: dict[int, Any] = field(default_factory=dict)
    said: dict[int, list[tuple[tuple[str, ...], str]]] = field(default_factory=lambda: defaultdict(list))


class Logged:
    """An agent, and how it was called."""

    def __init__(self, agent: Player) -> None:
        self._agent = agent
        self.player_type = getattr(agent, "player_type", PlayerType.NO_PRESS_BOT)
        self.calls: list[tuple[str, Any]] = []
        self.seat = Seat("")

    def act(self, view: View) -> Action:
        return self._note("act", view)

    def on_seated(self, handle: SeatHandle) -> None:
        self.seat = handle.seat
        self._note("on_seated", handle)

    def on_start(self, view: View) -> None:
        self._note("on_start", view)

    def on_resume(self, past: Sequence[ObservedEvent]) -> None:
        self._note("on_resume", past)

    def on_event(self, observed: ObservedEvent) -> None:
        self._note("on_event", observed)

    def on_refused(self, refusal: Any) -> None:
        self._note("on_refused", refusal)

    def on_end(self, outcome: Any) -> None:
        self._note("on_end", outcome)

    def _note(self, method: str, argument: Any) -> Any:
        self.calls.append((method, argument))
        found = getattr(self._agent, method, None)
        return None if found is None else found(argument)


class _Handle:
    """A place at no table: what is wanted counts at once."""

    def __init__(self, seat: Seat, conduct: Conduct) -> None:
        self.seat, self.turn, self._conduct = seat, 0, conduct

    def act(self, action: Action) -> None:
        self._conduct.actions[self.turn] = action

    def say(self, text: str, to: Sequence[Seat] = ()) -> None:
        self._conduct.said[self.turn].append((tuple(to), text))

    def __getattr__(self, name: str) -> Any:
        return lambda *_: None


def played_alone(agent: Player, logged: Logged) -> Conduct:
    """Return the acts of a fresh agent that is called in the same order."""
    conduct = Conduct()
    handle = _Handle(logged.seat, conduct)
    for method, argument in logged.calls:
        if isinstance(argument, View):
            handle.turn = argument.turn
        elif isinstance(argument, ObservedEvent) and isinstance(argument.event, ev.TurnBegan):
            handle.turn = argument.event.turn
        found = getattr(agent, method, None)
        answer = None if found is None else found(handle if method == "on_seated" else argument)
        if method == "act" and answer is not LATER:
            conduct.actions[argument.turn] = answer
    return conduct


def recorded(record: Iterable[Event], seat: Seat) -> Conduct:
    """Return the acts of a seat in a record."""
    conduct = Conduct()
    for event in record:
        match event:
            case ev.TurnEnded(turn=turn, actions=actions) if seat in actions:
                conduct.actions[turn] = actions[seat]
            case ev.Said(seat=sender, to=to, text=text, turn=turn) if sender == seat:
                conduct.said[turn].append((tuple(to), text))
    return conduct


def differences(alone: Conduct, record: Conduct) -> list[str]:
    """Where the two differ, in words; a turn that did not end is left out."""
    found = []
    for turn, action in record.actions.items():
        if sorted(map(str, alone.actions.get(turn, ()))) != sorted(map(str, action)):
            found.append(f"turn {turn}: wanted {alone.actions.get(turn)}, the record has {action}")
        if alone.said[turn] != record.said[turn]:
            found.append(f"turn {turn}: said {alone.said[turn]}, the record has {record.said[turn]}")
    return found
