"""parlour play diplomacy --daide, as a user runs it: bots on some seats, agents of the house on the others."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from parlour.cli import parlour
from parlour.core.events import Ended, Joined
from parlour.referee.match import replay
from parlour.referee.record import read_record
from support.command_line import run
from support.waiting import PATIENCE

EXAMPLES = Path(__file__).parents[3] / "examples"


@contextmanager
def waiting(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], int, str]]:
    """Yield the verb in a process of its own, its port, and for whom it waits."""
    command = [sys.executable, "-c", "from parlour.cli import main; main()", "play", "diplomacy", *arguments]
    command += ["--daide-port", "0", "--last-year", "1901", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as verb:
        assert verb.stderr is not None
        try:
            line = verb.stderr.readline()
            found = re.fullmatch(r"waiting on 127\.0\.0\.1:(\d+) for DAIDE bots to play (.+)\n", line)
            assert found is not None, line + verb.stderr.read()
            yield verb, int(found[1]), found[2]
        finally:
            verb.kill()


def bot(port: int, name: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, str(EXAMPLES / "daide_holdbot.py"), "127.0.0.1", str(port), name]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL)


def test_bots_play_given_seats_and_the_house_the_rest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = tmp_path / "match.jsonl"
    seats = ("--daide", "--seat", "FRANCE=daide", "--seat", "ITALY=daide", "--record", str(record))
    with waiting("dumbbot", "hold", *seats) as (verb, port, awaited):
        assert awaited == "FRANCE, ITALY"
        bots = [bot(port, "FRA:one"), bot(port, "ITA:two")]
        out, _ = verb.communicate(timeout=PATIENCE)
        assert [each.wait() for each in bots] == [0, 0]
    assert verb.returncode == 0
    assert "FRA:one" in out
    events = list(read_record(record))
    assert isinstance(events[-1], Ended)
    names = {str(event.seat): event.name for event in events if isinstance(event, Joined)}
    assert names["FRANCE"] == "FRA:one"
    assert names["ITALY"] == "ITA:two"
    assert sorted(set(names.values()) - {"FRA:one", "ITA:two"}) == ["dumbbot", "hold"]
    lines = record.read_bytes().splitlines(keepends=True)
    record.write_bytes(b"".join(lines[: len(lines) // 2]))
    code, _, err = run(["play", "--resume", str(record)], capsys)
    assert code == 2
    assert "a bot of DAIDE played FRANCE, ITALY, and cannot be had again" in err
    assert replay(events).outcome == events[-1].outcome


def test_without_an_agent_all_seats_are_for_bots(tmp_path: Path) -> None:
    with waiting("--daide", "--seat", "TURKEY=hold", "--record", str(tmp_path / "r.jsonl")) as (verb, port, awaited):
        assert awaited == "AUSTRIA, ENGLAND, FRANCE, GERMANY, ITALY, RUSSIA"
        bots = [bot(port, f"bot{number}") for number in range(6)]
        out, _ = verb.communicate(timeout=PATIENCE)
        assert [each.wait() for each in bots] == [0] * 6
    assert "bot5" in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["greedy", "--daide"], "no seat is left for a bot: name some by --seat SEAT=daide"),
        (["--daide", "--browser"], "without --browser"),
        (["--daide", "--seat", "TURKEY=python3 bot.py"], "is not a house agent"),
    ],
)
def test_what_cannot_be_is_said(arguments: list[str], says: str) -> None:
    result = CliRunner().invoke(parlour, ["play", "diplomacy", *arguments])
    assert result.exit_code != 0
    assert says in result.output + str(result.exception)
