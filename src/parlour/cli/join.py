"""parlour join: plays with an agent in a tournament or a match on another machine, or on this one."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import click
import msgspec

from parlour.agents.process_supervisor import UNLIMITED, Limits
from parlour.cli.display.bars import waiting
from parlour.cli.matches.hosting import notes_of, traceback_option
from parlour.cli.options.confining import limits_of, program_options, tell_of_programs
from parlour.cli.options.kinds import flag, option, real, whole
from parlour.cli.terminal.stopping import stoppable
from parlour.core import seeds
from parlour.errors import ConfigError, ParlourError

if TYPE_CHECKING:
    from parlour.agents.watched import Note
    from parlour.core.player import Player
    from parlour.net.client.report import Client, ClientReport

RETURNS = 30.0
EARLY_RETURNS = 3.0
"""Seconds to reconnect before a tournament has begun: a server that got too few players has closed."""


def _only_one(_: click.Context, option: click.Parameter, given: Sequence[str]) -> str:
    """Return the only value of an option; click would take the last of several."""
    if len(given) > 1:
        raise click.BadParameter(f"expected one agent, got {len(given)}; run parlour join once per agent", param=option)
    return given[0]


@click.command()
@click.argument("server", metavar="HOST:PORT|ws://HOST:PORT|daide://HOST:PORT")
@option("--game", "Game that is played at HOST:PORT.", ["fish"])
@option(
    "--agent",
    "Agent to play: a name, path.py:Class, human, or a quoted command.  [default: greedy]",
    multiple=True,
    callback=_only_one,
    default=["greedy"],
    show_default=False,
)
@option("--name", "Name to sign up with.  [default: the agent's]")
@option("--age", "Age to sign up with; the youngest play first.  [default: the agent's]", whole(0, 1_000_000))
@option(
    "--protocol",
    "Protocol at HOST:PORT: messages with a type and a value, or the course's calls.",
    ["json", "neu"],
    "json",
)
@option("--count", "Number of players to sign up.", whole(1, 1000), 1)
@option("--tries", "Number of attempts to connect, one per second.", whole(1, 1000), 10)
@option(
    "--reconnect-timeout returns",
    "Seconds to try to reconnect after a lost connection.  [default: 30; before a tournament has "
    "begun 3, since the server has most often closed then]",
    real(0, 3600),
)
@flag("--json as_json", "Print one JSON object per player.")
@option("--match", "At ws://HOST:PORT: the match of Diplomacy to join.")
@option("--power", "At ws://HOST:PORT: power to play.  [default: a free one]")
@option(
    "--player-type",
    "At ws://HOST:PORT: type of player to announce.  [default: the agent's]",
    ["human", "no_press_bot", "press_bot"],
)
@option(
    "--password",
    "At ws://HOST:PORT: password of the account; without it a new account is made.",
    envvar="PARLOUR_PASSWORD",
)
@option("--match-password", "At ws://HOST:PORT: password of the match.")
@option("--press-time talk", "At ws://HOST:PORT: seconds for press in a movement phase.", real(0, 86_400), 60.0)
@option("--seed", "At ws://HOST:PORT: seed of the agent's random numbers.", int, 0)
@program_options
@traceback_option
def command(
    server: str,
    game: str | None,
    agent: str,
    name: str | None,
    age: int | None,
    protocol: str,
    count: int,
    tries: int,
    returns: float | None,
    as_json: bool,
    match: str | None,
    power: str | None,
    player_type: str | None,
    password: str | None,
    match_password: str | None,
    talk: float,
    seed: int,
    whole: bool,
    confined: bool,
    trusted: bool,
    passed: Sequence[str],
) -> None:
    """Sign up at HOST:PORT and let an agent play; prints for each player whether it won or lost.

    At ws://HOST:PORT it joins a match of Diplomacy, ours or one on a server of the `diplomacy` package; at
    daide://HOST:PORT one of a DAIDE server, where a name like FRA:bot@evening asks for a power and a match.
    """
    limits = limits_of(confined=confined, trusted=trusted, passed=passed)
    tell_of_programs("diplomacy" if "://" in server else game or "fish", [agent], limits)
    if server.startswith("daide://"):
        from parlour.cli.joining.daide import DaideSeat, join_daide

        with stoppable():
            talk = min(talk, 10.0)
            seat = DaideSeat(server, agent, name, talk, seed, limits)
            done = join_daide(seat, tries=tries, returns=_returns(returns), as_json=as_json)
        sys.exit(0 if done else 1)
    if "://" in server:
        from parlour.cli.joining.match import Guest, join_match

        guest = Guest(server, match, power, agent, name, password, match_password, player_type, talk, seed, limits)
        with stoppable():
            sys.exit(0 if join_match(guest, tries=tries, as_json=as_json) else 1)
    if game is None:
        raise ConfigError("game: expected --game fish, or a match of Diplomacy at ws://HOST:PORT", field="game")
    host, port = read_address(server)
    if agent == "human":
        click.echo("the server limits the time of a turn; this protocol does not say to how much", err=True)
    names = make_names(name or "".join(filter(str.isalpha, agent))[:12] or "player", count, protocol)
    shown = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
    waiting(f"signing up at {host}:{port} as {shown}; the tournament begins when enough have")
    with stoppable():
        note = notes_of(agent, whole=whole)
        maker = partial(_agent, agent, note, limits)
        playing = play(host, port, names, agent, maker, protocol=protocol, age=age, tries=tries, returns=returns)
        reports = asyncio.run(playing)
    for report in reports:
        if as_json:
            click.echo(msgspec.json.encode(report))
        else:
            click.echo(_line(report), err=report.won is None)
    if any(report.won is None for report in reports):
        sys.exit(1)


async def play(
    host: str,
    port: int,
    names: list[str],
    agent: str,
    make: Callable[[int, int], Player] | None = None,
    *,
    protocol: str,
    age: int | None = None,
    tries: int = 10,
    returns: float | None = 0.0,
) -> list[ClientReport]:
    """Run one client per name and return their reports; make returns the player for a client's number and a game."""
    from parlour.net.fish.protocols import make_client

    own_age = agent_age(agent)
    age = own_age if age is None else age
    clients = [
        make_client(
            protocol,
            name,
            partial(make or partial(_agent, agent, None, UNLIMITED), number),
            age=age,
            returns=_returns(returns),
            returns_early=EARLY_RETURNS if returns is None else returns,
        )
        for number, name in enumerate(names)
    ]
    async with asyncio.TaskGroup() as group:
        tasks = []
        for client in clients:
            tasks.append(group.create_task(_run(client, host, port, tries)))
            await asyncio.sleep(0.002)  # so that clients sign up in order
    return [task.result() for task in tasks]


def _returns(given: float | None) -> float:
    return RETURNS if given is None else given


async def _run(client: Client, host: str, port: int, tries: int) -> ClientReport:
    """Play one player's tournament; errors are in its report."""
    try:
        return await client.run(host, port, tries=tries)
    except ParlourError as error:
        client.report.reason = str(error)
        return client.report


def _agent(agent: str, note: Note | None, limits: Limits, player: int, game: int) -> Player:
    from parlour.agents.loading import make_player

    return make_player("fish", agent, seeds.client_player(player, game), note, limits=limits)


def agent_age(wanted: str) -> int | None:
    """Return the age that an agent gives itself, if any; raise ConfigError for an unknown agent.

    A command has no age here, since it is not started.
    """
    from parlour.agents.fish.ages import age_of
    from parlour.agents.loading import make_player

    if wanted.rpartition(":")[0].endswith(".py") or not (" " in wanted or "/" in wanted):
        return age_of(make_player("fish", wanted, 0))
    return None


def _line(report: ClientReport) -> str:
    if report.won is None:
        return f"{report.name} did not finish: {report.reason}"
    games = f"{report.games} game{'' if report.games == 1 else 's'}"
    return f"{report.name} {'won' if report.won else 'lost'} ({games})"


def read_address(text: str) -> tuple[str, int]:
    """Return host and port; an IPv6 address may be in brackets."""
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdecimal() or len(port) > 5 or not 0 < int(port) <= 65_535:
        raise ConfigError(f"server: expected HOST:PORT, not {text[:80]!r}", field="server")
    return host.strip("[]") or "127.0.0.1", int(port)


def make_names(name: str, count: int, protocol: str) -> list[str]:
    """Return the name, or for several players names that differ; CS4500's protocol allows twelve letters."""
    if count == 1:
        return [name]
    if protocol == "json":
        return [f"{name}{number}" for number in range(1, count + 1)]
    return [f"{name[:9]}{_letters(number)}" for number in range(count)]


def _letters(number: int) -> str:
    """Return the number in letters: a, b, ..., z, ba, bb, ..."""
    more, last = divmod(number, 26)
    return (_letters(more) if more else "") + "abcdefghijklmnopqrstuvwxyz"[last]
