"""The part of parlour join that signs players up for a tournament of Fish at HOST:PORT."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import click
import msgspec

from parlour.agents.process_supervisor import UNLIMITED, Limits
from parlour.cli.display.bars import waiting
from parlour.cli.display.notes import notes_of
from parlour.cli.join import RETURNS, JoinRequest
from parlour.core import seeds
from parlour.errors import ConfigError, ParlourError

if TYPE_CHECKING:
    from parlour.agents.watched import Note
    from parlour.core.player import Player
    from parlour.net.client.report import Client, ClientReport

EARLY_RETURNS = 3.0
"""Seconds to reconnect before a tournament has begun: a server that got too few players has closed."""


def join(request: JoinRequest) -> bool:
    """Play a tournament and print the result of each player; return True if all were told whether they won."""
    host, port = read_address(request.server)
    agent = request.agent
    if agent == "human":
        click.echo("the server limits the time of a turn; this protocol does not say to how much", err=True)
    name = request.name or "".join(filter(str.isalpha, agent))[:12] or "player"
    names = make_names(name, request.count, request.protocol)
    shown = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
    waiting(f"signing up at {host}:{port} as {shown}; the tournament begins when enough have")
    maker = partial(_agent, agent, notes_of(agent, whole=request.whole), request.limits)
    reports = asyncio.run(
        play(
            host,
            port,
            names,
            agent,
            maker,
            protocol=request.protocol,
            age=request.age,
            tries=request.tries,
            returns=request.returns,
        )
    )
    for report in reports:
        if request.as_json:
            click.echo(msgspec.json.encode(report))
        else:
            click.echo(_line(report), err=report.won is None)
    return all(report.won is not None for report in reports)


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
            returns=RETURNS if returns is None else returns,
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
