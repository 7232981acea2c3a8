"""Streams and exit codes of all verbs, as the table in the docs says."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from parlour.cli import main, parlour, watch

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "streams.md"
TABLE = dict(re.findall(r"^\| ([a-z]+) \| [^|]+ \|([^|]*)\|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
ALL = parlour.list_commands(click.Context(parlour))
NOBODY = "127.0.0.1:1"
FAILING = {
    "watch": ["watch", NOBODY, "--tries", "1"],
    "join": ["join", NOBODY, "--game", "fish", "--tries", "1"],
    "match": ["match", "--server", f"ws://{NOBODY}", "--name", "me", "--password", "secret", "list"],
    "play": ["play", "fish", "greedy", "greedy", "--rows", "3", "--cols", "3", "--quiet", "--record", "no/where"],
    "deepmind": ["deepmind", "download", "--from", f"http://{NOBODY}/", "--output-dir", "here"],
}
"""Valid requests that cannot be carried out."""


def ended(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as found:
        main(arguments)
    out, err = capsys.readouterr()
    return int(found.value.code or 0), out, err


def test_the_table_has_every_verb_and_no_other() -> None:
    assert set(TABLE) - {"verb"} == set(ALL)


@pytest.mark.parametrize("verb", ALL)
def test_bad_usage_exits_with_2_and_says_so_on_standard_error(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = ended([verb, "--no-such-option"], capsys)
    assert (code, out) == (2, "")
    assert "no-such-option" in err.splitlines()[-1]


@pytest.mark.parametrize("verb", sorted(FAILING))
def test_what_cannot_be_done_exits_with_1_and_says_so_on_standard_error(
    verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert TABLE[verb].strip(), "the table has to say so"
    monkeypatch.chdir(tmp_path)
    code, out, err = ended(FAILING[verb], capsys)
    assert (code, out) == (1, ""), err
    assert err.strip()


def test_the_help_of_a_command_needs_no_account(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(["match", "create", "--help"], capsys)[0] == 0
    code, out, err = ended(["match", "list"], capsys)
    assert (code, out) == (2, "")
    assert "name, password: expected both" in err


def options() -> list[tuple[str, click.Option]]:
    """Return all options of all verbs and of what is below them."""
    found: list[tuple[str, click.Option]] = []

    def collect(path: str, command: click.Command, context: click.Context) -> None:
        found.extend((path, option) for option in command.params if isinstance(option, click.Option))
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                child = command.get_command(context, name)
                assert child is not None
                collect(f"{path} {name}", child, click.Context(child, parent=context))

    collect("parlour", parlour, click.Context(parlour))
    return found


def test_an_option_has_one_name_and_help_everywhere() -> None:
    for path, option in options():
        names = set(option.opts)
        assert ("-o" in names) <= ("--out" in names), f"{path}: -o is short for --out"
        assert not names & {"--output", "--silent"}, path
        if "--json" in names:
            assert option.is_flag, path
        assert option.help or option.hidden or option.show_default, f"{path} {option.opts}: what is it for?"


def test_what_cannot_be_learned_from_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "foreign.npz").write_bytes(b"no parameters")
    for given in (["--matches", "nothing"], ["--matches", ".", "--params", "foreign.npz"]):
        code, out, _ = ended(["train", "imitation", *given, "--steps", "1", "--output-dir", "run"], capsys)
        assert (code, out) == (2, "")
        assert [path.name for path in tmp_path.iterdir()] == ["foreign.npz"]


def test_watch_needs_no_game_where_there_is_only_one(capsys: pytest.CaptureFixture[str]) -> None:
    (option,) = [one for one in watch.command.params if one.name == "game"]
    assert isinstance(option.type, click.Choice)
    assert option.type.choices == (option.default,)
    code, _, err = ended(["watch", NOBODY, "--tries", "1"], capsys)
    assert (code, NOBODY in err) == (1, True), "it went to the server"
