"""`parlour press` as a user meets it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from parlour.agents import make_agent
from parlour.core.events import Event, Opened
from parlour.core.terms import PressMode, PressTerms, Terms
from parlour.games.diplomacy.game import Diplomacy
from parlour.referee.conduct import PRESETS
from parlour.referee.local import play
from parlour.referee.match import Match
from parlour.referee.record import RecordWriter
from support import command_line

Run = Callable[..., tuple[int, str, str]]
CASES: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "press_cases.json").read_text(encoding="utf-8"))


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `parlour press` on some input: exit code, stdout, stderr."""
    return lambda *arguments, given=b"": command_line.run(["press", *arguments], capsys, given)


def _lines(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def test_message_is_parsed(run: Run) -> None:
    code, out, err = run("parse", given=b"PRP (ALY (ENG FRA) VSS (GER))\n")
    assert (code, err) == (0, "")
    assert _lines(out) == [
        {
            "ok": True,
            "canonical": "PRP ( ALY ( ENG FRA ) VSS ( GER ) )",
            "english": "Proposes that England and France ally against Germany.",
        }
    ]


def test_message_that_does_not_fit_is_answered(run: Run) -> None:
    code, out, _ = run("parse", "--level", "10", given=b"PRP (XDO ((ENG FLT LON) MTO NTH))\nPRP ((\n")
    assert code == 0
    assert _lines(out) == [
        {
            "ok": False,
            "error_index": 2,
            "kind": "HUH",
            "reply": "HUH ( PRP ( ERR XDO ( ( ENG FLT LON ) MTO NTH ) ) )",
            "expected": "arrangement of level 10 at most (XDO is of level 20)",
        },
        {
            "ok": False,
            "error_index": 3,
            "kind": "PRN",
            "reply": "PRN ( PRP ( ( )",
            "expected": "2 more closing brackets",
        },
    ]


def test_every_case_by_json_lines(run: Run) -> None:
    given = "".join(json.dumps({"text": case["text"], "level": case["level"]}) + "\n" for case in CASES)
    _, out, _ = run("parse", "--jsonl", given=given.encode())
    answers = _lines(out)
    assert len(answers) == len(CASES)
    for case, answer in zip(CASES, answers, strict=True):
        assert answer["ok"] is (case["expect"] == "OK"), case["id"]
        assert answer.get("error_index") == case["err_index"], case["id"]
        assert answer.get("reply") == case["huh"], case["id"]


def test_bad_lines_are_answered_and_the_rest_go_on(run: Run) -> None:
    given = (
        b'"DRW"\n{"text": 3}\n[1]\n{\n\n{"text": "TRY ()", "level": true}\n{"text": "TRY ()", "level": -1}\n"TRY ()"\n'
    )
    code, out, err = run("parse", "--jsonl", given=given)
    answers = _lines(out)
    assert (code, err) == (0, "")
    assert [answer["ok"] for answer in answers] == [False, False, False, False, False, False, True]
    assert [answer.get("line") for answer in answers] == [None, 2, 3, 4, 6, 7, None]
    assert all("\n" not in answer.get("error", "") for answer in answers)


def test_one_object_for_each_line_even_an_empty_one(run: Run) -> None:
    _, out, _ = run("parse", given=b"\n\nTRY ()\r\n\xff\xfe\nTRY ()")
    answers = _lines(out)
    assert [answer["ok"] for answer in answers] == [False, False, True, False, True]
    assert answers[0]["reply"] == "HUH ( ERR )"


@pytest.mark.parametrize("jsonl", [False, True])
def test_megabytes_of_brackets_are_refused_with_their_place(run: Run, jsonl: bool) -> None:
    text = "(" * 1_000_000
    given = json.dumps(text) if jsonl else text
    _, out, _ = run(
        "parse", *(["--jsonl"] if jsonl else []), given=given.encode() + b"\nTRY ()\n"[: 1 if jsonl else None]
    )
    answer = _lines(out)[0]
    assert (answer["kind"], answer["error_index"]) == ("PRN", 1_000_000)


def test_line_beyond_the_bound_is_refused(run: Run) -> None:
    _, out, _ = run("parse", given=b"A" * 3_000_000 + b"\nTRY ()\n")
    answers = _lines(out)
    assert [answer["ok"] for answer in answers] == [False, True]
    assert answers[0]["expected"] == "at most 1,048,576 characters"


def test_gloss_names_sender_and_receivers(run: Run) -> None:
    code, out, _ = run("gloss", "--from", "FRA", "--to", "england", given=b"PRP (DMZ (ENG FRA) (ECH))\n")
    assert (code, out) == (0, "France proposes to England that both keep out of the English Channel.\n")


def test_gloss_of_what_is_no_press_fails_and_says_where(run: Run) -> None:
    code, out, err = run("gloss", given=b"hello\nTRY ()\n")
    assert (code, out) == (1, "Understands no press at all.\n")
    assert err == "line 1 is not press: token 0: expected press message, got 'HELLO'\n"


@pytest.mark.parametrize(
    "arguments", [("gloss", "--from", "XXX"), ("parse", "--level", "-1"), ("ledger", "nowhere.jsonl")]
)
def test_bad_usage_is_one_line_and_exit_code_2(run: Run, arguments: tuple[str, ...]) -> None:
    code, _, err = run(*arguments)
    assert code == 2
    assert "Traceback" not in err


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a short match of stabbers among peaceful players."""
    game, config = Diplomacy(), {"last_year": 1904}
    terms = Terms(conduct=PRESETS["diplomacy"], press=PressTerms(mode=PressMode.WINDOW))
    names = ("stabber", "peace", "broker")
    players = {s: make_agent("diplomacy", names[n % 3], n) for n, s in enumerate(game.seats(config))}
    events: list[Event] = []
    sitting = {seat: f"the {names[n % 3]}" for n, seat in enumerate(players)}
    play(Match(game, config, terms, 5), players, names=sitting, keep=events.extend)
    path = tmp_path_factory.mktemp("press") / "match.jsonl"
    with RecordWriter(path) as writer:
        writer.write(events)
    return path


def test_ledger_of_a_record_lists_pacts_and_figures(run: Run, record: Path) -> None:
    code, out, err = run("ledger", str(record))
    assert (code, err) == (0, "")
    assert "pact 1 of S1901M" in out
    assert "Who kept their word" in out
    assert " kept its promise" not in out
    _, more, _ = run("ledger", str(record), "--all")
    assert " kept its promise" in more


def test_tables_of_the_ledger_fit_into_80_columns_and_do_not_depend_on_the_terminal(
    run: Run, record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, out, _ = run("ledger", str(record))
    tables = out[out.index("Who kept their word") :].splitlines()
    assert max(map(len, tables)) <= 80
    assert tables[1].startswith("power  player")
    assert [line.split()[2] for line in tables[2:5]] == ["stabber", "peace", "broker"]
    assert [line.split()[0] for line in tables[2:9]] == ["AUS", "ENG", "FRA", "GER", "ITA", "RUS", "TUR"]
    assert {"How they talked", "Promises kept/broken towards each"} <= set(tables)
    monkeypatch.setenv("COLUMNS", "30")
    assert run("ledger", str(record))[1] == out


def test_ledger_as_json_and_picture(run: Run, record: Path, tmp_path: Path) -> None:
    picture = tmp_path / "metrics.svg"
    code, out, _ = run("ledger", str(record), "--json", "--svg", str(picture))
    value = json.loads(out)
    assert code == 0
    assert value["pacts"]
    assert {verdict["status"] for verdict in value["verdicts"]} >= {"kept", "open"}
    assert len(value["metrics"]["players"]) == 7
    assert [player["player"] for player in value["metrics"]["players"][:2]] == ["the stabber", "the peace"]
    assert picture.read_text(encoding="utf-8").startswith("<svg ")


def test_record_with_a_cut_off_end_is_judged_up_to_there(run: Run, record: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(record.read_bytes()[:-30])
    code, out, err = run("ledger", str(cut))
    assert code == 0
    assert "cut off" in err
    assert "pact 1" in out


@pytest.mark.parametrize(
    ("content", "expected"),
    [(b"", 2), (b"{}\n", 2), (b"garbage", 2), (b'{"format":"parlour record","version":1}\nnonsense\n', 1)],
)
def test_file_that_is_no_record_is_refused_in_one_line(run: Run, tmp_path: Path, content: bytes, expected: int) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content)
    code, out, err = run("ledger", str(path))
    assert (code, out) == (expected, "")
    assert err.count("\n") <= 2
    assert err.splitlines()[-1].startswith("parlour: ")


def test_record_that_does_not_replay_is_refused_with_its_event(run: Run, record: Path, tmp_path: Path) -> None:
    lines = record.read_bytes().splitlines(keepends=True)
    ended = next(number for number, line in enumerate(lines) if b'"turn ended"' in line)
    path = tmp_path / "tampered.jsonl"
    path.write_bytes(b"".join([*lines[:ended], *lines[ended + 1 :]]))
    code, out, err = run("ledger", str(path))
    assert (code, out) == (1, "")
    assert err.startswith("parlour: event ")


def test_record_of_another_game_is_refused(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "other.jsonl"
    opened = Opened(at=0.0, game="fish", config={}, terms=Terms(conduct=PRESETS["strict"]), seed=1)
    with RecordWriter(path) as writer:
        writer.write([opened])
    code, _, err = run("ledger", str(path))
    assert (code, err) == (2, "parlour: game: expected a match of diplomacy, got 'fish'\n")
