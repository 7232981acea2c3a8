"""The engine of a cluster beside a stand-in for Ray: nodes that die, differ or do not answer, and what is left behind.

A real cluster cannot be made to fail at a given moment; that ours works on one is tested in test_engines.py, and with
machines that are killed in test_cluster_kills.py.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import socket
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from ray.exceptions import GetTimeoutError, RayError, RayTaskError, WorkerCrashedError

from parlour.errors import ConfigError, MissingExtra, ParlourError
from parlour.testing import FakeClock
from parlour.tournament.engines import cluster
from parlour.tournament.engines.base import Failure
from parlour.tournament.engines.cluster import RETRIES, RayEngine
from parlour.tournament.engines.playing import play_sitting
from parlour.tournament.results_state import ResultsState
from support.tournament.plans import plan_of

PLAN = plan_of(["greedy", "random"])
SITTINGS = list(ResultsState(PLAN).wanted())
HERE = "Parlour"
DIGITS = 56
"""Of the name of a node."""


class Reference:
    """A task that was handed over."""

    def __init__(self, run: Callable[[], Any], how: dict[str, Any]) -> None:
        self.run, self.how = run, how


class StandInRay(types.SimpleNamespace):
    """Stands in for Ray: plays a task in this process when it is asked for it, or fails as it is told."""

    def __init__(self) -> None:
        super().__init__(__version__="0")
        self.alive = {"1": {"CPU": 2.0}, "2": {"CPU": 1.0}}
        self.dead: list[str] = []
        self.resources = {"CPU": 3.0}
        self.begun: list[dict[str, Any]] = []
        self.ended = 0
        self.fails: dict[str, Exception] = {}
        """Return the result of asking a node, or of handing over a task (called task)."""
        self.says: dict[str, tuple[str, list[str]]] = {}
        self.dies = ""
        """The node that dies when it is asked."""
        self.tasks: list[Reference] = []
        self.surveyed: list[tuple[str, bool]] = []
        self.waiting: set[int] = set()
        """Return the numbers of the unfinished tasks."""

    def init(self, **options: Any) -> None:
        self.begun.append(options)
        if "init" in self.fails:
            raise self.fails["init"]

    def shutdown(self) -> None:
        self.ended += 1
        raise RuntimeError("it is half dead")

    def nodes(self) -> list[dict[str, Any]]:
        return [
            {
                "NodeID": name.zfill(DIGITS),
                "NodeManagerAddress": f"10.0.0.{name}",
                "Alive": name not in self.dead,
                "Resources": has,
            }
            for name, has in self.alive.items()
        ]

    def cluster_resources(self) -> dict[str, float]:
        return self.resources

    def put(self, value: bytes) -> bytes:
        return value

    def remote(self, function: Any) -> Any:
        def options(**how: Any) -> Any:
            def hand_over(*given: Any) -> Reference:
                reference = Reference(lambda: function(*given), how)
                if function is cluster.play_task:
                    self.tasks.append(reference)
                else:
                    there = how["scheduling_strategy"]
                    self.surveyed.append((there.node_id.lstrip("0"), there.soft))
                return reference

            return types.SimpleNamespace(remote=hand_over)

        return types.SimpleNamespace(options=options)

    def wait(self, references: list[Reference], *, num_returns: int, timeout: float) -> tuple[list[Reference], Any]:
        ready = [one for one in references if self.tasks.index(one) not in self.waiting]
        return ready[:num_returns], ()

    def get(self, reference: Reference, timeout: float | None = None) -> Any:
        strategy = reference.how.get("scheduling_strategy")
        who = strategy.node_id.lstrip("0") if strategy else "task"
        if who == self.dies:
            self.dead.append(who)
        if who in self.fails:
            raise self.fails[who]
        return self.says[who] if who in self.says else reference.run()


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> StandInRay:
    standing_in = StandInRay()
    monkeypatch.setattr(cluster, "_ray", lambda: standing_in)
    return standing_in


@contextlib.contextmanager
def engine_of(places: int | None = 2, address: str | None = None) -> Iterator[RayEngine]:
    engine = RayEngine(PLAN, places, address=address)
    try:
        yield engine
    finally:
        engine.close()


def raised_by_task(cause: Exception) -> RayError:
    """Return the error by which Ray reports an exception of a task."""
    error: RayError = RayTaskError("play", "traceback", cause)  # type: ignore[no-untyped-call]
    return error


@pytest.fixture
def address() -> Iterator[str]:
    """Where somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"127.0.0.1:{listening.getsockname()[1]}"


def folders() -> set[str]:
    return {path.name for path in Path("/tmp").glob("ray*")}


def test_tasks_that_are_over_come_back_at_once_and_the_others_later(ray: StandInRay) -> None:
    with engine_of() as engine:
        for first in (0, 2, 3):
            engine.submit(SITTINGS[first : first + 2 if not first else first + 1])
        ray.waiting = {1}
        happened = engine.wait(0.0)
        assert [delivery.played.number for delivery in happened.deliveries] == [0, 1, 3]
        assert (happened.failures, happened.idle) == ((), 2)
        ray.waiting = set()
        happened = engine.wait(0.0)
        assert [delivery.played.number for delivery in happened.deliveries] == [2]
        assert happened.idle == 1
    expected = play_sitting(PLAN, SITTINGS[2]).played
    assert happened.deliveries[0].played.timeless() == expected.timeless()
    assert [task.how for task in ray.tasks] == [{"num_cpus": 1, "max_retries": RETRIES, "retry_exceptions": False}] * 3


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (WorkerCrashedError(), "its node or process died: WorkerCrashedError"),
        (raised_by_task(ValueError("odd")), "the task failed: ValueError('odd')"),
    ],
)
def test_a_task_that_fails_names_its_matches(ray: StandInRay, error: RayError, reason: str) -> None:
    ray.fails["task"] = error
    with engine_of() as engine:
        engine.submit(SITTINGS[1:3])
        happened = engine.wait(0.0)
    assert (happened.deliveries, happened.idle) == ((), 1)
    assert happened.failures == (Failure((1, 2), reason),)


def test_a_match_that_fails_alone_takes_no_other_with_it(ray: StandInRay, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = msgspec.structs.replace(SITTINGS[1], players=("nobody", "random"))
    with engine_of() as engine:
        engine.submit([SITTINGS[0], odd])
        happened = engine.wait(0.0)
    assert [delivery.played.number for delivery in happened.deliveries] == [0]
    assert [failure.numbers for failure in happened.failures] == [(1,)]


def test_a_node_whose_agents_have_changed_since_ends_it(ray: StandInRay) -> None:
    ray.fails["task"] = raised_by_task(ConfigError("greedy is another one there", field="agents"))
    with engine_of() as engine:
        engine.submit(SITTINGS[:1])
        with pytest.raises(ConfigError, match=r"^a node of the cluster: greedy is another one there$") as raised:
            engine.wait(0.0)
    assert raised.value.field == "address"


def test_every_living_node_with_processors_is_asked_what_it_has(ray: StandInRay) -> None:
    ray.alive |= {"3": {"CPU": 1.0}, "4": {"memory": 1.0}}
    ray.dead = ["3"]
    with engine_of():
        assert ray.surveyed == [("1", False), ("2", False)]


@pytest.mark.parametrize(
    ("fails", "says", "sentence"),
    [
        (GetTimeoutError(), None, r"node 10.0.0.2 does not answer in 180 s"),
        (WorkerCrashedError(), None, r"node 10.0.0.2 cannot play: is Parlour installed there\? \(WorkerCrashedError\)"),
        (None, ("Parlour 0", []), r"node 10.0.0.2 has Parlour 0, here is Parlour .*, Python .*, Ray 0"),
        (None, (HERE, ["greedy is another one there", "so is random"]), r"node 10.0.0.2: greedy is another one there"),
    ],
)
def test_a_node_that_cannot_play_the_same_is_named_and_nothing_stays(
    ray: StandInRay, fails: Exception | None, says: tuple[str, list[str]] | None, sentence: str
) -> None:
    before = folders()
    if fails:
        ray.fails["2"] = fails
    if says:
        ray.says["2"] = (cluster.versions() if says[0] == HERE else says[0], says[1])
    with pytest.raises(ConfigError, match=rf"^address: {sentence}$") as raised:
        RayEngine(PLAN, 2)
    assert raised.value.field == "address"
    assert ray.ended == 1
    assert folders() == before
    assert "RAY_AUTH_MODE" not in os.environ


def test_a_node_that_died_before_it_was_asked_is_no_fault(ray: StandInRay) -> None:
    ray.fails["2"] = WorkerCrashedError()
    ray.dies = "2"
    with engine_of() as engine:
        assert engine.places == 2


def test_who_is_without_nodes_for_too_long_gives_up(ray: StandInRay, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = FakeClock()
    monkeypatch.setattr(cluster, "time", types.SimpleNamespace(monotonic=clock.now))
    with engine_of() as engine:
        engine.submit(SITTINGS[:1])
        ray.waiting = {0}
        for dead, seconds in ((["1", "2"], 50.0), (["2"], 50.0), (["1", "2"], 60.0)):
            ray.dead = dead
            clock.advance(seconds)
            assert engine.wait(0.0).idle == 0
        clock.advance(1.0)
        with pytest.raises(ParlourError, match=r"no node of the cluster has been alive for 60 s: .* --resume"):
            engine.wait(0.0)


def test_results_show_that_there_are_nodes(ray: StandInRay, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = FakeClock()
    monkeypatch.setattr(cluster, "time", types.SimpleNamespace(monotonic=clock.now))
    with engine_of() as engine:
        for number in range(2):
            engine.submit(SITTINGS[number : number + 1])
        ray.dead, ray.waiting = ["1", "2"], {1}
        clock.advance(50.0)
        assert engine.wait(0.0).idle == 1
        clock.advance(50.0)
        assert engine.wait(0.0).idle == 0


@pytest.mark.parametrize(("wanted", "resources", "places"), [(2, 3.0, 2), (9, 3.0, 3), (None, 3.0, 3), (None, None, 1)])
def test_there_are_no_more_places_than_processors(
    ray: StandInRay, wanted: int | None, resources: float | None, places: int
) -> None:
    ray.resources = {} if resources is None else {"CPU": resources}
    with engine_of(wanted) as engine:
        assert (engine.places, engine.depth) == (places, 3 * places)


def test_an_engine_without_an_address_begins_a_cluster_of_its_own(ray: StandInRay) -> None:
    """Ray would join whatever was left behind on the machine."""
    with engine_of(5):
        folder = Path(os.environ["RAY_TMPDIR"])
        token = Path(os.environ["RAY_AUTH_TOKEN_PATH"])
        assert (token.parent, len(token.read_text()), token.stat().st_mode & 0o777) == (folder, 64, 0o600)
        assert os.environ["RAY_AUTH_MODE"] == "token"
        assert os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] == "0"
        assert os.environ["RAY_worker_niceness"] == "0"  # noqa: SIM112 (it is Ray's own name)
        assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"
    (options,) = ray.begun
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    own = {"num_cpus": 5, "include_dashboard": False, "object_store_memory": cluster.MEMORY}
    assert options == {"address": "local", **quiet, **own}
    assert not folder.exists()
    assert "RAY_TMPDIR" not in os.environ


def test_a_cluster_that_is_there_is_joined_as_the_user_has_set_it(
    ray: StandInRay, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    monkeypatch.delenv("RAY_USAGE_STATS_ENABLED", raising=False)
    with engine_of(5, address):
        assert os.environ["RAY_AUTH_MODE"] == "disabled"
        assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"
        assert "RAY_TMPDIR" not in os.environ
    assert ray.begun == [{"address": address, "log_to_driver": False, "logging_level": "ERROR"}]
    assert os.environ["RAY_AUTH_MODE"] == "disabled"
    assert "RAY_USAGE_STATS_ENABLED" not in os.environ
    with engine_of(None, "auto"):
        assert ray.begun[1]["address"] == "auto"


def test_settings_of_a_cluster_of_our_own_are_ours_and_the_users_come_back(
    ray: StandInRay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    with engine_of():
        assert os.environ["RAY_AUTH_MODE"] == "token"
    assert os.environ["RAY_AUTH_MODE"] == "disabled"


@pytest.mark.parametrize(
    ("error", "reason"), [(ConnectionError("no such\ncluster"), "no such"), (RuntimeError(), r"RuntimeError\(\)")]
)
def test_a_cluster_that_cannot_be_joined_is_refused_in_a_line(
    ray: StandInRay, address: str, error: Exception, reason: str
) -> None:
    ray.fails["init"] = error
    with pytest.raises(ConfigError, match=rf"^address: the cluster at {address} cannot be joined: {reason}$"):
        RayEngine(PLAN, 2, address=address)
    with pytest.raises(ConfigError, match=rf"^address: the cluster at this machine cannot be joined: {reason}$"):
        RayEngine(PLAN, 2)


@pytest.mark.parametrize("wrong", ["here", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:ray", "127.0.0.1:-1"])
def test_an_address_is_a_host_and_a_port(ray: StandInRay, wrong: str) -> None:
    with pytest.raises(ConfigError, match=rf"^address: expected HOST:PORT of a Ray cluster, got '{wrong}'$") as raised:
        RayEngine(PLAN, 1, address=wrong)
    assert raised.value.field == "address"
    assert ray.begun == []


def test_what_ray_writes_comes_between_nothing(ray: StandInRay, capfd: pytest.CaptureFixture[str]) -> None:
    before = sys.stderr
    with engine_of():
        os.write(2, b"noise of C++\n")
        sys.stdout.write("noise of Python\n")
    os.write(2, b"ours\n")
    sys.stdout.write("ours too\n")
    assert capfd.readouterr() == ("ours too\n", "ours\n")
    assert sys.stderr is before


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="ray"):
        RayEngine(PLAN, 1)


def test_an_agent_that_is_another_one_on_a_node_is_noticed() -> None:
    other = msgspec.structs.replace(PLAN.contenders[0], fingerprint={"parlour": "0.0 another"})
    changed = msgspec.structs.replace(PLAN, contenders=(other, PLAN.contenders[1]))
    unknown = msgspec.structs.replace(PLAN.contenders[0], agent="nowhere/there.py:Player")
    missing = msgspec.structs.replace(PLAN, contenders=(unknown, PLAN.contenders[1]))
    assert cluster.survey(msgspec.msgpack.encode(PLAN)) == (cluster.versions(), [])
    assert cluster.survey(msgspec.msgpack.encode(changed))[1] == ["greedy is another one there (parlour)"]
    assert len(cluster.survey(msgspec.msgpack.encode(missing))[1]) == 1
