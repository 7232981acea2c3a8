"""`parlour tournament`: agents here and now, with a table, as JSON, kept in a store."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from parlour.cli import main
from parlour.store import Filter, RecordKind, SQLiteStore


def run(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["tournament", *arguments])
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


def test_everyone_is_in_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(["fish", "greedy", "random", "greedy", "lookahead2", "random"], capsys)
    assert code == 0
    *rows, summary = out.splitlines()
    assert {row.split()[0] for row in rows} == {"greedy", "greedy-2", "random", "random-2", "lookahead2"}
    assert {row.split()[1] for row in rows} == {"won", "lost"}
    assert summary == "2 rounds, final played"


def test_the_same_seed_gives_the_same_tournament(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["fish", *["random"] * 9, "--json", "--seed", "3"]
    first, second = (json.loads(run(arguments, capsys)[1]) for _ in range(2))
    assert first == second
    assert len(first["tables"]) >= 4
    assert first["tables"][0]["players"] == ["random", "random-2", "random-3", "random-4"]
    other = json.loads(run([*arguments[:-1], "4"], capsys)[1])
    assert other["tables"] != first["tables"]


def test_agents_that_say_their_age_are_put_in_that_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bot = tmp_path / "aged.py"
    bot.write_text(
        "class Old:\n    age = 70\n    def act(self, view):\n        return view.position.legal(view.seat)[0]\n"
        "    def identify(self):\n        return {'Name': type(self).__name__, 'Age': self.age}\n"
        "class Young(Old):\n    age = '7'\n"
    )
    agents = [f"{bot}:Old", "greedy", f"{bot}:Young"]
    result = json.loads(run(["fish", *agents, "--json"], capsys)[1])
    assert result["tables"][0]["players"] == [name[:50] for name in (agents[2], agents[1], agents[0])]


def test_round_robin(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(["fish", "greedy", "random", "lookahead1", "--format", "round-robin", "--json"], capsys)
    result = json.loads(out)
    assert len(result["tables"]) == 6
    assert result["reason"] == "everyone has met"


def test_records_and_the_result_are_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "kept.db"
    run(["fish", "greedy", "random", "--store", str(path)], capsys)
    with SQLiteStore(path) as store:
        (head,) = store.heads(Filter(kind=RecordKind.TOURNAMENT))
        assert store.result(head.id) is not None
        assert store.count(Filter(parent=head.id)) == 1


_KILLED = """
import os, sys
from parlour.cli import main
from parlour.store.sqlite import SQLiteStore
write, left = SQLiteStore.write, [60]
def dying(self, *writes):
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), 9)
    write(self, *writes)
SQLiteStore.write = dying
main(sys.argv[1:])
"""


def test_a_tournament_that_was_killed_is_resumed_to_the_same_result(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "kept.db")
    arguments = ["fish", *["greedy"] * 6, "--seed", "5", "--json"]
    expected = json.loads(run(arguments, capsys)[1])
    killed = subprocess.run([sys.executable, "-c", _KILLED, "tournament", *arguments, "--store", path], check=False)
    assert killed.returncode == -signal.SIGKILL
    code, out, _ = run(["fish", "--resume", "--store", path, "--json"], capsys)
    assert code == 0
    assert json.loads(out) == expected
    code, _, err = run(["fish", "--resume", "--store", path], capsys)
    assert (code, err) == (2, "parlour: store: no tournament in it was cut short\n")


def test_classes_and_programs_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("class Bot:\n    def act(self, view):\n        return view.position.legal(view.seat)[0]\n")
    _, out, _ = run(["fish", f"{bot}:Bot", "greedy", "/bin/false now", "--json"], capsys)
    result = json.loads(out)
    assert [failure["name"] for failure in result["failures"]] == ["/bin/false now"]
    assert sorted(result["winners"] + result["losers"]) == sorted([f"{bot}:Bot"[:50], "greedy"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fish", "greedy", "nobody"], "agent: fish has no 'nobody'"),
        (["fish", "greedy", "human"], "a person plays with"),
        (["fish", "greedy", "none.py:Bot"], "there is no file"),
        (["fish", "greedy", "random", "--rows", "1", "--cols", "3"], "board:"),
        (["fish", "greedy", "random", "--fish", "9"], "fish: expected a whole number from 1 to 5"),
        (["fish"], "AGENT"),
        (["fish", "--resume"], "--resume needs --store"),
        (["fish", *["random"] * 1001], "at most 1000"),
        (["chess", "greedy"], "chess"),
    ],
)
def test_bad_usage_is_told_in_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(arguments, capsys)
    assert (code, out) == (2, "")
    assert message in err.strip().splitlines()[-1]
