"""Tables of results, fine and foul."""

from __future__ import annotations

from parlour.tournament.reports.standings import Line, Standings
from parlour.tournament.statistics.means import Estimate
from parlour.tournament.statistics.ratings import Rating

FINE = Line(
    place=1,
    name="fine",
    agent="greedy",
    score=Estimate(0.75, 0.05, 0.125),
    drawn=None,
    rating=Rating(120.4, 30.2),
    rating_played=Rating(99.6, 30.0),
    moved=0,
    seats={"red": Estimate(0.875, 0.1, 0.25), "white": Estimate(0.625)},
    scores={},
    played=8,
    lost_by_foul=0,
    void=1,
    fouls=0,
)

FOUL = Line(
    place=2,
    name="foul",
    agent="random",
    score=Estimate(0.25),
    drawn=None,
    rating=Rating(0.0, 0.0),
    rating_played=Rating(10.0, 0.0),
    moved=1,
    seats={"red": None, "white": Estimate(0.25)},
    scores={},
    played=8,
    lost_by_foul=3,
    void=0,
    fouls=4,
)

TABLE = Standings(
    tournament="t",
    game="fish",
    format="round-robin",
    score="win share",
    anchor="foul",
    blocks=4,
    cap=5,
    matches=16,
    void=1,
    over=True,
    lines=(FINE, FOUL),
    seats={"red": Rating(12.4, 3.2), "white": Rating(-12.4, 3.2)},
    spread=1.0,
    better={"fine": {"foul": 0.975}, "foul": {"fine": 0.025}},
    against={"fine": {"foul": 0.75}, "foul": {"fine": 0.25}},
    differences=(),
)
