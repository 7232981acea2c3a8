"""Calls a model: one question, its streamed answer, and transport faults as values.

The module does not depend on a game. A transport fault is never raised: it is a part of the reply, with a class of its
own, because a provider's failure is not evidence about the model's play.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Protocol

import msgspec

from parlour.agents.llm.keys import hide, key_for
from parlour.agents.llm.spec import LlmSpec
from parlour.core.decoding import UNREADABLE
from parlour.core.text import printable
from parlour.errors import MissingExtra

MAX_ANSWER = 200_000
"""Maximum characters of an answer and its reasoning; then the stream is closed."""
MAX_TOKENS = 10**9
"""A reported token count is accepted only below this number."""
_LATER = (408, 409, 425, 429)
"""Statuses below 500 after which the request is retried."""
MAX_PAUSE = 30.0


class ModelQuestion(msgspec.Struct, frozen=True):
    """A question to a model, with the parameters of its answer."""

    model: str
    messages: tuple[tuple[str, str], ...]
    """Pairs of a role and its text."""
    max_tokens: int
    temperature: float | None = None


class ModelReply(msgspec.Struct, frozen=True):
    """A model's reply, whole or partial."""

    text: str = ""
    finish: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_reasoning: int = 0
    counted: bool = False
    """True if the provider reported the numbers of tokens."""
    thought: int = 0
    """Number of characters of reasoning, which are not part of the answer."""
    seconds: float = 0.0
    fault: str = ""
    """The transport fault, after which the rest may be missing; empty without one."""
    again: bool = True
    """True if the call may be retried after the fault."""
    pause: float = 0.0
    """Seconds to wait before a retry."""


class Oracle(Protocol):
    """A source of answers: an endpoint, a cassette, or a test script."""

    def ask(self, question: ModelQuestion, seconds: float | None = None) -> ModelReply:
        """Return the answer, within `seconds` if they are given."""


class _Broken(Exception):
    """The stream cannot be read."""


class Endpoint:
    """A model at an address."""

    def __init__(self, spec: LlmSpec) -> None:
        try:
            import httpx2
        except ImportError:
            raise MissingExtra("llm", "a language model") from None
        self._http = httpx2
        self._spec = spec
        self._key = key_for(spec.host)
        self._client: Any = None

    def ask(self, question: ModelQuestion, seconds: float | None = None) -> ModelReply:
        """Ask the model once; return its reply, with the fault if there was one."""
        began = time.monotonic()
        until = None if seconds is None else began + seconds
        stream = _Stream()
        again, pause = True, 0.0
        try:
            known = len(_NEWER)
            fault, again, pause = self._converse(question, stream, until)
            if fault and len(_NEWER) > known:  # refused only because of a parameter's name: this is not a failed try
                fault, again, pause = self._converse(question, stream, until)
        except self._http.TimeoutException:
            fault = "no answer in time"
        except (self._http.HTTPError, self._http.StreamError, OSError) as error:
            fault = f"{type(error).__name__}: {error}"
        except _Broken as broken:
            fault = str(broken)
        reply = stream.reply()
        return msgspec.structs.replace(
            reply,
            text=hide(reply.text, self._key),
            seconds=time.monotonic() - began,
            fault=printable(hide(fault, self._key)),
            again=again,
            pause=pause,
        )

    def _converse(self, question: ModelQuestion, stream: _Stream, until: float | None) -> tuple[str, bool, float]:
        """Read the answer into the stream; return the fault, True to retry, and the seconds to wait before a retry."""
        idle = self._spec.options.idle
        limit = idle if until is None else max(0.01, min(idle, until - time.monotonic()))
        if self._client is None:
            self._client = self._http.Client()
        headers = {"authorization": f"Bearer {self._key}"} if self._key else {}
        place = (self._spec.url, question.model)
        body = _body(question, newer=place in _NEWER)
        with self._client.stream(
            "POST", f"{self._spec.url}/chat/completions", json=body, headers=headers, timeout=limit
        ) as response:
            if response.status_code == 400 and place not in _NEWER and NEWER_NAME in (said := self._refusal(response)):
                # Newer models have another name for the limit, and refuse the name that all others accept.
                _NEWER.add(place)
                return said, True, 0.0
            if response.status_code != 200:
                later = response.status_code >= 500 or response.status_code in _LATER
                return self._refusal(response), later, _pause(response.headers.get("retry-after"))
            if "json" in response.headers.get("content-type", ""):
                stream.whole(response.read())
                return "", True, 0.0
            for line in _lines(response.iter_bytes()):
                if stream.take(line):
                    return "", True, 0.0
                if until is not None and time.monotonic() > until:
                    return "no answer in time", True, 0.0
        return ("" if stream.finish else "the answer was cut off"), True, 0.0

    @staticmethod
    def _refusal(response: Any) -> str:
        """Return the status and the provider's message for a refused request."""
        body = response.read()[:2000].decode("utf-8", "replace")
        try:
            said = msgspec.json.decode(body)["error"]["message"]
        except (*UNREADABLE, KeyError, TypeError, IndexError):
            said = body
        return f"HTTP {response.status_code}: {str(said)[:200]}"


class _Stream:
    """An answer that is being received."""

    def __init__(self) -> None:
        self.finish = ""
        self._text: list[str] = []
        self._length = self._thought = 0
        self._usage: dict[str, Any] | None = None

    def take(self, line: bytes) -> bool:
        """Read one line of the stream; return True if no further line is to be read."""
        if not line.startswith(b"data:"):
            return False
        payload = line[5:].strip()
        if payload == b"[DONE]":
            return True
        self._piece(_decoded(payload), "delta")
        return self._length + self._thought > MAX_ANSWER

    def whole(self, body: bytes) -> None:
        """Read a complete answer from an endpoint that does not stream."""
        self._piece(_decoded(body), "message")
        self.finish = self.finish or "stop"

    def _piece(self, value: Any, field: str) -> None:
        if not isinstance(value, dict):
            raise _Broken("the endpoint sent something that is not an object")
        if isinstance(value.get("error"), dict):
            raise _Broken(f"the endpoint failed: {value['error'].get('message', '')!s:.200}")
        if isinstance(value.get("usage"), dict):
            self._usage = value["usage"]
        choices = value.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
        part = choice.get(field)
        if isinstance(part, dict):
            if isinstance(said := part.get("content"), str):
                self._text.append(said)
                self._length += len(said)
            for name in ("reasoning_content", "reasoning"):
                if isinstance(thought := part.get(name), str):
                    self._thought += len(thought)
        if isinstance(finish := choice.get("finish_reason"), str):
            self.finish = finish

    def reply(self) -> ModelReply:
        """Return the reply received so far."""
        text = "".join(self._text)[:MAX_ANSWER]
        usage = self._usage or {}
        details = usage.get("completion_tokens_details")
        read, wrote = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
        thought = _count(details.get("reasoning_tokens")) if isinstance(details, dict) else 0
        if read is None or wrote is None:
            return ModelReply(text, printable(self.finish, 40), thought=self._thought)
        thought = min(thought or 0, wrote)
        return ModelReply(text, printable(self.finish, 40), read, wrote - thought, thought, True, self._thought)


NEWER_NAME = "max_completion_tokens"
_NEWER: set[tuple[str, str]] = set()
"""Endpoints and models that accept only the newer name of the token limit."""


def _body(question: ModelQuestion, *, newer: bool = False) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": question.model,
        "messages": [{"role": role, "content": text} for role, text in question.messages],
        NEWER_NAME if newer else "max_tokens": question.max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if question.temperature is not None:
        body["temperature"] = question.temperature
    return body


def _lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    rest = bytearray()
    for piece in pieces:
        head, end, tail = piece.rpartition(b"\n")
        if end:
            yield from bytes(rest + head).split(b"\n")
            rest = bytearray()
        rest += tail
        if len(rest) > MAX_ANSWER:
            raise _Broken("the endpoint sent a line without an end")
    yield bytes(rest)


def _decoded(payload: bytes) -> Any:
    try:
        return msgspec.json.decode(payload.decode("utf-8"))
    except UnicodeDecodeError:
        raise _Broken("the endpoint sent bytes that are no UTF-8") from None
    except (msgspec.DecodeError, RecursionError):
        raise _Broken("the endpoint sent something that is no JSON") from None


def _count(value: object) -> int | None:
    return value if type(value) is int and 0 <= value < MAX_TOKENS else None


def _pause(header: str | None) -> float:
    try:
        return min(MAX_PAUSE, max(0.0, float(header or 0)))
    except ValueError:
        return 1.0
