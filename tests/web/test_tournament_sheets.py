"""Sheets of tournaments: how many are kept, and how often one is made. No browser: it would hold this thread's loop."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from parlour.core.terms import Terms
from parlour.net.fair_pool import HOUSE, FairPlaces, FairPool
from parlour.referee.conduct import STRICT
from parlour.store import SQLiteStore
from parlour.tournament.knock_out.events import Announced, Entrant
from parlour.tournament.knock_out.tournament import open_journal
from parlour.web import tournaments
from parlour.web.page_socket import TRY_AGAIN
from parlour.web.tournaments import TournamentSheet


async def test_sheets_of_few_tournaments_are_kept_and_those_that_take_long_are_made_seldom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0

    class SlowTournaments(tournaments.Tournaments):
        """Each sheet takes three seconds to compute."""

        def _read(self, name: str, known: TournamentSheet | None) -> TournamentSheet | None:
            nonlocal now
            now += 3.0
            return super()._read(name, known)

    monkeypatch.setattr(tournaments, "KEPT", 2)
    monkeypatch.setattr(tournaments, "EVERY", 1.0)
    monkeypatch.setattr(tournaments, "SHARE", 20)
    monkeypatch.setattr(tournaments, "time", SimpleNamespace(monotonic=lambda: now))
    with SQLiteStore(tmp_path / "parlour.db") as store:
        for name in ("a", "b", "c"):
            announced = Announced(1.0, name, "fish", {}, Terms(STRICT), "knock-out", 1, (Entrant("anna"),))
            await open_journal(store, announced).keep([announced])
        shown = SlowTournaments(store)
        for name in ("a", "b", "c"):
            await shown.sheet(name)
        assert list(shown._looks) == ["b", "c"]
        looked = now
        await shown.sheet("c")
        now = looked + 3.0 * 20 - 0.1
        await shown.sheet("c")
        assert now == looked + 3.0 * 20 - 0.1, "nobody looked again"
        now = looked + 3.0 * 20
        await shown.sheet("c")
        assert now == looked + 3.0 * 20 + 3.0
        strange = (f"no tournament {number}" for number in range(5))
        await asyncio.gather(*map(shown.sheet, (*strange, "c")))
        assert list(shown._looks) == ["b", "c"]


async def test_a_page_of_a_tournament_tries_again_while_the_server_is_busy(tmp_path: Path) -> None:
    class Busy:
        """A socket that says hello, and keeps the code with which it is closed."""

        client = None

        def __init__(self) -> None:
            self.hellos, self.closed = ["{}"], 0

        async def accept(self) -> None:
            pass

        async def receive_text(self) -> str:
            return self.hellos.pop() if self.hellos else str(await asyncio.Event().wait())

        async def send_text(self, text: str) -> None:
            pass

        async def close(self, code: int, reason: str) -> None:
            self.closed = code

    with SQLiteStore(tmp_path / "parlour.db") as store:
        pool = FairPool(FairPlaces(1, waiting_of_one=0))
        socket: Any = Busy()
        async with pool._places.place(HOUSE):
            await tournaments.TournamentLine(socket, tournaments.Tournaments(store, pool), "t").run()
        pool.close()
    assert socket.closed == TRY_AGAIN
