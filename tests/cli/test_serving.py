"""The doors that `parlour serve` opens: what belongs to a door is closed with it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from parlour.cli.serving import _doors
from parlour.net.accounts.accounts import Accounts
from parlour.net.hall import Hall
from parlour.net.settings import ServerSettings
from parlour.store import open_store
from parlour.web.site import Site


def test_pages_are_closed_with_their_door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[Site] = []
    monkeypatch.setattr(Site, "close", lambda site: closed.append(site))

    async def opened_and_closed() -> None:
        with open_store(str(tmp_path / "parlour.db")) as store:
            hall, accounts = Hall(store), Accounts(store)
            await hall.start()
            settings = ServerSettings(http_port=0)
            (door,) = _doors(settings, hall, accounts, None, ("http",), lambda *_: pytest.fail("no Fish was wanted"))
            await door.open()
            assert closed == []
            await door.close()
            await hall.close()
            accounts.close()

    asyncio.run(opened_and_closed())
    assert len(closed) == 1
