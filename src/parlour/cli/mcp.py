"""parlour mcp: seats as tools for assistants, over standard input and output or over HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from parlour.cli.options.kinds import option, whole
from parlour.errors import ConfigError

if TYPE_CHECKING:
    import uvicorn

    from parlour.net.mcp.seat_tools import SeatTools

MOST, MOST_OF_ONE = 1000, 200
"""Maximum number of connections over HTTP, in all and from one address."""


@click.command("mcp")
@option("--store url", "Keep the matches here: PATH or postgresql://…  [default: nowhere]")
@option("--http port", "Port for streamable HTTP, instead of standard input and output.", whole(0, 65535))
@option("--host", "Address to listen on, with --http.", default="127.0.0.1")
@option(
    "--allowed-host allow",
    "Further host name by which assistants may call this server; may be repeated.",
    multiple=True,
    metavar="HOST[:PORT]",
)
def command(url: str | None, port: int | None, host: str, allow: tuple[str, ...]) -> None:
    """Let assistants take seats: sit, view, legal, say, answer, submit, explain, wait.

    An assistant's host starts this command and speaks the Model Context Protocol on its standard input and output.
    With --http several assistants reach one server at http://HOST:PORT/mcp, and may sit at the same table.

    \b
    parlour mcp
    parlour mcp --http 8765 --store matches.db
    """
    if port is None and (allow or host != "127.0.0.1"):
        raise ConfigError("--host and --allowed-host are for HTTP: give --http, too", field="http")
    asyncio.run(_serve_stdio(url) if port is None else _serve_http(url, host, port, allow))


@contextlib.asynccontextmanager
async def _seat_tools(url: str | None) -> AsyncIterator[SeatTools]:
    from parlour.net.hall import Hall
    from parlour.net.mcp.seat_tools import SeatTools
    from parlour.store import open_store

    with tempfile.TemporaryDirectory() as folder, open_store(url or str(Path(folder) / "mcp.db")) as store:
        hall = Hall(store)
        await hall.start()
        try:
            yield SeatTools(hall)
        finally:
            await hall.close()


async def _serve_stdio(url: str | None) -> None:
    from parlour.cli.terminal.feed import endable_input
    from parlour.net.mcp.server import make_server

    stopped = _stopped()
    async with _seat_tools(url) as tools:
        with endable_input() as end:
            await _run(make_server(tools).run_stdio_async(), stopped, end)


async def _serve_http(url: str | None, host: str, port: int, allow: tuple[str, ...]) -> None:
    from parlour.net.doors import SignalFreeServer
    from parlour.net.framing.listener import listen
    from parlour.net.mcp.server import PATH, make_app, make_server

    stopped = _stopped()
    async with _seat_tools(url) as tools:
        sockets = await listen(host, port)
        bound = sockets[0].getsockname()[1]
        own = [f"{name}:{bound}" for name in (host, "localhost", "127.0.0.1")]
        server = SignalFreeServer(config_of(make_app(make_server(tools), [*own, *allow])))
        click.echo(f"assistants connect to http://{host}:{bound}{PATH}; stop with Ctrl-C")
        await _run(server.serve(sockets), stopped, lambda: setattr(server, "should_exit", True))


def _stopped() -> asyncio.Event:
    """Return an event that a signal sets, so that the program can close its store and remove temporary files."""
    stopped, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup makes the program ignore SIGHUP
            loop.add_signal_handler(number, stopped.set)
    return stopped


async def _run(serving: Coroutine[Any, Any, None], stopped: asyncio.Event, stop: Callable[[], None]) -> None:
    """Serve until the client disconnects or a signal stops this program."""
    tasks = asyncio.ensure_future(serving), asyncio.ensure_future(stopped.wait())
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    tasks[1].cancel()
    stop()
    await tasks[0]


def config_of(app: Any) -> uvicorn.Config:
    """Return the configuration of the server, with bounds on connections, since anybody may find the port."""
    import uvicorn

    from parlour.net.framing.http import bounded_http
    from parlour.net.framing.limiter import ConnectionLimiter

    protocol = bounded_http(ConnectionLimiter(most=MOST, most_of_one=MOST_OF_ONE))
    return uvicorn.Config(app, http=protocol, log_level="error", access_log=False, timeout_graceful_shutdown=1)
