"""What Diplomacy says of itself to the rest of the house."""

from __future__ import annotations

from parlour.core.declaration import GameDeclaration, GameOption, Showpiece

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

DECLARATION = GameDeclaration(
    name="diplomacy",
    title="Diplomacy",
    game="parlour.games.diplomacy.game:GAME",
    options=(
        GameOption(
            name="last_year", label="Ends after", help="A match ends after this year.  [default: its tenth]",
            default=1910, low=1901, high=1999,
        ),
        GameOption(
            name="map", label="Map", help="A map that ships with Parlour.  [default: standard]",
            default="standard", choices=("standard", "lagoon"),
        ),
        GameOption(
            name="scoring", label="Scoring", help="What an outcome is worth.  [default: sum of squares]",
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
        "deepmind": "parlour.agents.diplomacy.network:RECIPE",
        "net": "parlour.agents.diplomacy.net:RECIPE",
        "silent": "parlour.agents.press.simple:SILENT",
        "yesman": "parlour.agents.press.simple:YESMAN",
        "noman": "parlour.agents.press.simple:NOMAN",
        "proposer": "parlour.agents.press.proposer:RECIPE",
        "peace": "parlour.agents.press.peace:RECIPE",
        "broker": "parlour.agents.press.broker:RECIPE",
        "reciprocator": "parlour.agents.press.reciprocator:RECIPE",
        "stabber": "parlour.agents.press.stabber:RECIPE",
    },
    model="parlour.agents.llm.diplomat:RECIPE",
    talkers=("silent", "yesman", "noman", "proposer", "peace", "broker", "reciprocator", "stabber"),
    rival="dumbbot",
    talking_rival="peace",
    starters={
        "bot": "parlour.games.diplomacy.starters:bot.txt",
        "press": "parlour.games.diplomacy.starters:press.txt",
    },
    news="parlour.press.news:diplomacy_news",
    explains=True,
    pictures="parlour.games.diplomacy.pages:PICTURES",
    help={
        "play": _PLAY,
        "tournament": _TOURNAMENT,
    },
    contest="parlour.games.diplomacy.contest:CONTEST",
    exchange="parlour.games.diplomacy.exchange:EXCHANGE",
    doors={"daide": "parlour.cli.play_daide:host_bots"},
    press_check="parlour.press.admission:refusal",
    pacts="parlour.press.report:pact_rows",
    saving="parlour.net.mila.saving:saved_for",
    exports={
        "diplomacy": "parlour.deepmind.conversions:export_saved",
        "trajectory": "parlour.deepmind.conversions:export_trajectory",
    },
    environments={
        "DiplomacyAEC": "parlour.envs.diplomacy:DiplomacyAEC",
        "DiplomacyParallel": "parlour.envs.diplomacy:DiplomacyParallel",
        "VectorDiplomacy": "parlour.envs.vector_diplomacy:VectorDiplomacy",
    },
)  # fmt: skip
