"""The spectators of a tournament: they receive every event, and are dropped at their first failure."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

from parlour.core.events import Event
from parlour.tournament.knock_out.events import TournamentEvent

_log = logging.getLogger(__name__)


class Spectator(Protocol):
    """A spectator of a tournament; its methods must not wait."""

    def told(self, event: TournamentEvent) -> Any:
        """Receive an event of the tournament."""


@runtime_checkable
class MatchSpectator(Spectator, Protocol):
    """A spectator of a tournament and of its matches."""

    def told_of_match(self, match: str, event: Event) -> Any:
        """Receive an event of one of its matches."""


_Kind = TypeVar("_Kind", bound=Spectator)


class Audience:
    """All spectators; one that raises is dropped, and the others are not affected."""

    def __init__(self, spectators: Sequence[Spectator] = ()) -> None:
        self._spectators = list(spectators)
        self._of_matches = [spectator for spectator in spectators if isinstance(spectator, MatchSpectator)]

    def __bool__(self) -> bool:
        """Return True if anybody watches."""
        return bool(self._spectators)

    @property
    def of_matches(self) -> bool:
        """True if a spectator watches the matches, too."""
        return bool(self._of_matches)

    def dismiss(self, spectator: Spectator) -> None:
        """Remove a spectator."""
        if spectator in self._spectators:
            self._spectators.remove(spectator)
            self._of_matches = [other for other in self._of_matches if other is not spectator]

    def told(self, event: TournamentEvent) -> None:
        """Send all spectators an event of the tournament."""
        self._tell(self._spectators, lambda spectator: spectator.told(event))

    def told_of_match(self, match: str, event: Event) -> None:
        """Send spectators of matches an event of one."""
        self._tell(self._of_matches, lambda spectator: spectator.told_of_match(match, event))

    def _tell(self, spectators: Sequence[_Kind], tell: Callable[[_Kind], Any]) -> None:
        for spectator in tuple(spectators):
            try:
                tell(spectator)
            except Exception as error:  # a stranger's code: its errors must not spread
                _log.warning("a spectator failed and is dropped: %r", error)
                self.dismiss(spectator)
