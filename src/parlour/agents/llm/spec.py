"""Reads the text that selects a model: `llm:MODEL@URL?options`. A key is never part of the text."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import parse_qsl, urlsplit

import msgspec

from parlour.agents.specs import read_pairs
from parlour.core.text import printable
from parlour.errors import ConfigError

LOCAL = ("localhost", "127.0.0.1", "::1")
EXPECTED = "expected llm:MODEL@URL?options, such as llm:qwen3@http://localhost:11434/v1?rounds=2"


class LlmOptions(msgspec.Struct, frozen=True):
    """The options after the question mark."""

    rounds: Annotated[int, msgspec.Meta(ge=0, le=10, description="maximum number of times it talks per turn")] = 3
    legal: Annotated[bool, msgspec.Meta(description="list the legal actions in the prompt")] = True
    names: Annotated[bool, msgspec.Meta(description="call places and powers by their names")] = True
    max_tokens: Annotated[int, msgspec.Meta(ge=16, le=200_000, description="maximum tokens of an answer")] = 4000
    tokens: Annotated[int | None, msgspec.Meta(ge=0, description="maximum number of tokens for the whole match")] = None
    usd: Annotated[float | None, msgspec.Meta(ge=0, description="maximum cost of the whole match in US dollars")] = None
    temperature: Annotated[float | None, msgspec.Meta(ge=0, le=2, description="sampling temperature")] = None
    idle: Annotated[float, msgspec.Meta(gt=0, le=3600, description="seconds of silence that end a call")] = 180.0
    retries: Annotated[int, msgspec.Meta(ge=0, le=10, description="maximum number of retries after a failed call")] = 2
    prompt: Annotated[str | None, msgspec.Meta(description="text file to put before the rules")] = None
    prices: Annotated[str | None, msgspec.Meta(description="TOML file with prices of models")] = None
    cassette: Annotated[str | None, msgspec.Meta(description="file of recorded answers")] = None
    tape: Annotated[Literal["record", "replay", "both"], msgspec.Meta(description="record, replay, or both")] = "both"


class LlmSpec(msgspec.Struct, frozen=True):
    """A model, its address and its options."""

    model: str = ""
    url: str = ""
    options: LlmOptions = LlmOptions()

    @property
    def host(self) -> str:
        """The host and port of the model, for the record."""
        parts = urlsplit(self.url)
        return parts.hostname + (f":{parts.port}" if parts.port else "") if parts.hostname else ""


def read_spec(text: str) -> LlmSpec:
    """Return the model of a text, for example `gpt-5@api.openai.com/v1?rounds=2`.

    Raises:
        ConfigError: The text is not a model with its address and valid options.
    """
    model, at, rest = text.partition("@")
    address, _, query = rest.partition("?")
    if not at or not model or not address:
        raise ConfigError(f"agent: llm needs a model and its address, {EXPECTED}", field="agent")
    options = read_pairs(LlmOptions, "llm", parse_qsl(query, keep_blank_values=True))
    return LlmSpec(printable(model), _read_url(address), options)


def short_name(agent: str) -> str:
    """Return a player's short name for tables: for a model its name and options, without the address.

    >>> short_name("llm:qwen3@http://127.0.0.1:8000/v1?legal=0")
    'qwen3?legal=0'
    """
    if not agent.startswith("llm:"):
        return agent
    model, _, address = agent.removeprefix("llm:").partition("@")
    query = address.partition("?")[2]
    return f"{model}?{query}" if query else model


def _read_url(address: str) -> str:
    host = address.partition("/")[0].partition(":")[0]
    full = address if "://" in address else f"{'http' if host in LOCAL else 'https'}://{address}"
    try:
        parts = urlsplit(full)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        known = False
    if not known:
        raise ConfigError(f"agent: llm: {printable(address, 60)!r} is not an address, {EXPECTED}", field="agent")
    if parts.username or parts.password:
        # The message does not quote the address, because it probably contains a secret.
        raise ConfigError(
            "agent: llm: an address has no name or password; keys come from the environment", field="agent"
        )
    return full.rstrip("/")
