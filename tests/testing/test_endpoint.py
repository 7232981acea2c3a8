"""The endpoint that ships answers as providers do, fails as it is told, and never in another way."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from parlour.agents.llm.endpoint import Endpoint, ModelQuestion, ModelReply
from parlour.agents.llm.spec import read_spec
from parlour.errors import ConfigError
from parlour.harness import Episode
from parlour.testing import FakeEndpoint
from parlour.testing.endpoint import FAULTS, main
from support.harness.episodes import fish_setup
from support.waiting import PATIENCE

HELLO = (("system", "You are terse."), ("user", "Say hello."))


@contextlib.contextmanager
def client_of(fake: FakeEndpoint, idle: float = 20) -> Iterator[Endpoint]:
    """Parlour's own client, whose connection ends with the test."""
    client = Endpoint(read_spec(f"m@{fake.url}?idle={idle}"))
    try:
        yield client
    finally:
        client._client.close()


def asked(faults: Mapping[str, int], *, times: int = 1, idle: float = 20) -> list[ModelReply]:
    with FakeEndpoint(lambda messages: "hello", faults=faults) as fake, client_of(fake, idle) as oracle:
        return [oracle.ask(ModelQuestion("m", HELLO, 100)) for _ in range(times)]


def post(url: str, body: Any, path: str = "/chat/completions") -> tuple[int, Any]:
    request = urllib.request.Request(url + path, json.dumps(body).encode(), {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def test_an_answer_has_words_and_usage() -> None:
    (reply,) = asked({})
    assert (reply.text, reply.finish, reply.fault, reply.counted) == ("hello", "stop", "", True)
    assert (reply.tokens_in, reply.tokens_out) == (6, 1)


EXPECTED = {
    "429": ("HTTP 429", "", ""),
    "500": ("HTTP 500", "", ""),
    "hang": ("no answer in time", "", ""),
    "cut": ("cut off", "hel", ""),
    "garbage": ("", "I would rather", "stop"),
    "empty": ("", "", "stop"),
    "length": ("", "hello", "length"),
    "wrong": ("", '{"move"', "stop"),
    "no usage": ("", "hello", "stop"),
    "long": ("", "word word", ""),
}


def test_every_fault_is_tried_here() -> None:
    assert set(EXPECTED) == set(FAULTS)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_what_it_is_called(fault: str) -> None:
    (reply,) = asked({fault: 1}, idle=0.2 if fault == "hang" else 20)
    wrong, text, finish = EXPECTED[fault]
    assert wrong in reply.fault
    assert bool(wrong) == bool(reply.fault)
    assert reply.text.startswith(text)
    assert reply.finish == finish
    assert reply.counted is (fault in ("garbage", "empty", "length", "wrong"))


def test_a_fault_on_the_way_is_gone_at_the_retry() -> None:
    assert [bool(reply.fault) for reply in asked({"500": 2}, times=4)] == [False, True, False, True]


def test_a_faulty_answer_depends_on_the_prompt_alone() -> None:
    with FakeEndpoint(lambda messages: "good", faults={"empty": 3}) as fake, client_of(fake) as oracle:
        rounds = [
            [oracle.ask(ModelQuestion("m", (HELLO[0], ("user", str(i))), 9)).text for i in range(30)] for _ in "ab"
        ]
    assert rounds[0] == rounds[1]
    assert 3 < rounds[0].count("") < 20


def test_an_answer_comes_whole_to_a_client_that_does_not_stream() -> None:
    with FakeEndpoint(lambda messages: "hello") as fake:
        status, value = post(fake.url, {"model": "x", "messages": [{"role": "user", "content": "hi"}]})
        parts = {"model": "y", "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]}
        assert post(fake.url, parts)[0] == 200
        assert fake.models == ["x", "y"]
    assert status == 200
    assert value["choices"][0]["message"]["content"] == "hello"
    assert value["usage"]["total_tokens"] == 1


@pytest.mark.parametrize("body", [[], {}, {"messages": []}, {"messages": [{"role": "user"}]}, {"messages": "hi"}])
def test_a_bad_request_is_answered_in_one_line(body: Any) -> None:
    with FakeEndpoint() as fake:
        status, value = post(fake.url, body)
    assert status == 400
    assert value["error"]["message"].startswith("body: messages: expected ")


def test_other_paths_are_not_there_and_models_are_listed() -> None:
    with FakeEndpoint() as fake:
        body = {"messages": [{"role": "user", "content": "hi"}]}
        assert post(fake.url, body, "/embeddings")[0] == 404
        with urllib.request.urlopen(f"{fake.url}/models", timeout=PATIENCE) as answer:
            assert json.loads(answer.read())["data"][0]["id"] == "fake"


def test_a_match_is_played_over_the_endpoint() -> None:
    with FakeEndpoint() as fake, Episode(fish_setup()) as episode, client_of(fake) as oracle:
        prompt = episode.ask()
        while prompt is not None:
            prompt = episode.reply(oracle.ask(ModelQuestion("m", prompt.messages, prompt.max_tokens)))
        assert episode.standing().finished
        assert all(row.legality == 1.0 for row in episode.standing().seats.values())


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--fault", "flood"], "fault: expected 429, 500"),
        (["--fault", "500=x"], "fault: 500: expected a whole number after =, got 'x'"),
        (["--fault", "500=0"], "fault: 500: expected one in 1 or more, got 0"),
        (["--agent", "nobody"], "has no 'nobody'"),
        (["--answers", "/nowhere"], "No such file"),
        (["--delay", "-1"], "delay: expected 0 to 3600 seconds, got -1.0"),
    ],
)
def test_a_bad_option_is_one_line(arguments: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*arguments, "--port", "0"]) == 2
    assert line in capsys.readouterr().err


def test_a_port_that_is_taken_is_one_line() -> None:
    with FakeEndpoint() as fake, pytest.raises(ConfigError, match="port: cannot listen on"):
        FakeEndpoint(port=int(fake.url.split(":")[2].split("/")[0]))


def test_it_is_a_program_that_says_where_it_listens() -> None:
    command = [sys.executable, "-W", "error", "-m", "parlour.testing.endpoint", "--port", "0", "--agent", "greedy"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        try:
            url = program.stdout.readline().strip()
            assert post(url, {"messages": [{"role": "user", "content": "hi"}]})[0] == 200
        finally:
            program.terminate()
