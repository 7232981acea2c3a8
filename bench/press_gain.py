"""What talk is worth to each press agent: the same tables with press and without, powers rotated, common seeds.

Run: python bench/press_gain.py [--tables 14] [--results FILE]

At every table the seven agents sit down once each; over seven tables each holds every power. The gain is the difference
of its share of squared centres between the table with press and the same one without, where all of them are `search`
with that budget. Promises are counted over the tables with press. With --results every table is written down as it
ends, and what is written there is not played again.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from math import sqrt
from pathlib import Path

import numpy as np

from parlour.agents import make_agent
from parlour.core import events as ev
from parlour.core.terms import PressMode, PressTerms, Terms
from parlour.games.diplomacy.game import Diplomacy
from parlour.press.ledger import ledger_of
from parlour.press.metrics import measure
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.local import play
from parlour.referee.match import Match

AGENTS = ("peace", "broker", "reciprocator", "stabber", "yesman", "noman", "silent")
BUDGET, LAST_YEAR, TABLES = 100, 1908, 14
GAME = Diplomacy()


def main(tables: int, path: Path | None) -> None:
    """Play what is missing, and print a line for each agent."""
    known = {row[0]: row[1:] for row in map(json.loads, path.read_text().splitlines())} if _is_there(path) else {}
    for table in range(tables):
        if table not in known:
            known[table] = [played(table, PressMode.WINDOW), played(table, PressMode.NONE)]
            if path is not None:
                with path.open("a") as file:
                    file.write(json.dumps([table, *known[table]]) + "\n")
    print(f"{len(known)} tables of seven until {LAST_YEAR}, each with press and without; {BUDGET} rollouts a decision")
    print(f"{'agent':<14} {'with':>6} {'without':>8} {'gain':>7} {'95 %':>8} {'kept':>6} {'broken':>7}")
    for name in AGENTS:
        talked = np.array([on["scores"][name] for on, _ in known.values()])
        silent = np.array([off["scores"][name] for _, off in known.values()])
        gains = talked - silent
        half = 1.96 * float(gains.std(ddof=1)) / sqrt(len(gains)) if len(gains) > 1 else 0.0
        kept, broken = (sum(on[what].get(name, 0) for on, _ in known.values()) for what in ("kept", "broken"))
        print(
            f"{name:<14} {talked.mean():>6.3f} {silent.mean():>8.3f} {gains.mean():>+7.3f} {half:>7.3f}±"
            f" {kept:>6} {broken:>7}"
        )


def _is_there(path: Path | None) -> bool:
    return path is not None and path.exists()


def played(table: int, mode: PressMode) -> dict[str, dict[str, float]]:
    """One table: each agent's score, and its promises kept and broken."""
    config, seats = {"last_year": LAST_YEAR}, GAME.seats({})
    names = {seat: AGENTS[(number + table) % len(AGENTS)] for number, seat in enumerate(seats)}
    players = {
        seat: make_agent("diplomacy", f"{name}:budget={BUDGET}", 100 * table + number)
        for number, (seat, name) in enumerate(names.items())
    }
    events: list[ev.Event] = []
    match = Match(GAME, config, Terms(DIPLOMACY, press=PressTerms(mode)), table)
    outcome = play(match, players, keep=events.extend)
    kept, broken = Counter[str](), Counter[str]()
    ledger = ledger_of(events)
    for player in measure(ledger).players:
        name = names[ledger.lexicon.seat_of[player.power]]
        kept[name], broken[name] = player.promises.kept, player.promises.broken
    scores = {names[seat]: float(score) for seat, score in outcome.scores.items()}
    return {"scores": scores, "kept": kept, "broken": broken}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, default=TABLES)
    parser.add_argument("--results", type=Path, help="a file that tables are added to")
    wanted = parser.parse_args()
    main(wanted.tables, wanted.results)
