"""Thoughts end at checkpoints, which agents and kernels pass often; outside of a watched one they do nothing."""

from __future__ import annotations

import threading

import pytest

from parlour.agents import make_agent
from parlour.agents.diplomacy.search import Search, SearchOptions
from parlour.core.game import Seat, View
from parlour.core.thinking import checkpoint, is_stopped, watched_thought
from parlour.errors import ThinkingStopped
from parlour.games.diplomacy.game import GAME as DIPLOMACY
from parlour.games.diplomacy.position import Position
from parlour.games.fish.game import GAME as FISH

FRANCE = Seat("FRANCE")


class Check:
    """Lets some checkpoints pass, and none after them."""

    def __init__(self, passes: int) -> None:
        self.passes, self.passed = passes, 0

    def __call__(self) -> bool:
        self.passed += 1
        return self.passed > self.passes


def fish_view(players: int, size: int) -> View:
    """Return a position of Fish in which the first side is to move."""
    position = FISH.start({"players": players, "rows": size, "cols": size}, FISH.seats({"players": players}), 1)
    while position.stage == "placement":
        seat = position.to_act()[0]
        legal = position.legal(seat)
        position, _ = position.apply({seat: legal[len(legal) // 3]})
    return View(position.to_act()[0], position, 1)


def diplomacy_view() -> View:
    return View(FRANCE, DIPLOMACY.start({}, DIPLOMACY.seats({}), 1), 1)


def test_a_thought_that_nobody_watches_is_not_stopped() -> None:
    checkpoint()
    assert not is_stopped()


def test_a_watched_thought_is_stopped_in_its_own_thread_only_and_until_its_end() -> None:
    elsewhere: list[bool] = []
    with watched_thought(lambda: True):
        assert is_stopped()
        with pytest.raises(ThinkingStopped):
            checkpoint()
        other = threading.Thread(target=lambda: elsewhere.append(is_stopped()))
        other.start()
        other.join()
    assert elsewhere == [False]
    assert not is_stopped()


@pytest.mark.parametrize("spec", ["search:budget=100000000", "search:seconds=86400"])
def test_an_agent_of_diplomacy_that_would_think_for_days_ends_at_a_checkpoint(spec: str) -> None:
    check = Check(3)
    agent = make_agent("diplomacy", spec, 1)
    with watched_thought(check), pytest.raises(ThinkingStopped):
        agent.act(diplomacy_view())
    assert check.passed == 4


@pytest.mark.parametrize(
    ("spec", "players", "size"),
    [
        ("strong:seconds=3600", 2, 9),
        ("strong:seconds=3600", 4, 9),
        ("strong:nodes=10000000", 2, 9),
        ("lookahead5", 3, 9),
    ],
)
def test_an_agent_of_fish_that_would_think_for_long_ends_at_a_checkpoint(spec: str, players: int, size: int) -> None:
    check = Check(5)
    with watched_thought(check), pytest.raises(ThinkingStopped):
        make_agent("fish", spec, 1).act(fish_view(players, size))


@pytest.mark.parametrize("spec", ["search:budget=2000", "sbr"])
def test_checkpoints_that_let_it_pass_change_nothing_of_what_an_agent_does(spec: str) -> None:
    alone = make_agent("diplomacy", spec, 1).act(diplomacy_view())
    check = Check(1 << 40)
    with watched_thought(check):
        assert make_agent("diplomacy", spec, 1).act(diplomacy_view()) == alone
    assert check.passed > 0


@pytest.mark.parametrize(("spec", "players"), [("strong", 2), ("strong", 3), ("lookahead3", 2)])
def test_the_same_for_fish(spec: str, players: int) -> None:
    view = fish_view(players, 8)
    alone = make_agent("fish", spec, 1).act(view)
    with watched_thought(Check(1 << 40)):
        assert make_agent("fish", spec, 1).act(view) == alone


def test_between_two_checkpoints_lie_few_rollouts() -> None:
    search = Search(1, SearchOptions(budget=30_000))
    rolled: list[int] = []

    def check() -> bool:
        rolled.append(search.rolled)
        return False

    with watched_thought(check):
        search.act(diplomacy_view())
    steps = [after - before for before, after in zip([0, *rolled], rolled, strict=False)]
    assert max(steps) <= 2000


def test_an_agent_that_was_stopped_can_be_asked_again() -> None:
    agent, view = make_agent("fish", "lookahead5", 1), fish_view(3, 9)
    with watched_thought(Check(1)), pytest.raises(ThinkingStopped):
        agent.act(view)
    small = fish_view(2, 6)
    assert agent.act(small) == make_agent("fish", "lookahead5", 1).act(small)


def test_what_negotiators_weigh_passes_checkpoints_too() -> None:
    search, position = Search(1, SearchOptions(budget=200)), DIPLOMACY.start({}, DIPLOMACY.seats({}), 1)
    assert isinstance(position, Position)
    check = Check(2)
    with watched_thought(check), pytest.raises(ThinkingStopped):
        search.outlook(position, [[]] * 100, 8)
    assert check.passed == 3
    check = Check(3)
    with watched_thought(check), pytest.raises(ThinkingStopped):
        search.concert(position, [1, 2], {}, {}, [])
