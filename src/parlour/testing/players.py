"""A player for tests that follows a script and stores everything it receives."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from parlour.agents.chance import RandomPlayer
from parlour.core.events import Event
from parlour.core.game import Action, Outcome, Position, View
from parlour.core.player import ObservedEvent, SeatHandle
from parlour.core.table_view import TableView


def observed(event: Event, position: Position | None = None, *, number: int = 0) -> ObservedEvent:
    """Return an event as a player receives it; the table after it has only the position.

    Args:
        event: The event.
        position: Position after the event.
        number: Number of the event.
    """
    view = TableView(position=position)
    return ObservedEvent(number, number, event, lambda: view)


class ScriptedPlayer:
    """A player that answers with the given actions in order, and stores everything it receives.

    An answer that is an exception is raised; an answer that is a function is called with the view. After the end of
    the script the player plays at random.

    Args:
        answers: Actions, exceptions or functions of the view.
        seed: Seed of the choices after the script.
    """

    def __init__(self, answers: Iterable[Any] = (), seed: int = 0) -> None:
        self._answers = iter(answers)
        self._random = RandomPlayer(seed)
        self.handle: SeatHandle | None = None
        self.views: list[View] = []
        self.events: list[Event] = []
        self.refusals: list[Any] = []
        self.outcome: Outcome | None = None

    def on_seated(self, handle: SeatHandle) -> None:
        """Keep the seat handle."""
        self.handle = handle

    def act(self, view: View) -> Action:
        """Return the next answer of the script.

        Args:
            view: The match as the seat sees it.
        """
        self.views.append(view)
        try:
            answer: Any = next(self._answers)
        except StopIteration:
            return self._random.act(view)
        if isinstance(answer, BaseException):
            raise answer
        if isinstance(answer, Callable):  # type: ignore[arg-type]
            return answer(view)
        return answer

    def on_event(self, observed: ObservedEvent) -> None:
        """Store the event.

        Args:
            observed: The event, with the table after it.
        """
        self.events.append(observed.event)

    def on_refused(self, refusal: Any) -> None:
        """Store the reason of a refusal.

        Args:
            refusal: The reason of the refusal.
        """
        self.refusals.append(refusal)

    def on_end(self, outcome: Outcome) -> None:
        """Store the outcome."""
        self.outcome = outcome
