"""Sheets of tournaments: how many are kept, and how often one is made. No browser: it would hold this thread's loop."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from parlour.core.terms import Terms
from parlour.referee.conduct import STRICT
from parlour.store import SQLiteStore
from parlour.tournament.knock_out.events import Announced, Entrant
from parlour.tournament.knock_out.tournament import open_journal
from parlour.web import tournaments
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
