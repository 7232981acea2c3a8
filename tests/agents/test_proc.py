"""Facts about processes, read from a folder that looks like /proc."""

from __future__ import annotations

from pathlib import Path

import pytest

from parlour.agents import proc


@pytest.fixture
def process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Process 7, in the middle of exec: it has a program, but neither arguments nor variables yet."""
    monkeypatch.setattr(proc, "_PROC", tmp_path)
    folder = tmp_path / "7"
    folder.mkdir()
    (folder / "exe").symlink_to("/bin/true")
    (folder / "environ").touch()
    (folder / "cmdline").touch()
    return folder


def test_the_variables_of_a_process_in_the_middle_of_exec_are_waited_for(
    process: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: (process / "environ").write_bytes(b"A=1\0B=2"))
    assert proc.environment(7) == [b"A=1", b"B=2"]


def test_a_process_without_variables_is_not_waited_for(process: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: pytest.fail("waited"))
    (process / "cmdline").write_bytes(b"true\0")
    assert proc.environment(7) == []
    (process / "cmdline").write_bytes(b"")
    (process / "exe").unlink()  # a thread of the kernel
    assert proc.environment(7) == []
    assert proc.environment(8) == []
