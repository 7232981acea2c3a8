"""A game that lives elsewhere is played, checked, contested, hosted and replayed; nothing of ours knows its name."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

import parlour
from parlour.cli import parlour as command
from parlour.core.declaration import GameDeclaration
from parlour.core.events import Ended
from parlour.core.game import Seat
from parlour.core.terms import Terms
from parlour.core.viewers import SPECTATOR
from parlour.errors import ConfigError
from parlour.games import declared, games, load_contest, load_game, register
from parlour.net.hall import Hall
from parlour.net.setup import MatchSetup
from parlour.referee.conduct import STRICT
from parlour.referee.match import replay
from parlour.store import SQLiteStore
from support.matches.third_game import DECLARATION, GAME

TESTS = Path(__file__).parents[1]
ELSEWHERE = {**os.environ, "PARLOUR_GAMES": "support.matches.third_game:DECLARATION", "PYTHONPATH": str(TESTS)}


@pytest.fixture
def heaps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GameDeclaration]:
    monkeypatch.chdir(tmp_path)
    take_back = register(DECLARATION)
    yield DECLARATION
    take_back()


def run(*arguments: str) -> str:
    done = CliRunner().invoke(command, arguments)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.usefixtures("heaps")
def test_it_is_played_replayed_and_checked_by_the_verbs() -> None:
    text = run("play", "heaps", "thinker", "random", "--stones", "9", "--seed", "3")
    assert "recorded in heaps.jsonl" in text
    assert "thinker" in text
    assert "the match is over" in run("replay", "heaps.jsonl")
    assert "behaved in 1 match on each of 2 seats" in run("check", "player", "heaps", "thinker", "--matches", "1")
    assert "How many there are." in run("play", "heaps", "--help")
    assert "Heaps" in run("play", "--help")


@pytest.mark.usefixtures("heaps")
def test_it_is_run_in_one_line() -> None:
    runs = parlour.run("heaps", ["thinker", "random", "random"], games=3, stones=20)
    assert len(runs) == 3
    assert len(runs[0].names) == 3


def test_a_tournament_in_other_processes_knows_it_by_its_declaration(tmp_path: Path) -> None:
    arguments = ["heaps", "thinker", "random", "--blocks", "2", "--json", "--quiet", "--stones", "9"]
    words = [sys.executable, "-m", "parlour", "tournament", *arguments]
    done = subprocess.run(words, cwd=tmp_path, env=ELSEWHERE, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert {line["name"] for line in json.loads(done.stdout)["lines"]} == {"thinker", "random"}


@pytest.mark.usefixtures("heaps")
async def test_it_is_hosted_with_agents_of_the_house(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "hall.db") as store:
        hall = Hall(store)
        await hall.start()
        try:
            agents = {Seat("north"): "thinker", Seat("east"): "random"}
            match = await hall.open(MatchSetup(game="heaps", terms=Terms(STRICT), agents=agents))
            over = asyncio.Event()
            await hall.watch(match, SPECTATOR, lambda told: over.set() if isinstance(told.event, Ended) else None)
            await over.wait()
            assert replay(await hall.record(match), GAME).outcome is not None
        finally:
            await hall.close()


@pytest.mark.usefixtures("heaps")
def test_it_is_known_until_it_is_taken_back() -> None:
    assert games()[-1] == "heaps"
    assert load_game("heaps") is GAME
    assert load_contest("heaps").scores == ("win",)
    register(DECLARATION)()
    with pytest.raises(ConfigError, match="'heaps' does not exist, expected one of diplomacy, fish"):
        load_game("heaps")


@pytest.mark.parametrize("name", ["diplomacy", "fish"])
def test_a_game_that_ships_is_not_replaced(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="ships with Parlour"):
        register(declared(name))
    monkeypatch.setenv("PARLOUR_GAMES", f"parlour.games.{name}.declaration:DECLARATION")
    with pytest.raises(ConfigError, match="declares no game of its own"):
        games()


@pytest.mark.parametrize(
    "path",
    ["nowhere.at_all:DECLARATION", "support.matches.third_game:NOTHING", "", ":", "support.matches.third_game:GAME"],
)
def test_what_is_named_and_is_no_declaration_is_said(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARLOUR_GAMES", path)
    if not path:
        assert games() == ("diplomacy", "fish")
        return
    with pytest.raises(ConfigError, match="PARLOUR_GAMES: "):
        games()


@pytest.fixture
def plain() -> Iterator[GameDeclaration]:
    """Yield the least that a game can say of itself."""
    take_back = register(
        GameDeclaration(name="plain", title="Plain", game="support.matches.third_game:GAME", counted="seats")
    )
    yield declared("plain")
    take_back()


@pytest.mark.usefixtures("plain")
def test_a_game_that_tells_tournaments_nothing_is_contested_for_the_win(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = ("random", "random", "--blocks", "2", "--json", "--quiet", "--jobs", "1")
    table = json.loads(run("tournament", "plain", *arguments))
    assert [line["name"] for line in table["lines"]] == ["random", "random#2"]
    assert table["matches"] == 4


@pytest.mark.usefixtures("plain")
def test_such_a_game_is_asked_how_many_it_takes_and_everybody_is_on_every_seat_once() -> None:
    contest = load_contest("plain")
    assert contest.sizes({}) == (2, 4)
    assert contest.deals({"stones": 5}, 3, 1) == ({"stones": 5, "seats": 3},)
    for seats in range(2, 5):
        orders = contest.orders(seats)
        assert len(orders) == seats
        assert all(sorted(column) == list(range(seats)) for column in zip(*orders, strict=True))
    with pytest.raises(ConfigError, match="stones is 0"):
        contest.sizes({"stones": 0})
