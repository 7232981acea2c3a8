"""A whole match for a page: a record as its viewers may see it, from the first event to the last."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from parlour.core.events import Event, seen_by
from parlour.core.game import Game, Plain
from parlour.core.pictures import Sheet
from parlour.core.viewers import OMNISCIENT, Viewer
from parlour.errors import ConfigError
from parlour.referee.audit import audit
from parlour.referee.state import MatchState
from parlour.web.event_stream import Teller, Telling, table_changes, thinned


class Story(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything a page needs to show a match."""

    game: str
    sheet: Sheet
    past: list[Telling]
    title: str = ""
    seats: tuple[str, ...] = ()
    """The seats that the viewer plays."""
    role: str = "spectator"
    live: bool = False
    about: dict[str, Plain] = {}
    table: dict[str, Plain] = {}
    """The table after all events."""


def story_of(game: Game, events: Iterable[Event], viewer: Viewer = OMNISCIENT, title: str = "") -> Story:
    """Return a record as a page's data, as the viewer may see it. Each event is checked against the rules."""
    teller = Teller(game, viewer.seats)
    if teller.pictures is None:
        raise ConfigError(f"{game.name} has no pictures", field="game")
    state, told = MatchState(game), []
    for event in events:
        audit(state, event)
        seen = seen_by(event, viewer, game)
        if seen is not None:
            told.append(teller.tell(seen, state.view().seen(viewer.at(event.at))))
    if teller.view is None or teller.position is None:
        raise ConfigError("the match has not started: there is nothing to look at yet", field="record")
    sheet, table = teller.pictures.sheet(teller.position), table_changes(None, teller.view)
    return Story(game.name, sheet, thinned(told), title, viewer.seats, str(viewer), table=table)
