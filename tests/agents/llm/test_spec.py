"""Names of models with options, the source of their keys, and the price of their tokens."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from parlour.agents import is_agent, make_agent, negotiates
from parlour.agents.llm.keys import HIDDEN, hide, key_for, variable_of
from parlour.agents.llm.prices import VARIABLE, Price, price_of
from parlour.agents.llm.spec import read_spec
from parlour.agents.loading import is_command
from parlour.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "model", "url", "host"),
    [
        ("gpt-5@api.openai.com/v1", "gpt-5", "https://api.openai.com/v1", "api.openai.com"),
        ("qwen3:8b@localhost:11434/v1/", "qwen3:8b", "http://localhost:11434/v1", "localhost:11434"),
        ("org/m@http://127.0.0.1:80/v1?rounds=1", "org/m", "http://127.0.0.1:80/v1", "127.0.0.1:80"),
    ],
)
def test_a_model_and_its_address(text: str, model: str, url: str, host: str) -> None:
    spec = read_spec(text)
    assert (spec.model, spec.url, spec.host) == (model, url, host)


def test_options_follow_a_question_mark() -> None:
    options = read_spec("m@host/v1?legal=0&names=0&rounds=2&usd=2&cassette=a%26b.jsonl&tape=replay").options
    assert (options.legal, options.names, options.rounds, options.usd) == (False, False, 2, 2.0)
    assert (options.cassette, options.tape) == ("a&b.jsonl", "replay")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "llm needs a model and its address"),
        ("gpt-5", "llm needs a model and its address"),
        ("@host", "llm needs a model and its address"),
        ("m@", "llm needs a model and its address"),
        ("m@host?rounds=99", "llm:rounds: expected a whole number from 0 to 10"),
        ("m@host?round=2", "did you mean rounds"),
        ("m@ftp://host/v1", "is not an address"),
        ("m@http://:99999/v1", "is not an address"),
        ("m@http://", "is not an address"),
    ],
)
def test_what_is_no_model_is_answered_in_one_line(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        read_spec(text)
    assert "\n" not in str(caught.value)


def test_a_secret_in_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(ConfigError, match="keys come from the environment") as caught:
        read_spec("m@https://sk-secret@host/v1")
    assert "secret" not in str(caught.value)
    with pytest.raises(ConfigError, match="keys come from the environment"):
        read_spec("m@https://me:pass@host/v1")


def test_models_are_agents_of_both_games_and_no_commands() -> None:
    spec = "llm:m@localhost:1/v1?rounds=1"
    for game in ("diplomacy", "fish"):
        assert is_agent(game, spec)
        assert not is_command(game, spec)
        assert make_agent(game, spec, 1) is not None
    assert not is_agent("chess", spec)
    assert negotiates("diplomacy", spec)
    assert not negotiates("fish", spec)
    with pytest.raises(ConfigError, match="llm needs a model"):
        make_agent("fish", "llm", 1)


def test_keys_come_from_the_environment_by_host() -> None:
    environment = {"PARLOUR_KEY_API_EXAMPLE_COM": "one", "OPENAI_API_KEY": "two"}
    assert key_for("api.example.com:8443", environment) == "one"
    assert key_for("api.openai.com", environment) == "two"
    assert key_for("API.OPENAI.COM", environment | {variable_of("api.openai.com"): "three"}) == "three"
    assert key_for("other.example.com", environment) is None


def test_a_key_is_hidden_in_texts() -> None:
    assert hide("no: sk-12345 is bad", "sk-12345") == f"no: {HIDDEN} is bad"
    assert hide("a b c", "a") == "a b c"
    assert hide("text", None) == "text"


def test_prices_are_the_users_own(tmp_path: Path) -> None:
    table = tmp_path / "prices.toml"
    table.write_text('["gpt-5"]\nin = 1.25\nout = 10\n')
    assert price_of("gpt-5", str(table), {}) == Price(1.25, 10.0)
    assert price_of("gpt-5", None, {VARIABLE: str(table)}) == Price(1.25, 10.0)
    assert price_of("other", str(table), {}) is None
    assert price_of("gpt-5", None, {}) is None
    assert Price(1.25, 10.0).of(1_000_000, 100_000) == 2.25


@pytest.mark.parametrize(
    "text",
    [
        *("[gpt", '["m"]\nin = 1', '["m"]\nin = "x"\nout = 1', '["m"]\nin = -1\nout = 1'),
        *('["m"]\nin = ' + "9" * 5000, "m = " + "[" * 5000),
    ],
)
def test_a_table_of_prices_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    table = tmp_path / "prices.toml"
    table.write_text(text)
    with pytest.raises(ConfigError, match="prices"):
        price_of("m", str(table))


def test_prices_that_are_not_there_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        price_of("m", str(tmp_path / "none.toml"))


def test_a_limit_in_dollars_needs_a_price(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(ConfigError, match="needs a price of m"):
        make_agent("fish", "llm:m@localhost:1/v1?usd=1", 1)


def test_nobody_imports_what_nobody_asked_for() -> None:
    code = (
        "import sys, parlour, parlour.cli.play, parlour.agents.loading, parlour.net.hall, parlour.agents.human\n"
        "from parlour.agents import make_agent\nmake_agent('fish', 'greedy')\n"
        "print([name for name in ('httpx2', 'mcp', 'prompt_toolkit') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
