"""A hosted match for one viewer: its state, in one value that every door translates, and its past events."""

from __future__ import annotations

import math

import msgspec

from parlour.core.game import Outcome, Plain, Position, Seat
from parlour.core.intents import Ballot, CommStatus, PlayerType, Refusal, RefusalCode
from parlour.core.table_view import SeatRow
from parlour.core.terms import Terms
from parlour.core.viewers import Viewer
from parlour.net.hosted import HostedMatch
from parlour.net.match_roles import Rights
from parlour.net.permission_errors import begin_anew
from parlour.net.record_pages import RecordPages, SeenEvent
from parlour.net.veils import veiled
from parlour.referee.consequences import due
from parlour.referee.history import Past
from parlour.referee.state import MatchState
from parlour.referee.table import Answer
from parlour.store import RecordHead, Store, read_events


class SeatView(msgspec.Struct, frozen=True):
    """One seat as a viewer may see it."""

    name: str | None
    """Name of the player; None if the seat is empty."""
    player_type: PlayerType
    present: bool
    removed: bool
    to_act: bool
    """True if the seat is to act in this turn."""
    acted: bool
    """True if the seat has acted in this turn."""
    wait: bool
    comm_status: CommStatus
    deadline: float | None
    ballot: Ballot | None = None
    """The vote on a draw; None for viewers who may not see it."""
    own: Plain = None
    """The submitted action of this turn; None for viewers who may not see it."""


class MatchView(msgspec.Struct, frozen=True):
    """The state of a match as one viewer may see it."""

    head: RecordHead
    config: dict[str, Plain]
    terms: Terms
    status: str
    turn: int
    stage: str
    seats: dict[Seat, SeatView]
    position: Position | None
    """None before the start."""
    due: float | None
    """Time of the next automatic event; None without one, and for a match on virtual time."""
    now: float
    """The time in the match, to which deadlines compare."""
    in_favour: int
    """Number of seats that vote for a draw. Which seats is secret."""
    outcome: Outcome | None
    k: int
    """The number of the next event of this view."""


def view_of(head: RecordHead, state: MatchState, viewer: Viewer, k: int, now: float) -> MatchView:
    """Return the state of a match as that viewer may see it, with its head."""
    table = state.view().seen(viewer)
    return MatchView(
        head=head,
        config=state.opened.config,
        terms=state.terms,
        status=table.status.value,
        turn=table.turn,
        stage=table.stage,
        seats={row.seat: _seat_view(row, state, viewer) for row in table.seats},
        position=table.position,
        due=None if state.opened.date is None else due(state),
        now=now,
        in_favour=table.in_favour,
        outcome=table.outcome,
        k=k,
    )


def _seat_view(row: SeatRow, state: MatchState, viewer: Viewer) -> SeatView:
    place = state.places[row.seat]
    return SeatView(
        name=row.name if row.present else None,
        player_type=row.player_type,
        present=row.present,
        removed=row.removed,
        to_act=row.seat in state.view().to_act,
        acted=row.acted,
        wait=row.wait,
        comm_status=row.comm_status,
        deadline=row.deadline,
        ballot=row.ballot if viewer.owns(row.seat) else None,
        own=place.action if place.acted and viewer.at(place.acted_at).owns(row.seat) else None,
    )


async def has_settled(hosted: HostedMatch) -> bool:
    """Wait until all events of a match are durable: no others may be shown.

    Return False if the match was given up because some could not be stored, or was put to sleep: read it again.
    """
    await hosted.compensate_downtime()  # first, so that no deadline seems to have passed
    await hosted.table.settled()
    return not hosted.closed


async def standing_of(hosted: HostedMatch, store: Store, viewer: Viewer) -> MatchView:
    """Return the state of a settled match as the viewer may see it.

    Spectators of a delayed match see an earlier one.
    """
    if hosted.delays(viewer):
        async with hosted.behind.lock:
            state = await store.fetch(hosted.behind.at, store, shown_until(hosted, viewer))
            return view_of(veiled(hosted.head), state, viewer, state.visible(viewer), hosted.now())
    return view_of(hosted.head, hosted.match.state, viewer, hosted.table.seen(viewer), hosted.now())


async def page_of(
    hosted: HostedMatch, store: Store, pages: RecordPages, viewer: Viewer, since: int, limit: int
) -> list[SeenEvent]:
    """Return the viewer's events from number `since` of its view: at most `limit`, and fewer if they are large.

    Raise Denied if the view has fewer events: then `since` belongs to another record or another view.
    """
    # A page may contain durable events that are not sent yet, so its reader may be ahead of watchers.
    there = hosted.match.state.visible(viewer)
    if hosted.delays(viewer):  # the number of hidden events is not revealed
        async with hosted.behind.lock:
            there = (await store.fetch(hosted.behind.at, store, shown_until(hosted, viewer))).visible(viewer)
    if since > there:
        raise begin_anew(since, there)
    if since >= hosted.table.seen(viewer):
        return []
    until, owner = shown_until(hosted, viewer), hosted.head.owner
    return await pages.page(hosted.name, hosted.match.game, viewer, since, limit=limit, until=until, owner=owner)


async def past_of(hosted: HostedMatch, store: Store, viewer: Viewer | None) -> Past:
    """Return all past events, or those that the viewer may see by now."""
    events = await store.fetch(read_events, store, hosted.name)
    if viewer is not None and hosted.delays(viewer):
        until = shown_until(hosted, viewer)
        events = [event for event in events if event.at <= until]
    return Past(hosted.match.game, events)


def shown_until(hosted: HostedMatch, viewer: Viewer) -> float:
    """Return the time up to which the viewer may see events."""
    return hosted.now() - hosted.about.delay if hosted.delays(viewer) else math.inf


def is_over_for(hosted: HostedMatch, viewer: Viewer) -> bool:
    """Return True if the match is over and that viewer may know it."""
    return hosted.match.over and hosted.match.state.now <= shown_until(hosted, viewer)


def is_shown_later(hosted: HostedMatch, rights: Rights) -> bool:
    """Return True if a session with these rights sees events later than the players."""
    return bool(hosted.about.delay) and not (rights.seats or rights.moderator or rights.omniscient)


def unspoilt(hosted: HostedMatch, rights: Rights, answer: Answer) -> Answer:
    """Return the answer to a request for a seat; for a delayed viewer a refusal hides its reason."""
    if answer.refusal is None or not is_shown_later(hosted, rights):
        return answer
    refusal = Refusal(RefusalCode.SEAT_TAKEN, "no seat can be taken, or not that one")
    return msgspec.structs.replace(answer, refusal=refusal)
