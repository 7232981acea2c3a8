"""The gain of each press agent from press: the same tables with press and without, powers rotated, common seeds.

Run: python bench/press_gain.py [--tables 14] [--results FILE] [--budget 100] [--last-year 1908]
     python bench/press_gain.py --only broker --talkers 3

At every table each of the seven agents has one seat; over seven tables each agent has every power. With --only some
agents of one kind have random seats among silent ones. The gain is the difference of the share of squared centres
between the table with press and the same one without, where all agents are `search` with that budget. Both tables are
the same until something is agreed. Promises are counted over the tables with press. With --results every table is added
to the file as it ends, and tables in the file are not played again.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import astuple, dataclass
from math import sqrt
from pathlib import Path

import numpy as np

import usage
from parlour.agents import make_agent
from parlour.core import events as ev
from parlour.core.terms import PressMode, PressTerms, Terms
from parlour.games.diplomacy.game import Diplomacy
from parlour.press.ledger import ledger_of
from parlour.press.reports.metrics import measure
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.local import play
from parlour.referee.match import Match

AGENTS = ("peace", "broker", "reciprocator", "stabber", "yesman", "noman", "silent")
BUDGET, LAST_YEAR, TABLES, TALKERS = 100, 1908, 14, 3
GAME = Diplomacy()
Counted = dict[str, float]
"""A number for each agent."""


@dataclass(frozen=True)
class Field:
    """The agents at the tables, their budget, and the last year."""

    only: str = ""
    talkers: int = TALKERS
    budget: int = BUDGET
    last_year: int = LAST_YEAR

    def names(self, table: int) -> list[str]:
        """Return the agents at a table in the order of seats."""
        if not self.only:
            return [AGENTS[(number + table) % len(AGENTS)] for number in range(len(AGENTS))]
        talking = random.Random(table).sample(range(len(AGENTS)), self.talkers)
        return [self.only if number in talking else "silent" for number in range(len(AGENTS))]


def main(field: Field, tables: int, path: Path | None) -> None:
    """Play the missing tables, and print a line for each agent."""
    lines = path.read_text().splitlines() if path is not None and path.exists() else ()
    known = {row[1]: row[2:] for row in map(json.loads, lines) if row[0] == list(astuple(field))}
    for table in range(tables):
        if table not in known:
            known[table] = [played(field, table, PressMode.WINDOW), played(field, table, PressMode.NONE)]
            if path is not None:
                with path.open("a") as file:
                    file.write(json.dumps([astuple(field), table, *known[table]]) + "\n")
    print(
        f"{len(known)} tables of seven until {field.last_year}, each with press and without;"
        f" {field.budget} rollouts per decision"
    )
    print(f"{'agent':<14} {'with':>6} {'without':>8} {'gain':>7} {'95 %':>8} {'kept':>6} {'broken':>7}")
    for name in dict.fromkeys(name for table in known for name in field.names(table)):
        talked = np.array([on["scores"][name] for on, _ in known.values()])
        silent = np.array([off["scores"][name] for _, off in known.values()])
        gains = talked - silent
        half = 1.96 * float(gains.std(ddof=1)) / sqrt(len(gains)) if len(gains) > 1 else 0.0
        kept, broken = (sum(on[what].get(name, 0) for on, _ in known.values()) for what in ("kept", "broken"))
        print(
            f"{name:<14} {talked.mean():>6.3f} {silent.mean():>8.3f} {gains.mean():>+7.3f} {half:>7.3f}±"
            f" {kept:>6.0f} {broken:>7.0f}"
        )


def played(field: Field, table: int, mode: PressMode) -> dict[str, Counted]:
    """Play one table; return the mean score of each kind of agent, and its promises kept and broken."""
    seats = GAME.seats({})
    names = dict(zip(seats, field.names(table), strict=True))
    players = {
        seat: make_agent("diplomacy", f"{name}:budget={field.budget}", 100 * table + number)
        for number, (seat, name) in enumerate(names.items())
    }
    events: list[ev.Event] = []
    match = Match(GAME, {"last_year": field.last_year}, Terms(DIPLOMACY, press=PressTerms(mode)), table)
    outcome = play(match, players, keep=events.extend)
    kept, broken, scores = Counter[str](), Counter[str](), dict.fromkeys(names.values(), 0.0)
    ledger = ledger_of(events)
    for player in measure(ledger).players:
        name = names[ledger.lexicon.seat_of[player.power]]
        kept[name] += player.promises.kept
        broken[name] += player.promises.broken
    for seat, score in outcome.scores.items():
        scores[names[seat]] += float(score) / list(names.values()).count(names[seat])
    return {"scores": scores, "kept": dict(kept), "broken": dict(broken)}


if __name__ == "__main__":
    parser = usage.parser(__doc__)
    parser.add_argument("--tables", type=int, default=TABLES)
    parser.add_argument("--results", type=Path, help="a file that tables are added to")
    parser.add_argument("--only", default="", help="the agent that talks, among silent ones")
    parser.add_argument("--talkers", type=int, default=TALKERS, help="how many of them there are")
    parser.add_argument("--budget", type=int, default=BUDGET, help="rollouts per decision")
    parser.add_argument("--last-year", type=int, default=LAST_YEAR)
    wanted = parser.parse_args()
    main(Field(wanted.only, wanted.talkers, wanted.budget, wanted.last_year), wanted.tables, wanted.results)
