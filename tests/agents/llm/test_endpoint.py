"""The twelve faults of endpoints: each gives its class, none raises, and no key is repeated."""

from __future__ import annotations

import sys

import pytest

from parlour.agents.llm.endpoint import Endpoint, ModelQuestion, ModelReply
from parlour.agents.llm.fish_player import FishModelPlayer
from parlour.agents.llm.spec import read_spec
from parlour.core import events as ev
from parlour.core.game import FoulKind
from parlour.core.terms import Terms
from parlour.errors import MissingExtra
from parlour.games import load_game
from parlour.referee.conduct import preset
from parlour.referee.local import play
from parlour.referee.match import Match
from parlour.testing import ScriptedPlayer
from support.llm.models import FAULTS, FakeEndpoint, answer, plain_angler

KEY = "sk-very-secret"
QUESTION = ModelQuestion("m", (("system", "s"), ("user", "u")), 100, 0.5)


def ask(fault: str = "", options: str = "idle=0.2") -> tuple[ModelReply, FakeEndpoint]:
    with FakeEndpoint(lambda system, prompt: answer(action=[0, 0]), fault) as fake:
        return Endpoint(read_spec(f"m@{fake.url}?{options}")).ask(QUESTION), fake


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARLOUR_KEY_127_0_0_1", KEY)


def test_an_answer_comes_whole_with_its_tokens() -> None:
    reply, fake = ask()
    assert reply.text == answer(action=[0, 0])
    assert (reply.tokens_in, reply.tokens_out, reply.tokens_reasoning, reply.counted) == (1000, 40, 10, True)
    assert (reply.finish, reply.fault) == ("stop", "")
    body = fake.bodies[0]
    assert (body["model"], body["max_tokens"], body["temperature"], body["stream"]) == ("m", 100, 0.5, True)
    assert body["messages"] == [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]
    assert fake.headers[0]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("429", "HTTP 429: not now, Bearer [key]"),
        ("500", "HTTP 500"),
        ("hang", "no answer in time"),
        ("cut", "cut off"),
        ("bad UTF-8", "no UTF-8"),
    ],
)
def test_trouble_on_the_way_is_a_fault_that_says_what_happened(fault: str, said: str) -> None:
    reply, _ = ask(fault)
    assert said in reply.fault
    assert KEY not in reply.fault
    assert reply.again


def test_an_endpoint_that_wants_the_newer_name_is_asked_by_it_and_that_is_remembered() -> None:
    with FakeEndpoint(lambda system, prompt: answer(action=[0, 0]), "newer") as fake:
        replies = [Endpoint(read_spec(f"m@{fake.url}?idle=5")).ask(QUESTION) for _ in range(2)]
    assert [reply.fault for reply in replies] == ["", ""]
    assert [("max_tokens" in body, "max_completion_tokens" in body) for body in fake.bodies] == [
        (True, False),
        (False, True),
        (False, True),
    ]


def test_what_a_provider_refuses_is_told_in_its_words_and_is_not_late() -> None:
    game, config = load_game("fish"), {"players": 2, "rows": 4, "cols": 4}
    match = Match(game, config, Terms(preset("strict")), 1)
    with FakeEndpoint(plain_angler, "400") as fake:
        red, white = game.seats(config)
        play(match, {red: FishModelPlayer(read_spec(f"m@{fake.url}?idle=5&retries=3"), 1), white: ScriptedPlayer()})
    (foul,) = [event for event in match.record if isinstance(event, ev.Fouled) and event.seat == red]
    assert foul.kind is FoulKind.DISCONNECTED
    assert "its provider refuses: HTTP 400: The model `m` does not exist." in foul.detail
    assert len(fake.bodies) == 1, "it would only refuse again"


def test_nobody_there_is_trouble_on_the_way() -> None:
    reply = Endpoint(read_spec("m@http://127.0.0.1:9/v1")).ask(QUESTION)
    assert "ConnectError" in reply.fault


def test_an_answer_that_comes_too_slowly_is_given_up() -> None:
    with FakeEndpoint(lambda system, prompt: "x" * 10, "hang") as fake:
        reply = Endpoint(read_spec(f"m@{fake.url}?idle=60")).ask(QUESTION, seconds=0.2)
    assert "in time" in reply.fault


CLASSES = {
    "429": "transport",
    "500": "transport",
    "hang": "transport",
    "cut": "transport",
    "empty": "empty",
    "prose": "unparsable",
    "two objects": "exact",
    "wrong type": "unparsable",
    "schema ignored": "unparsable",
    "reasoning only": "empty",
    "no usage": "exact",
    "bad UTF-8": "transport",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_gives_its_class_and_what_is_not_played_is_a_foul(fault: str) -> None:
    game, config = load_game("fish"), {"players": 2, "rows": 4, "cols": 4}
    match = Match(game, config, Terms(preset("strict")), 1)
    with FakeEndpoint(plain_angler, fault) as fake:
        spec = read_spec(f"m@{fake.url}?idle=0.3&retries=1")
        red, white = game.seats(config)
        fish_player = FishModelPlayer(spec, 1)
        fish_player.model_line._sleep = lambda seconds: None  # nobody has to wait for a test
        play(match, {red: fish_player, white: ScriptedPlayer()})
    calls = [event.consultation for event in match.record if isinstance(event, ev.Consulted)]
    assert {call.verdict for call in calls} == {CLASSES[fault]}
    fouls = [event.kind for event in match.record if isinstance(event, ev.Fouled) and event.seat == red]
    if CLASSES[fault] == "exact":
        assert not fouls
        assert all(call.estimated for call in calls) is (fault == "no usage")
    else:
        # One retry or one repair, then the foul: nothing is played in the model's name.
        assert len(calls) == 2
        assert fouls == [FoulKind.LATE if CLASSES[fault] == "transport" else FoulKind.GARBLED]
    assert KEY not in repr(match.record)


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(MissingExtra, match=r"\[llm\]"):
        Endpoint(read_spec("m@localhost:1/v1"))
