"""Choices of players about their seats: agreement to a playing moderator, replacements, and stand-ins."""

from __future__ import annotations

from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.errors import ConfigError
from parlour.net.accounts.principals import owner_of
from parlour.net.hosted import HostedMatch
from parlour.net.match_roles import MatchRole
from parlour.net.permission_errors import bad_value, not_allowed
from parlour.net.sessions import Session
from parlour.referee.table import Answer
from parlour.store import Permission


async def agree(session: Session, match: str, agrees: bool) -> Answer:
    """Agree that another player moderates the match, or withdraw the agreement; announce it to all."""
    words = "agrees that a player moderates" if agrees else "no longer agrees that a player moderates"
    return await _declare(session, match, "agree to that", MatchRole.AGREES if agrees else None, words)


async def seek_replacement(session: Session, match: str, seeks: bool) -> Answer:
    """Offer the seat to any player who takes it over, or withdraw the offer; announce it to all."""
    words = "seeks somebody who takes over the seat" if seeks else "keeps the seat after all"
    return await _declare(session, match, "seek a replacement", MatchRole.SEEKS if seeks else None, words)


async def _declare(session: Session, match: str, wanted: str, role: MatchRole | None, words: str) -> Answer:
    hosted = await session.hall.wake(match)
    if not session.rights_in(hosted).seats:
        raise not_allowed("whoever has a seat", wanted)
    await _cast(session, hosted, role)
    (answer,) = await session.hall.submit(match, it.Announce(_shown(session, hosted), words))
    return answer


async def stand_in(session: Session, match: str, seat: Seat, spec: str) -> Answer:
    """Leave a seat to a house agent until this session's account returns, which it may at any time."""
    hosted = await session.hall.wake(match)
    if seat not in session.rights_in(hosted).seats:
        raise not_allowed(f"whoever sits on {seat}", "let an agent play there")
    try:  # a player must not lose the seat to an agent that does not exist
        hosted.agents.read(spec)
    except ConfigError as error:
        raise bad_value(str(error)) from None
    (left,) = await session.hall.submit(match, it.Leave(seat))
    return left if left.refusal is not None else await session.hall.seat_agent(match, seat, spec, session.who)


async def _cast(session: Session, hosted: HostedMatch, role: MatchRole | None) -> None:
    """Give the session's account a role in a match in which it plays; None for no particular one."""
    usual = MatchRole.PLAYS if owner_of(hosted.head) == session.who else ""
    await session.hall.permit(hosted, Permission(hosted.name, session.who.key, usual if role is None else role))


def _shown(session: Session, hosted: HostedMatch) -> str:
    """Return the name for a player's announcement: the seat's name in an anonymous match."""
    own = hosted.seats_of(session.who) if hosted.about.admission.anonymous else ()
    return str(own[0]).title() if own else session.name
