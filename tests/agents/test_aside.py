"""Output of bots: on standard error under their names, never between our own output."""

from __future__ import annotations

import asyncio
import sys

import click
import pytest

from parlour.agents.aside import MAX_LINE, prints_aside, speaking


def test_a_bot_prints_on_standard_error_with_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    with prints_aside():
        click.echo("ours")
        with speaking("Bot as red"):
            print("one", end=" ")  # noqa: T201
            print("line\nand another", flush=True)  # noqa: T201
        click.echo(b"also ours")
    out, err = capsys.readouterr()
    assert out == "ours\nalso ours\n"
    assert err == "Bot as red: one line\nBot as red: and another\n"


def test_a_line_without_an_end_is_printed_in_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    with prints_aside(), speaking("Bot"):
        sys.stdout.write("begun")
    assert capsys.readouterr().err == "Bot: begun\n"


def test_signs_that_a_terminal_obeys_and_endless_lines_are_not_passed_on(capsys: pytest.CaptureFixture[str]) -> None:
    with prints_aside(), speaking("Bot"):
        sys.stdout.writelines(["\x1b[2J", "\n", "x" * 3 * MAX_LINE])
    first, second = capsys.readouterr().err.splitlines()
    assert first == "Bot: ?[2J"
    assert len(second) == MAX_LINE


def test_tasks_are_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    async def talk(name: str) -> None:
        with speaking(name):
            print("be", end="")  # noqa: T201
            await asyncio.sleep(0)
            print("gun")  # noqa: T201

    async def both() -> None:
        await asyncio.gather(talk("one"), talk("two"))

    with prints_aside():
        asyncio.run(both())
    assert sorted(capsys.readouterr().err.splitlines()) == ["one: begun", "two: begun"]


def test_standard_output_is_as_before_afterwards() -> None:
    before = sys.stdout
    with prints_aside():
        assert sys.stdout is not before
        assert sys.stdout.encoding == before.encoding
    assert sys.stdout is before
    with prints_aside():
        sys.stdout = sys.stderr
    assert sys.stdout is sys.stderr
    sys.stdout = before
