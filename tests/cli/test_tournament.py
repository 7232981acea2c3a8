"""`parlour tournament`: tables as text, JSON, CSV and pages; resumed after any end; bad input in one line."""

# Why real time passes here: a tournament in a process of its own is stopped in real time, in the middle of something.

from __future__ import annotations

import csv
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec import structs

from parlour.cli import main
from parlour.store import Filter, RecordKind, SQLiteStore
from parlour.tournament.plan import Contender
from parlour.tournament.storage.fingerprints import fingerprint
from parlour.tournament.storage.tournament_store import TournamentStore
from support import command_line
from support.tournament.plans import plan_of
from support.waiting import PATIENCE

SMALL = ["--rows", "3", "--cols", "3", "--jobs", "1", "--quiet"]
BOT = """
import time
class Bot:
    def act(self, view):
        return view.position.legal(view.seat)[0]
class Slow(Bot):
    def act(self, view):
        time.sleep(0.002)
        return super().act(view)
class Crashes(Bot):
    def act(self, view):
        if view.position.stage == "move":
            raise ValueError("lost the thread")
        return super().act(view)
class Prints(Bot):
    def act(self, view):
        print("thinking")
        return super().act(view)
class Deadly(Bot):
    def act(self, view):
        import os
        os.kill(os.getpid(), 9)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.py").write_text(BOT)
    return tmp_path


def run(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    return command_line.run(["tournament", *arguments], capsys)


def table_of(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    code, out, err = run([*arguments, "--json"], capsys)
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(["fish", "greedy", "random", "--blocks", "3", *SMALL], capsys)
    assert (code, err) == (0, "")
    heading, first, second, summary, better = out.splitlines()
    assert " over " in better
    assert heading.split() == ["agent", "score", "rating", "seats", "played", "foul", "void", "time/move"]
    assert {first.split()[1], second.split()[1]} == {"greedy", "random"}
    assert "±" in first
    assert summary.startswith("3 of 3 blocks, 12 matches; score: win share; rating: points above random")


def test_a_person_is_told_where_it_is_kept(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["fish", "greedy", "random", "--blocks", "1", *SMALL]
    assert "kept in" not in run(arguments, capsys)[2]
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    _, _, err = run(arguments, capsys)
    command = err.partition("kept in tournaments.db; look at it again with: ")[2].split()
    assert command[:3] == ["parlour", "records", "tournaments.db"]
    with pytest.raises(SystemExit):
        main(command[1:])
    assert "greedy" in capsys.readouterr().out


def test_elsewhere_than_in_a_terminal_progress_is_told_in_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Every match is looked at, as no time passes, and one after the other comes back.
    monkeypatch.setattr("parlour.cli.display.standings.EVERY", 0.0)
    monkeypatch.setattr("parlour.cli.display.standings.time", SimpleNamespace(monotonic=lambda: 0.0))
    _, _, err = run(
        ["fish", "greedy", "random", "--blocks", "2", "--stop", "greedy > random by 0.1", *SMALL[:-1]], capsys
    )
    assert re.search(r"^block 1 of 2, \d+ matches, stop rule at [+-]\d+%, about \d+ s left at most$", err, re.M)


def test_the_same_seed_gives_the_same_table(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["fish", "greedy", "random", "random", "--blocks", "2", *SMALL]
    first, second = table_of(arguments, capsys), table_of([*arguments, "--jobs", "2"], capsys)
    assert first == second
    assert {line["name"] for line in first["lines"]} == {"greedy", "random", "random#2"}
    assert table_of([*arguments, "--seed", "4"], capsys) != first


def test_classes_that_draw_by_their_seed_give_the_same_table_and_others_are_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "drawing.py").write_text(
        "import random\n"
        "class Seeded:\n"
        "    def __init__(self, seed, **options):\n"
        "        self.rng = random.Random(seed)\n"
        "    def act(self, view):\n"
        "        return self.rng.choice(list(view.position.legal(view.seat)))\n"
    )
    (folder / "careless.py").write_text((folder / "drawing.py").read_text().replace("self.rng.choice", "random.choice"))
    arguments = ["fish", "drawing.py:Seeded", "drawing.py:Seeded:luck=2", "--blocks", "2", "--rows", "4", "--cols", "4"]
    arguments += ["--quiet", "--jobs"]
    first, second = table_of([*arguments, "1"], capsys), table_of([*arguments, "2"], capsys)
    assert first == second
    assert table_of([*arguments, "1", "--seed", "5"], capsys) != first
    _, _, told = run(["fish", "drawing.py:Seeded", "careless.py:Seeded", "--blocks", "1", *SMALL], capsys)
    assert "note: careless.py:Seeded draws by random.choice() in line 6, so the same --seed may give" in told
    assert "drawing.py:Seeded draws" not in told


def test_diplomacy_one_against_six(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["diplomacy", "greedy", "random", "--format", "1v6", "--blocks", "1", "--last-year", "1902", "--quiet"]
    table = table_of(arguments, capsys)
    assert table["matches"] == 7
    assert [line["played"] for line in table["lines"]] == [7, 42]
    assert set(table["lines"][0]["seats"]) == {
        "AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY"
    }  # fmt: skip
    assert set(table["lines"][0]["scores"]) == {"sum of squares", "draw size", "centre share", "solo"}


def test_press_is_in_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    how = ["--press", "--format", "population", "--blocks", "1", "--last-year", "1901", "--quiet"]
    code, out, _ = run(["diplomacy", "peace", "stabber", *how], capsys)
    assert code == 0
    assert out.splitlines()[0].split()[-1] == "kept"
    assert re.search(r"\d+%", out)


def test_rows_for_spreadsheets(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(["fish", "greedy", "random", "--blocks", "2", "--csv", *SMALL], capsys)
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["place"] for row in rows] == ["1", "2"]
    assert float(rows[0]["score"]) >= float(rows[1]["score"])
    assert rows[0]["score_red"]


class Links(HTMLParser):
    """Everything that a page refers to."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.found += [value or "" for name, value in attrs if name in ("src", "href", "data", "action")]


def test_a_page_that_needs_nothing_else(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(["fish", "greedy", "bot.py:Crashes", "--blocks", "3", "--html", "out.html", *SMALL], capsys)
    assert code == 0
    assert "out.html" in err
    text = (folder / "out.html").read_text()
    links = Links()
    links.feed(text)
    assert links.found
    assert all((folder / link).is_file() for link in links.found)
    assert {"svg", "circle", "line", "table", "style"} <= links.tags
    assert not {"script", "link", "img", "iframe"} & links.tags
    assert "http" not in text
    assert "@import" not in text
    assert text.count('class="whisker"') == 2  # of the ratings: scores that never differ have none
    assert "lost the thread" in text


def test_names_are_no_markup_of_a_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "<b>.py").write_text(BOT)
    code, _, err = run(["fish", "greedy", "<b>.py:Bot", "--blocks", "1", "--html", "out.html", *SMALL], capsys)
    assert code == 0, err
    assert "<b>" not in (folder / "out.html").read_text()


def test_fouls_are_apart_and_in_the_log(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wide = [*SMALL, "--rows", "4", "--cols", "4"]
    table = table_of(["fish", "greedy", "bot.py:Crashes", "--blocks", "2", "--logs", "logs", *wide], capsys)
    (line,) = (line for line in table["lines"] if line["name"] == "bot.py:Crashes")
    assert (line["played"], line["lost_by_foul"], line["void"]) == (8, 8, 0)
    log = (folder / "logs" / "2-bot.py_Crashes.log").read_text()
    lines = [line for line in log.splitlines() if line.startswith("match 0, ")]
    assert lines == ["match 0, white: act crashed at bot.py:13, in act: ValueError: lost the thread"]
    assert len(log.splitlines()) == 8, "a crash is one line a match"
    assert (folder / "logs" / "1-greedy.log").read_text() == ""


def test_what_bots_print_is_on_stderr_or_in_the_log(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["fish", "greedy", "bot.py:Prints", "--blocks", "2", *SMALL]
    code, out, err = run([*arguments, "--json"], capsys)
    assert json.loads(out)["matches"] == 8
    assert "bot.py:Prints: match 0, white prints: thinking" in err
    assert err.count("thinking") == 20
    assert "there is more of this" in err
    code, _, err = run([*arguments, "--logs", "logs"], capsys)
    assert (code, err) == (0, "")
    assert "thinking" in (folder / "logs" / "2-bot.py_Prints.log").read_text()


def test_a_match_that_kills_its_process_is_void_after_three_attempts(capsys: pytest.CaptureFixture[str]) -> None:
    table = table_of(["fish", "greedy", "bot.py:Deadly", "--blocks", "1", *SMALL], capsys)
    assert (table["matches"], table["void"]) == (4, 4)
    assert [line["void"] for line in table["lines"]] == [4, 4]
    assert all(line["score"] is None for line in table["lines"])


def test_programs_within_limits(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "spins.py").write_text("import sys\nfor line in sys.stdin:\n    while 'ask' in line: pass\n")
    command = f"{sys.executable} -S spins.py"
    table = table_of(["fish", "greedy", command, "--blocks", "1", "--cpu", "1", "--rows", "2", "--cols", "4",
                      "--quiet", "--logs", "logs"], capsys)  # fmt: skip
    (line,) = (line for line in table["lines"] if line["name"] == command)
    assert line["lost_by_foul"] == 4
    (log,) = folder.glob("logs/2-*")
    assert "used up its processor time" in log.read_text()


def test_records_and_the_result_are_kept(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = table_of(["fish", "greedy", "random", "--blocks", "1", "--store", "kept.db", *SMALL], capsys)
    with SQLiteStore(folder / "kept.db") as store:
        (head,) = store.heads(Filter(kind=RecordKind.TOURNAMENT))
        assert json.loads(head.result or b"") == table
        matches = list(store.heads(Filter(parent=head.id)))
        assert len(matches) == 4
        assert matches[1].players == {"red": "greedy", "white": "random"}
    with pytest.raises(SystemExit):
        main(["records", "kept.db", head.id, "--json"])
    assert json.loads(capsys.readouterr().out) == table
    with pytest.raises(SystemExit):
        main(["records", "kept.db", f"{head.id}.2", "--out", "two.jsonl"])
    with pytest.raises(SystemExit) as ended:
        main(["replay", "two.jsonl"])
    assert not ended.value.code
    capsys.readouterr()
    table_of(["fish", "greedy", "random", "--blocks", "1", "--store", "bare.db", "--no-records", *SMALL], capsys)
    with SQLiteStore(folder / "bare.db") as store:
        assert store.count(Filter(kind=RecordKind.MATCH)) == 0


SLOW = ["fish", "bot.py:Slow", "greedy", "--blocks", "12", "--rows", "3", "--cols", "3"]


def started(arguments: list[str], until: int) -> subprocess.Popen[str]:
    """Return the verb in a process of its own, once it has kept so many results."""
    verb = subprocess.Popen(
        [sys.executable, "-m", "parlour", "tournament", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while verb.poll() is None and kept() < until:
        time.sleep(0.005)
    return verb


def kept() -> int:
    path = Path("tournaments.db")
    if not path.exists():
        return 0
    try:
        with SQLiteStore(path, read_only=True) as store:
            return max((store.length(head.id) for head in store.heads(Filter(kind=RecordKind.TOURNAMENT))), default=0)
    except Exception:  # it is being made
        return 0


def test_ctrl_c_then_the_printed_command_gives_the_same_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = table_of([*SLOW, "--store", "whole.db", "--quiet"], capsys)
    verb = started([*SLOW, "--quiet"], until=6)
    verb.send_signal(signal.SIGINT)
    out, err = verb.communicate(timeout=PATIENCE)
    assert (verb.returncode, out) == (1, "")
    stopped, command = err.strip().splitlines()[-2:]
    assert re.fullmatch(r"stopped after \d+ matches; continue with:", stopped)
    words = shlex.split(command)
    assert words[1:4] == ["tournament", "fish", "--resume"]
    assert words[5:] == ["--trust-record"]
    assert table_of([*words[2:], "--quiet"], capsys) == expected
    code, _, err = run(["fish", "--resume"], capsys)
    assert (code, err) == (2, "parlour: resume: no tournament of fish in tournaments.db was cut short\n")
    code, _, err = run(words[2:], capsys)
    assert code == 2
    assert "is over" in err


@pytest.mark.parametrize("until", [1, 5, 12])
def test_a_driver_that_is_killed_is_resumed_to_the_same_table(
    folder: Path, capsys: pytest.CaptureFixture[str], until: int
) -> None:
    expected = table_of([*SLOW, "--store", "whole.db", "--quiet"], capsys)
    verb = started([*SLOW, "--quiet"], until=until)
    os.kill(verb.pid, signal.SIGKILL)
    verb.communicate()
    assert table_of(["fish", "--resume", "--trust-record", "--quiet"], capsys) == expected


def test_only_one_program_continues_a_tournament(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    verb = started([*SLOW, "--quiet"], until=3)
    verb.kill()
    verb.communicate()
    with SQLiteStore(folder / "tournaments.db") as store:
        (head,) = store.heads(Filter(kind=RecordKind.TOURNAMENT))
    claims = f"store = SQLiteStore('tournaments.db'); store.claim({head.id!r}); print('claimed', flush=True); input()"
    command = [sys.executable, "-c", f"from parlour.store import SQLiteStore; {claims}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "claimed\n"
        code, _, err = run(["fish", "--resume"], capsys)
        other.communicate("\n")
    assert (code, f"another program continues {head.id}" in err) == (2, True)
    assert table_of(["fish", "--resume", "--trust-record", "--quiet"], capsys)["over"]


def test_a_new_tournament_is_claimed(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    claimed: list[str] = []
    monkeypatch.setattr(SQLiteStore, "claim", lambda self, record="": claimed.append(record))
    table = table_of(["fish", "greedy", "random", "--blocks", "1", "--rows", "3", "--cols", "3", "--quiet"], capsys)
    with SQLiteStore(folder / "tournaments.db") as store:
        assert claimed == [head.id for head in store.heads(Filter(kind=RecordKind.TOURNAMENT))]
    assert table["over"]


def test_a_changed_agent_is_not_resumed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    verb = started([*SLOW, "--quiet"], until=3)
    verb.send_signal(signal.SIGTERM)
    verb.communicate(timeout=PATIENCE)
    (folder / "bot.py").write_text(BOT + "\n# better now\n")
    code, _, err = run(["fish", "--resume", "--trust-record"], capsys)
    assert code == 2
    assert "bot.py:Slow has changed since the tournament began (bot.py)" in err
    (folder / "bot.py").write_text(BOT)
    assert table_of(["fish", "--resume", "--trust-record", "--quiet"], capsys)["over"]


@pytest.mark.parametrize("agent", ["touch ran", "bot.py:Bot", "llm:qwen3@127.0.0.1:9/v1"])
def test_a_store_of_somebody_else_starts_nothing_without_being_trusted(
    folder: Path, capsys: pytest.CaptureFixture[str], agent: str
) -> None:
    (folder / "bot.py").write_text("open('ran', 'w').close()\n")
    with SQLiteStore(folder / "tournaments.db") as store:
        TournamentStore(store, plan_of(["greedy", agent])).open()
    code, out, err = run(["fish", "--resume"], capsys)
    assert (code, out) == (2, "")
    assert f"resume: the record starts {agent!r}: if you trust whoever wrote it, add --trust-record" in err
    assert kept() == 1
    assert not (folder / "ran").exists()


def test_a_store_of_somebody_else_with_shipped_agents_is_resumed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with SQLiteStore(folder / "tournaments.db") as store:
        plan = plan_of(["greedy", "random"], blocks=1)
        shipped = [Contender(one.name, one.agent, fingerprint("fish", one.agent)) for one in plan.contenders]
        TournamentStore(store, structs.replace(plan, contenders=tuple(shipped))).open()
    assert table_of(["fish", "--resume", "--jobs", "1", "--quiet"], capsys)["over"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fish", "greedy", "nobody"], "agent: fish has no 'nobody'"),
        (["fish", "greedy", "strong:bugdet=3"], "bugdet"),
        (["fish", "greedy", "human"], "a person plays with"),
        (["fish", "greedy", "none.py:Bot"], "there is no file"),
        (["fish", "greedy", "no-such-program --fast"], "is not a program here"),
        (["fish", "greedy", "random", "--rows", "1", "--cols", "3"], "board:"),
        (["fish", "greedy", "random", "--fish", "9"], "fish: expected a whole number from 1 to 5"),
        (["fish", "greedy", "random", "--format", "chess"], "format: 'chess' does not exist"),
        (["fish", "greedy", "random", "--format", "swis"], "did you mean swiss?"),
        (["fish", "greedy", "--format", "round-robin"], "needs at least 2 agents, 1 given"),
        (["fish", "greedy", "random", "--seats", "5"], "seats: a table of fish has 2 to 4, not 5"),
        (["fish", "greedy", "random", "--seats", "3"], "needs at least 3 agents"),
        (["diplomacy", "greedy", "random", "--format", "1v3"], "seats: a table of diplomacy has 7, not 4"),
        (["fish", "greedy", "random", "--stop", "strong > greedy by 0.1"], "stop: nobody here is called 'strong'"),
        (["fish", "greedy", "random", "--stop", "greedy"], "stop: expected a rule such as"),
        (["fish", "greedy", "random", "--format", "swiss", "--stop", "greedy > random by 1"], "it has no rule"),
        (["fish", "greedy", "random", "--score", "beauty"], "score: expected win share, margin"),
        (["fish", "greedy", "random", "--anchor", "strong"], "anchor: nobody here is called 'strong'"),
        (["fish", "greedy", "random", "--address", "x:1"], "address: is for --engine ray"),
        (["fish", "greedy", "random", "--time-per-turn", "1", "--jobs", "1000"], "needs --oversubscribe"),
        (["fish"], "AGENT"),
        (["fish", "--resume", "x", "greedy"], "name none"),
        (["fish", "--resume", "--blocks", "9", "--seed", "1", "--quiet"], "is kept: leave out --blocks, --seed"),
        (["fish", "--resume", "--rows", "5", "--jobs", "1"], "is kept: leave out --rows"),
        (["fish", "--resume"], "no tournament of fish"),
        (["fish", "greedy", "random", "--trust-record"], "--trust-record is for --resume"),
        (["fish", "--resume", "fish-1"], "no tournament 'fish-1' is kept"),
        (["fish", "greedy", "random", "--json", "--csv"], "give one of them"),
        (["fish", *["random"] * 1001], "at most 1,000"),
        (["chess", "greedy"], "chess"),
    ],
)
def test_bad_usage_is_told_in_one_line_before_anything_is_played(
    folder: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(arguments, capsys)
    assert (code, out) == (2, "")
    assert message in err.strip().splitlines()[-1]
    assert kept() == 0 or "--address" in arguments or "--jobs" in arguments


def test_a_store_of_another_tournament_is_told_apart(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    verb = started([*SLOW, "--quiet"], until=2)
    verb.kill()
    verb.communicate()
    code, _, err = run(["diplomacy", "--resume"], capsys)
    assert code == 2
    assert "no tournament of diplomacy in tournaments.db was cut short; it keeps one of fish" in err
    with SQLiteStore(folder / "tournaments.db") as store:
        (head,) = store.heads(Filter(kind=RecordKind.TOURNAMENT))
    code, _, err = run(["diplomacy", "--resume", head.id], capsys)
    assert code == 2
    assert f"{head.id} is a tournament of fish, not of diplomacy" in err
