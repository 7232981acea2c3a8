"""The API's operations on posted positions: they need no match and no account, and store nothing."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import msgspec
from starlette.responses import Response

from parlour.agents.house_specs import house_agents
from parlour.core.exchange import exchange_of
from parlour.core.game import Plain
from parlour.games import games, load_game
from parlour.net.accounts.limits import DRAWING
from parlour.net.http.operations import ApiCall, Nothing, Operations

POSITIONS = Operations()


class DrawingStyle(msgspec.Struct, frozen=True):
    """The style of a picture."""

    theme: str = "light"
    """Colours: light or dark."""
    width: Annotated[int, msgspec.Meta(ge=100, le=20_000)] | None = None


class GameTold(msgspec.Struct, frozen=True):
    """A game that can be played here."""

    game: str
    seats: tuple[str, ...]
    """Seats of the usual setup."""
    agents: list[str]
    """Names of the house agents."""


class GameList(msgspec.Struct, frozen=True):
    """The games that can be played here."""

    games: list[GameTold]


@POSITIONS.add("GET", "/games", answer=GameList)
async def list_games(call: ApiCall[Nothing, Nothing]) -> GameList:
    """List the games that can be played here, with their seats and house agents."""
    return GameList([GameTold(name, load_game(name).seats({}), sorted(house_agents(name))) for name in games()])


@POSITIONS.add("POST", "/games/{game}/adjudicate", body=dict[str, Plain], answer=Plain, problems=(422,))
async def adjudicate(call: ApiCall[dict[str, Plain], Nothing]) -> Plain:
    """Play one turn of a posted position with its orders, and return the results.

    For Diplomacy the body has the form that `parlour adjudicate` reads.
    """
    exchange = exchange_of(load_game(call.path["game"]))
    return await call.service.hall.pool.run(call.asker, partial(exchange.adjudicate, call.body))


@POSITIONS.add("POST", "/games/{game}/orders", body=dict[str, Plain], answer=Plain)
async def possible_orders(call: ApiCall[dict[str, Plain], Nothing]) -> Plain:
    """List the possible orders in a posted position."""
    exchange = exchange_of(load_game(call.path["game"]))
    return await call.service.hall.pool.run(call.asker, partial(exchange.orders, call.body))


@POSITIONS.add(
    "POST",
    "/games/{game}/draw",
    body=dict[str, Plain],
    query=DrawingStyle,
    answer="image/svg+xml",
    weight=DRAWING,
)
async def draw_position(call: ApiCall[dict[str, Plain], DrawingStyle]) -> Response:
    """Draw a posted position, with its orders if it has any."""
    exchange, query = exchange_of(load_game(call.path["game"])), call.query
    draw = partial(exchange.draw, call.body, theme=query.theme, width=query.width)
    svg = await call.service.hall.pool.run(call.asker, draw)
    return Response(svg, media_type="image/svg+xml")
