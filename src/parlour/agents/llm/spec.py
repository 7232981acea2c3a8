"""Reads the text that selects a model: `llm:MODEL@URL?options`. A key is never part of it."""

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

    rounds: Annotated[int, msgspec.Meta(ge=0, le=10, description="talks a turn, at most")] = 3
    legal: Annotated[bool, msgspec.Meta(description="whether the prompt lists what is legal")] = True
    names: Annotated[bool, msgspec.Meta(description="whether places and powers keep their names")] = True
    max_tokens: Annotated[int, msgspec.Meta(ge=16, le=200_000, description="of one answer")] = 4000
    tokens: Annotated[int | None, msgspec.Meta(ge=0, description="for the whole match")] = None
    usd: Annotated[float | None, msgspec.Meta(ge=0, description="US dollars for the whole match")] = None
    temperature: Annotated[float | None, msgspec.Meta(ge=0, le=2, description="of the sampling")] = None
    idle: Annotated[float, msgspec.Meta(gt=0, le=3600, description="seconds of silence that end a call")] = 180.0
    retries: Annotated[int, msgspec.Meta(ge=0, le=10, description="after trouble on the way")] = 2
    prompt: Annotated[str | None, msgspec.Meta(description="a text file that is put before the rules")] = None
    prices: Annotated[str | None, msgspec.Meta(description="a TOML file of prices")] = None
    cassette: Annotated[str | None, msgspec.Meta(description="a file of recorded answers")] = None
    tape: Annotated[Literal["record", "replay", "both"], msgspec.Meta(description="what to do with the cassette")] = (
        "both"
    )


class LlmSpec(msgspec.Struct, frozen=True):
    """A model, where it is, and how to play it."""

    model: str = ""
    url: str = ""
    options: LlmOptions = LlmOptions()

    @property
    def host(self) -> str:
        """The host of the model as the record has it: without a path, and never with a key."""
        parts = urlsplit(self.url)
        return parts.hostname + (f":{parts.port}" if parts.port else "") if parts.hostname else ""


def read_spec(text: str) -> LlmSpec:
    """Return the model of a text like `gpt-5@api.openai.com/v1?rounds=2`; raise ConfigError for any other."""
    model, at, rest = text.partition("@")
    address, _, query = rest.partition("?")
    if not at or not model or not address:
        raise ConfigError(f"agent: llm needs a model and its address, {EXPECTED}", field="agent")
    options = read_pairs(LlmOptions, "llm", parse_qsl(query, keep_blank_values=True))
    return LlmSpec(printable(model), _read_url(address), options)


def short_name(agent: str) -> str:
    """Return the name by which tables call a player: of a model its own name and its options, without the address.

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
        raise ConfigError(f"agent: llm: {printable(address, 60)!r} is no address, {EXPECTED}", field="agent")
    if parts.username or parts.password:
        # Not quoted: the text is probably a secret.
        raise ConfigError(
            "agent: llm: an address has no name or password; keys come from the environment", field="agent"
        )
    return full.rstrip("/")
