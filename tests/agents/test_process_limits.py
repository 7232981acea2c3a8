"""Fences around programs: the system itself bounds their threads, for root too, and all behind one can be killed."""

# Why real time passes here: child processes live in real time, which no clock of ours stops.

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from parlour.agents import proc, process_limits
from parlour.agents.process_limits import ControlGroup, Fence, OwnUser, SharedUser
from support.waiting import PATIENCE

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and prlimit")
GATE = 'read -r _ && exec "$@"'
COUNTS = 'echo here; read -r _ || exit 9; i=0; while [ $i -lt 60 ]; do sleep 60 & i=$((i+1)); done; echo "all of them"'
"""Starts sixty and no more, so that it is harmless where the fence does not hold."""


def fence_of(kind: str, mark: str) -> Fence:
    """Return a fence of that kind for twenty threads."""
    if os.getuid() != 0:
        pytest.skip("only root needs one of these")
    if kind == "group":
        group = process_limits.make_group(mark, 20)
        if group is None:
            pytest.skip("this system gives no control groups to us")
        return group
    if not process_limits.can_be_others():
        pytest.skip("this system lets us be nobody else")
    user = process_limits._free_user()
    assert user is not None
    return OwnUser(user, 20)


@linux
@pytest.mark.parametrize("kind", ["group", "user"])
def test_the_system_bounds_what_root_starts_and_all_of_it_can_be_killed(kind: str) -> None:
    fence = fence_of(kind, f"{os.getpid()}.bounds.")
    words = ["/bin/sh", "-c", GATE, "sh", *fence.before, "/bin/sh", "-c", COUNTS]
    pipe = subprocess.PIPE
    counter = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, cwd="/")
    fence.admit(counter.pid)
    assert counter.stdin is not None
    counter.stdin.write(b"\n")
    counter.stdin.flush()
    assert counter.stdout is not None
    assert counter.stdout.readline() == b"here\n"
    assert fence.members() == [counter.pid]
    counter.stdin.write(b"\n")
    counter.stdin.close()
    counter.wait(PATIENCE)  # the shell gives up at the first that it cannot start
    assert counter.returncode != 0
    left = fence.members()
    assert len(left) == 19
    fence.clear()
    assert counter.stderr is not None
    assert counter.stdout.read() == b""  # none is left that could write to it
    counter.stdout.close()
    counter.stderr.close()
    fence.remove()
    if isinstance(fence, ControlGroup):
        while fence._folder.exists():  # until the system has buried them all, which this test's time limit bounds
            time.sleep(0.01)
            fence.remove()


@linux
def test_the_fence_of_a_common_user_counts_what_there_is() -> None:
    crowd = sum(proc.threads(pid) for pid in proc.of_user(os.getuid()))
    with subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE) as cat:
        fence = SharedUser(100)
        fence.admit(cat.pid)
        soft, hard = resource.prlimit(cat.pid, resource.RLIMIT_NPROC)
        assert soft == hard
        assert crowd * 0.2 + 100 < soft < crowd * 5 + 200  # others come and go meanwhile
        assert fence.members() == []
        fence.clear()
        fence.remove()
        assert cat.poll() is None
        cat.communicate()


V1 = "12:pids:/ours\n1:name=systemd:/\n0::/\n"
MOUNTS = (
    "30 20 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
    "31 20 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
    "32 20 0:28 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n"
)


def test_our_control_group_of_version_1_is_where_processes_are_counted() -> None:
    assert process_limits.find_home(V1, MOUNTS) == Path("/sys/fs/cgroup/pids/ours")
    assert process_limits.find_home(V1, MOUNTS.replace(" / /sys/fs/cgroup/pids", " /ours /sys/fs/cgroup/pids")) == Path(
        "/sys/fs/cgroup/pids"
    )
    assert process_limits.find_home(V1, MOUNTS.replace(" / /sys/fs/cgroup/pids", " /other /sys/fs/cgroup/pids")) is None
    assert process_limits.find_home("3:memory:/\n", MOUNTS) is None


@pytest.mark.parametrize(
    ("controllers", "below", "after"),
    [("cpu pids", "cpu", "+pids"), ("cpu pids", "pids", "pids"), ("cpu", "", None), (None, "", None)],
)
def test_a_control_group_of_version_2_is_made_to_count(
    tmp_path: Path, controllers: str | None, below: str, after: str | None
) -> None:
    if controllers is not None:
        (tmp_path / "cgroup.controllers").write_text(controllers)
        (tmp_path / "cgroup.subtree_control").write_text(below)
    found = process_limits.find_home("0::/\n", f"30 20 0:26 / {tmp_path} rw - cgroup2 cgroup2 rw\n")
    assert found == (tmp_path if after is not None else None)
    if after is not None:
        assert (tmp_path / "cgroup.subtree_control").read_text() == after


@linux
def test_groups_that_dead_processes_left_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen(["/bin/true"]) as gone:
        pass
    ours, theirs, other = (tmp_path / name for name in (f"parlour.{os.getpid()}.1.", f"parlour.{gone.pid}.1.", "other"))
    for folder in (ours, theirs, other):
        folder.mkdir()
    monkeypatch.setattr(process_limits, "_home", lambda: tmp_path)
    group = process_limits.make_group(f"{os.getpid()}.2.", 5)
    assert group is not None
    assert (tmp_path / f"parlour.{os.getpid()}.2." / "pids.max").read_text() == "5"
    assert ours.exists()
    assert other.exists()
    assert not theirs.exists()
    assert len(process_limits.groups_of(f"{os.getpid()}.")) == 2


def test_without_a_control_group_there_is_none_to_make(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for home in (None, tmp_path / "missing", tmp_path / "file" / "below"):
        monkeypatch.setattr(process_limits, "_home", lambda home=home: home)
        assert process_limits.make_group("1.1.", 5) is None
    assert process_limits.groups_of("1.") == []


@pytest.fixture
def as_root(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Root, who has no control groups; gives what may be said of the rest."""
    monkeypatch.setattr(os, "getuid", lambda: 0)
    monkeypatch.setattr(process_limits, "make_group", lambda *_: None)
    monkeypatch.setattr(process_limits, "can_be_others", lambda: True)
    return ["/bin/cat"]


@linux
def test_root_without_control_groups_gives_each_program_a_user_of_its_own(as_root: list[str]) -> None:
    first, second = (process_limits.build(mark, as_root, 20) for mark in ("1.1.", "1.2."))
    assert isinstance(first, OwnUser)
    assert isinstance(second, OwnUser)
    assert first.user != second.user
    assert {first.user, second.user} <= set(process_limits.USERS)
    first.remove()
    second.remove()
    assert not {first.user, second.user} & process_limits._given


@linux
def test_nobody_is_made_somebody_who_cannot_read_its_own_files(as_root: list[str], tmp_path: Path) -> None:
    private = tmp_path / "bot.py"
    private.write_text("")
    private.chmod(0o600)
    assert process_limits.build("1.1.", [*as_root, str(private)], 20) is None


@linux
def test_who_is_not_root_has_the_limit_of_its_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 1000)
    assert isinstance(process_limits.build("1.1.", ["/bin/cat"], 20), SharedUser)


@pytest.mark.parametrize(
    ("folder", "file", "opens"),
    [(0o755, 0o644, True), (0o711, 0o644, True), (0o700, 0o644, False), (0o755, 0o640, False)],
)
def test_a_file_is_open_to_all_if_its_folders_are(
    folder: int, file: int, opens: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(folder)
        path = Path(name) / "bot.sh"
        path.write_text("")
        path.chmod(file)
        link = Path(name) / "link"
        link.symlink_to(path)
        assert process_limits.is_open_to_all(["/bin/sh", "-x", str(path)]) == opens
        assert process_limits.is_open_to_all(["/bin/sh", str(link)]) == opens
    assert process_limits.is_open_to_all(["/bin/sh", "-c", "no\0path", "x" * 5000])
    assert not process_limits.is_open_to_all(["/no/such/program"])
