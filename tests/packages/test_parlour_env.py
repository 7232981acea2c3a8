"""OpenEnv plays whole matches over its websocket, several at once, and leaves the records that the core leaves."""

from __future__ import annotations

import os
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.harness.frameworks import (
    assert_same_record,
    diplomacy,
    fake_models,
    fish,
    framework,
    played_without,
    ran,
)
from support.processes.ports import free_port

PACKAGES = Path(__file__).parents[2] / "packages"


@contextmanager
def served(records: Path | None = None) -> Iterator[str]:
    """Yield the server on a free port; its address once it answers."""
    programs = framework("openenv")
    port = free_port()
    command = [str(programs / "uvicorn"), "parlour_env.server.app:app", "--port", str(port), "--log-level", "error"]
    url, until = f"http://127.0.0.1:{port}", time.monotonic() + 120
    keeps = {} if records is None else {"PARLOUR_ENV_RECORDS": str(records)}
    with subprocess.Popen(command, cwd=PACKAGES, env={**os.environ, **keeps}) as server:
        try:
            while True:
                try:
                    urllib.request.urlopen(f"{url}/health", timeout=5).close()
                    break
                except (urllib.error.URLError, ConnectionError):
                    assert server.poll() is None
                    assert time.monotonic() < until
                    time.sleep(0.1)  # real time: a server in another process starts
            yield url
        finally:
            server.terminate()


def episode(url: str, endpoint: str, *more: str, code: int = 0) -> str:
    command = ("python", "-m", "parlour_env.episode", "--server", url, "--endpoint", endpoint)
    return ran(framework("openenv"), *command, *more, cwd=PACKAGES, code=code)


FISH = ("--game", "fish", "--set", 'config={"players": 3, "rows": 4, "cols": 4}')


def test_fish_gives_the_record_of_the_core(tmp_path: Path) -> None:
    with served(tmp_path) as url, fake_models() as fake:
        printed = episode(url, fake.url, *FISH)
        core = played_without(fish(), fake)
    assert core.digest() in printed
    assert_same_record(tmp_path, core)
    for seat, row in core.standing().seats.items():
        (line,) = [line for line in printed.splitlines() if line.startswith(seat)]
        assert line.split()[1:3] == [f"{row.score:.3f}", f"{row.legality:.0%}"]


@pytest.mark.long
@pytest.mark.timeout(900)  # real time: it starts programs of others
def test_seven_powers_negotiate_with_a_model_each() -> None:
    settings = ("--set", "press=true", "--set", "rounds=2", "--set", 'config={"last_year": 1902}')
    with served() as url, fake_models() as fake:
        printed = episode(url, fake.url, *settings, "--seat", "FRANCE=other")
        assert "other" in fake.models
        assert played_without(diplomacy(), fake).digest() in printed


SESSIONS = """
import sys
from openenv.core import GenericEnvClient

url = sys.argv[1]
clients = [GenericEnvClient(base_url=url).sync() for _ in range(4)]
for client in clients:
    client.__enter__()
settings = dict(game="fish", learner="red", config={"players": 2, "rows": 3, "cols": 3})
seen = [client.reset(seed=number, **settings) for number, client in enumerate(clients)]
assert {one.observation["seat"] for one in seen} == {"red"}
try:
    clients[0].step({"words": "west"})
except RuntimeError as error:
    print("refused:", str(error)[:60])
try:
    clients[1].reset(game="chess")
except RuntimeError as error:
    print("refused:", error)
for bad in ({"opponents": "touch owned; x"}, {"opponents": "llm:x@127.0.0.1:1/v1"}, {"opponents": "bot.py:Bot"},
            {"config": {"rows": 10**9}}, {"config": {"board": [[1]]}}, {"config": 3}, {"prompt": "/etc/passwd"}):
    try:
        clients[2].reset(game="fish", learner="red", **bad)
    except RuntimeError as error:
        print("refused:", error)
rotated = dict(settings, learner="", learners="rotate")
print("learners", [clients[2].reset(seed=seed, **rotated).observation["seat"] for seed in range(3)])
clients[2].reset(**settings)
seeds = {clients[2].reset(**settings) and clients[2].state()["seed"] for _ in range(3)}
assert len(seeds) == 3, "a match without a seed has a new one"
clients[2].reset(seed=2, **settings)
clients[1].reset(split="test", index=3, **settings)
results = [client.step({"text": "no"}) for client in clients]
assert all(one.observation["repair"] for one in results)
rewards = []
for client, result in zip(clients, results):
    while not result.done:
        result = client.step({"text": "no"})
    rewards.append(result.reward)
print("rewards", rewards, clients[1].state()["seed"])
for client in clients:
    client.close()
"""


@pytest.mark.long
@pytest.mark.timeout(900)  # real time: it starts programs of others
def test_sessions_are_apart_and_a_bad_action_is_refused(tmp_path: Path) -> None:
    with served() as url:
        printed = ran(framework("openenv"), "python", "-c", SESSIONS, url, cwd=tmp_path)
    assert printed.count("refused:") == 9
    assert not (PACKAGES / "owned").exists()
    assert "game 'chess' does not exist" in printed
    assert "rewards [0.0, 0.0, 0.0, 0.0] 3" in printed
    assert "learners ['red', 'white', 'red']" in printed


@pytest.mark.long
@pytest.mark.timeout(900)  # real time: it starts programs of others
def test_an_episode_that_failed_is_one_line_and_exit_code_1() -> None:
    with served() as url, fake_models(**{"500": 1}) as fake:
        assert "steps, record" in episode(url, fake.url, *FISH, code=1)
        assert episode(url, fake.url, "--game", "chess", code=1) == ""
    assert episode("http://127.0.0.1:9", "http://127.0.0.1:9/v1", code=1) == ""
    assert episode("http://127.0.0.1:9", "http://127.0.0.1:9/v1", "--set", "press=yes", code=2) == ""


@pytest.mark.long
@pytest.mark.timeout(900)  # real time: it starts programs of others
def test_its_validator_passes(tmp_path: Path) -> None:
    with served() as url:
        assert "Verdict: PASS" in ran(framework("openenv"), "openenv", "validate", "--url", url, cwd=tmp_path)
    printed = ran(framework("openenv"), "openenv", "validate", str(PACKAGES / "parlour_env"), cwd=tmp_path)
    assert "FAIL" not in printed
