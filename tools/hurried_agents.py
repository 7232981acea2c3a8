"""Plays matches of house agents that think for longer than their turns: this once corrupted memory within seconds.

    python tools/hurried_agents.py SECONDS [FOLDER]

Four matches of search with a clock of a tenth of a second, two of press agents, two of Fish, in one hall. The package
must have been imported from FOLDER.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

import parlour
from parlour.core.game import Seat
from parlour.core.terms import Clock, PressMode, PressTerms, Terms
from parlour.games import load_game
from parlour.net.hall import Hall
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import DIPLOMACY
from parlour.store import SQLiteStore

TABLES = [
    *(("diplomacy", "search:budget=20000", {}) for _ in range(4)),
    *(("diplomacy", "broker:budget=2000", {}) for _ in range(2)),
    ("fish", "strong:nodes=50000", {"players": 4, "rows": 12, "cols": 12}),
    ("fish", "lookahead3", {"players": 2, "rows": 20, "cols": 20}),
]


async def play(seconds: float, folder: Path) -> None:
    """Play all tables for some seconds; exit with an error if nothing happened."""
    with SQLiteStore(folder / "hall.db") as store:
        hall = Hall(store)
        await hall.start()
        for game, agent, config in TABLES:
            terms = Terms(DIPLOMACY, Clock(per_turn=0.1), press=PressTerms(PressMode.ANYTIME))
            agents = {Seat(seat): agent for seat in load_game(game).seats(config)}
            await hall.open(MatchSetup(game=game, terms=terms, config=config, agents=agents))
        await asyncio.sleep(seconds)
        events = hall.counts["reactions"]
        await hall.close()
    if not events:
        sys.exit("nothing happened")
    print(f"{len(TABLES)} matches: {events} reactions in {seconds:g} s, and the process lives")


if __name__ == "__main__":
    if len(sys.argv) > 2 and not Path(parlour.__file__).is_relative_to(Path(sys.argv[2]).resolve()):
        sys.exit(f"parlour was imported from {Path(parlour.__file__).parent}")
    with tempfile.TemporaryDirectory() as scratch:
        asyncio.run(play(float(sys.argv[1]), Path(scratch)))
