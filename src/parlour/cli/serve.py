"""parlour serve: hosts matches behind every door, and tournaments of Fish for whoever signs up."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click
import msgspec
from click.core import ParameterSource

from parlour.errors import ConfigError

if TYPE_CHECKING:
    from parlour.net.fish.server import TournamentServer
    from parlour.net.fish.settings import Settings
    from parlour.net.settings import ServerSettings
    from parlour.store import Store
    from parlour.tournament.audience import Spectator
    from parlour.tournament.values import TournamentResult

Report: TypeAlias = "Callable[[TournamentResult | None], None]"

REST = 0.001
"""Seconds that the store's writer rests after it kept something for several: programs that play notice nothing of them,
and there are about half as many commits."""
_SECONDS = click.FloatRange(min=0.001, max=86_400)
_PORT = click.IntRange(0, 65_535)


@click.command()
@click.option("--game", type=click.Choice(["fish"]),
              help="Only tournaments of that game, on --port; without it, all doors are opened.")  # fmt: skip
@click.option("--http-port", type=_PORT, help="Of pages and the API.  [default: 8080; 0: any free port]")
@click.option("--fish-port", type=_PORT, help="Of tournaments of Fish.  [default: 45678]")
@click.option("--mila-port", type=_PORT, help="Of clients of the diplomacy package, which --http-port takes in, too.")
@click.option("--mila-bot", help="The account whose bots may ask those for powers that nobody plays.")
@click.option("--daide-port", type=_PORT, help="Of DAIDE bots; without it that door stays shut.")
@click.option("--daide-level", type=click.IntRange(0, 8191), help="The press level of matches that DAIDE bots open.")
@click.option(
    "--daide-mtl", type=click.IntRange(0, 8191), help="Their seconds for a movement turn.  [default: no limit]"
)
@click.option(
    "--daide-options", help="What else they have, with commas: ADM, AOA, DSD, NPB, NPR, PDA, RTL=60, BTL=60, PTL=10."
)
@click.option(
    "--daide-years",
    type=click.IntRange(0, 90),
    help="Years after which they end in a draw of all who are left; 0: never.  [default: 35]",
)
@click.option("--daide-map", help="The map of matches behind that port.  [default: standard]")
@click.option(
    "--daide-numbering",
    type=click.Choice(["clients", "document"]),
    help="How press words are numbered until a bot shows that it numbers them otherwise.  [default: clients]",
)
@click.option("--daide-ports", help="Like 8434-8600: where matches get a port of their own when somebody asks.")
@click.option("--only", help="The doors to open, with commas between them: http, mila, fish, daide.")
@click.option("--config", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              help="A file of settings in TOML; each is also read from PARLOUR_… in the environment.")  # fmt: skip
@click.option("--set", "assigned", multiple=True, metavar="NAME=VALUE",
              help="Any other setting, by its name in the file; may be repeated.")  # fmt: skip
@click.option("--tls-certificate", help="A file in PEM; then pages and the API are encrypted.")
@click.option("--tls-key", help="Its key.")
@click.option("--registration", type=click.Choice(["open", "invitation", "closed"]), help="Who may open an account.")
@click.option("--protocol", type=click.Choice(["json", "neu"]), default="json", show_default=True,
              help="json: messages with a type and a value; neu: the course's calls.")  # fmt: skip
@click.option("--host", help="The address to listen on.  [default: 127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65_535), default=45_678, show_default=True, help="0: any free port.")
@click.option("--min", "fewest", type=click.IntRange(1, 1000), default=5, show_default=True,
              help="Players without whom no tournament begins.")  # fmt: skip
@click.option("--max", "most", type=click.IntRange(1, 1000), default=10, show_default=True,
              help="Players with whom one begins at once.")  # fmt: skip
@click.option("--wait", type=_SECONDS, default=30.0, show_default=True, help="Seconds of one waiting period.")
@click.option("--tries", type=click.IntRange(1, 100), default=2, show_default=True, help="Waiting periods.")
@click.option("--settle", type=click.FloatRange(0, 3600), default=0.0, show_default=True,
              help="Seconds from the last place taken to the start.")  # fmt: skip
@click.option("--house", type=click.IntRange(0, 1000), default=0, show_default=True,
              help="Players of the house that may fill up to --min.")  # fmt: skip
@click.option("--house-agent", default="greedy", show_default=True, help="Who they are.")
@click.option("--rows", type=int, default=5, show_default=True, help="Rows of the boards.")
@click.option("--cols", type=int, default=5, show_default=True, help="Columns of the boards.")
@click.option("--fish", type=int, help="The same number of fish on every tile; otherwise by chance.")
@click.option("--seed", type=click.IntRange(0, 2**62), help="All chance follows from it; otherwise every time new.")
@click.option("--time-per-turn", type=_SECONDS, default=10.0, show_default=True, help="Seconds.")
@click.option("--first-turn", type=_SECONDS,
              help="Seconds for a player's first turn of a game, to warm up; otherwise like all turns.")  # fmt: skip
@click.option("--grace", type=click.FloatRange(0, 3600), default=5.0, show_default=True,
              help="Seconds that a cut-off player may take to come back, where the protocol has tokens.")  # fmt: skip
@click.option("--resume/--no-resume", default=True, show_default=True,
              help="Whether to go on with tournaments in the store that were cut short.")  # fmt: skip
@click.option("--return-time", type=click.FloatRange(0, 3600), default=15.0, show_default=True,
              help="Seconds that a resumed tournament waits for its players.")  # fmt: skip
@click.option("--store", help="Where everything is kept: a path, or postgresql://…  [default: parlour.db]")
@click.option("--no-store", is_flag=True, help="Keep nothing.")
@click.option("--once", is_flag=True, help="Stop after one tournament.")
@click.option("--json", "as_json", is_flag=True, help="Print each result as one JSON object.")
def command(
    game: str | None,
    protocol: str,
    port: int,
    store: str | None,
    no_store: bool,
    as_json: bool,
    config: Path | None,
    assigned: tuple[str, ...],
    **given: Any,
) -> None:
    """Host matches of both games: pages, an API, and tournaments of Fish for whoever signs up.

    With --game fish it only signs players up and runs knock-out tournaments, one after the other. A tournament that was
    cut short (this program was killed, the machine failed) is taken up again from the store when the server starts; its
    players come back with their name and the token they got when they signed up. So are all other matches.
    """
    from parlour.net.settings import ServerSettings, gather, read_assignments

    _refuse_what_is_not_heard(click.get_current_context(), game)
    flags = {field: given.pop(field) for field in ServerSettings.__struct_fields__ if field in given}
    if game is not None:
        settings = _fish_settings(given, flags["host"] or "127.0.0.1", port)
        _serve(settings, protocol, None if no_store else store or "parlour.db", as_json)
        return
    from parlour.cli.serving import serve_all  # not before: a server of Fish alone needs nothing of the web

    if no_store:
        raise ConfigError("no-store: matches that are hosted must be kept somewhere", field="no_store")

    def make_fish(chosen: ServerSettings, kept: Store) -> tuple[TournamentServer, Report]:
        from dataclasses import replace

        from parlour.cli.results import say

        fish = replace(_fish_settings(given, chosen.host, chosen.fish_port), connections=chosen.connections)
        return _tournaments(fish, protocol, kept, [], say), _reporter(as_json)

    told = {field: value for field, value in {**flags, "store": store}.items() if value is not None}
    serve_all(gather({**read_assignments(assigned), **told}, os.environ, config), make_fish)


def _refuse_what_is_not_heard(context: click.Context, game: str | None) -> None:
    """ConfigError names an option that was given and would change nothing."""
    from parlour.net.settings import ServerSettings

    given = [name for name in context.params if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    if game is None and "port" in given:
        raise ConfigError("port: goes with --game; here it is --http-port or --fish-port", field="port")
    heard = {"host", "store"}
    deaf = [name for name in given if name in {"config", "assigned", *ServerSettings.__struct_fields__} - heard]
    if game is not None and deaf:
        option = {"assigned": "set"}.get(deaf[0], deaf[0].replace("_", "-"))
        raise ConfigError(f"{option}: does not go with --game, by which only tournaments are held", field=deaf[0])


def _fish_settings(given: dict[str, Any], host: str, port: int) -> Settings:
    from parlour.core.terms import Clock, Terms
    from parlour.net.fish.dialect import Patience
    from parlour.net.fish.settings import Settings
    from parlour.referee.conduct import STRICT

    asked = dict(given)
    time, first = asked.pop("time_per_turn"), asked.pop("first_turn")
    board = {name: asked.pop(name) for name in ("rows", "cols", "fish")}
    return Settings(
        terms=Terms(STRICT, Clock(per_turn=time, first_turn=first)),
        config={name: value for name, value in board.items() if value is not None},
        host=host,
        port=port,
        patience=Patience(start=min(3.0, time), end=time, introduction=time),
        **asked,
    )


def _tournaments(
    settings: Settings, protocol: str, store: Store | None, spectators: Sequence[Spectator], news: Callable[[str], None]
) -> TournamentServer:
    from parlour.cli.results import TournamentNews
    from parlour.games.fish import GAME
    from parlour.net.fish.protocols import make_dialect
    from parlour.net.fish.server import TournamentServer

    watching = [TournamentNews(news), *spectators]
    return TournamentServer(GAME, make_dialect(protocol), settings, store=store, spectators=watching, news=news)


def _reporter(as_json: bool) -> Report:
    """Prints a result."""
    from parlour.cli.results import as_plain, show_result

    def report(result: TournamentResult | None) -> None:
        if result is None:
            click.echo("too few players, no tournament", err=True)
        elif as_json:
            click.echo(msgspec.json.encode(as_plain(result)))
        else:
            show_result(result)

    return report


def _serve(settings: Settings, protocol: str, path: str | None, as_json: bool) -> None:
    """Hold tournaments until told to stop, and print each result."""
    from parlour.cli.results import first_error, progress_bars
    from parlour.net.loops import ask_for_files, quick_loop, settle_down
    from parlour.store import open_store

    ask_for_files()
    held = 0
    show = _reporter(as_json)

    def report(result: TournamentResult | None) -> None:
        nonlocal held
        held += result is not None
        show(result)

    async def run(server: TournamentServer, say: Callable[[str], None]) -> None:
        await server.start()
        say(f"listening on {settings.host}:{server.port}")
        if server.resuming is not None:
            wait = f"up to {settings.return_time:g} s"
            say(f"{server.resuming} was cut short: waiting {wait} for its players")
        settle_down()
        await server.run(report)

    with contextlib.ExitStack() as stack:
        store = None if path is None else stack.enter_context(open_store(path, rest=REST))
        if store is not None:
            store.claim()
        bars, say = stack.enter_context(progress_bars())
        server = _tournaments(settings, protocol, store, bars, say)
        with contextlib.suppress(KeyboardInterrupt), first_error():
            quick_loop().run(run(server, say))
            if settings.once and not held:
                sys.exit(1)
