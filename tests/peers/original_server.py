"""The server of the `diplomacy` package, unmodified but for two things that would only make tests wait.

It knows the standard map only (the others cost minutes at the first start), and hashes passwords at the lowest cost.
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
from diplomacy.utils import common  # type: ignore[import-untyped]

_gensalt = bcrypt.gensalt


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
    threading.Thread(target=_quit_with_parent, daemon=True).start()
    asyncio.run(main())
