"""Lines to and from a process: read only when wanted, kept only so far, and nothing is left behind."""

# Why real time passes here: programs live in real time, which no clock of ours stops.

from __future__ import annotations

import asyncio
import gc
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from parlour.agents.lines import MAX_LINE, MAX_UNREAD, Lines
from support.waiting import PATIENCE


@pytest.fixture
def run() -> Iterator[Callable[[str], Lines]]:
    made: list[Lines] = []

    def start(code: str) -> Lines:
        made.append(Lines([sys.executable, "-S", "-c", code]))
        return made[-1]

    yield start
    for lines in made:
        lines.close()


class Listener:
    """Wants so many lines, and keeps them."""

    def __init__(self, lines: Lines, wanted: int) -> None:
        self.lines, self.wanted = lines, wanted
        self.taken: list[bytes] = []
        self.done = asyncio.Event()
        lines.attach(self.took, self.lost)
        lines.want(True)

    def took(self, line: bytes) -> None:
        self.taken.append(line)
        if len(self.taken) == self.wanted:
            self.lines.want(False)
            self.done.set()

    def lost(self, reason: Exception) -> None:
        self.done.set()


def test_the_first_line_may_be_empty(run: Callable[[str], Lines]) -> None:
    lines = run("print(); input()")
    assert lines.first(time.monotonic() + PATIENCE) == b""
    silent = run("input()")
    assert silent.first(time.monotonic() + 0.05) is None


def test_a_line_that_comes_in_pieces_is_taken_whole(run: Callable[[str], Lines]) -> None:
    lines = run(
        "import sys, time\nfor part in ('one\\ntw', 'o', '\\nthree\\n'):\n"
        "    sys.stdout.write(part); sys.stdout.flush(); time.sleep(0.05)\ninput()"
    )

    async def scene() -> list[bytes]:
        listener = Listener(lines, 3)
        await listener.done.wait()
        return listener.taken

    assert asyncio.run(scene()) == [b"one", b"two", b"three"]


def test_a_flood_is_read_only_as_far_as_it_is_wanted(run: Callable[[str], Lines]) -> None:
    lines = run("while True: print('x' * 1000)")

    async def scene() -> int:
        listener = Listener(lines, 5)
        await listener.done.wait()
        await asyncio.sleep(0.1)
        return len(listener.taken)

    assert asyncio.run(scene()) == 5
    assert len(lines._heard) <= MAX_LINE
    assert lines.gone is None


def test_what_is_not_read_is_kept_only_so_far(run: Callable[[str], Lines]) -> None:
    lines = run("import time; time.sleep(60)")

    async def scene(must: bool) -> list[bool]:
        Listener(lines, 1)
        return [lines.send(b"x" * 100_000, must=must) for _ in range(100)]

    for must, limit in ((False, MAX_UNREAD), (True, 2 * MAX_UNREAD)):
        taken = asyncio.run(scene(must))
        assert taken[0]
        assert not taken[-1]
        assert len(lines._unread) <= limit


def test_what_is_kept_is_written_when_there_is_room(run: Callable[[str], Lines]) -> None:
    lines = run("import sys, time; time.sleep(0.1); print(len(sys.stdin.readline()), flush=True); input()")

    async def scene() -> list[bytes]:
        listener = Listener(lines, 1)
        assert lines.send(b"x" * 1_000_000 + b"\n")
        await lines.sent()
        await listener.done.wait()
        return listener.taken

    assert asyncio.run(scene()) == [b"1000001"]


def test_the_end_of_the_process_is_noticed(run: Callable[[str], Lines]) -> None:
    lines = run("print('last')")

    async def scene() -> list[bytes]:
        listener = Listener(lines, 2)
        await listener.done.wait()
        return listener.taken

    assert asyncio.run(scene()) == [b"last"]
    assert isinstance(lines.gone, ConnectionError)
    assert not lines.send(b"hello\n")


@pytest.mark.parametrize(
    ("code", "first"),
    [
        ("print('hello\\nworld', flush=True); input()", b"hello"),
        ("", None),
        ("print('x', end='', flush=True); input()", None),
        (f"print('x' * {MAX_LINE + 100_000}, flush=True); input()", None),
    ],
)
def test_the_first_line_can_be_looked_at(run: Callable[[str], Lines], code: str, first: bytes | None) -> None:
    patience = PATIENCE if "end" not in code else 0.3
    assert run(code).first(time.monotonic() + patience) == first


def test_a_process_that_nobody_needs_is_ended() -> None:
    lines = Lines([sys.executable, "-S", "-c", "import time; time.sleep(60)"])
    process = lines.process
    del lines
    gc.collect()
    assert process.poll() is not None
