"""The course's server and clients: parlour fish xserver, parlour fish xclients."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

import click
import msgspec

if TYPE_CHECKING:
    from parlour.net.fish.settings import Settings
    from parlour.tournament.knock_out.table_results import TournamentResult

_PORT = click.IntRange(0, 65_535)


@click.command()
@click.argument("port", type=_PORT)
@click.option("--wait", type=click.FloatRange(min=0.001, max=3600), default=30.0, show_default=True,
              help="Seconds of one waiting period for sign-ups.")  # fmt: skip
@click.option("--time-per-turn", type=click.FloatRange(min=0.001, max=3600), default=10.0, show_default=True,
              help="Seconds per turn.")  # fmt: skip
def xserver(port: int, wait: float, time_per_turn: float) -> None:
    """Sign up five to ten players on PORT in two waiting periods, run a tournament, print [#winners, #failures]."""
    from parlour.core.terms import Clock, Terms
    from parlour.net.fish.dialect import Patience
    from parlour.net.fish.settings import Settings
    from parlour.referee.conduct import STRICT

    settings = Settings(
        terms=Terms(STRICT, Clock(per_turn=time_per_turn)),
        config={"rows": 5, "cols": 5, "fish": 2},
        port=port,
        wait=wait,
        tries=2,
        once=True,
        patience=Patience(start=min(3.0, time_per_turn), end=time_per_turn, introduction=time_per_turn),
    )
    for result in asyncio.run(_serve(settings)):
        failed = 0 if result is None else len(result.failures) + len(result.cheaters)
        click.echo(msgspec.json.encode([0 if result is None else len(result.winners), failed]))


async def _serve(settings: Settings) -> list[TournamentResult | None]:
    from parlour.games.fish import GAME
    from parlour.net.fish.neu.dialect import NeuDialect
    from parlour.net.fish.server import TournamentServer

    results: list[TournamentResult | None] = []
    await TournamentServer(GAME, NeuDialect(), settings).run(results.append)
    return results


@click.command()
@click.argument("count", metavar="N", type=click.IntRange(1, 1000))
@click.argument("port", type=_PORT)
@click.argument("ip", default="127.0.0.1")
@click.option("--agent", default="greedy", show_default=True, help="Agent that plays for each client.")
def xclients(count: int, port: int, ip: str, agent: str) -> None:
    """Let N players take part in the tournament of the server at PORT of IP."""
    from parlour.cli.join import make_names, play

    reports = asyncio.run(play(ip, port, make_names("P", count, "neu"), agent, protocol="neu"))
    if all(report.won is None for report in reports):
        click.echo(f"parlour: nobody could take part: {reports[0].reason}", err=True)
        sys.exit(1)
