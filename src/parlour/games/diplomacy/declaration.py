"""The declaration of Diplomacy, from which the rest of the program reads its properties."""

from __future__ import annotations

from parlour.core.declaration import SWITCHED, GameDeclaration, GameOption, HouseOption, Showpiece, up_to

_PLAY = """\
Play Diplomacy with up to seven AGENTs; powers without one of their own repeat those given, in their order.

An agent is a name (hold, random, greedy, dumbbot, sbr, search, net; with --press also silent, yesman, noman,
proposer, peace, broker, reciprocator, stabber), path.py:Class (a class of your own), human (you in this terminal,
where ? explains what to type), llm:MODEL@URL (a language model), or a command in quotes that speaks JSON lines. With
--press each message is shown with its English, and broken promises are flagged; if a person plays, only what that
person may know. Where a class of your own crashes, and which of its messages the table refuses, is told on stderr.

With --daide the match waits for DAIDE bots: on the seats that --seat POWER=daide names while agents of the house play
the rest, or, if no agent is named, on all that are left."""
_TOURNAMENT = """\
Diplomacy: one match for each power makes a block. Scores: sum of squares, draw size, centre share, solo.

In a round-robin each agent is the one against six of each other. AGENT is a name with options, path.py:Class, or a
command in quotes that speaks JSON lines."""

_TALKERS_BUDGET = up_to(2000, low=1)
"""Rollouts per decision of an agent that negotiates: fewer than for search, since talk multiplies decisions."""

DECLARATION = GameDeclaration(
    name="diplomacy",
    title="Diplomacy",
    game="parlour.games.diplomacy.game:GAME",
    options=(
        GameOption(
            name="last_year", label="Last year", help="A match ends after this year.  [default: its tenth]",
            low=1, high=9999,
        ),
        GameOption(
            name="years", label="Ends after years", help="A match ends after this number of years.  [default: 10]",
            default=10, low=1, high=100,
        ),
        GameOption(
            name="map", label="Map", help="A map that ships with Parlour, or one of PARLOUR_MAPS.  [default: standard]",
            default="standard", choices=(
                "standard", "lagoon", "france-austria", "germany-italy", "england-turkey", "germany-russia",
                "fleet-rome", "age-of-empires", "age-of-empires-2", "1898", "crowded", "milan", "pure", "hundred",
                "ancmed",
            ), more="parlour.games.diplomacy.maps.map:operators_maps",
        ),
        GameOption(
            name="sight", label="Sight", help="View: clear, or fog (only what its units see).  [default: clear]",
            default="clear", choices=("clear", "fog"),
        ),
        GameOption(
            name="scoring", label="Scoring", help="Scoring of outcomes.  [default: sum of squares]",
            default="sum of squares", choices=("solo", "draw size", "sum of squares", "centre share"),
        ),
    ),
    in_time="parlour.games.diplomacy.game:in_time",
    conduct="diplomacy",
    lenient_conduct="diplomacy",
    trial={"last_year": 1903},
    talk_trial="parlour.games.diplomacy.game:two_years",
    talk_trial_agents=("proposer", "yesman"),
    showpiece=Showpiece(
        config={"last_year": 1904},
        agents=("peace", "broker", "broker", "broker", "stabber", "stabber", "reciprocator"),
        next=(
            "replay demo.jsonl --html demo.html  # open demo.html in a browser",
            "serve                               # watch and play in a browser",
            "play fish strong human              # play, in this terminal",
        ),
    ),
    agents={
        "hold": "parlour.agents.diplomacy.simple:HOLD",
        "greedy": "parlour.agents.diplomacy.simple:GREEDY",
        "dumbbot": "parlour.agents.diplomacy.dumbbot:RECIPE",
        "sbr": "parlour.agents.diplomacy.sbr:RECIPE",
        "search": "parlour.agents.diplomacy.search:RECIPE",
        "deepmind": "parlour.agents.diplomacy.published_network:RECIPE",
        "net": "parlour.agents.diplomacy.small_network:RECIPE",
        "silent": "parlour.agents.press.simple:SILENT",
        "yesman": "parlour.agents.press.simple:YESMAN",
        "noman": "parlour.agents.press.simple:NOMAN",
        "proposer": "parlour.agents.press.proposer:RECIPE",
        "peace": "parlour.agents.press.peace:RECIPE",
        "broker": "parlour.agents.press.broker:RECIPE",
        "reciprocator": "parlour.agents.press.reciprocator:RECIPE",
        "stabber": "parlour.agents.press.stabber:RECIPE",
    },
    scripted={
        "honest": "parlour.agents.press.kinds:HONEST",
        "liar": "parlour.agents.press.kinds:LIAR",
        "turncoat": "parlour.agents.press.kinds:TURNCOAT",
        "sleeper": "parlour.agents.press.kinds:SLEEPER",
        "bungler": "parlour.agents.press.kinds:BUNGLER",
        "misreader": "parlour.agents.press.kinds:MISREADER",
        "absentee": "parlour.agents.press.kinds:ABSENTEE",
        "doubledealer": "parlour.agents.press.kinds:DOUBLEDEALER",
        "penitent": "parlour.agents.press.kinds:PENITENT",
        "attacker": "parlour.agents.press.kinds:ATTACKER",
        "retaliator": "parlour.agents.press.kinds:RETALIATOR",
        "gamer": "parlour.agents.press.kinds:GAMER",
    },
    house={
        "hold": {},
        "greedy": {},
        "dumbbot": {
            "port": HouseOption(words=("original", "parlance", "dipnet")),
            "neutral": HouseOption(words=("size", "16", "0")),
            "standing": SWITCHED,
            "shores": HouseOption(words=("best", "every")),
            "stay": SWITCHED,
            "removal": HouseOption(words=("half", "gap")),
            "draws": HouseOption(words=("two", "one")),
            "stray": up_to(100),
            "gap": up_to(100_000),
            "attack": up_to(1000),
            "help": up_to(100_000),
            "deter": up_to(100_000),
        },
        "sbr": {"draws": up_to(100, low=1), "samples": up_to(50, low=1)},
        "search": {
            "budget": up_to(20_000, low=1),
            "seconds": up_to(2),
            "ascent": SWITCHED,
            "repair": SWITCHED,
            "rollout": SWITCHED,
            "regret": SWITCHED,
            "mixture": SWITCHED,
            "net": SWITCHED,
            "leaf": HouseOption(words=("centres", "net")),
        },
        "net": {"temperature": up_to(100)},
        "silent": {"budget": _TALKERS_BUDGET},
        "yesman": {"budget": _TALKERS_BUDGET},
        "noman": {"budget": _TALKERS_BUDGET},
        "proposer": {"budget": _TALKERS_BUDGET},
        "peace": {"budget": _TALKERS_BUDGET},
        "broker": {"budget": _TALKERS_BUDGET},
        "reciprocator": {"budget": _TALKERS_BUDGET},
        "stabber": {"budget": _TALKERS_BUDGET, "gain": up_to(9, low=1)},
    },
    model="parlour.agents.llm.diplomacy_player:RECIPE",
    talkers=("silent", "yesman", "noman", "proposer", "peace", "broker", "reciprocator", "stabber"),
    tempers={
        "hold": "orders nothing; for trying things out",
        "greedy": "weak; runs for the nearest centre",
        "dumbbot": "a fair beginner's opponent; never supports anybody else",
        "sbr": "a little stronger than dumbbot; careful",
        "search": "the strongest here; thinks ahead, plays for a win",
        "net": "fair; quick, learned from search",
        "silent": "strong; negotiates nothing and answers nothing",
        "yesman": "strong; agrees to everything, and keeps it",
        "noman": "strong; agrees to nothing",
        "proposer": "strong; proposes much, and keeps its word",
        "peace": "strong; wants peace, and keeps its word",
        "broker": "strong; bargains for what helps both",
        "reciprocator": "strong; keeps its word to whoever keeps theirs",
        "stabber": "strong; keeps its word until a stab pays",
    },
    rival="dumbbot",
    talking_rival="peace",
    starters={
        "bot": "parlour.games.diplomacy.starters:bot.txt",
        "press": "parlour.games.diplomacy.starters:press.txt",
    },
    news="parlour.press.reports.press_lines:diplomacy_news",
    explains=True,
    lessons="parlour.games.diplomacy.lessons:LESSONS",
    pictures="parlour.games.diplomacy.display.pages:PICTURES",
    help={
        "play": _PLAY,
        "tournament": _TOURNAMENT,
    },
    contest="parlour.games.diplomacy.contest:CONTEST",
    exchange="parlour.games.diplomacy.formats.exchange:EXCHANGE",
    press_check="parlour.press.admission:refusal",
    pacts="parlour.press.reports.report:pact_rows",
    promises="parlour.press.deception.class_counts:promise_rows",
    exports={"trajectory": "parlour.deepmind.conversions:export_trajectory"},
    environments={
        "DiplomacyAEC": "parlour.envs.diplomacy:DiplomacyAEC",
        "DiplomacyParallel": "parlour.envs.diplomacy:DiplomacyParallel",
        "DiplomacySingle": "parlour.envs.diplomacy_single:DiplomacySingle",
        "VectorDiplomacy": "parlour.envs.vector_diplomacy:VectorDiplomacy",
    },
)  # fmt: skip
