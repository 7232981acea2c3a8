"""The declaration of Fish."""

from __future__ import annotations

from parlour.core.declaration import GameDeclaration, GameOption, up_to

_AGENT = "random, greedy, lookaheadN or strong"

_PLAY = f"""\
Play Fish with two to four AGENTS, in the order in which they act; the younger first, if they say their age.

An agent is {_AGENT}; path.py:Class, a class of your own (also one written for either of the documented player
interfaces); human, you in this terminal; llm:MODEL@URL, a language model; or a command in quotes that speaks JSON
lines."""
_TOURNAMENT = f"""\
Fish: every order of seats on a board and on its mirror makes a block. Scores: win share, margin.

AGENT is {_AGENT}, with options as in `strong:nodes=2000`; path.py:Class, a class of your own; or a command in quotes
that speaks JSON lines. Name one several times to have several of it."""

DECLARATION = GameDeclaration(
    name="fish",
    title="Fish",
    game="parlour.games.fish.game:GAME",
    options=(
        GameOption(name="players", label="Players", default=2, low=2, high=4),
        GameOption(
            name="rows", label="Rows", help="Rows of the board.  [default: 5]", default=6, low=1, high=25
        ),
        GameOption(
            name="cols", label="Columns", help="Columns of the board.  [default: 5]", default=4, low=1, high=25
        ),
        GameOption(name="fish", label="Fish", help="Fish per tile.  [default: 1 to 5, random]", low=1, high=5),
        GameOption(
            name="holes", label="Holes", help="Number of missing tiles at the start.", default=0, low=0, high=100
        ),
    ),
    counted="players",
    trial={"players": 3},
    seating="parlour.agents.fish.ages:youngest_first",
    agents={
        "greedy": "parlour.agents.fish.simple:GREEDY",
        "lookahead": "parlour.agents.fish.lookahead:RECIPE",
        "strong": "parlour.agents.fish.strong:RECIPE",
    },
    house={
        "greedy": {},
        "lookahead": {"turns": up_to(3, low=1)},
        "strong": {"nodes": up_to(50_000, low=1000), "seconds": up_to(2)},
    },
    model="parlour.agents.llm.fish_player:RECIPE",
    tempers={
        "greedy": "weak; takes the most fish now",
        "lookahead": "fair; thinks a few moves ahead",
        "strong": "strong; searches deep, plays for the last fish",
    },
    rival="greedy",
    for_beginners=True,
    adapter="parlour.agents.fish.interfaces:seated",
    starters={"bot": "parlour.games.fish.starters:bot.txt"},
    pictures="parlour.games.fish.pictures:PICTURES",
    help={
        "play": _PLAY,
        "tournament": _TOURNAMENT,
    },
    contest="parlour.games.fish.contest:CONTEST",
    exchange="parlour.games.fish.exchange:EXCHANGE",
    environments={
        "FishAEC": "parlour.envs.fish:FishAEC",
        "FishSelfPlay": "parlour.envs.fish_self_play:FishSelfPlay",
        "FishSingle": "parlour.envs.fish_single:FishSingle",
        "VectorFish": "parlour.envs.vector_fish:VectorFish",
    },
)  # fmt: skip
