"""The API's operations on matches: find, open, look at, take part in, moderate."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import AsyncIterator, Hashable, Sequence
from functools import partial
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec
from starlette.responses import Response, StreamingResponse

from parlour.core import events as ev
from parlour.core.declaration import fetch
from parlour.core.events import Event, seen_by
from parlour.core.game import Game, Plain, Position, Seat, phase_of
from parlour.core.intents import Intent
from parlour.core.pictures import Pictures, pictures_of
from parlour.core.player import ObservedEvent
from parlour.core.viewers import MODERATOR, OMNISCIENT, SPECTATOR, Viewer, seated_on
from parlour.errors import ParlourError
from parlour.games import load_game
from parlour.net.fair_pool import Requester
from parlour.net.framing.json_stream import encoded_in_parts
from parlour.net.game_doors import saving_of
from parlour.net.http.forms import (
    MAX_PAGE,
    AgentSpec,
    EventList,
    Happenings,
    Looking,
    MatchList,
    MatchName,
    NewMatch,
    Phase,
    PhaseList,
    RoleIn,
    SeatOrders,
    SeatTaken,
    StandingMatch,
    Taking,
    WantedEvents,
    WantedMatches,
    listed,
    numbered,
    standing,
)
from parlour.net.http.operations import ApiCall, Nothing, Operations
from parlour.net.http.problems import Answered, refused
from parlour.net.match_roles import SEES_ALL, MatchRole
from parlour.net.permission_errors import bad_value
from parlour.net.record_pages import SeenEvent
from parlour.net.sessions import Session
from parlour.referee.record import record_lines
from parlour.referee.table import Answer
from parlour.store import Filter, RecordKind

MATCHES = Operations()

_encoder = msgspec.json.Encoder()
_log = logging.getLogger("parlour.http")
GAZES = {"spectator": SPECTATOR, "omniscient": OMNISCIENT, "moderator": MODERATOR}
"""Roles in which a caller may ask to look."""


# Finding and opening


@MATCHES.add("GET", "/matches", query=WantedMatches, answer=MatchList)
async def list_matches(call: ApiCall[Nothing, WantedMatches]) -> MatchList:
    """List matches, page by page."""
    query = call.query
    wanted = Filter(
        kind=RecordKind.MATCH,
        game=query.game,
        status=query.statuses(),
        owner=query.owner,
        player=query.player,
        account=query.account,
        unfinished=query.unfinished,
    )
    page = await call.session.page(wanted, limit=query.limit, after=query.after, newest_first=not query.oldest_first)
    return MatchList([listed(head) for head in page.heads], page.more)


@MATCHES.add(
    "POST", "/matches", body=NewMatch, answer=MatchName, status=HTTPStatus.CREATED, signed_in=True, problems=(409,)
)
async def open_match(call: ApiCall[NewMatch, Nothing]) -> MatchName:
    """Open a match and become its owner, who may moderate it."""
    name = await call.session.open(call.body.setup(call.session.hall.usual), password=call.body.password)
    return MatchName(name)


# Reading


@MATCHES.add("GET", "/matches/{match}", query=Looking, answer=StandingMatch)
async def look_at_match(call: ApiCall[Nothing, Looking]) -> StandingMatch:
    """Return the state of a match, as far as you may see it."""
    view = await call.session.view(call.match, viewer_named(call.query.wanted))
    return standing(view, await call.session.rights(call.match), phase_of(view.position))


@MATCHES.add("GET", "/matches/{match}/events", query=WantedEvents, answer=EventList, problems=(409,))
async def list_events(call: ApiCall[Nothing, WantedEvents]) -> EventList:
    """List the events that you may see from a number on; with `wait`, wait until there is one.

    There may be fewer than `limit`, if they are large: continue from `next`. If the number is beyond the last event,
    the record or your view has changed, as after a restored backup: begin again from 0.
    """
    query = call.query
    wanted = viewer_named(query.wanted)
    if query.wait:
        found = await _awaited(call.session, call.match, query, wanted)
    else:
        found = await call.session.page_of_events(call.match, since=query.since, limit=query.limit, wanted=wanted)
    shown = [numbered(told) for told in found]
    return EventList(shown, shown[-1].k + 1 if shown else query.since)


@MATCHES.add("GET", "/matches/{match}/phases", query=Looking, answer=PhaseList)
async def list_phases(call: ApiCall[Nothing, Looking]) -> Response:
    """List every turn: its first position, the actions, and their results."""
    found = await call.session.go_through(call.match, call.asker, _phases, wanted=viewer_named(call.query.wanted))
    return Response(found, media_type="application/json")


@MATCHES.add("GET", "/matches/{match}/orders", query=Looking, answer=SeatOrders, problems=(409,))
async def list_orders(call: ApiCall[Nothing, Looking]) -> Response:
    """List the legal choices of the seats to act: of your own seats, or of all if you look without a seat."""
    wanted = viewer_named(call.query.wanted)
    viewer = await call.session.viewer(call.match, wanted)
    position = (await call.session.view(call.match, wanted)).position
    if position is None:
        raise Answered(HTTPStatus.CONFLICT, "not started", "the match has not started")
    seats = tuple(seat for seat in position.to_act() if not viewer.seats or seat in viewer.seats)
    key = "orders", position, seats
    found = await call.service.hall.answers.get(call.asker, key, partial(_orders, position, seats))
    return Response(found, media_type="application/json")


@MATCHES.add("GET", "/matches/{match}/record", query=Looking, answer="application/jsonl")
async def fetch_record(call: ApiCall[Nothing, Looking]) -> Response:
    """Download the record, as far as you may see it: a line with its format, then one event per line.

    `parlour replay` can show the whole record, which a moderator receives, and everybody if the terms disclose it.
    """
    wanted = viewer_named(call.query.wanted)
    first = await call.session.page_of_events(call.match, limit=MAX_PAGE, wanted=wanted)
    return StreamingResponse(
        record_stream(call.session, call.match, first, wanted),
        media_type="application/jsonl",
        headers=attached(f"{call.match}.jsonl"),
    )


@MATCHES.add("GET", "/matches/{match}/saved-game", query=Looking, answer=Plain, problems=(409,))
async def fetch_saved_game(call: ApiCall[Nothing, Looking]) -> Response:
    """Download the match as a saved game of other programs: for Diplomacy, of the `diplomacy` package."""
    found = await written_game(call.session, call.match, viewer_named(call.query.wanted), call.asker)
    return Response(found, media_type="application/json")


@MATCHES.add("GET", "/matches/{match}/picture", query=Looking, answer="image/svg+xml", problems=(409,))
async def draw_match(call: ApiCall[Nothing, Looking]) -> Response:
    """Return the last turn as a picture."""
    game = await _game(call)
    if (pictures := pictures_of(game)) is None:
        raise Answered(HTTPStatus.CONFLICT, "no such form", f"{game.name} has no pictures")
    wanted = viewer_named(call.query.wanted)
    last = await call.session.go_through(call.match, call.asker, turn_ended, wanted=wanted)
    if last is None:
        raise Answered(HTTPStatus.CONFLICT, "not started", "there is no turn to draw yet")
    key = _picture_key(call.match, last)
    svg = await call.service.hall.answers.get(call.asker, key, partial(drawn, pictures, last))
    return Response(svg, media_type="image/svg+xml")


# Taking part


@MATCHES.add(
    "POST",
    "/matches/{match}/seats",
    body=Taking,
    answer=SeatTaken,
    status=HTTPStatus.CREATED,
    signed_in=True,
    problems=(409,),
)
async def take_seat(call: ApiCall[Taking, Nothing]) -> SeatTaken:
    """Take a seat for your account, which keeps it when the server restarts."""
    body = call.body
    answer = await call.session.join(
        call.match,
        None if body.seat is None else Seat(body.seat),
        name=body.name,
        player_type=body.player_type,
        password=body.password,
    )
    events = await _followed(call, answer)
    return SeatTaken((await call.session.rights(call.match)).seats, events)


@MATCHES.add("POST", "/matches/{match}/intents", body=Intent, answer=Happenings, signed_in=True, problems=(409,))
async def send_intent(call: ApiCall[Intent, Nothing]) -> Happenings:
    """Submit an intent: act, say, vote, leave; or, as a moderator, start, pause, resume, remove and so on.

    The answer is sent when the events are durable; a refusal is a problem with status 409.
    """
    (answer,) = await call.session.submit(call.match, call.body)
    return Happenings(await _followed(call, answer), answer.notes)


# Moderating


@MATCHES.add(
    "PUT",
    "/matches/{match}/seats/{seat}/agent",
    body=AgentSpec,
    answer=Happenings,
    signed_in=True,
    problems=(409,),
)
async def seat_agent(call: ApiCall[AgentSpec, Nothing]) -> Happenings:
    """Put a house agent on a vacant seat."""
    answer = await call.session.seat_agent(call.match, Seat(call.path["seat"]), call.body.agent)
    return Happenings(await _followed(call, answer))


@MATCHES.add("PUT", "/matches/{match}/roles/{account}", body=RoleIn, signed_in=True)
async def appoint(call: ApiCall[RoleIn, Nothing]) -> None:
    """Make an account a moderator or an omniscient of the match, or (empty) neither."""
    if call.body.role and call.body.role not in SEES_ALL:
        raise bad_value(f"role: expected {', '.join(SEES_ALL)} or nothing, got {call.body.role[:40]!r}")
    role = MatchRole(call.body.role) if call.body.role else None
    await call.session.appoint(call.match, call.path["account"], role)


@MATCHES.add("POST", "/matches/{match}/release", signed_in=True)
async def release(call: ApiCall[Nothing, Nothing]) -> None:
    """Allow a match to wake again that is held back because its agents crashed the server. For administrators."""
    await call.session.release(call.match)


# Internals


def viewer_named(text: str) -> Viewer | None:
    """Return the viewer that a query names; None for an empty text."""
    if not text:
        return None
    return GAZES.get(text) or seated_on(*(Seat(seat.strip()) for seat in text.split(",") if seat.strip()))


async def _game(call: ApiCall[Any, Any]) -> Game:
    return load_game((await call.session.hall.head(call.match)).game)


async def _followed(call: ApiCall[Plain, Nothing], answer: Answer) -> list[Event]:
    """Return the events that followed, as the caller may see them."""
    if answer.refusal is not None:
        raise refused(answer.refusal)
    viewer = await call.session.viewer(call.match)
    game = await _game(call)
    seen = (seen_by(event, viewer, game) for event in answer.events)
    return [event for event in seen if event is not None]


async def _awaited(session: Session, match: str, query: WantedEvents, wanted: Viewer | None) -> list[SeenEvent]:
    """Return the events from the number on, or the next one as it happens; none when the time is up."""
    something, until = asyncio.Event(), asyncio.get_running_loop().time() + query.wait
    unwatch = await session.watch(match, lambda _: something.set(), wanted=wanted)
    try:
        while True:
            something.clear()
            found = await session.page_of_events(match, since=query.since, limit=query.limit, wanted=wanted)
            if found:
                return found
            async with asyncio.timeout_at(until):
                await something.wait()
    except TimeoutError:
        return []
    finally:
        unwatch()


async def record_stream(
    session: Session, match: str, page: list[SeenEvent], wanted: Viewer | None
) -> AsyncIterator[bytes]:
    """Yield the lines of a record file, read page by page as they are sent. If cut short, the last line says so."""
    yield b"".join(record_lines(each.event for each in page))
    try:
        while page:
            page = await session.page_of_events(match, since=page[-1].k + 1, limit=MAX_PAGE, wanted=wanted)
            yield b"".join(_encoder.encode(each.event) + b"\n" for each in page)
    except ParlourError as error:
        _log.warning("record of %s: cut short: %s", match, error)
        yield _encoder.encode({"problem": "cut short"}) + b"\n"


async def written_game(session: Session, match: str, wanted: Viewer | None, asker: Requester) -> bytes:
    """Return a match as a saved game of other programs, in JSON; raise Answered if there is none."""
    hall = session.hall
    if not (saving := saving_of((await hall.head(match)).game)):
        raise Answered(HTTPStatus.CONFLICT, "no such form", "this game has no saved-game format")
    async with hall.whole_reads.place(asker):
        saved: Plain = await fetch(saving)(session, match, wanted, asker)
        if saved is None:
            raise Answered(HTTPStatus.CONFLICT, "not started", "the match has not started")
        return await hall.pool.run(asker, partial(encoded_in_parts, saved))


def _phases(told: Sequence[ObservedEvent]) -> bytes:
    """Return the turns as JSON."""
    phases: list[Phase] = []
    before: Position | None = None
    for each in told:
        event = each.event
        if isinstance(event, ev.TurnBegan) and before is not None:
            phases.append(Phase(event.turn, phase_of(before), event.stage, before.encode(), None, None))
        elif isinstance(event, ev.TurnEnded) and phases:
            phases[-1] = msgspec.structs.replace(phases[-1], actions=event.actions, happened=event.happened)
        if event.changes_position:
            before = each.view.position
    return encoded_in_parts({"phases": phases})


def _orders(position: Position, seats: Sequence[Seat]) -> bytes:
    return _encoder.encode(SeatOrders({str(seat): list(position.legal(seat)) for seat in seats}))


class EndedTurn(NamedTuple):
    """A turn that ended, and the position after it."""

    event: ev.TurnEnded
    position: Position


def turn_ended(told: Sequence[ObservedEvent], turn: int | None = None) -> EndedTurn | None:
    """Return that turn, or (None) the last one. Call it off the loop: the match is played again up to it."""
    for each in reversed(told):
        event = each.event
        if isinstance(event, ev.TurnEnded) and turn in (None, event.turn) and each.view.position is not None:
            return EndedTurn(event, each.view.position)
    return None


def _picture_key(match: str, last: EndedTurn) -> Hashable:
    """Return the cache key of a picture, with the event: in fog, viewers may see the same board but other orders."""
    return "picture", match, hashlib.sha256(_encoder.encode(last.event)).digest(), last.position


def drawn(pictures: Pictures, turn: EndedTurn) -> bytes:
    """Return a turn as SVG, with its orders."""
    return pictures.picture(turn.position, turn.event, theme="light", width=None, names={}).encode()


def attached(name: str) -> dict[str, str]:
    """Return the header that names a downloaded file."""
    plain = name.encode("ascii", "replace").decode().replace("?", "_")
    named = f'filename="{plain}"' if plain == name else f"filename=\"{plain}\"; filename*=UTF-8''{quote(name)}"
    return {"Content-Disposition": f"attachment; {named}"}
