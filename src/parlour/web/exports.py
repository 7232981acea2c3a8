"""Downloads of matches, as the visitor may see them: record, saved game, turns as text, a turn as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from parlour.core import events as ev
from parlour.core.game import Plain, phase_of
from parlour.core.pictures import pictures_of
from parlour.core.player import ObservedEvent
from parlour.games import load_game
from parlour.net.hall import Hall
from parlour.net.http.forms import MAX_PAGE
from parlour.net.http.matches import attached, drawn, record_stream, turn_ended, written_game
from parlour.net.http.problems import Answered
from parlour.net.opening import name_of
from parlour.net.sessions import Session
from parlour.web.listing import seat_title
from parlour.web.shell import message
from parlour.web.visitors import Keeper, asker_of, visitor_of


class Exports:
    """Serves matches as downloads."""

    def __init__(self, hall: Hall, keeper: Keeper) -> None:
        self._hall, self._keeper = hall, keeper

    def routes(self) -> list[Route]:
        """Return the routes to mount."""
        return [
            Route("/match/{match}/export/record", self.record, methods=["GET"]),
            Route("/match/{match}/export/saved-game", self.saved_game, methods=["GET"]),
            Route("/match/{match}/export/text", self.text, methods=["GET"]),
            Route("/match/{match}/export/picture/{turn:int}", self.picture, methods=["GET"]),
        ]

    async def record(self, request: Request) -> Response:
        """Return the record of a match, which `parlour replay` shows if all of it may be seen."""
        session, match = await self._asked(request)
        first = await session.page_of_events(match, limit=MAX_PAGE)
        lines = record_stream(session, match, first, None)
        return StreamingResponse(lines, media_type="application/jsonl", headers=attached(f"{match}.jsonl"))

    async def saved_game(self, request: Request) -> Response:
        """Return a match as a saved game of other programs: for Diplomacy, of the `diplomacy` package."""
        session, match = await self._asked(request)
        try:
            saved = await written_game(session, match, None, asker_of(request, session.name))
        except Answered as problem:
            status = 404 if problem.problem.code == "no such form" else problem.status
            return message(
                "There is no saved game", f"{str(problem).capitalize()}.", status=status, account=session.name
            )
        return Response(saved, media_type="application/json", headers=attached(f"{match}.json"))

    async def text(self, request: Request) -> Response:
        """Return all turns of a match as text: orders and press, as far as the visitor may see them."""
        session, match = await self._asked(request)
        head = await self._hall.head(match)
        written = await session.go_through(match, asker_of(request, session.name), partial(as_text, name_of(head)))
        return Response(written, media_type="text/plain; charset=utf-8", headers=attached(f"{match}.txt"))

    async def picture(self, request: Request) -> Response:
        """Return a turn of a match as SVG, with its orders."""
        session, match = await self._asked(request)
        asker, turn = asker_of(request, session.name), request.path_params["turn"]
        pictures = pictures_of(load_game((await self._hall.head(match)).game))
        found = await session.go_through(match, asker, partial(turn_ended, turn=turn))
        if found is None or pictures is None:
            words = "That turn is not over, or was never played."
            return message("Unknown turn", words, status=404, account=session.name)
        svg = await self._hall.pool.run(asker, partial(drawn, pictures, found))
        return Response(svg, media_type="image/svg+xml", headers=attached(f"{match}-{turn}.svg"))

    async def _asked(self, request: Request) -> tuple[Session, str]:
        visitor = await visitor_of(request, self._keeper)
        return visitor.session(self._hall), request.path_params["match"]


def as_text(title: str, told: Sequence[ObservedEvent]) -> str:
    """Return a match as text."""
    return "\n".join((title, "", *_lines(told), ""))


def _lines(told: Sequence[ObservedEvent]) -> Iterator[str]:
    before = ""
    for one in told:
        match one.event:
            case ev.Joined(seat=seat, name=name):
                yield f"{seat_title(seat)} is played by {name}."
            case ev.Said() as said:
                to = " and ".join(seat_title(seat) for seat in said.to) or "everyone"
                yield f"  {seat_title(said.seat)} to {to}: {said.text}"
            case ev.TurnEnded() as ended:
                yield f"\n{before or f'Turn {ended.turn}'}"
                for acting, action in ended.actions.items():
                    yield f"  {seat_title(acting)}: {_action(action)}"
            case ev.Ended() as end:
                scores = ", ".join(f"{seat_title(own)} {score:.4g}" for own, score in end.outcome.scores.items())
                yield f"\nThe match is over: {end.outcome.reason}. {scores}"
            case _:
                pass
        if one.view.position is not None:
            before = phase_of(one.view.position)


def _action(action: Plain) -> str:
    if isinstance(action, list):
        return "; ".join(map(_action, action)) or "no orders"
    return action if isinstance(action, str) else msgspec.json.encode(action).decode()
