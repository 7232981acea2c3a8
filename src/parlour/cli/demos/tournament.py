"""The tournament of the demo: bots sign up over TCP, among them one that cheats and one that never answers."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from functools import partial
from typing import Any

import click

from parlour.agents.loading import make_player
from parlour.cli.display.results import TournamentNews, show_result
from parlour.core.game import Action, View
from parlour.core.player import Player
from parlour.core.terms import Clock, Terms
from parlour.errors import ParlourError
from parlour.games import load_game
from parlour.net.client.fish_json import JsonClient
from parlour.net.fish.dialect import Patience
from parlour.net.fish.json.messages import SignupRequest
from parlour.net.fish.protocols import make_dialect
from parlour.net.fish.server import TournamentServer
from parlour.net.fish.settings import Settings
from parlour.net.framing.json_stream import encode_line
from parlour.referee.conduct import STRICT
from parlour.tournament.knock_out.events import TournamentResult

HONEST = {"sam": "strong", "greta": "greedy", "luis": "lookahead2", "lea": "lookahead1", "ron": "random"}
CHEATER, SILENT = "carl", "sid"
SECONDS = 1.0
"""Seconds to answer; a silent player is then removed."""


class Cheat:
    """A player that places penguins by the rules, and then gives each move in reverse, from its end to its start."""

    def act(self, view: View) -> Action:
        """Return a legal placement, or a legal move in reverse."""
        action: Any = view.position.legal(view.seat)[0]
        return action if view.position.stage == "placement" else action[::-1]


def hold_tournament(seed: int) -> TournamentResult:
    """Run server and players in this process, with real sockets; print removed players and the winner."""
    return asyncio.run(_hold(seed, lambda line: click.echo(f"  {line}")))


async def _hold(seed: int, say: Callable[[str], None]) -> TournamentResult:
    count = len(HONEST) + 2
    settings = Settings(
        terms=Terms(STRICT, Clock(per_turn=SECONDS)),
        config={"rows": 5, "cols": 5},
        fewest=count,
        most=count,
        once=True,
        seed=seed,
        patience=Patience(start=SECONDS, end=SECONDS, introduction=SECONDS),
    )
    server = TournamentServer(
        load_game("fish"), make_dialect("json"), settings, spectators=[TournamentNews(say)], news=lambda line: None
    )
    await server.start()
    say(f"{count} bots sign up at 127.0.0.1:{server.port}: {', '.join([*HONEST, CHEATER, SILENT])}")
    results: list[TournamentResult | None] = []
    guests = [
        *(_play(JsonClient(name, partial(_agent, agent)), server.port) for name, agent in HONEST.items()),
        _play(JsonClient(CHEATER, _cheat), server.port),
        _be_silent(server.port),
    ]
    players = [asyncio.ensure_future(guest) for guest in guests]
    await server.run(results.append)
    await asyncio.gather(*players)
    assert results[0] is not None  # every player that the server waits for has signed up
    show_result(results[0])
    return results[0]


def _agent(agent: str, game: int) -> Player:
    return make_player("fish", agent, game)


def _cheat(game: int) -> Player:
    return Cheat()


async def _play(client: JsonClient, port: int) -> None:
    with contextlib.suppress(ParlourError):  # the server reports removed players
        await client.run("127.0.0.1", port)


async def _be_silent(port: int) -> None:
    """Sign up, then read without an answer until the server closes the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(encode_line(SignupRequest(SILENT)))
    with contextlib.suppress(OSError):
        while await reader.read(1 << 16):
            pass
    writer.close()
