"""Reads an awake match for a viewer: its present state, and its events by page or as a whole."""

from __future__ import annotations

import math

from parlour.core.viewers import Viewer
from parlour.net.denials import begin_anew
from parlour.net.hosted import HostedMatch
from parlour.net.record_pages import RecordPages, SeenEvent
from parlour.net.veils import veiled
from parlour.net.views import MatchView, view_of
from parlour.referee.history import Past
from parlour.store import Store, read_events


async def standing_of(hosted: HostedMatch, store: Store, viewer: Viewer) -> MatchView:
    """Return the match as it stands, as the viewer may see it; for spectators of a delayed match as it stood."""
    await hosted.compensate_downtime()  # or its deadline would seem to have passed just after the clock was set forward
    await hosted.table.settled()  # what is not durable has not happened
    if hosted.delays(viewer):
        async with hosted.looking_back:
            state = await store.fetch(hosted.behind.at, store, shown_until(hosted, viewer))
            return view_of(veiled(hosted.head), state, viewer, state.visible(viewer), hosted.now())
    return view_of(hosted.head, hosted.match.state, viewer, hosted.table.seen(viewer), hosted.now())


async def page_of(hosted: HostedMatch, pages: RecordPages, viewer: Viewer, since: int, limit: int) -> list[SeenEvent]:
    """Return the viewer's events from number since of its view on: at most limit, and fewer if they are large.

    Denied if the view has not come so far: then since is of another record, or of another view.
    """
    # A page may hold what is durable and not yet told, so that its reader is ahead of those who are told.
    if since > (there := hosted.match.state.visible(viewer)):
        raise begin_anew(since, there)
    if since >= hosted.table.seen(viewer):
        return []
    until = shown_until(hosted, viewer)
    return await pages.page(hosted.name, hosted.match.game, viewer, since, limit=limit, until=until)


async def past_of(hosted: HostedMatch, store: Store, viewer: Viewer | None) -> Past:
    """Return all past events, or those that the viewer may see by now."""
    events = await store.fetch(read_events, store, hosted.name)
    if viewer is not None and hosted.delays(viewer):
        until = shown_until(hosted, viewer)
        events = [event for event in events if event.at <= until]
    return Past(hosted.match.game, events)


def shown_until(hosted: HostedMatch, viewer: Viewer) -> float:
    """Return the time until which the viewer may see what happened."""
    return hosted.now() - hosted.about.delay if hosted.delays(viewer) else math.inf
