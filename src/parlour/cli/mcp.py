"""parlour mcp: seats as tools for assistants, over standard input and output or over HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from parlour.errors import ConfigError

if TYPE_CHECKING:
    import uvicorn

    from parlour.net.mcp.desk import SeatDesk

MOST, MOST_OF_ONE = 1000, 200
"""Connections over HTTP, in all and from one address."""


@click.command("mcp")
@click.option("--store", "url", help="Keep the matches here: PATH or postgresql://…  [default: nowhere]")
@click.option("--http", "port", type=click.IntRange(0, 65535), help="Serve streamable HTTP on this port instead.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen, with --http.")
@click.option("--allow", multiple=True, metavar="HOST[:PORT]", help="By which names this server may be called, too.")
def command(url: str | None, port: int | None, host: str, allow: tuple[str, ...]) -> None:
    """Let assistants take seats: sit, view, legal, say, answer, submit, explain, wait.

    An assistant's host starts this command and speaks the Model Context Protocol on its standard input and output.
    With --http several assistants reach one server at http://HOST:PORT/mcp, and may sit at the same table.

    \b
    parlour mcp
    parlour mcp --http 8765 --store matches.db
    """
    if port is None and (allow or host != "127.0.0.1"):
        raise ConfigError("--host and --allow are for HTTP: give --http, too", field="http")
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve_stdio(url) if port is None else _serve_http(url, host, port, allow))


@contextlib.asynccontextmanager
async def _desk(url: str | None) -> AsyncIterator[SeatDesk]:
    from parlour.net.hall import Hall
    from parlour.net.mcp.desk import SeatDesk
    from parlour.store import open_store

    with tempfile.TemporaryDirectory() as folder, open_store(url or str(Path(folder) / "mcp.db")) as store:
        hall = Hall(store)
        await hall.start()
        try:
            yield SeatDesk(hall)
        finally:
            await hall.close()


async def _serve_stdio(url: str | None) -> None:
    from parlour.net.mcp.server import make_server

    async with _desk(url) as desk:
        await make_server(desk).run_stdio_async()


async def _serve_http(url: str | None, host: str, port: int, allow: tuple[str, ...]) -> None:
    import uvicorn

    from parlour.net.framing.listener import listen
    from parlour.net.mcp.server import PATH, make_app, make_server

    async with _desk(url) as desk:
        sockets = await listen(host, port)
        bound = sockets[0].getsockname()[1]
        own = [f"{name}:{bound}" for name in (host, "localhost", "127.0.0.1")]
        app = make_app(make_server(desk), [*own, *allow])
        click.echo(f"assistants connect to http://{host}:{bound}{PATH}; stop with Ctrl-C")
        await uvicorn.Server(config_of(app)).serve(sockets)


def config_of(app: Any) -> uvicorn.Config:
    """How the application is served: with bounds on connections, for whoever finds the port."""
    import uvicorn

    from parlour.net.framing.http import Porch, bounded_http

    porch = bounded_http(Porch(most=MOST, most_of_one=MOST_OF_ONE))
    return uvicorn.Config(app, http=porch, log_level="error", access_log=False, timeout_graceful_shutdown=1)
