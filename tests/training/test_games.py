"""Games for training: planned fairly, played by the engine of tournaments here or on Ray, and given back in order."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from parlour.errors import StoreError
from parlour.tournament.engines.base import EngineName, open_engine
from parlour.training.games import (
    agent_of,
    events_of,
    one_against_the_rest,
    plan_of,
    play_all,
    same_on_all_seats,
    scores_of,
)
from parlour.training.sources import phases_of_record


def test_an_agent_is_named_by_its_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert agent_of(Path("a.npz"), 0.5) == f"deepmind:{tmp_path.resolve() / 'a.npz'},temperature=0.5"


def test_one_sits_on_each_seat_once_in_each_block() -> None:
    plan = plan_of({"one": "random", "rest": "hold"}, 1901, 3, records=False)
    found = one_against_the_rest(plan, "one", "rest", 2)
    assert [sitting.number for sitting in found] == list(range(14))
    for block in (found[:7], found[7:]):
        assert sorted(sitting.players.index("one") for sitting in block) == list(range(7))
        assert all(sitting.players.count("rest") == 6 for sitting in block)
    assert len({sitting.seed for sitting in found[:7]} & {sitting.seed for sitting in found[7:]}) == 0


def test_matches_of_one_agent_with_itself_differ_by_their_seeds() -> None:
    found = same_on_all_seats("one", 3, 9)
    assert {sitting.players for sitting in found} == {("one",) * 7}
    assert len({sitting.seed for sitting in found}) == 3
    assert [sitting.seed for sitting in found] == [sitting.seed for sitting in same_on_all_seats("one", 3, 9)]


def played(engine: EngineName) -> list[tuple[int, list[float]]]:
    """Return two matches of random players: their numbers of phases and scores."""
    plan = plan_of({"one": "random", "rest": "hold"}, 1901, 3, records=True)
    sittings = one_against_the_rest(plan, "one", "rest", 1)[:3]
    told: list[int] = []
    with open_engine(plan, engine, 2) as running:
        deliveries = play_all(running, sittings, told.append)
    assert told[-1] == 3
    assert [delivery.played.number for delivery in deliveries] == [0, 1, 2]
    systems = [name for name in deliveries[0].played.seats[0].scores if name != "solo"]
    phases = [len(phases_of_record(events_of(delivery), "centres")) for delivery in deliveries]
    scores = [[scores_of(delivery, "one", system) for system in systems] for delivery in deliveries]
    rest = [scores_of(delivery, "rest", systems[0]) for delivery in deliveries]
    assert all(abs(own[0] + 6 * others - 1) < 1e-6 for own, others in zip(scores, rest, strict=True))
    return list(zip(phases, scores, strict=True))


def test_processes_play_them_all() -> None:
    found = played("local")
    assert all(phases >= 2 for phases, _ in found)


RAY_RUN = """
import json, sys
from parlour.tournament.engines.base import open_engine
from parlour.training.games import one_against_the_rest, plan_of, play_all, scores_of

plan = plan_of({"one": "random", "rest": "hold"}, 1901, 3, records=True)
with open_engine(plan, "ray", 2) as running:
    played = play_all(running, one_against_the_rest(plan, "one", "rest", 1)[:3], lambda done: None)
systems = [name for name in played[0].played.seats[0].scores if name != "solo"]
print(json.dumps([[scores_of(delivery, "one", system) for system in systems] for delivery in played]))
"""


@pytest.mark.long
@pytest.mark.timeout(300)  # Ray takes a while to start
def test_a_cluster_plays_the_same_matches() -> None:
    """In a process of its own, since Ray leaves threads behind."""
    pytest.importorskip("ray")
    done = subprocess.run([sys.executable, "-c", RAY_RUN], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [scores for _, scores in played("local")]


def test_what_cannot_be_played_is_tried_again_and_then_said() -> None:
    plan = plan_of({"one": "deepmind:/nowhere.npz"}, 1901, 3, records=False)
    with open_engine(plan, "local", 1) as running, pytest.raises(StoreError, match=r"cannot be played: .*nowhere\.npz"):
        play_all(running, same_on_all_seats("one", 1, 1), lambda done: None)
