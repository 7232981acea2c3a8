"""The unfinished matches of whoever looks, and which of them wait for an action of theirs."""

from __future__ import annotations

import math

from parlour.core.table_view import MatchStatus
from parlour.errors import Denied
from parlour.net.sessions import Session
from parlour.store import Filter, RecordKind
from parlour.web.listing import OwnMatch

OWN, ASKED = 200, 20
"""Matches on the first page, and how many of them are looked at for whether they wait."""


async def own_matches(session: Session) -> list[OwnMatch]:
    """Return the matches in which a session sits: those that wait for it first, then by due time."""
    if not session.who:
        return []
    mine = Filter(kind=RecordKind.MATCH, account=session.who.key, unfinished=True)
    heads = sorted((await session.page(mine, limit=OWN)).heads, key=lambda head: head.due or math.inf)
    waits = [await _waits(session, head.id) for head in heads[:ASKED]]
    found = [OwnMatch(head, at < ASKED and waits[at]) for at, head in enumerate(heads)]
    return sorted(found, key=lambda one: not one.waits)


async def _waits(session: Session, match: str) -> bool:
    """Return True if a match waits for an action of this session."""
    try:
        hosted = await session.hall.wake(match)
    except Denied:
        return False
    state = hosted.match.state
    own = [state.places[seat] for seat in hosted.seats_of(session.who) if seat in state.to_act]
    return state.status is MatchStatus.RUNNING and any(not place.acted for place in own)
