"""Lines from a descriptor: pipes, plain files and terminals; cut short, too long, shared."""

# Why real time passes here: a terminal of the system is read in real time; waits end as soon as something is there.

from __future__ import annotations

import asyncio
import io
import os
import pty
from collections.abc import Iterator
from pathlib import Path

import pytest

from parlour.agents.terminal import MAX_LINE, FileTerminal


@pytest.fixture
def pipe() -> Iterator[tuple[FileTerminal, int]]:
    source, typing = os.pipe()
    yield FileTerminal(source, io.StringIO()), typing
    os.close(source)


def test_lines_come_one_by_one_and_then_no_more(pipe: tuple[FileTerminal, int]) -> None:
    terminal, typing = pipe
    os.write(typing, "A PAR H\r\n\nžluť\nlast".encode())
    os.close(typing)

    async def scene() -> list[str]:
        return [await terminal.line() for _ in range(4)]

    assert asyncio.run(scene()) == ["A PAR H", "", "žluť", "last"]
    with pytest.raises(EOFError):
        asyncio.run(terminal.line())


def test_who_stops_waiting_loses_nothing(pipe: tuple[FileTerminal, int]) -> None:
    terminal, typing = pipe

    async def scene() -> str:
        os.write(typing, b"half ")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(terminal.line(), 0.05)
        os.write(typing, b"and half\n")
        return await terminal.line()

    assert asyncio.run(scene()) == "half and half"
    os.close(typing)


def test_a_line_without_end_is_cut(pipe: tuple[FileTerminal, int]) -> None:
    terminal, typing = pipe

    async def scene() -> tuple[int, str]:
        reading = asyncio.create_task(terminal.line())
        for _ in range(MAX_LINE // 4096):
            await asyncio.to_thread(os.write, typing, b"x" * 4096)
        first = await reading
        os.write(typing, b"rest\n")
        return len(first), await terminal.line()

    assert asyncio.run(scene()) == (MAX_LINE, "rest")
    os.close(typing)


def test_a_plain_file_can_be_typed_from(tmp_path: Path) -> None:
    (tmp_path / "typed").write_text("0 2\n0 3\n")
    with (tmp_path / "typed").open("rb") as source:
        terminal = FileTerminal(source.fileno(), io.StringIO())
        assert asyncio.run(terminal.line()) == "0 2"
        assert asyncio.run(terminal.line()) == "0 3"


def test_a_real_terminal_can_be_typed_in() -> None:
    person, source = pty.openpty()
    terminal = FileTerminal(source, io.StringIO())
    os.write(person, b"A PAR - BUR\n")
    assert asyncio.run(terminal.line()) == "A PAR - BUR"
    os.close(person)
    os.close(source)


async def test_two_people_have_it_one_after_the_other(pipe: tuple[FileTerminal, int]) -> None:
    terminal, typing = pipe
    os.write(typing, b"one\ntwo\n")
    heard: list[tuple[str, str]] = []

    async def person(name: str) -> None:
        async with terminal.held():
            await asyncio.sleep(0.01)
            heard.append((name, await terminal.line()))

    async with asyncio.TaskGroup() as group:
        group.create_task(person("red"))
        group.create_task(person("white"))
    assert heard == [("red", "one"), ("white", "two")]
    os.close(typing)
