"""The engine of many machines: a Ray cluster, one that is there already or one that is started here.

Machines may die: Ray plays a task again elsewhere, and a task that it gives up comes back as failed. All nodes must
have the same versions and the same agents, which is checked before anything is played. The cluster's token decides who
may use it: Ray's authentication is left on, and a cluster that is started here listens to this machine alone.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import secrets
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

import parlour
from parlour.errors import ConfigError, MissingExtra, ParlourError
from parlour.tournament.engines.base import Failure, Happening
from parlour.tournament.engines.worker import WorkerAnswer, played
from parlour.tournament.plan import Plan
from parlour.tournament.results import Delivery
from parlour.tournament.schedules.blocks import Sitting
from parlour.tournament.storage.fingerprints import changed, check_agent, fingerprint

MEMORY = 100 << 20
"""Bytes of the object store; results are small."""
RETRIES = 3
REACH = 5.0
"""Seconds for a cluster to answer at its address."""
SURVEY = 180.0
"""Seconds for each node to report its versions; the first task of a busy machine waits for a process to start."""
ALONE = 60.0
"""Seconds without any node after which the engine gives up."""
_plans = msgspec.msgpack.Decoder(Plan)
_tasks = msgspec.msgpack.Decoder(tuple[Sitting, ...])
_answers = msgspec.msgpack.Decoder(tuple[WorkerAnswer, ...])


def play_task(plan: bytes, sittings: bytes) -> bytes:
    """Play matches on a node, and return the encoded answers."""
    read = _plan_of(plan)
    return msgspec.msgpack.encode(tuple(played(read, sitting) for sitting in _tasks.decode(sittings)))


def survey(plan: bytes) -> tuple[str, list[str]]:
    """Return the versions of a node, and the faults of its agents."""
    try:
        _plan_of(plan)
    except ParlourError as error:
        return versions(), [str(error)]
    return versions(), []


def versions() -> str:
    """Return the versions that must be the same on all nodes."""
    python = ".".join(map(str, sys.version_info[:2]))
    return f"Parlour {parlour.__version__}, Python {python}, Ray {_ray().__version__}"


def _ray() -> Any:
    """Return the module ray, imported late: its import takes half a second."""
    return importlib.import_module("ray")


@lru_cache(maxsize=4)
def _plan_of(plan: bytes) -> Plan:
    """Return the plan, decoded once per process; raise ConfigError if its agents are missing or different here."""
    read = _plans.decode(plan)
    for contender in read.contenders:
        check_agent(read.game, contender.agent, read.config)
        found = changed(contender.fingerprint, fingerprint(read.game, contender.agent)) if contender.fingerprint else []
        if found:
            raise ConfigError(f"{contender.name} is another one there ({', '.join(found)})", field="agents")
    return read


class RayEngine:
    """Plays matches on a Ray cluster."""

    task_time = 0.5

    def __init__(self, plan: Plan, places: int | None, *, address: str | None = None) -> None:
        if importlib.util.find_spec("ray") is None:
            raise MissingExtra("ray", "--engine ray")
        self._cleaning = contextlib.ExitStack()
        try:
            folder = Path(self._cleaning.enter_context(_short_folder()))
            self._cleaning.enter_context(_environment(_settings(folder, address)))
            if address is not None:
                _reach(address)
            self._cleaning.enter_context(_noise_to(folder / "noise"))
            self._join(places, address)
            self._encoded = msgspec.msgpack.encode(plan)
            self._survey()
            ray = _ray()
            self._plan = ray.put(self._encoded)
            self._play = ray.remote(play_task).options(num_cpus=1, max_retries=RETRIES, retry_exceptions=False)
        except BaseException:  # Ctrl-C too: a cluster that was started here must not stay
            self.close()
            raise
        processors = int(ray.cluster_resources().get("CPU", 1))
        self.places = min(places or processors, processors)
        self.depth = 3 * self.places
        self._live: dict[Any, tuple[int, ...]] = {}
        self._seen = time.monotonic()

    def submit(self, sittings: Sequence[Sitting]) -> None:
        """Send the task to the cluster."""
        reference = self._play.remote(self._plan, msgspec.msgpack.encode(tuple(sittings)))
        self._live[reference] = tuple(sitting.number for sitting in sittings)

    def wait(self, seconds: float) -> Happening:
        """Return the results and failures of the cluster, after at most this time."""
        ray = _ray()
        ready, _ = ray.wait(list(self._live), num_returns=1, timeout=seconds)
        if ready:
            ready, _ = ray.wait(list(self._live), num_returns=len(self._live), timeout=0)
            self._seen = time.monotonic()
        else:
            self._look_for_nodes()
        deliveries: list[Delivery] = []
        failures: list[Failure] = []
        for reference in ready:
            numbers = self._live.pop(reference)
            for answer in self._answers(reference, numbers):
                if answer.delivery is not None:
                    deliveries.append(answer.delivery)
                if answer.failure is not None:
                    failures.append(answer.failure)
        return Happening(tuple(deliveries), tuple(failures), len(ready))

    def close(self) -> None:
        """Leave the cluster; a cluster that was started here ends."""
        if "ray" in sys.modules:
            ray = _ray()
            with contextlib.suppress(Exception):  # the cluster may have failed already
                ray.shutdown()
        self._cleaning.close()

    def _answers(self, reference: Any, numbers: tuple[int, ...]) -> tuple[WorkerAnswer, ...]:
        from ray.exceptions import RayError, RayTaskError

        try:
            return _answers.decode(_ray().get(reference))
        except RayTaskError as error:
            if isinstance(error.cause, ParlourError):
                raise ConfigError(f"a node of the cluster: {error.cause}", field="address") from None
            return (WorkerAnswer(failure=Failure(numbers, f"the task failed: {error.cause!r}")),)
        except RayError as error:
            return (WorkerAnswer(failure=Failure(numbers, f"its node or process died: {type(error).__name__}")),)

    def _join(self, places: int | None, address: str | None) -> None:
        ray = _ray()
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
        if address is None:
            options |= {"num_cpus": places, "include_dashboard": False, "object_store_memory": MEMORY}
        try:
            # Without an address Ray would join any cluster that was left behind on this machine.
            ray.init(address=address or "local", **options)
        except (ConnectionError, RuntimeError, ValueError) as error:
            where, reason = address or "this machine", [*str(error).strip().splitlines(), repr(error)][0]
            raise ConfigError(f"address: the cluster at {where} cannot be joined: {reason}", field="address") from None

    def _survey(self) -> None:
        """Raise ConfigError with the name of a node that has other versions or agents than this machine."""
        from ray.exceptions import GetTimeoutError, RayError
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        ray = _ray()
        asked = {}
        for node, name in _living().items():
            there = NodeAffinitySchedulingStrategy(node, soft=False)
            asked[node, name] = ray.remote(survey).options(num_cpus=0, scheduling_strategy=there).remote(self._encoded)
        for (node, name), reference in asked.items():
            try:
                found, faults = ray.get(reference, timeout=SURVEY)
            except GetTimeoutError:
                raise ConfigError(f"address: node {name} does not answer in {SURVEY:.0f} s", field="address") from None
            except RayError as error:
                if node not in _living():  # a dead node plays nothing, so it is skipped
                    continue
                raise ConfigError(
                    f"address: node {name} cannot play: is Parlour installed there? ({type(error).__name__})",
                    field="address",
                ) from None
            if found != versions():
                raise ConfigError(f"address: node {name} has {found}, here is {versions()}", field="address")
            if faults:
                raise ConfigError(f"address: node {name}: {faults[0]}", field="address")

    def _look_for_nodes(self) -> None:
        """Raise ParlourError if no node has been alive for ALONE seconds."""
        if _living():
            self._seen = time.monotonic()
        elif time.monotonic() - self._seen > ALONE:
            raise ParlourError(f"no node of the cluster has been alive for {ALONE:.0f} s: continue later with --resume")


def _living() -> dict[str, str]:
    """Return the nodes that can play, and the address of each."""
    able = [node for node in _ray().nodes() if node["Alive"] and node["Resources"].get("CPU")]
    return {node["NodeID"]: node["NodeManagerAddress"] for node in able}


def _reach(address: str) -> None:
    """Raise ConfigError at once if no program listens at an address; Ray itself would take minutes."""
    host, colon, port = address.rpartition(":")
    if address == "auto":
        return
    if not colon or not port.isdecimal() or len(port) > 5 or not 0 < int(port) < 65_536:
        raise ConfigError(f"address: expected HOST:PORT of a Ray cluster, got {address[:80]!r}", field="address")
    try:
        socket.create_connection((host.strip("[]"), int(port)), REACH).close()
    except OSError as error:
        raise ConfigError(
            f"address: no Ray cluster answers at {address[:80]}: {error.strerror or error}; start one with "
            f"ray start --head --port={port}",
            field="address",
        ) from None


def _settings(folder: Path, address: str | None) -> dict[str, str]:
    """Return environment variables for Ray; for a cluster at an address, those that the user has set stay."""
    wanted = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "token"}
    if address is None:
        token = folder / "token"
        token.touch(mode=0o600)
        token.write_text(secrets.token_hex(32))
        wanted |= {
            "RAY_TMPDIR": str(folder),
            "RAY_AUTH_TOKEN_PATH": str(token),
            "RAY_worker_niceness": "0",  # Ray's default of 15 would make players late where time is limited
            "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # decides if a cluster listens on all interfaces
        }
    return {name: value for name, value in wanted.items() if address is None or name not in os.environ}


@contextlib.contextmanager
def _environment(wanted: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextlib.contextmanager
def _short_folder() -> Iterator[str]:
    """Yield a folder whose path is short enough for the sockets of Ray."""
    folder = tempfile.mkdtemp(prefix="ray", dir="/tmp" if Path("/tmp").is_dir() else None)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _noise_to(path: Path) -> Iterator[None]:
    """Send the output of Ray to a file; errors of Parlour itself still reach the terminal.

    Ray prints the deaths of nodes to standard output, whatever its log settings are, and would disturb the table.
    Parlour prints nothing to standard output while an engine is open.
    """
    sys.stderr.flush()
    ours = os.dup(2)
    before = sys.stderr
    with path.open("wb") as noise:
        os.dup2(noise.fileno(), 2)
    try:
        if before is sys.__stderr__:
            sys.stderr = os.fdopen(os.dup(ours), "w", buffering=1)
        with path.open("a") as printed, contextlib.redirect_stdout(printed):
            yield
    finally:
        os.dup2(ours, 2)
        os.close(ours)
        if sys.stderr is not before:
            sys.stderr.close()
            sys.stderr = before
