"""The same things asked of the original server and of ours, one after the other: the answers are the same."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from support.mila.house import mila_server
from support.mila.servers import original_server, seen_by_client

pytestmark = pytest.mark.timeout(300)  # the first of them may have to make the environment
BOT = "#bot@2e723r43tr70fh2239-qf3947-3449-21128-9dh1321d12dm13d83820d28-9dm,xw201=ed283994f4n832483"
BOT_PASSWORD = "#bot:password:28131821--mx1fh5g7hg5gg5g´[],s222222223djdjje399333x93901deedd|e[[[]{{|@S{@244f"
"""The account of the package's bots, by a constant of its clients."""
ON_PURPOSE = {
    "statuses": {"a state after the end": ("ok", "GameFinishedException")},
}
"""Answers of the package's server and of ours, where they differ.

A game that is over stays as it ended.
"""


async def ours(path: Path) -> Any:
    """Return the answer of our server."""
    async with mila_server(path, bot_account=BOT, bot_password=BOT_PASSWORD) as house:
        return await seen_by_client("original_sequences", house.port)


def test_both_servers_answer_the_same(tmp_path: Path) -> None:
    here = asyncio.run(ours(tmp_path))
    with original_server() as port:
        there = asyncio.run(seen_by_client("original_sequences", port))
    assert sum(map(len, here.values())) > 110
    assert "nothing" not in [found for asked in here.values() for found in asked.values()], "all is answered here"
    differing = {
        about: {
            what: (there[about][what], found) for what, found in asked.items() if _differs(there[about][what], found)
        }
        for about, asked in here.items()
    }
    assert {about: found for about, found in differing.items() if found} == ON_PURPOSE


def _differs(there: Any, here: Any) -> bool:
    """Return True if the answers differ; a missing answer of the package's server (it may be busy) counts as equal."""
    return bool(there != here and there != "nothing")
