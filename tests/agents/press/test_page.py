"""The page for those who write a press bot: its bot does what the page says, and its tables are complete."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from parlour.agents import make_agent
from parlour.agents.press.base import PressAgent
from parlour.agents.watched import Mishap, Watched
from parlour.core.game import Seat
from parlour.core.player import Player
from parlour.core.terms import PressMode, PressTerms, Terms
from parlour.games.diplomacy.game import Diplomacy
from parlour.games.diplomacy.maps.map import standard
from parlour.press.agreements.pacts import PactState
from parlour.press.language import message_types as v
from parlour.press.language.writer import write
from parlour.press.ledger import Ledger, ledger_of
from parlour.referee.conduct import STRICT
from parlour.referee.local import play
from parlour.referee.match import Match
from parlour.testing import check_press

PAGE = (Path(__file__).parents[3] / "docs" / "how-to" / "write-a-press-bot.md").read_text(encoding="utf-8")
GAME = Diplomacy()


def envoy() -> Any:
    """Return the class on the page."""
    names: dict[str, Any] = {}
    [listing] = re.findall(r'```python\n(""".*?)```', PAGE, flags=re.DOTALL)
    exec(compile(listing, "envoy.py", "exec"), names)
    return names["Envoy"]


def played(seed: int, last_year: int = 1904) -> tuple[Ledger, list[Mishap]]:
    """Envoys as England, France, Russia and Turkey among three others."""
    config = {"last_year": last_year}
    seats = GAME.seats(config)
    mishaps: list[Mishap] = []
    others = {seats[0]: "broker", seats[3]: "proposer", seats[4]: "peace"}
    players: dict[Seat, Player] = {
        seat: make_agent("diplomacy", others[seat], seed + i) if seat in others else Watched(envoy()(i), mishaps.append)
        for i, seat in enumerate(seats)
    }
    match = Match(GAME, config, Terms(conduct=STRICT, press=PressTerms(PressMode.WINDOW)), seed)
    play(match, players)
    return ledger_of(match.record), mishaps


def test_the_bot_on_the_page_passes_the_check() -> None:
    check_press(envoy())


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.long) for seed in (2, 3))])
def test_it_makes_pacts_of_several_kinds_and_keeps_them(seed: int) -> None:
    ledger, mishaps = played(seed)
    assert mishaps == []
    envoys = {"ENG", "FRA", "RUS", "TUR"}
    kinds = Counter(write(pact.what)[:3] for pact in ledger.pacts.all if pact.parties <= envoys)
    assert {"PCE", "ALY", "DMZ", "AND"} <= kinds.keys()
    assert not [verdict for verdict in ledger.broken() if verdict.performer in envoys]
    assert not [found for found in ledger.pacts.contradictions if found.power in envoys]


def test_it_ends_a_zone_when_that_has_served_its_time() -> None:
    ledger, _ = played(1, last_year=1905)
    undone = {write(pact.what) for pact in ledger.pacts.all if pact.state is PactState.UNDONE}
    assert undone >= {"DMZ ( ENG FRA ) ( ECH )", "DMZ ( RUS TUR ) ( BLA )"}


def test_provinces_that_are_spelt_otherwise_in_orders_are_those_of_the_map() -> None:
    differ = {one.daide: (one.name, one.tag) for one in standard().provinces if one.daide != one.tag}
    [(words, names, orders)] = re.findall(r"in values: (.*) for the (.*), which are (.*) in order\n", PAGE)
    told = list(zip(*(re.split(", | and ", part) for part in (words, names, orders)), strict=True))
    assert {word: tag for word, _, tag in told} == {word: tag for word, (_, tag) in differ.items()}
    assert all(name in differ[word][0] for word, name, _ in told)


def test_every_value_of_press_is_in_the_tables() -> None:
    classes = [value for value in vars(v).values() if inspect.isclass(value) and issubclass(value, msgspec.Struct)]
    public = [kind.__name__ for kind in classes if kind.__module__ == v.__name__ and not kind.__name__.startswith("_")]
    assert len(public) > 30
    assert [name for name in public if f"{name}(" not in PAGE] == []


def test_everything_public_of_the_base_is_on_the_page() -> None:
    agent = PressAgent()
    public = {name for name in (*vars(PressAgent), *vars(agent)) if not name.startswith("_")}
    assert [name for name in public - {"player_type"} if f"`{name}" not in PAGE] == []
