"""Engines: the same table on both, whoever is killed; clusters that are not there or not the same are refused."""

# Why real time passes here: workers are processes, which live in real time.

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from parlour.errors import ConfigError
from parlour.tournament.director import Director
from parlour.tournament.engines.base import busy, places_for
from parlour.tournament.engines.cluster import RayEngine
from parlour.tournament.engines.local import LocalEngine
from parlour.tournament.engines.playing import play_sitting
from parlour.tournament.plan import Plan
from parlour.tournament.reports.sheets import as_json
from parlour.tournament.reports.standings import standings
from parlour.tournament.results_state import ResultsState
from support.processes.ports import free_port
from support.tournament.engines import workers
from support.tournament.plans import plan_of


def played_here(plan: Plan) -> bytes:
    """Return the table, with each match played in this process, in order."""
    series = ResultsState(plan)
    while not series.over:
        for sitting in list(series.wanted()):
            series.add(play_sitting(plan, sitting).played)
    return as_json(standings(series))


def test_processes_give_the_same_table_as_one(tmp_path: Path) -> None:
    plan = plan_of(["greedy", "random", "lookahead1"], blocks=4)
    series, engine = ResultsState(plan), LocalEngine(plan, 2)
    try:
        Director(series, engine).run()
    finally:
        engine.close()
    assert as_json(standings(series)) == played_here(plan)
    assert workers() == []


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
@pytest.mark.parametrize("kills", [3, pytest.param(50, marks=[pytest.mark.long, pytest.mark.timeout(600)])])
def test_workers_that_are_killed_change_nothing(kills: int) -> None:
    plan = plan_of(["lookahead3", "greedy"], blocks=3 if kills < 10 else 60)
    series, engine = ResultsState(plan), LocalEngine(plan, 2)
    done = threading.Event()

    def kill() -> None:
        rng = random.Random(kills)
        for _ in range(kills):
            for pid in workers()[:: rng.choice((1, -1))][:1]:
                os.kill(pid, signal.SIGKILL)
            # Whoever is killed again and again before it could play anything is void, and rightly so.
            before = series.finished
            while not done.is_set() and series.finished <= before + 1:
                time.sleep(0.01)
            done.wait(rng.uniform(0, 0.1))

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        Director(series, engine).run()
    finally:
        done.set()
        killer.join()
        engine.close()
    assert standings(series).void == 0
    assert as_json(standings(series)) == played_here(plan)


def test_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)))
    free = plan_of(["greedy", "random"])
    assert (places_for(free, None), places_for(free, 100)) == (8, 100)
    timed = plan_of(["strong:seconds=0.1", "random"])
    assert not timed.reproducible
    assert (places_for(timed, None), places_for(timed, 8), places_for(timed, 9, oversubscribe=True)) == (8, 8, 9)
    with pytest.raises(ConfigError, match="9 needs --oversubscribe"):
        places_for(timed, 9)


def test_a_cluster_that_is_not_there_is_refused_at_once() -> None:
    plan = plan_of(["greedy", "random"])
    port = free_port()
    with pytest.raises(ConfigError, match=f"no Ray cluster answers at 127.0.0.1:{port}"):
        RayEngine(plan, 1, address=f"127.0.0.1:{port}")
    with pytest.raises(ConfigError, match="expected HOST:PORT"):
        RayEngine(plan, 1, address="somewhere")
    assert "RAY_AUTH_MODE" not in os.environ


RAY_RUN = """
import sys
from parlour.cli import main
main(["tournament", "fish", "greedy", "random", "--blocks", "3", "--rows", "3", "--cols", "3", "--json", "--quiet",
      "--jobs", "1", *sys.argv[1:]])
"""


@pytest.mark.timeout(300)
def test_a_cluster_gives_the_same_table(tmp_path: Path) -> None:
    """In a process of its own, since Ray leaves threads behind."""
    tables = []
    for engine in ("local", "ray"):
        command = [sys.executable, "-c", RAY_RUN, "--engine", engine, "--store", str(tmp_path / f"{engine}.db")]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        tables.append(json.loads(done.stdout))
    assert tables[0] == tables[1]


def test_how_many_think_at_once() -> None:
    assert busy(plan_of(["greedy", "random"])) == 1
    assert busy(plan_of(["greedy", "random"], "1v6", game="diplomacy")) == 1
    assert busy(plan_of(["greedy", "/bin/cat -"], "1v6", game="diplomacy")) == 7
