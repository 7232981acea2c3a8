"""parlour serve: signs players up over TCP and runs tournaments for them."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

if TYPE_CHECKING:
    from parlour.net.fish.server import TournamentServer
    from parlour.net.fish.settings import Settings
    from parlour.tournament.values import TournamentResult

_SECONDS = click.FloatRange(min=0.001, max=86_400)


@click.command()
@click.option("--game", type=click.Choice(["fish"]), required=True, help="What is played.")
@click.option("--protocol", type=click.Choice(["json", "neu"]), default="json", show_default=True,
              help="json: messages with a type and a value; neu: the course's calls.")  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65_535), default=45_678, show_default=True, help="0: any free port.")
@click.option("--min", "fewest", type=click.IntRange(1, 1000), default=5, show_default=True)
@click.option("--max", "most", type=click.IntRange(1, 1000), default=10, show_default=True)
@click.option("--wait", type=_SECONDS, default=30.0, show_default=True, help="Seconds of one waiting period.")
@click.option("--tries", type=click.IntRange(1, 100), default=2, show_default=True, help="Waiting periods.")
@click.option("--settle", type=click.FloatRange(0, 3600), default=0.0, show_default=True,
              help="Seconds from the last place taken to the start.")  # fmt: skip
@click.option("--house", type=click.IntRange(0, 1000), default=0, show_default=True,
              help="Players of the house that may fill up to --min.")  # fmt: skip
@click.option("--house-agent", default="greedy", show_default=True)
@click.option("--rows", type=int, default=5, show_default=True)
@click.option("--cols", type=int, default=5, show_default=True)
@click.option("--fish", type=int, help="The same number of fish on every tile; otherwise by chance.")
@click.option("--seed", type=click.IntRange(0, 2**62), help="All chance follows from it; otherwise every time new.")
@click.option("--time-per-turn", type=_SECONDS, default=10.0, show_default=True)
@click.option("--first-turn", type=_SECONDS,
              help="Seconds for a player's first turn of a game, to warm up; otherwise like all turns.")  # fmt: skip
@click.option("--grace", type=click.FloatRange(0, 3600), default=5.0, show_default=True,
              help="Seconds that a cut-off player may take to come back, where the protocol has tokens.")  # fmt: skip
@click.option("--resume/--no-resume", default=True, show_default=True,
              help="Whether to go on with tournaments in the store that were cut short.")  # fmt: skip
@click.option("--return-time", type=click.FloatRange(0, 3600), default=15.0, show_default=True,
              help="Seconds that a resumed tournament waits for its players.")  # fmt: skip
@click.option("--store", type=click.Path(dir_okay=False, path_type=Path), default=Path("parlour.db"),
              show_default=True, help="Where records and results are kept.")  # fmt: skip
@click.option("--no-store", is_flag=True, help="Keep nothing.")
@click.option("--once", is_flag=True, help="Stop after one tournament.")
@click.option("--json", "as_json", is_flag=True, help="Print each result as one JSON object.")
def command(
    game: str,
    protocol: str,
    host: str,
    port: int,
    fewest: int,
    most: int,
    wait: float,
    tries: int,
    settle: float,
    house: int,
    house_agent: str,
    rows: int,
    cols: int,
    fish: int | None,
    seed: int | None,
    time_per_turn: float,
    first_turn: float | None,
    grace: float,
    resume: bool,
    return_time: float,
    store: Path,
    no_store: bool,
    once: bool,
    as_json: bool,
) -> None:
    """Sign players up and run knock-out tournaments, one after the other.

    A tournament that was cut short (this program was killed, the machine failed) is taken up again from the store
    when the server starts; its players come back with their name and the token they got when they signed up.
    """
    from parlour.core.terms import Clock, Terms
    from parlour.net.fish.dialect import Patience
    from parlour.net.fish.settings import Settings
    from parlour.referee.conduct import STRICT

    settings = Settings(
        terms=Terms(STRICT, Clock(per_turn=time_per_turn, first_turn=first_turn)),
        config={"rows": rows, "cols": cols} | ({} if fish is None else {"fish": fish}),
        host=host,
        port=port,
        fewest=fewest,
        most=most,
        wait=wait,
        tries=tries,
        settle=settle,
        once=once,
        house=house,
        house_agent=house_agent,
        patience=Patience(start=min(3.0, time_per_turn), end=time_per_turn, introduction=time_per_turn),
        grace=grace,
        resume=resume,
        return_time=return_time,
        seed=seed,
    )
    _serve(settings, protocol, None if no_store else store, as_json)


def _serve(settings: Settings, protocol: str, path: Path | None, as_json: bool) -> None:
    """Serve until told to stop, and print each result."""
    from parlour.cli.results import as_plain, first_error, progress_bars, show_result
    from parlour.games.fish import GAME
    from parlour.net.fish.protocols import make_dialect
    from parlour.net.fish.server import TournamentServer
    from parlour.store import open_store

    held = 0

    def report(result: TournamentResult | None) -> None:
        nonlocal held
        held += result is not None
        if result is None:
            click.echo("too few players, no tournament", err=True)
        elif as_json:
            click.echo(msgspec.json.encode(as_plain(result)))
        else:
            show_result(result)

    async def run(server: TournamentServer) -> None:
        await server.start()
        click.echo(f"listening on {settings.host}:{server.port}", err=True)
        if server.resuming is not None:
            wait = f"up to {settings.return_time:g} s"
            click.echo(f"{server.resuming} was cut short: waiting {wait} for its players", err=True)
        await server.run(report)

    with contextlib.ExitStack() as stack:
        store = None if path is None else stack.enter_context(open_store(path))
        if store is not None:
            store.claim()
        spectators = stack.enter_context(progress_bars())
        server = TournamentServer(GAME, make_dialect(protocol), settings, store=store, spectators=spectators)
        with contextlib.suppress(KeyboardInterrupt), first_error():
            asyncio.run(run(server))
            if settings.once and not held:
                sys.exit(1)
