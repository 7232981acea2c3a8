"""parlour play: agents by name, from files, as programs; bad input in one line."""

from __future__ import annotations

import json
import sys
from itertools import takewhile
from pathlib import Path
from subprocess import PIPE, Popen

import pytest
from click.testing import CliRunner

from parlour.cli import main, parlour
from parlour.cli.play import seated_by
from parlour.core.game import Seat

OWN = """
class Mine:
    def act(self, view):
        return view.position.legal(view.seat)[0]

class Broken:
    def __init__(self):
        raise RuntimeError("not today")

class NoPlayer:
    pass
"""

TALKERS = """
from parlour.agents.press.base import PressAgent
from parlour.press.language import message_types as v

class Clumsy(PressAgent):
    def offers(self, position):
        yield ["ITA"], v.Demilitarized((self.me, "ITA"), ("ENG",))

class Crashes(PressAgent):
    def accepts(self, proposal, position):
        return {}["FRANCE"]

class Flood(PressAgent):
    def offers(self, position):
        for number in range(100):
            yield ["ITA"], v.Solo(f"X{number}")
"""

PROGRAM = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "ask" in message:
        print(json.dumps({"turn": message["ask"]["turn"], "action": [0, 0]}), flush=True)
"""

SMALL = ["--rows", "3", "--cols", "4"]
PEACE = ["--agent=peace"] * 4


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    return tmp_path


def play(*arguments: str) -> str:
    done = CliRunner().invoke(parlour, ["play", *arguments])
    assert done.exit_code == 0, done.output
    return done.output


def failure(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as stop:
        main(["play", *arguments])
    assert isinstance(stop.value.code, int)
    return stop.value.code, capsys.readouterr().err


AGED = """
class Old:
    age = "70"
    def receive_gamestate(self, gamestate): self.state = gamestate
    def receive_error(self, errormessage): pass
    def place_penguin(self):
        taken = {spot for player in self.state["Players"].values() for spot in player["penguins"]}
        rows = enumerate(self.state["Board"])
        return next((x, y) for y, row in rows for x, _ in enumerate(row) if (x, y) not in taken)
    def send_next_move(self): return (9, 9), (9, 9)
    def identify(self): return {"Name": type(self).__name__, "Age": self.age}

class Young(Old):
    age = "7"
"""


def test_players_of_fish_sit_in_order_of_age(folder: Path) -> None:
    (folder / "aged.py").write_text(AGED, encoding="utf-8")
    text = play("fish", "aged.py:Old", "greedy", "aged.py:Young", *SMALL)
    seated = [line for line in text.splitlines() if "sits down" in line]
    assert seated == ["Young sits down as red", "greedy sits down as white", "Old sits down as brown"]


def test_the_board_the_ranking_and_the_record_are_shown() -> None:
    text = play("fish", "lookahead2", "greedy", *SMALL, "--seed", "7")
    assert "/" in text
    assert "place  seat" in text
    assert Path("fish.jsonl").exists()


def test_the_same_seed_gives_the_same_record(folder: Path) -> None:
    for name in ("a", "b"):
        play("fish", "random", "random", "greedy", *SMALL, "--seed", "9", "--quiet", "--record", name)
    assert (folder / "a").read_bytes() == (folder / "b").read_bytes()


def test_quiet_shows_only_the_result() -> None:
    text = play("fish", "greedy", "greedy", *SMALL, "--quiet")
    assert "place  seat" in text
    assert "turn 1" not in text


def test_a_class_of_ones_own_plays() -> None:
    lines = play("fish", "own.py:Mine", "greedy", *SMALL, "--json").splitlines()
    joined = [json.loads(line) for line in lines if '"joined"' in line]
    assert [event["name"] for event in joined] == ["own.py:Mine", "greedy"]
    assert json.loads(lines[-1])["removed"] == {}


def test_a_program_plays_and_cheats_at_its_own_cost() -> None:
    text = play("fish", f"{sys.executable} program.py", "greedy", *SMALL)
    assert "red is removed: illegal" in text


def test_diplomacy_is_played_by_seven_random_agents() -> None:
    text = play("diplomacy", "--last-year", "1902", "--seed", "1")
    assert "Fall 1901, movement" in text
    assert text.count("sits down as") == 7


def test_a_person_sees_only_the_press_that_is_for_them(folder: Path) -> None:
    agents = [f"--agent={name}" for name in ("peace", "peace", "human", "yesman", "peace", "peace", "peace")]
    command = [sys.executable, "-m", "parlour", "play", "diplomacy", "--press", "--last-year", "1901", *agents]
    with Popen(command, stdin=PIPE, stdout=PIPE, text=True, bufsize=1, cwd=folder) as person:
        assert person.stdin is not None
        assert person.stdout is not None
        person.stdin.write("AUS: hello\n")
        shown = list(takewhile(lambda line: not line.startswith("FRANCE → AUSTRIA"), person.stdout))
        person.stdin.write("\nyes\n" * 3)
        shown += person.stdout
    said = [line for line in shown if " → " in line]
    assert any(line.startswith("AUSTRIA → FRANCE: Austria proposes") for line in said)
    assert all("FRANCE" in line.partition(":")[0] for line in said)
    record = (folder / "diplomacy.jsonl").read_text(encoding="utf-8")
    assert '"seat":"AUSTRIA","to":["ENGLAND"]' in record, "the others did talk"


def stderr_of(*arguments: str) -> list[str]:
    done = CliRunner().invoke(parlour, ["play", "diplomacy", "--press", "--last-year", "1901", *arguments])
    assert done.exit_code == 0, done.output
    return done.stderr.splitlines()


def test_an_author_is_told_of_refused_messages_and_of_the_place_of_a_crash(folder: Path) -> None:
    (folder / "talkers.py").write_text(TALKERS, encoding="utf-8")
    assert stderr_of("--agent=peace", "--agent=yesman", "--agent=talkers.py:Clumsy", *PEACE) == [
        "talkers.py:Clumsy as FRANCE: message to ITALY was refused: PRP ( DMZ ( FRA ITA ) ( ENG ) ): press that cannot "
        "be read; token 8: expected province (English Channel is ECH in press) "
        "(HUH ( PRP ( DMZ ( FRA ITA ) ( ERR ENG ) ) ))",
    ]
    assert stderr_of("--agent=peace", "--agent=yesman", "--agent=talkers.py:Crashes", *PEACE) == [
        "talkers.py:Crashes as FRANCE: on_event crashed at talkers.py:11, in accepts: KeyError: 'FRANCE'"
    ]
    assert stderr_of("--agent=peace", "--agent=proposer", "--agent=yesman") == []


def test_an_author_is_not_flooded(folder: Path) -> None:
    (folder / "talkers.py").write_text(TALKERS, encoding="utf-8")
    lines = stderr_of("--agent=peace", "--agent=yesman", "--agent=talkers.py:Flood", *PEACE, "--json")
    assert len(lines) == 21
    assert lines[-1] == "talkers.py:Flood as FRANCE: there is more of this, which is not shown"


def test_a_variant_is_played_by_its_own_powers() -> None:
    assert play("diplomacy", "--map", "lagoon", "--last-year", "1902", "--quiet")


def test_a_record_that_cannot_be_written_is_one_line_and_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    code, text = failure(capsys, "fish", "greedy", "greedy", "--record", "no/such/folder/x")
    assert (code, text) == (1, "parlour: no/such/folder/x: No such file or directory\n")


def test_an_earlier_record_is_kept(folder: Path) -> None:
    for seed in ("1", "2"):
        play("fish", "random", "random", *SMALL, "--seed", seed, "--quiet")
    assert b'"seed":1' in (folder / "fish.jsonl~").read_bytes()
    assert b'"seed":2' in (folder / "fish.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["fish", "greedy"], "1 agent given; players: expected a whole number from 2 to 4"),
        (["fish", "greedy", "nobody"], "'nobody'"),
        (["fish", "greedy", "stong"], "did you mean strong?"),
        (["fish", "greedy", "Strong"], "did you mean strong?"),
        (["fish", "greedy", "own.py"], "own.py needs the name of a class: own.py:"),
        (["fish", "greedy", "gone.py"], "gone.py needs the name of a class: there is no file 'gone.py'"),
        (["diplomacy", "--seat", "FRNCE=greedy"], "did you mean FRANCE?"),
        (["diplomacy", "--seat", "FRANCE"], "seat: got 'FRANCE', expected SEAT=AGENT"),
        (["diplomacy", "--seat", "F=greedy"], "seat: got 'F=greedy'"),
        (["diplomacy", "--seat", "FRA=greedy", "--seat", "France=random"], "seat: FRANCE was given twice"),
        (["diplomacy", "--seat", "FRA=greedy", *["random"] * 7], "7 agents given, expected at most 6"),
        (["fish", "greedy", "own.py:Nothing"], "own.py has no class 'Nothing', expected "),
        (["fish", "greedy", "own.py:Broken"], "does not load: RuntimeError: not today (own.py:8, in __init__)"),
        (["fish", "greedy", "own.py:NoPlayer"], "NoPlayer has neither act"),
        (["diplomacy", "own.py:NoPlayer"], "own.py:NoPlayer has no method act"),
        (["fish", "greedy", "gone.py:Mine"], "there is no file 'gone.py'"),
        (["fish", "greedy", "./missing program"], "does not start"),
        (["fish", "greedy", "greedy", "--rows", "99"], "rows"),
        (["fish", "greedy", "greedy", "--rows", "2", "--cols", "2"], "tiles"),
        (["fish", "greedy", "greedy", "--record", "own.py"], "'own.py' exists and is not a record"),
        (["diplomacy", "--map", "atlantis"], "atlantis"),
        (["diplomacy", "--map", "lagon"], "did you mean lagoon?"),
        (["diplomacy", "--scoring", "drawsize"], "did you mean draw size?"),
        (["diplomacy", "--press-time", "5"], "give --press, too"),
        (["diplomacy", *["--agent=random"] * 8], "8 agents given, expected at most 7"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, text = failure(capsys, *arguments)
    assert code == 2
    assert complaint in text
    assert text.startswith("parlour: ")
    assert text.count("\n") == 1


def test_what_a_bot_of_two_files_prints_is_not_between_the_objects(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "words.py").write_text("WORD = 'hello'\nprint('loading')\n")
    (folder / "talks.py").write_text(
        "import words\nclass Bot:\n    def act(self, view):\n        print(words.WORD)\n"
        "        return view.position.legal(view.seat)[0]\n"
    )
    with pytest.raises(SystemExit) as ended:
        main(["play", "fish", "greedy", "talks.py:Bot", *SMALL, "--json"])
    out, err = capsys.readouterr()
    assert not ended.value.code
    assert {json.loads(line)["event"] for line in out.splitlines()} >= {"opened", "ended"}
    assert set(err.splitlines()) == {"talks.py:Bot: loading", "talks.py:Bot as white: hello"}


def test_agents_of_diplomacy_are_named_like_those_of_fish_and_a_seat_can_be_fixed() -> None:
    seats = [Seat(name) for name in ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY")]
    assert seated_by(seats, [], []) == ["random"] * 4
    assert seated_by(seats, ["human", "hold"], []) == ["human", "hold", "hold", "hold"], "a person sits once"
    assert seated_by(seats, ["greedy", "hold"], ["fra=human"]) == ["greedy", "hold", "human", "greedy"]
    text = play("diplomacy", "greedy", "random", "--seat", "FRANCE=random", "--last-year", "1901", "--quiet")
    assert [line.split()[2] for line in text.splitlines() if " FRANCE " in line] == ["random"]
    assert [line.split()[2] for line in text.splitlines() if " AUSTRIA " in line] == ["greedy"]


def test_who_can_talk_where_nobody_may_is_pointed_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for agent, note in (("peace", "note: peace can talk, but nobody may: give --press\n"), ("random", "")):
        with pytest.raises(SystemExit):
            main(["play", "diplomacy", agent, "random", "--last-year", "1901", "--quiet"])
        assert capsys.readouterr().err == note


def test_a_match_that_was_stopped_goes_on_to_the_same_end(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    play("fish", "greedy", "lookahead1", *SMALL, "--quiet")
    whole = (folder / "fish.jsonl").read_bytes().splitlines(keepends=True)
    for length in (4, len(whole) // 2, len(whole) - 1):
        stopped = folder / "stopped.jsonl"
        stopped.write_bytes(b"".join(whole[:length]) + b'{"event":"ha')
        assert "lookahead1" in play("--resume", str(stopped), "--quiet")
        assert b"ended" in stopped.read_bytes().splitlines()[-1]
        assert CliRunner().invoke(parlour, ["replay", str(stopped)]).exit_code == 0
    code, text = failure(capsys, "--resume", str(folder / "fish.jsonl"))
    assert (code, "this match is over" in text) == (2, True)
    code, text = failure(capsys, "--quiet", "fish", "greedy", "greedy")
    assert (code, "put options after it" in text) == (2, True)


def test_the_result_says_why_a_bot_is_out_and_keeps_the_ends_of_long_names(folder: Path) -> None:
    (folder / "a_folder_with_a_long_name").mkdir()
    bots = "class First:\n    def act(self, view):\n        raise RuntimeError('no idea')\nclass Second(First): pass\n"
    (folder / "a_folder_with_a_long_name" / "bots.py").write_text(bots)
    path = "a_folder_with_a_long_name/bots.py"
    table = play("fish", f"{path}:First", f"{path}:Second", "greedy", *SMALL, "--quiet")
    assert "bots.py:First" in table
    assert "bots.py:Second" in table
    assert table.count("removed: crashed: RuntimeError: no idea") == 2


def test_a_whole_traceback_is_shown_if_asked_for(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "crash.py").write_text(
        "def deep():\n    raise RuntimeError('no idea')\nclass Bot:\n    def act(self, view):\n        deep()\n"
    )
    for given, shown in (([], False), (["--traceback"], True)):
        with pytest.raises(SystemExit):
            main(["play", "fish", "crash.py:Bot", "greedy", *SMALL, "--quiet", *given])
        err = capsys.readouterr().err
        assert "crash.py:2, in deep" in err
        assert ("Traceback (most recent call last):" in err) is shown


def test_who_stops_a_match_is_told_how_to_go_on(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "tired.py").write_text("class Tired:\n    def act(self, view):\n        raise KeyboardInterrupt\n")
    with pytest.raises((SystemExit, KeyboardInterrupt)):
        main(["play", "fish", "tired.py:Tired", "greedy", "--quiet"])
    said = capsys.readouterr().err
    again = "continue with: parlour play --resume fish.jsonl --trust-record\n"
    assert f"stopped; what was played is in fish.jsonl; {again}" in said
