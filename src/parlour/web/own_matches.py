"""The visitor's unfinished matches, and those of them that wait for the visitor's action."""

from __future__ import annotations

import math

from parlour.core.table_view import MatchStatus
from parlour.errors import Denied
from parlour.net.sessions import Session
from parlour.store import Filter, RecordHead, RecordKind
from parlour.web.listing import OwnMatch

OWN, ASKED = 200, 20
"""Maximum number of own matches on the first page, and of those that are checked if they wait."""


async def own_matches(session: Session) -> list[OwnMatch]:
    """Return the matches in which a session has a seat: first those that wait for it, then by due time."""
    if not session.who:
        return []
    mine = Filter(kind=RecordKind.MATCH, account=session.who.key, unfinished=True)
    heads = sorted((await session.page(mine, limit=OWN)).heads, key=lambda head: head.due or math.inf)
    found = [await _looked_at(session, head) for head in heads[:ASKED]]
    found += [OwnMatch(head, waits=False) for head in heads[ASKED:]]
    return sorted(found, key=lambda one: not one.waits)


async def _looked_at(session: Session, head: RecordHead) -> OwnMatch:
    """Return a match with the session's seats, and whether it waits for an action of theirs."""
    try:
        hosted = await session.hall.wake(head.id)
    except Denied:
        return OwnMatch(head, waits=False)
    state, seats = hosted.match.state, hosted.seats_of(session.who)
    owed = [seat for seat in seats if seat in state.to_act and not state.places[seat].acted]
    return OwnMatch(head, state.status is MatchStatus.RUNNING and bool(owed), tuple(seats))
