"""kill -9 under traffic: what was acknowledged is there, what was refused is not, nothing is there twice."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import IO

import pytest

from parlour.store import open_store
from support import TESTS
from support.store.postgres import PostgresServer
from support.store.traffic import complaints


def start(address: str, run: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", complaints.__module__, address, run], cwd=TESTS, stdout=subprocess.PIPE
    )


def take(stream: IO[bytes] | None, count: int) -> list[bytes]:
    assert stream is not None
    lines = [stream.readline() for _ in range(count)]
    assert all(lines), "the writer ended by itself"
    return lines


def killed(writer: subprocess.Popen[bytes]) -> list[bytes]:
    """kill -9; what it had said until then."""
    assert writer.stdout is not None
    writer.send_signal(signal.SIGKILL)
    rest = writer.stdout.readlines()
    writer.wait()
    writer.stdout.close()
    return rest


@pytest.mark.parametrize("counts", [[1, 150, 600], [40, 300, 90]], ids=str)
def test_the_death_of_the_writer_loses_nothing(address: str, counts: list[int]) -> None:
    lines: list[bytes] = []
    for run, count in enumerate(counts):
        writer = start(address, f"run{run}")
        lines += take(writer.stdout, count) + killed(writer)
        assert len(lines) >= count
        with open_store(address) as store:
            assert complaints(store, lines) == []


def test_the_death_of_the_database_loses_nothing_and_the_writer_goes_on(postgres: PostgresServer) -> None:
    address = postgres.new_schema()
    writer = start(address, "run")
    lines = take(writer.stdout, 50)
    for count in (1, 30, 200):
        # The pipe takes some thousand lines more, so the writer does not wait for us while its server is killed.
        lines += take(writer.stdout, count)
        postgres.kill()
        assert postgres.restart()
        lines += take(writer.stdout, 400)
    lines += killed(writer)
    assert any(line.startswith(b"refused") for line in lines)
    with open_store(address) as store:
        assert complaints(store, lines) == []
