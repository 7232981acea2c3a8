"""Groups of commands: former names of options are answered by the present ones."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from parlour.cli import parlour
from parlour.cli.terminal.family import RENAMED


@pytest.mark.parametrize(
    ("words", "present"),
    [
        (("join", "host:1", "--returns", "3"), "--reconnect-timeout"),
        (("join", "ws://host:1", "--talk", "3"), "--press-time"),
        (("train", "imitation", "--returns", "draw"), "--reward"),
        (("train", "small", "--rate", "1"), "--learning-rate"),
        (("train", "small", "--batch", "1"), "--batch-size"),
        (("train", "small", "--to", "x"), "--output-dir"),
        (("play", "fish", "greedy", "--tape", "replay"), "--cassette-mode"),
        (("replay", "x", "--consulted"), "--model-calls"),
        (("mcp", "--allow", "x"), "--allowed-host"),
    ],
)
def test_a_former_option_is_answered_by_its_present_name(words: tuple[str, ...], present: str) -> None:
    done = CliRunner().invoke(parlour, words)
    former = next(word for word in words if word.startswith("--"))
    assert done.exit_code == 2
    assert f"{former} is called {present} now" in done.output
    assert present in RENAMED[former]


def test_an_option_that_never_was_is_refused_as_before() -> None:
    done = CliRunner().invoke(parlour, ("mcp", "--tape", "x"))
    assert done.exit_code == 2
    assert "No such option" in done.output


def test_an_option_of_a_group_after_its_command_is_told_its_place() -> None:
    done = CliRunner().invoke(parlour, ("match", "list", "--server", "ws://127.0.0.1:1"))
    assert done.exit_code == 2
    assert re.search(r"--server belongs before the command: \w+ match --server …", done.output)


def options(command: click.Command, path: str = "parlour") -> Iterator[tuple[str, click.Option]]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from options(inner, f"{path} {name}")
    yield from ((f"{path} {one.opts[0]}", one) for one in command.params if isinstance(one, click.Option))


def test_the_help_of_each_option_is_understood_alone() -> None:
    unclear = re.compile(r"^(There|What|Who|Where|How|Whether|Of|That|Its|Their|It)\b")
    found = {path: one.help or "" for path, one in options(parlour)}
    assert len(found) > 200
    assert {path: text for path, text in found.items() if len(text.split()) < 3 or unclear.search(text)} == {}
