"""The part of parlour join that takes a seat at a DAIDE server, daide://HOST:PORT."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click
import msgspec

from parlour.cli.display.bars import waiting
from parlour.cli.join import JoinRequest, first_of
from parlour.errors import ConfigError, LocalWireError, ParlourError, Unreachable
from parlour.net.framing.connection import reason_of

if TYPE_CHECKING:
    from parlour.net.client.daide import DaideReport

PORT = 16_713
LONGEST_TALK = 10.0
"""Maximum seconds for press in a movement phase."""


def join(request: JoinRequest) -> bool:
    """Play a match and print the result; return True if it was played to its end."""
    server, agent = request.server, request.agent
    parts = urlsplit(server)
    try:
        host, port = parts.hostname or "", parts.port or PORT
    except ValueError:
        host, port = "", 0
    if not host or parts.path.strip("/"):
        raise ConfigError(f"server: expected daide://HOST:PORT, got {server!r:.80}", field="server")
    waiting(f"{agent} asks for a place at {host}:{port}; the match begins when all are taken")
    report = asyncio.run(_play(host, port, request))
    if request.as_json:
        click.echo(msgspec.json.encode(report))
    else:
        ending = report.ending or "cut off"
        centres = f"{report.centres} centre{'' if report.centres == 1 else 's'}"
        played = f"{report.power} until {report.phase}: {centres}" if report.power else "no game began"
        click.echo(f"{played}, {ending}")
    return bool(report.power and report.ending)


async def _play(host: str, port: int, request: JoinRequest) -> DaideReport:
    from parlour.agents.loading import make_player
    from parlour.net.client.daide import DaideClient

    player = make_player("diplomacy", request.agent, request.seed, limits=request.limits)
    client = DaideClient(
        request.name or request.agent.partition(":")[0],
        player,
        talk=min(request.talk, LONGEST_TALK),
        returns=request.reconnecting,
        check_map=lambda board: request.refuse_other_map(board, "the server's match"),
    )
    for attempt in range(request.tries):
        try:
            return await client.run(host, port)
        except* ConfigError as failed:
            raise first_of(failed) from None
        except* LocalWireError as failed:
            raise ConfigError(f"agent: {first_of(failed)}", field="agent") from None
        except* ParlourError as failed:
            raise ConfigError(f"server: {first_of(failed)}", field="server") from None
        except* OSError as failed:
            if attempt == request.tries - 1:
                error = first_of(failed)
                reason = reason_of(error) if isinstance(error, OSError) else error
                raise Unreachable(f"cannot connect to {host}:{port}: {reason}") from None
        await asyncio.sleep(1)
    raise Unreachable(f"cannot connect to {host}:{port}")
