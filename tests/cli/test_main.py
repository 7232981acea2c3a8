"""The command line as a whole: verbs, help, exit codes, and that no traceback reaches a user."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from parlour import __version__
from parlour.cli import VERBS, main, parlour

PARLOUR = str(Path(sys.executable).with_name("parlour"))


def failure(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[object, str]:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    return stop.value.code, capsys.readouterr().err


def test_help_lists_every_verb_without_loading_any() -> None:
    text = CliRunner().invoke(parlour, ["--help"]).output
    assert all(f"\n  {verb} " in text for verb in VERBS)


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_each_verb_teaches_itself(verb: str) -> None:
    done = CliRunner().invoke(parlour, [verb, "--help"])
    assert done.exit_code == 0
    assert len(done.output.splitlines()) > 5


def test_the_version_is_shown() -> None:
    assert __version__ in CliRunner().invoke(parlour, ["--version"]).output


@pytest.mark.parametrize(
    "arguments", [["fly"], ["play"], ["demo", "--seed", "x"], ["replay"], ["replay", "no-such-file"]]
)
def test_bad_usage_ends_with_exit_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code, text = failure(capsys, *arguments)
    assert code == 2
    assert "Usage:" in text


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["plya"], "play"),
        (["Replay"], "replay"),
        (["play", "fsh"], "fish"),
        (["press", "legder"], "ledger"),
        (["match", "creat"], "create"),
    ],
)
def test_a_mistyped_verb_is_answered_by_the_one_that_was_meant(
    arguments: list[str], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, text = failure(capsys, *arguments)
    assert code == 2
    assert f"did you mean {meant}?" in text


def test_what_the_system_refuses_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = tmp_path / "demo.jsonl"
    CliRunner().invoke(parlour, ["play", "fish", "greedy", "greedy", "--quiet", "--record", str(record)])
    code, text = failure(capsys, "replay", str(record), "--svg", str(record / "below"))
    assert code == 1
    assert text == f"parlour: {record / 'below'}: Not a directory\n"


def test_whoever_closes_the_pipe_has_seen_enough(tmp_path: Path) -> None:
    command = f"{PARLOUR} demo --json | head -1"
    done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.count("\n") == 1
    assert "Traceback" not in done.stderr


def all_commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield every verb and sub-verb, with the words that lead to it."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from all_commands(found, (*path, name))


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_no_sentence_in_a_list_of_sub_verbs_is_cut(verb: str) -> None:
    done = CliRunner().invoke(parlour, [verb, "--help"])
    assert not [line for line in done.output.splitlines()[1:] if line.startswith("  ") and line.endswith("...")]


def test_every_option_says_what_it_is_for() -> None:
    options = [
        (path, option)
        for path, command in all_commands(parlour)
        for option in command.params
        if isinstance(option, click.Option)
    ]
    assert not [(*path, option.opts[0]) for path, option in options if len((option.help or "").split()) < 3]


def test_the_module_is_the_command_too() -> None:
    done = subprocess.run([sys.executable, "-m", "parlour", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("parlour, version ")
