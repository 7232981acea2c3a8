"""The API's operations on matches: find, open, look at, take part in, moderate."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from http import HTTPStatus
from urllib.parse import quote

import msgspec
from starlette.responses import Response

from parlour.core import events as ev
from parlour.core.declaration import declaration_of, fetch
from parlour.core.events import Event, seen_by
from parlour.core.game import Game, Plain, Position, Seat
from parlour.core.intents import Intent
from parlour.core.pictures import pictures_of
from parlour.core.player import Told
from parlour.core.viewers import MODERATOR, OMNISCIENT, SPECTATOR, Viewer, seated_on
from parlour.games import load_game
from parlour.net.denials import bad_value
from parlour.net.http.forms import (
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
from parlour.net.sessions import MatchRole, Session
from parlour.net.views import phase_of
from parlour.referee.record import record_lines
from parlour.referee.table import Answer
from parlour.store import Filter, RecordKind

MATCHES = Operations()

_GAZES = {"spectator": SPECTATOR, "omniscient": OMNISCIENT, "moderator": MODERATOR}


# Finding and opening


@MATCHES.add("GET", "/matches", query=WantedMatches, answer=MatchList)
async def list_matches(call: ApiCall[Nothing, WantedMatches]) -> MatchList:
    """List matches, page by page."""
    query = call.query
    wanted = Filter(
        kind=RecordKind.MATCH,
        game=query.game,
        status=tuple(word.strip() for word in query.status.split(",") if word.strip()),
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
    """Open a match and be its owner, who may moderate it."""
    name = await call.session.open(call.body.setup(), password=call.body.password)
    return MatchName(name)


# Looking


@MATCHES.add("GET", "/matches/{match}", query=Looking, answer=StandingMatch)
async def look_at_match(call: ApiCall[Nothing, Looking]) -> StandingMatch:
    """See a match as it stands, as far as one may."""
    view = await call.session.view(call.match, viewer_named(call.query.wanted))
    return standing(view, await call.session.rights(call.match), phase_of(view.position))


@MATCHES.add("GET", "/matches/{match}/events", query=WantedEvents, answer=EventList)
async def list_events(call: ApiCall[Nothing, WantedEvents]) -> EventList:
    """See what happened since some event, as far as one may; or wait until something happens."""
    query = call.query
    wanted = viewer_named(query.wanted)
    if query.wait:
        found = await _awaited(call.session, call.match, query.since, query.wait, wanted)
    else:
        found = await call.session.events(call.match, since=query.since, wanted=wanted)
    shown = [numbered(told) for told in found[: query.limit]]
    return EventList(shown, shown[-1].k + 1 if shown else query.since)


@MATCHES.add("GET", "/matches/{match}/phases", query=Looking, answer=PhaseList)
async def list_phases(call: ApiCall[Nothing, Looking]) -> PhaseList:
    """See every turn: where it began, what was done, what came of it."""
    told = await call.session.events(call.match, wanted=viewer_named(call.query.wanted))
    return await asyncio.to_thread(_phases, told)


@MATCHES.add("GET", "/matches/{match}/orders", query=Looking, answer=SeatOrders, problems=(409,))
async def list_orders(call: ApiCall[Nothing, Looking]) -> SeatOrders:
    """See what one may choose from now: for each seat that one looks as, or (as spectator) for all that are to act."""
    wanted = viewer_named(call.query.wanted)
    viewer = await call.session.viewer(call.match, wanted)
    position = (await call.session.view(call.match, wanted)).position
    if position is None:
        raise Answered(HTTPStatus.CONFLICT, "not started", "the match has not started")
    seats = [seat for seat in position.to_act() if not viewer.seats or seat in viewer.seats]
    found = await asyncio.to_thread(lambda: {str(seat): list(position.legal(seat)) for seat in seats})
    return SeatOrders(found)


@MATCHES.add("GET", "/matches/{match}/record", query=Looking, answer="application/jsonl")
async def fetch_record(call: ApiCall[Nothing, Looking]) -> Response:
    """Take the record away, as far as one may see it: a line that says what it is, then one event a line.

    What a moderator gets, and anybody of a match whose terms disclose all, `parlour replay` shows.
    """
    told = await call.session.events(call.match, wanted=viewer_named(call.query.wanted))
    body = b"".join(record_lines(each.event for each in told))
    return _file(body, "application/jsonl", f"{call.match}.jsonl")


@MATCHES.add("GET", "/matches/{match}/saved-game", query=Looking, answer=Plain, problems=(409,))
async def fetch_saved_game(call: ApiCall[Nothing, Looking]) -> Plain:
    """Take the match away in the form in which others save matches: of Diplomacy that of the `diplomacy` package."""
    declaration = declaration_of(await _game(call))
    if declaration is None or not declaration.saving:
        raise Answered(HTTPStatus.CONFLICT, "no such form", "others do not save matches of this game")
    saved: Plain = await fetch(declaration.saving)(call.session, call.match, viewer_named(call.query.wanted))
    if saved is None:
        raise Answered(HTTPStatus.CONFLICT, "not started", "the match has not started")
    return saved


@MATCHES.add("GET", "/matches/{match}/picture", query=Looking, answer="image/svg+xml", problems=(409,))
async def draw_match(call: ApiCall[Nothing, Looking]) -> Response:
    """See the last turn as a picture."""
    game = await _game(call)
    told = await call.session.events(call.match, wanted=viewer_named(call.query.wanted))
    svg = await asyncio.to_thread(_picture, game, told)
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
    """Take a seat; it is then the account's, also after the server was started again."""
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
    """Do something: act, say, vote, leave; or, as a moderator, start, pause, resume, remove and so on.

    Answered when what followed is durable; a refusal is a problem with status 409.
    """
    answer = await call.session.handle(call.match, call.body)
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
    """Let an agent of the house take a vacant seat."""
    answer = await call.session.seat_agent(call.match, Seat(call.path["seat"]), call.body.agent)
    return Happenings(await _followed(call, answer))


@MATCHES.add("PUT", "/matches/{match}/roles/{account}", body=RoleIn, signed_in=True)
async def appoint(call: ApiCall[RoleIn, Nothing]) -> None:
    """Make an account a moderator or an omniscient of the match, or (empty) neither."""
    if call.body.role and call.body.role not in list(MatchRole):
        raise bad_value(f"role: expected {', '.join(MatchRole)} or nothing, not {call.body.role[:40]!r}")
    role = MatchRole(call.body.role) if call.body.role else None
    await call.session.appoint(call.match, call.path["account"], role)


# Inside


def viewer_named(text: str) -> Viewer | None:
    """The viewer that a query names."""
    if not text:
        return None
    return _GAZES.get(text) or seated_on(*(Seat(seat.strip()) for seat in text.split(",") if seat.strip()))


async def _game(call: ApiCall[Nothing, Looking]) -> Game:
    return load_game((await call.session.hall.head(call.match)).game)


async def _followed(call: ApiCall[Plain, Nothing], answer: Answer) -> list[Event]:
    """What followed, as whoever asked may see it."""
    if answer.refusal is not None:
        raise refused(answer.refusal)
    viewer = await call.session.viewer(call.match)
    game = load_game((await call.session.hall.head(call.match)).game)
    seen = (seen_by(event, viewer, game) for event in answer.events)
    return [event for event in seen if event is not None]


async def _awaited(session: Session, match: str, since: int, wait: float, wanted: Viewer | None) -> list[Told]:
    """What happened since, or as soon as something does, or nothing when the time is up."""
    found: list[Told] = []
    something = asyncio.Event()

    def told(each: Told) -> None:
        found.append(each)
        something.set()

    unwatch = await session.watch(match, told, since=since, wanted=wanted)
    try:
        async with asyncio.timeout(wait):
            await something.wait()
    except TimeoutError:
        pass
    finally:
        unwatch()
    return found


def _phases(told: Sequence[Told]) -> PhaseList:
    phases: list[Phase] = []
    before: Position | None = None
    for each in told:
        event = each.event
        if isinstance(event, ev.TurnBegan) and before is not None:
            phases.append(Phase(event.turn, phase_of(before), event.stage, before.encode(), None, None))
        elif isinstance(event, ev.TurnEnded) and phases:
            phases[-1] = msgspec.structs.replace(phases[-1], actions=event.actions, happened=event.happened)
        if isinstance(event, ev.Started | ev.TurnEnded | ev.PositionSet | ev.Removed):
            before = each.position
    return PhaseList(phases)


def _picture(game: Game, told: Sequence[Told]) -> str:
    if (pictures := pictures_of(game)) is None:
        raise Answered(HTTPStatus.CONFLICT, "no such form", f"{game.name} has no pictures")
    last = next((each for each in reversed(told) if isinstance(each.event, ev.TurnEnded)), None)
    if last is None or last.position is None:
        raise Answered(HTTPStatus.CONFLICT, "not started", "there is no turn to draw yet")
    assert isinstance(last.event, ev.TurnEnded)
    return pictures.picture(last.position, last.event, theme="light", width=None, names={})


def _file(body: bytes, media: str, name: str) -> Response:
    plain = name.encode("ascii", "replace").decode().replace("?", "_")
    named = f'filename="{plain}"' if plain == name else f"filename=\"{plain}\"; filename*=UTF-8''{quote(name)}"
    return Response(body, media_type=media, headers={"Content-Disposition": f"attachment; {named}"})
