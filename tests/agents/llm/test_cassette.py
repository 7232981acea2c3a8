"""Cassettes: what was recorded is answered again without a key or a socket; what was not says how it differs."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

from parlour.agents.llm.cassette import Cassette, Deck, key_of
from parlour.agents.llm.diplomacy_player import DiplomacyModelPlayer
from parlour.agents.llm.endpoint import ModelQuestion, ModelReply
from parlour.agents.llm.fish_player import FishModelPlayer
from parlour.agents.llm.spec import read_spec
from parlour.core import events as ev
from parlour.core.terms import PressMode, PressTerms
from parlour.errors import CassetteMiss, ConfigError
from parlour.referee.match import replay
from parlour.referee.record import read_record
from support.llm.matches import CASSETTES, diplomacy_match, fish_match, record_of
from support.llm.models import FakeEndpoint, Model, plain_angler, plain_player

ONE = ModelQuestion("m", (("system", "rules"), ("user", "position 1\nlegal a b")), 10)
TWO = ModelQuestion("m", (("system", "rules"), ("user", "position 2\nlegal a b")), 10)


@pytest.fixture
def no_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any, **more: Any) -> Any:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def deck(path: Path, mode: Any, script: Any = None) -> Deck:
    return Deck(Cassette(path, mode), Model(script) if script else None)


def test_what_is_recorded_is_answered_again(tmp_path: Path) -> None:
    path = tmp_path / "tape.jsonl"
    said = deck(path, "record", lambda system, prompt: prompt[:10]).ask(ONE)
    assert deck(path, "replay").ask(ONE) == said


def test_the_same_question_asked_twice_has_two_answers(tmp_path: Path) -> None:
    path, answers = tmp_path / "tape.jsonl", iter("abc")
    recorder = deck(path, "record", lambda system, prompt: next(answers))
    assert [recorder.ask(ONE).text, recorder.ask(ONE).text] == ["a", "b"]
    player = deck(path, "replay")
    assert [player.ask(ONE).text, player.ask(ONE).text] == ["a", "b"]
    with pytest.raises(CassetteMiss, match="how often it was asked"):
        player.ask(ONE)


def test_a_miss_says_how_the_nearest_question_differs(tmp_path: Path) -> None:
    path = tmp_path / "tape.jsonl"
    deck(path, "record", lambda system, prompt: "x").ask(ONE)
    with pytest.raises(CassetteMiss, match=r"-position 1 \| \+position 2"):
        deck(path, "replay").ask(TWO)
    other = ModelQuestion("other", ONE.messages, 10)
    with pytest.raises(CassetteMiss, match="no answer of other; it has answers of m"):
        deck(path, "replay").ask(other)


def test_both_asks_only_for_what_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "tape.jsonl"
    deck(path, "record", lambda system, prompt: "old").ask(ONE)
    both = deck(path, "both", lambda system, prompt: "new")
    assert (both.ask(ONE).text, both.ask(TWO).text) == ("old", "new")
    assert deck(path, "replay").ask(TWO).text == "new"
    assert deck(path, "record", lambda system, prompt: "newer").ask(ONE).text == "newer"
    assert deck(path, "replay").ask(ONE).text == "newer"


def test_trouble_on_the_way_is_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "tape.jsonl"

    class Down:
        def ask(self, question: ModelQuestion, seconds: float | None = None) -> ModelReply:
            return ModelReply(fault="HTTP 500")

    recorder = Deck(Cassette(path, "record"), Down())
    assert recorder.ask(ONE).fault
    assert not path.exists()
    recorder._endpoint = Model(lambda system, prompt: "up again")
    recorder.ask(ONE)
    assert deck(path, "replay").ask(ONE).text == "up again"


def test_keys_tell_questions_apart_by_all_that_shapes_an_answer() -> None:
    questions = [
        ONE,
        TWO,
        ModelQuestion("n", ONE.messages, 10),
        ModelQuestion("m", ONE.messages, 11),
        ModelQuestion("m", ONE.messages, 10, 0.5),
    ]
    assert len({key_of(question) for question in questions}) == len(questions)


def test_a_file_that_is_no_cassette_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tape.jsonl"
    with pytest.raises(ConfigError, match="there is no file"):
        Cassette(path, "replay")
    for line in ("{}", "[" * 100_000, '{"x": ' + "[" * 100_000 + "]" * 100_000 + "}"):
        path.write_text(f"{line}\n")
        with pytest.raises(ConfigError, match=r"line 1 of tape\.jsonl is no answer"):
            Cassette(path, "replay")


def test_those_who_use_a_cassette_at_the_same_time_share_it(tmp_path: Path) -> None:
    path = str(tmp_path / "tape.jsonl")
    first = Cassette.at(path, "both")
    assert Cassette.at(path, "both") is first
    assert Cassette.at(path, "record") is not first


def test_a_key_is_neither_in_the_cassette_nor_in_the_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARLOUR_KEY_127_0_0_1", "sk-very-secret")
    path = tmp_path / "tape.jsonl"
    with FakeEndpoint(plain_angler) as fake:
        spec = read_spec(f"m@{fake.url}?cassette={path}")
        match = fish_match(lambda number: FishModelPlayer(spec, number))
    assert fake.headers[0]["authorization"] == "Bearer sk-very-secret"
    assert "secret" not in path.read_text()
    assert "secret" not in repr(match.record)


@pytest.mark.usefixtures("no_sockets")
def test_the_cassette_of_fish_that_ships_plays_the_match_that_ships() -> None:
    spec = read_spec(f"fish-model@example.com/v1?cassette={CASSETTES / 'fish.jsonl'}&tape=replay")
    match = fish_match(lambda number: FishModelPlayer(spec, number))
    assert match.record == record_of("fish")
    assert replay(match.record).outcome == match.outcome


@pytest.mark.usefixtures("no_sockets")
def test_the_cassette_of_diplomacy_that_ships_plays_the_match_that_ships() -> None:
    spec = read_spec(f"envoy@example.com/v1?rounds=2&cassette={CASSETTES / 'diplomacy.jsonl'}&tape=replay")
    match = diplomacy_match(
        {"FRANCE": DiplomacyModelPlayer(spec, 2), "GERMANY": DiplomacyModelPlayer(spec, 3)}, others="hold"
    )
    assert match.record == record_of("diplomacy")
    assert any(isinstance(event, ev.Said) and event.seat == "FRANCE" for event in match.record)


def test_seven_seats_play_twice_from_one_cassette_with_sockets_blocked(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    path = tmp_path / "tape.jsonl"
    spec = read_spec("envoy@example.com/v1?rounds=2")
    recorder = Cassette(path, "record")
    press = PressTerms(PressMode.WINDOW)
    first = diplomacy_match(
        lambda number: DiplomacyModelPlayer(spec, number, Deck(recorder, Model(plain_player))),
        press=press,
        last_year=1902,
    )
    request.getfixturevalue("no_sockets")
    again = read_spec(f"envoy@example.com/v1?rounds=2&cassette={path}&tape=replay")
    matches = [
        diplomacy_match(lambda number: DiplomacyModelPlayer(again, number), press=press, last_year=1902)
        for _ in range(2)
    ]
    assert matches[0].record == matches[1].record
    assert matches[0].outcome is not None
    assert matches[0].outcome.reason == "stopped after 1902, the last year"
    assert first.outcome == matches[0].outcome
    consulted = [event for event in matches[0].record if isinstance(event, ev.Consulted)]
    assert {event.seat for event in consulted} == set(matches[0].game.seats({}))


def test_records_that_ship_hold() -> None:
    for name in ("fish", "diplomacy"):
        assert replay(read_record(CASSETTES / f"{name}.record.jsonl")).outcome is not None
