"""`parlour eval` compares models on the same deals, keeps within its cap, goes on where it stopped, leaves a bundle."""

from __future__ import annotations

import json
import re
import shlex
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from parlour.cli import main, parlour
from parlour.core import events as ev
from parlour.errors import ConfigError
from parlour.referee.record import read_record
from parlour.testing import FakeEndpoint

SMALL = ("--games", "fish", "--set", "fish.rows=3", "--set", "fish.cols=3", "--blocks", "1", "--jobs", "2", "--quiet")


def run(*words: str, catch_exceptions: bool = True) -> Result:
    return CliRunner().invoke(parlour, ["eval", *words], catch_exceptions=catch_exceptions)


def compared(folder: Path, *words: str) -> Any:
    result = run(*words, "--output-dir", str(folder), "--json")
    assert result.exit_code == 0, result.output + result.stderr
    found = json.loads(result.stdout)
    assert found["request"]["models"] == list(words[: len(found["models"])])
    assert found == json.loads((folder / "result.json").read_bytes())
    return found["games"]


def test_two_models_meet_the_panel_on_the_same_deals_and_leave_a_bundle(tmp_path: Path) -> None:
    with FakeEndpoint(faults={"garbage": 9}) as fake:
        models = (f"llm:a@{fake.url}", f"llm:b@{fake.url}?legal=0")
        result = run(*models, *SMALL, "--panel", "random", "--usd", "1", "--output-dir", str(tmp_path / "eval"))
    assert result.exit_code == 0, result.output
    assert "fish, against random; score: win share" in result.output
    assert "a - b?legal=0: " in result.output
    assert max(map(len, result.stdout.partition("\nundecided")[0].splitlines())) <= 80
    assert "1 of 1 blocks, 0.0000 USD and calls of unknown price" in result.output
    assert "undecided at the cap of 1 block whether a > b?legal=0 by 0.1" in result.output
    with zipfile.ZipFile(tmp_path / "eval.zip") as bundle:
        inside = set(bundle.namelist())
    wanted = {"index.html", "fish.html", "result.json", "request.json", *(f"records/fish/{i}.jsonl" for i in range(8))}
    assert {f"eval/{name}" for name in wanted} <= inside
    assert not [name for name in inside if "eval.db" in name]
    decks = [read_record(tmp_path / "eval" / "records" / "fish" / f"{number}.jsonl") for number in range(8)]
    assert [deck[0].config["board"] for deck in decks[:4]] == [deck[0].config["board"] for deck in decks[4:]]  # type: ignore[union-attr]


def test_the_page_shows_what_its_command_prints(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "compare-two-models.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^parlour eval (.*) --usd 1$", page, re.MULTILINE)
    (shown,) = re.findall(r"```text\n(.*?)\n\npage:", page, re.DOTALL)
    with FakeEndpoint(faults={"garbage": 11}) as fake:
        words = shlex.split(command.replace("127.0.0.1:18431/v1", fake.url))
        result = run(*words, "--usd", "1", "--jobs", "2", "--quiet", "--output-dir", str(tmp_path / "eval"))
    assert result.exit_code == 0, result.output
    assert result.stdout.partition("\n\npage:")[0] == shown


def test_the_same_command_goes_on_and_another_is_refused(tmp_path: Path) -> None:
    first = compared(tmp_path / "e", "greedy", "random", *SMALL, "--panel", "greedy")
    again = compared(tmp_path / "e", "greedy", "random", *SMALL, "--panel", "greedy")
    assert again[0]["table"] == first[0]["table"]
    more = compared(tmp_path / "e", "greedy", "random", *SMALL[:-4], "2", *SMALL[-3:], "--panel", "greedy")
    assert (first[0]["table"]["blocks"], more[0]["table"]["blocks"]) == (1, 2)
    assert more[0]["table"]["matches"] == 2 * first[0]["table"]["matches"]
    with pytest.raises(ConfigError, match="holds another evaluation"):
        run("greedy", *SMALL, "--output-dir", str(tmp_path / "e"), catch_exceptions=False)


def test_the_cap_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('["a"]\nin = 100.0\nout = 100.0\n', encoding="utf-8")
    monkeypatch.setenv("PARLOUR_PRICES", str(prices))
    with FakeEndpoint() as fake:
        found = compared(tmp_path / "e", f"llm:a@{fake.url}", *SMALL[:-4], "50", *SMALL[-3:], "--usd", "1")
    (result,) = found
    assert result["capped"]
    assert 0 < result["spent"] <= 1
    assert result["table"]["blocks"] < 50


def test_not_even_the_first_match_costs_more_than_the_cap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('["a"]\nin = 100.0\nout = 100.0\n', encoding="utf-8")
    monkeypatch.setenv("PARLOUR_PRICES", str(prices))
    with FakeEndpoint() as fake:
        model = f"llm:a@{fake.url}?max_tokens=400"
        (result,) = compared(tmp_path / "e", model, *SMALL, "--usd", "0.25")
    assert result["capped"]
    assert 0 < result["spent"] <= 0.25
    (file,) = (tmp_path / "e" / "records" / "fish").iterdir()
    calls = [event.consultation.usd for event in read_record(file) if isinstance(event, ev.Consulted)]
    assert sum(calls) == pytest.approx(result["spent"])
    assert any("budget" in event.detail for event in read_record(file) if isinstance(event, ev.Fouled))


def test_a_cassette_plays_it_again_without_models(tmp_path: Path) -> None:
    with FakeEndpoint() as fake:
        model = f"llm:a@{fake.url}"
        first = compared(tmp_path / "e", model, *SMALL, "--cassette")
    for name in ("eval.db", "request.json"):
        (tmp_path / "e" / name).unlink()
    again = compared(tmp_path / "e", model, *SMALL, "--cassette", "--cassette-mode", "replay")
    assert [line["score"] for line in again[0]["table"]["lines"]] == [
        line["score"] for line in first[0]["table"]["lines"]
    ]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ((), "Missing argument 'MODEL...'"),
        (("llm:x@api.example.com/v1", "--usd", "1"), "usd: the price of x is not known"),
        (("greedy", "--panel", "gredy"), "panel: no game has an agent 'gredy'; did you mean greedy?"),
        (("greedy", "--set", "rows=3"), "expected GAME.FIELD=VALUE"),
        (("greedy", "--games", "fish", "--set", "chess.rows=3"), "set: expected fish, got 'chess'"),
        (("greedy", "--games", "chess"), "game 'chess' does not exist"),
        (("greedy", "random", "--stop", "me > you by 1"), "stop: nobody here is called 'me'"),
        (("llm:x",), "agent: llm needs a model and its address"),
    ],
)
def test_a_bad_request_is_one_line_and_leaves_nothing(
    words: tuple[str, ...], line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["eval", *words, "--output-dir", str(tmp_path / "e")])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert line in said
    assert "Traceback" not in said
    assert not (tmp_path / "e").exists()


def test_those_who_negotiate_are_shown_with_their_word(tmp_path: Path) -> None:
    words = (
        "peace",
        "--press",
        "--games",
        "diplomacy",
        "--set",
        "diplomacy.last_year=1901",
        "--blocks",
        "1",
        "--quiet",
    )
    result = run(*words, "--panel", "peace", "--output-dir", str(tmp_path / "e"))
    assert result.exit_code == 0, result.output
    assert "pacts kept" in result.output
    assert "100% of " in result.output


def test_models_that_cannot_be_reached_are_told_and_fail_it(tmp_path: Path) -> None:
    with FakeEndpoint(faults={"500": 1}) as fake:
        result = run(f"llm:a@{fake.url}?retries=0", *SMALL, "--output-dir", str(tmp_path / "e"))
    assert result.exit_code == 1
    assert "4 matches do not count: the model of" in result.output
    assert "HTTP 500" in result.output
