"""A Ray cluster of two nodes on this machine: whoever is killed, and when, the final table is the same."""

# Why real time passes here: workers of a cluster are processes, which live in real time.

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from parlour.errors import ParlourError
from parlour.store import Filter, RecordKind
from parlour.store.sqlite import SQLiteStore
from support.waiting import PATIENCE

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="two nodes on one machine need Linux"),
    pytest.mark.timeout(400),
]

CLUSTER = """
import os, sys
from ray.cluster_utils import Cluster

small = {"num_cpus": 1, "object_store_memory": 100 << 20}
cluster = Cluster(initialize_head=True, head_node_args={"include_dashboard": False, **small})
other = cluster.add_node(**small)
print(cluster.address, flush=True)
for line in sys.stdin:
    for processes in list(other.all_processes.values()):
        for each in processes:
            os.kill(each.process.pid, 9)
    print("killed", flush=True)
    other = cluster.add_node(**small)
cluster.shutdown()
"""
"""In a process of its own, since Ray leaves threads behind: a line kills the second node, and another takes its place.

Two process trees on loopback stand for two machines.
"""

FIELD = ["fish", "strong:nodes=3000", "greedy", "--json", "--quiet", "--blocks"]
MATCHES_A_BLOCK = 4


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Yield a running cluster; its first line, the address, is read by the test."""
    token = tmp_path / "token"
    token.write_text("5" * 64)
    token.chmod(0o600)
    settings = {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(token),
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_worker_niceness": "0",  # on a busy machine its workers would not even start in time
    }
    os.environ |= settings
    running = subprocess.Popen(
        [sys.executable, "-c", CLUSTER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True, start_new_session=True,
    )  # fmt: skip
    try:
        yield running
    finally:
        try:
            running.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            running.communicate()
        for name in settings:
            del os.environ[name]


def kill_a_node(cluster: subprocess.Popen[str]) -> None:
    assert cluster.stdin is not None
    assert cluster.stdout is not None
    cluster.stdin.write("kill\n")
    cluster.stdin.flush()
    assert cluster.stdout.readline() == "killed\n"


def kept(path: Path) -> int:
    """Return the number of the tournament's results on disk."""
    try:
        with SQLiteStore(path, read_only=True) as store:
            lengths = [store.length(head.id) for head in store.heads(Filter(kind=RecordKind.TOURNAMENT))]
            return max(lengths, default=1) - 1
    except ParlourError:  # it is being made
        return 0


def driver(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "parlour", "tournament", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_until(running: subprocess.Popen[str], path: Path, results: int) -> None:
    while running.poll() is None and kept(path) < results:
        time.sleep(0.05)


def table_of(running: subprocess.Popen[str]) -> Any:
    out, err = running.communicate()
    assert (running.returncode, err) == (0, "")
    return json.loads(out)


@pytest.mark.parametrize(("blocks", "twice"), [(25, False), pytest.param(40, True, marks=pytest.mark.long)])
def test_nodes_and_drivers_that_are_killed_change_nothing(
    cluster: subprocess.Popen[str], tmp_path: Path, blocks: int, twice: bool
) -> None:
    field, matches = [*FIELD, str(blocks)], MATCHES_A_BLOCK * blocks
    expected = table_of(driver(*field, "--store", str(tmp_path / "local.db")))
    assert cluster.stdout is not None
    address = cluster.stdout.readline().strip()
    path = tmp_path / "ray.db"
    where = ["--store", str(path), "--engine", "ray", "--address", address]
    moments = sorted(random.Random(16).sample(range(2, matches - 60), 3))
    running = driver(*field, *where)
    wait_until(running, path, moments[0])
    kill_a_node(cluster)
    wait_until(running, path, moments[1])
    assert running.poll() is None, running.communicate()
    running.kill()
    running.communicate()
    assert 0 < kept(path) < matches
    running = driver("fish", "--resume", "--json", "--quiet", *where)
    if twice:
        wait_until(running, path, moments[2])
        kill_a_node(cluster)
    assert table_of(running) == expected
    assert kept(path) == matches
