"""parlour serve: hosts matches behind every door, and Fish tournaments for players who sign up."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click
import msgspec
from click.core import ParameterSource

from parlour.cli.options.kinds import EXISTING_FILE, flag, option, real, whole
from parlour.cli.servers.doors import DOORS, door_options
from parlour.errors import ConfigError

if TYPE_CHECKING:
    from parlour.net.fish.server import TournamentServer
    from parlour.net.fish.settings import Settings
    from parlour.net.hall import Hall
    from parlour.net.settings import ServerSettings
    from parlour.store import Store
    from parlour.tournament.knock_out.events import TournamentResult
    from parlour.tournament.reports.audience import Spectator
    from parlour.tournament.reports.standings import Standings
    from parlour.tournament.results_state import ResultsState

Report: TypeAlias = "Callable[[TournamentResult | None], None]"

REST = 0.001
"""Seconds that the store's writer rests after a commit for several callers: players do not notice the delay,
and there are about half as many commits."""
_SECONDS = click.FloatRange(min=0.001, max=86_400)
_BYTES = click.IntRange(1 << 16, 1 << 50)


@click.command()
@option("--game", "Hold only tournaments of this game, on --port; without it, all doors open.", ["fish"])
@door_options
@option("--map", "Map of matches of Diplomacy that are opened without one.  [default: standard]")
@option("--only", f"Doors to open, separated by commas: {', '.join(door.name for door in DOORS)}.")
@option("--config", "TOML file of settings; each is also read from PARLOUR_… in the environment.", EXISTING_FILE)
@option(
    "--set assigned",
    "Any other setting, by its name in the settings file; may be repeated.",
    multiple=True,
    metavar="NAME=VALUE",
)
@option("--tls-certificate", "Certificate file in PEM; pages and the API are then encrypted.")
@option("--tls-key", "Key file of the certificate, in PEM.")
@option("--registration", "Persons who may open an account.  [default: open]", ["open", "invitation", "closed"])
@option("--bytes-per-match", "Maximum bytes stored per match.  [default: 67108864]", _BYTES)
@option("--bytes-per-account", "Maximum bytes stored per account and day.  [default: 268435456]", _BYTES)
@option(
    "--message-length",
    "Highest message length, in characters, that a match may allow.  [default: 150000]",
    whole(1, 150_000),
)
@option(
    "--messages-per-turn",
    "Highest number of messages per seat and turn in a match.  [default: 100000]",
    whole(1, 10_000_000),
)
@option("--protocol", "json: messages with a type and a value; neu: the course's calls.", ["json", "neu"], "json")
@option("--host", "The address to listen on.  [default: 127.0.0.1]")
@option("--port", "Port for players; 0 means any free port.", whole(0, 65_535), 45_678)
@option("--min fewest", "Minimum number of players of a tournament.", whole(1, 1000), 5)
@option("--max most", "Number of players at which a tournament begins at once.", whole(1, 1000), 10)
@option("--wait", "Seconds of one waiting period for sign-ups.", _SECONDS, 30.0)
@option("--tries", "Number of waiting periods for sign-ups.", whole(1, 100), 2)
@option("--settle", "Seconds from the last sign-up to the start.", real(0, 3600), 0.0)
@option("--house", "Number of house agents that may fill up to --min.", whole(0, 1000), 0)
@option("--house-agent", "Agent that fills empty places.", default="greedy")
@option("--rows", "Rows of the boards.", int, 5)
@option("--cols", "Columns of the boards.", int, 5)
@option("--fish", "Number of fish on every tile.  [default: random]", int)
@option("--seed", "Seed of all random numbers.  [default: a new one each time]", whole(0, 2**62))
@option("--time-per-turn", "Seconds per turn.", _SECONDS, 10.0)
@option("--first-turn", "Seconds for a player's first turn in a match.  [default: like all turns]", _SECONDS)
@option("--grace", "Seconds to wait for a lost player to reconnect, where the protocol has tokens.", real(0, 3600), 5.0)
@option("--resume/--no-resume", "Continue interrupted tournaments of the store.", default=True)
@option("--return-time", "Seconds for which a resumed tournament waits for its players.", real(0, 3600), 15.0)
@option("--store", "Store for all data: a path, or postgresql://…  [default: parlour.db]")
@flag("--no-store", "Store nothing: all is lost at the end.")
@option("--format", "Schedule: knock-out, or with ratings: round-robin, swiss, gauntlet, ladder.", default="knock-out")
@option(
    "--blocks", "Maximum number of blocks with ratings.  [default: all rounds of swiss, otherwise 1]", whole(1, 10_000)
)
@option("--seats", "Players at a table of a schedule with ratings.  [default: the fewest]", whole(2, 100))
@flag("--once", "Stop after one tournament.")
@flag("--json as_json", "Print each result as one JSON object.")
@flag("--standby", "Wait until no other server uses the store, then take over.")
@flag("--verbose", "Log every setting with its source at the start.")
def command(
    game: str | None,
    protocol: str,
    port: int,
    store: str | None,
    no_store: bool,
    as_json: bool,
    config: Path | None,
    assigned: tuple[str, ...],
    standby: bool,
    verbose: bool,
    **given: Any,
) -> None:
    """Host matches of both games: pages, an API, and Fish tournaments for players who sign up.

    With --game fish it only signs players up and runs tournaments (--format), one after the other. A tournament that
    was cut short, for example by a kill or a power cut, continues from the store when the server starts again, and so
    do all other matches. Players return with their name and the token that they received when they signed up.
    """
    from parlour.net.settings import ServerSettings, gather, read_assignments

    _refuse_what_is_not_heard(click.get_current_context(), game)
    flags = {field: given.pop(field) for field in ServerSettings.__struct_fields__ if field in given}
    if game is not None:
        settings = _fish_settings(given, flags["host"] or "127.0.0.1", port)
        _serve(settings, protocol, None if no_store else store or "parlour.db", as_json)
        return
    from parlour.cli.servers.serving import serve_all  # imported late: a server of Fish alone does not need the web

    if no_store:
        raise ConfigError("no-store: matches that are hosted must be kept somewhere", field="no_store")

    def make_fish(chosen: ServerSettings, hall: Hall) -> tuple[TournamentServer, Report]:
        from dataclasses import replace

        from parlour.net.logs import announce

        news = partial(announce, chosen.log)
        fish = replace(
            _fish_settings(given, chosen.host, chosen.fish_port),
            connections=chosen.connections,
            connections_of_one=chosen.connections_per_address,
        )
        reporter = TournamentReporter(as_json, news)
        return _tournaments(fish, protocol, [], news, reporter, hall=hall), reporter.report

    told = {field: value for field, value in {**flags, "store": store}.items() if value is not None}
    serve_all(
        gather({**read_assignments(assigned), **told}, os.environ, config), make_fish, verbose=verbose, standby=standby
    )


def _refuse_what_is_not_heard(context: click.Context, game: str | None) -> None:
    """Raise ConfigError for a given option that would have no effect."""
    from parlour.net.settings import ServerSettings

    given = [name for name in context.params if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    if game is None and "port" in given:
        raise ConfigError("port: goes with --game; here it is --http-port or --fish-port", field="port")
    heard = {"host", "store"}
    elsewhere = {"config", "assigned", "standby", "verbose", *ServerSettings.__struct_fields__} - heard
    deaf = [name for name in given if name in elsewhere]
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
    settings: Settings,
    protocol: str,
    spectators: Sequence[Spectator],
    news: Callable[[str], None],
    reporter: TournamentReporter,
    *,
    hall: Hall | None = None,
    store: Store | None = None,
) -> TournamentServer:
    from parlour.cli.display.results import TournamentNews
    from parlour.games.fish import GAME
    from parlour.net.fish.protocols import make_dialect
    from parlour.net.fish.server import TournamentServer

    watching = [TournamentNews(news), *spectators]
    return TournamentServer(
        GAME,
        make_dialect(protocol),
        settings,
        hall=hall,
        store=store,
        spectators=watching,
        news=news,
        show=reporter.show,
    )


class TournamentReporter:
    """Prints the result of each tournament, and the table of one with ratings."""

    def __init__(self, as_json: bool, news: Callable[[str], None]) -> None:
        self._as_json, self._news = as_json, news
        self._table: Standings | None = None

    def show(self, series: ResultsState, table: Standings) -> None:
        """Print the table of a tournament with ratings; with JSON, keep it until the result is printed."""
        from parlour.cli.display.standings import seconds_of, show

        self._table = table
        if not self._as_json:
            show(table, seconds_of(series))

    def report(self, result: TournamentResult | None) -> None:
        """Print a result."""
        from parlour.cli.display.results import as_plain, show_result

        table, self._table = self._table, None
        if result is None:
            self._news("too few players, no tournament")
        elif not self._as_json:
            show_result(result)
        elif table is None:
            click.echo(msgspec.json.encode(as_plain(result)))
        else:
            from parlour.tournament.reports.sheets import as_plain as plain_table

            click.echo(msgspec.json.encode({**as_plain(result), "standings": plain_table(table)}))


def _serve(settings: Settings, protocol: str, path: str | None, as_json: bool) -> None:
    """Run tournaments until the server is stopped, and print each result."""
    from parlour.cli.display.results import first_error, progress_bars, say
    from parlour.net.loops import ask_for_files, quick_loop, settle_down
    from parlour.store import open_store

    ask_for_files()
    held = 0
    reporter = TournamentReporter(as_json, say)

    def report(result: TournamentResult | None) -> None:
        nonlocal held
        held += result is not None
        reporter.report(result)

    async def run(server: TournamentServer, news: Callable[[str], None]) -> None:
        await server.start()
        news(f"listening on {settings.host}:{server.port}")
        if server.resuming is not None:
            wait = f"up to {settings.return_time:g} s"
            news(f"{server.resuming} was cut short: waiting {wait} for its players")
        settle_down()
        await server.run(report)

    with contextlib.ExitStack() as stack:
        store = None if path is None else stack.enter_context(open_store(path, rest=REST))
        if store is not None:
            store.claim()
        bars, news = stack.enter_context(progress_bars())
        server = _tournaments(settings, protocol, bars, news, reporter, store=store)
        with contextlib.suppress(KeyboardInterrupt), first_error():
            quick_loop().run(run(server, news))
            if settings.once and not held:
                sys.exit(1)
