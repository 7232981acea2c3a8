"""parlour match: opens matches of Diplomacy on a server and moderates them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import click
import msgspec

from parlour.cli.options.kinds import EXISTING_FILE, flag, option, real, whole
from parlour.cli.terminal.family import Family
from parlour.core.text import hint
from parlour.errors import ConfigError, Unreachable
from parlour.files import read_regular

if TYPE_CHECKING:
    from parlour.net.client.channel import Channel
    from parlour.net.client.network_game import NetworkGame
    from parlour.net.mila.responses import GameSummary
    from parlour.net.mila.rules import OwnTerms

T = TypeVar("T")
SERVER = "ws://127.0.0.1:8080"


@click.group(cls=Family)
@option("--server", "Address of the server with the matches.", default=SERVER, envvar="PARLOUR_SERVER")
@option("--name", "Name of the account that moderates.", envvar="PARLOUR_NAME", default="")
@option("--password", "Password of the account that moderates.", envvar="PARLOUR_PASSWORD", default="")
@click.pass_context
def command(context: click.Context, server: str, name: str, password: str) -> None:
    """Open matches of Diplomacy on a server, and moderate them.

    It works on our servers and on those of the `diplomacy` package. Name and password come before the command, or from
    PARLOUR_NAME and PARLOUR_PASSWORD.
    """
    context.obj = (server, name, password)


@command.command()
@click.argument("match", required=False)
@option(
    "--players", "Number of powers that need a player; 0: solitaire, without deadlines.  [default: all]", whole(0, 15)
)
@option("--deadline", "Seconds per phase; 0 means no deadline.", whole(0, 10**9 - 1), 0)
@option("--rule rules", "Rule by the package's name: NO_PRESS, REAL_TIME, …; may be repeated.", multiple=True)
@option("--map map_name", "Name of the map to play on.  [default: that of the server]")
@option("--match-password", "Password that players need to take a seat.")
@option("--last-year", "The match ends after this year.", whole(1, 9999))
@option("--scoring", "Scoring of outcomes, as in parlour play.", default="")
@option("--agent agents", "House agent that plays a power; may be repeated.", multiple=True, metavar="POWER=NAME")
@option("--stand-in", "House agent that plays for a player who leaves.", default="", metavar="NAME")
@option("--title", "Title of the match in lists and on pages.", default="")
@flag("--unlisted", "Keep the match out of lists.")
@option("--delay", "Seconds by which spectators see the match later.", real(0, 86_400), default=0.0)
@option("--daide-level", "Press level for DAIDE bots, 0 to 60.", whole(0, 60))
@option("--daide-options", "Options for DAIDE bots, with commas: AOA, DSD, PDA, RTL=60, BTL=60.", default="")
@flag("--daide", "Print on a second line the port where DAIDE bots of this match connect.")
@option(
    "--from saved", "Saved game to continue, of Parlour or the package; Parlour's servers keep its past.", EXISTING_FILE
)
@click.pass_obj
def create(
    account: tuple[str, str, str],
    /,
    match: str | None,
    players: int | None,
    deadline: int,
    rules: tuple[str, ...],
    map_name: str | None,
    match_password: str | None,
    daide: bool,
    saved: Path | None,
    **own: Any,
) -> None:
    """Open a match and print its id; any that is free if none is given.

    Servers of the `diplomacy` package ignore the options from --last-year to --daide-options.
    """
    from parlour.games.diplomacy.formats.saved import read_saved
    from parlour.net.mila.rules import KNOWN

    for rule in rules:
        if rule not in KNOWN:  # a server ignores an unknown rule without a message
            expected = f"expected one of {', '.join(KNOWN)}{hint(rule, KNOWN)}"
            raise ConfigError(f"rule: there is no {rule!r:.60}, {expected}", field="rule")
    own_terms = _own_terms(**own)
    if own_terms.daide_level == 0:
        rules = (*(rules or ("POWER_CHOICE",)), "NO_PRESS")
    game_before = read_saved(read_regular(saved))[-1] if saved is not None else None
    last = game_before.phases[-1] if game_before is not None else None

    async def work(channel: Channel) -> str:
        game = await channel.create_game(
            game_id=match,
            n_controls=players,
            deadline=deadline,
            rules=rules or (game_before.rules if game_before is not None else None) or ("POWER_CHOICE",),
            map_name=map_name if game_before is None else game_before.board.name,
            state=None if last is None else last.state,
            saved=None if game_before is None else game_before.encode(),
            registration_password=match_password,
            own_terms=own_terms,
        )
        port = f"\n{await channel.connection.get_daide_port(game.game_id)}" if daide else ""
        return f"{game.game_id}{port}"

    click.echo(_signed_in(account, work))


def _own_terms(agents: tuple[str, ...], unlisted: bool, daide_options: str, **own: Any) -> OwnTerms:
    """Return the terms that the options set; raise ConfigError for an invalid one."""
    from parlour.net.mila.rules import OwnTerms

    seated = {}
    for text in agents:
        power, equals, spec = text.partition("=")
        if not (power and equals and spec):
            raise ConfigError(f"agent: expected POWER=NAME, such as FRANCE=dumbbot, got {text!r:.80}", field="agent")
        seated[power.upper()] = spec
    options = tuple(word for word in daide_options.split(",") if word.strip())
    found = OwnTerms(agents=seated, listed=not unlisted, daide_options=options, **own)
    found.daide()
    return found


@command.command("list")
@option("--status", "List only matches with this status.", ["forming", "active", "paused", "completed", "canceled"])
@flag("--json as_json", "Print one JSON object per match.")
@click.argument("part", default="")
@click.pass_obj
def list_(account: tuple[str, str, str], status: str | None, as_json: bool, part: str) -> None:
    """List the matches whose id has that part."""

    async def work(channel: Channel) -> list[GameSummary]:
        return await channel.list_games(game_id=part or None, status=status)

    found = _signed_in(account, work)
    width = max((len(each.game_id) for each in found), default=0)
    for each in found:
        click.echo(msgspec.json.encode(each) if as_json else _line(each, width))


@command.command()
@click.argument("match")
@click.pass_obj
def show(account: tuple[str, str, str], match: str) -> None:
    """Print where a match stands: its phase, who plays, who has ordered, and what stands where."""

    async def work(game: NetworkGame) -> list[str]:
        lines = [f"{game.game_id}: {game.status}, {game.get_current_phase()}"]
        for name, power in game.powers.items():
            ordered = "ordered" if power.order_is_set else "waits" if power.wait else ""
            units = " ".join(power.units)
            lines.append(f"{name:<8} {power.get_controller():<20} {len(power.centers):>2} {ordered:<7} {units}")
        return lines

    for line in _in_match(account, match, work):
        click.echo(line)


def _verb(name: str, help_text: str) -> None:
    """Add a command that calls the method of this name on a match."""

    @command.command(name, help=help_text)
    @click.argument("match")
    @click.pass_obj
    def verb(account: tuple[str, str, str], match: str) -> None:
        async def work(game: NetworkGame) -> str:
            await getattr(game, name)()
            return f"{game.game_id}: {game.status}"

        click.echo(_in_match(account, match, work))


_verb("start", "Start a match with the players that are there.")
_verb("pause", "Stop the clock of a match.")
_verb("resume", "Let the clock of a match run again.")
_verb("cancel", "End a match without a result.")
_verb("draw", "End a match in a draw of all who are still in it.")
_verb("process", "End the phase now; who has not ordered holds.")


def _in_match(account: tuple[str, str, str], match: str, work: Callable[[NetworkGame], Awaitable[T]]) -> T:
    async def joined(channel: Channel) -> T:
        return await work(await channel.join_game(game_id=match))

    return _signed_in(account, joined)


def _signed_in(account: tuple[str, str, str], work: Callable[[Channel], Awaitable[T]]) -> T:
    """Sign in, run an action, disconnect, and return its result; raise Unreachable if the server does not answer."""
    server, name, password = account
    if not name or not password:
        raise ConfigError(
            "name, password: expected both, as in parlour match --name ME --password SECRET list", field="name"
        )
    address = urlsplit(server)
    if address.scheme not in ("ws", "wss") or address.hostname is None:
        raise ConfigError(f"server: expected ws://HOST:PORT, not {server[:80]!r}", field="server")

    async def session() -> T:
        from parlour.net.client.connection import DEFAULT_PORT, connect

        assert address.hostname is not None
        async with connect(
            address.hostname, address.port or DEFAULT_PORT, address.scheme == "wss", attempts=1
        ) as connection:
            return await work(await connection.authenticate(name, password))

    try:
        return asyncio.run(session())
    except (ConnectionError, TimeoutError) as error:
        raise Unreachable(str(error) or "the server said nothing for too long") from None


def _line(found: GameSummary, width: int) -> str:
    players = f"{found.n_players} of {found.n_controls}"
    return f"{found.game_id:<{width}}  {found.status:<9} {found.phase:<9} {players:<7} {' '.join(found.rules or ())}"
