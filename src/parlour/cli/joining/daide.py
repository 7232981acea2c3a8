"""The part of parlour join that takes a seat at a DAIDE server, daide://HOST:PORT."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import click
import msgspec

from parlour.agents.process_supervisor import UNLIMITED, Limits
from parlour.cli.display.bars import waiting
from parlour.errors import ConfigError, LocalWireError, ParlourError, Unreachable

if TYPE_CHECKING:
    from parlour.net.client.daide import DaideReport

PORT = 16_713


class DaideSeat(NamedTuple):
    """A request for a seat: server, agent, name, seconds for press, seed and limits."""

    server: str
    agent: str
    name: str | None
    talk: float
    seed: int
    limits: Limits = UNLIMITED


def join_daide(seat: DaideSeat, *, tries: int, returns: float, as_json: bool) -> bool:
    """Play a match and print the result; return True if it was played to its end."""
    server, agent = seat.server, seat.agent
    parts = urlsplit(server)
    try:
        host, port = parts.hostname or "", parts.port or PORT
    except ValueError:
        host, port = "", 0
    if not host or parts.path.strip("/"):
        raise ConfigError(f"server: expected daide://HOST:PORT, got {server!r:.80}", field="server")
    waiting(f"{agent} asks for a place at {host}:{port}; the match begins when all are taken")
    report = asyncio.run(_play(host, port, seat, tries, returns))
    if as_json:
        click.echo(msgspec.json.encode(report))
    else:
        ending = report.ending or "cut off"
        centres = f"{report.centres} centre{'' if report.centres == 1 else 's'}"
        played = f"{report.power} until {report.phase}: {centres}" if report.power else "no game began"
        click.echo(f"{played}, {ending}")
    return bool(report.power and report.ending)


async def _play(host: str, port: int, seat: DaideSeat, tries: int, returns: float) -> DaideReport:
    from parlour.agents.loading import make_player
    from parlour.net.client.daide import DaideClient

    player = make_player("diplomacy", seat.agent, seat.seed, limits=seat.limits)
    client = DaideClient(seat.name or seat.agent.partition(":")[0], player, talk=seat.talk, returns=returns)
    for attempt in range(tries):
        try:
            return await client.run(host, port)
        except* LocalWireError as failed:
            raise ConfigError(f"agent: {_first(failed)}", field="agent") from None
        except* ParlourError as failed:
            raise ConfigError(f"server: {_first(failed)}", field="server") from None
        except* OSError as failed:
            if attempt == tries - 1:
                raise Unreachable(f"cannot connect to {host}:{port}: {_first(failed)}") from None
        await asyncio.sleep(1)
    raise Unreachable(f"cannot connect to {host}:{port}")


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    found: BaseException = group
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    return found
