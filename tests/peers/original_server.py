"""The server of the `diplomacy` package, unmodified but for three things that would only make tests wait.

It knows the standard map only (the others cost minutes at the first start), and hashes passwords at the lowest cost.
It answers `get_games_info` after everything that earlier requests caused has been sent, so that a test need not guess.
It prints its port and serves until its standard input is closed.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import tempfile
import threading
from typing import Any

import bcrypt
from diplomacy import Server  # type: ignore[import-untyped]
from diplomacy.communication.requests import GetGamesInfo  # type: ignore[import-untyped]
from diplomacy.server import request_managers  # type: ignore[import-untyped]
from diplomacy.utils import common  # type: ignore[import-untyped]
from tornado import gen

_gensalt = bcrypt.gensalt
_games_info = request_managers.MAPPING[GetGamesInfo]


@gen.coroutine
def _settled_games_info(server: Any, request: Any, connection: Any) -> Any:
    """Answer once games that are to be processed have been, and all notifications are written."""
    yield server.games_scheduler.tasks_queue.join()
    yield server.notifications.join()
    return _games_info(server, request, connection)


def _listdir(path: str = ".") -> list[str]:
    found = _all_files(path)
    return ["standard.map"] if str(path).endswith("maps") else found


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _quit_with_parent() -> None:
    sys.stdin.read()
    os._exit(0)


async def main(**settings: Any) -> None:
    """Serve on a free port."""
    port = _free_port()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(server_dir=folder, **settings)
        from tornado.ioloop import IOLoop

        server.start(port=port, io_loop=IOLoop.current())
        sys.stdout.write(f"{port}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    _all_files = os.listdir
    os.listdir = _listdir  # type: ignore[assignment]
    if "--slow-passwords" not in sys.argv:
        common.bcrypt.gensalt = lambda rounds=4: _gensalt(4)
    request_managers.MAPPING[GetGamesInfo] = _settled_games_info
    threading.Thread(target=_quit_with_parent, daemon=True).start()
    asyncio.run(main())
