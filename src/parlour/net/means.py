"""Resources that a hall shares with its matches: store, clock, quotas, thinking places, callbacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from parlour.agents.house_specs import ReadSpec
from parlour.core.events import Event
from parlour.net.heartbeat import Heartbeat
from parlour.net.quotas import Quotas
from parlour.net.thinking_places import ThinkingPlaces
from parlour.net.thought_lane import Aside
from parlour.referee.live import Spawn
from parlour.store import Store

if TYPE_CHECKING:
    from parlour.net.hosted import HostedMatch


Happening: TypeAlias = "Callable[[HostedMatch, Sequence[Event]], None]"
"""Called with a match and events in it that have been stored and sent."""


class Means(NamedTuple):
    """Resources that a hall shares with its matches."""

    store: Store
    now: Callable[[], float]
    heartbeat: Heartbeat
    """Measures downtime."""
    spawn: Spawn
    places: ThinkingPlaces
    """Places for house agents that think."""
    aside: Aside
    """Runs the calls of house agents off the loop."""
    read_spec: ReadSpec
    """Parses the spec of a house agent; see agents.house_specs."""
    is_held: Callable[[str], bool]
    """Returns True for a match that stays asleep; see the crash guard."""
    snapshot_every: int
    happened: Callable[[HostedMatch], None]
    """Called after events of a match have been stored and sent."""
    returned: Callable[[HostedMatch], None]
    """Called after events of a match in which a player has asked for a seat back."""
    quotas: Quotas
    """The quotas on stored bytes."""
    counts: Counter[str]
    """Counters since the start, for operators."""
    failed: Callable[[HostedMatch], None]
    """Called when events could not be stored: the match is ahead of its record and must be dropped."""
    started: Sequence[Callable[[str], None]]
    """Called with the id of each match that starts."""

    happenings: Sequence[Happening] = ()

    def ahead(self, seconds: float) -> Means:
        """Return the same resources for a match whose time is ahead by some seconds."""
        return self._replace(now=lambda: self.now() + seconds) if seconds else self
