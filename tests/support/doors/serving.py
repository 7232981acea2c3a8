"""A server with doors for pages, websockets and DAIDE bots, in a process of its own."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path


@asynccontextmanager
async def serving(path: Path, *options: str) -> AsyncIterator[dict[str, int]]:
    """parlour serve with doors for websockets and for DAIDE bots; the port of each."""
    command = [
        sys.executable,
        "-m",
        "parlour",
        "serve",
        "--only",
        "http,daide",
        "--http-port",
        "0",
        "--daide-port",
        "0",
    ]
    store = ["--store", str(path / "serving.db")]
    server = await asyncio.create_subprocess_exec(*command, *store, *options, cwd=path, stderr=subprocess.PIPE)
    assert server.stderr is not None
    try:
        found: dict[str, int] = {}
        while len(found) < 2:
            words = (await server.stderr.readline()).decode().split()
            assert words, "it ended before its doors were open"
            if words[0] in ("http", "daide") and words[1] == "listens":
                found[words[0]] = int(words[3].rstrip(":").rpartition(":")[2])
        yield found
    finally:
        server.kill()
        await server.communicate()
