"""A model endpoint that costs nothing: speaks OpenAI's chat protocol on this machine, answers by a script, and fails.

`python -m parlour.testing.endpoint --port 18431` serves until it is stopped. In a program, use
`with FakeEndpoint() as fake:`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

from parlour.errors import ConfigError, ParlourError
from parlour.testing.model_scripts import Messages, ModelScript, by_agent, by_rule, from_list

MAX_BODY = 8 << 20
"""Maximum bytes of a request."""
MAX_HANG = 3600.0
"""Maximum seconds of a hanging answer, and of a delay."""
TRANSPORT_FAULTS = ("429", "500", "hang", "cut")
"""Faults in transport: every Nth request has one, so that a retry succeeds."""
CONTENT_FAULTS = ("garbage", "empty", "length", "wrong", "no usage", "long")
"""Faults of the answer: one of N prompts has one, chosen by its text, so that a prompt always has the same fault."""
FAULTS = (*TRANSPORT_FAULTS, *CONTENT_FAULTS)
PIECE = 4000
"""Maximum characters of one piece of a streamed answer."""
_GARBAGE = "I would rather think about it for a while. { That is all."
_WRONG = json.dumps({"move": "west"})
_LONG = "word " * 220_000


class FakeEndpoint:
    """A server of the chat protocol on a port of 127.0.0.1.

    >>> with FakeEndpoint() as fake:
    ...     fake.url.startswith("http://127.0.0.1:")
    True
    """

    def __init__(
        self,
        script: ModelScript = by_rule,
        *,
        faults: Mapping[str, int] | None = None,
        delay: float = 0.0,
        port: int = 0,
    ) -> None:
        """Bind the port; answers begin with start().

        Args:
            script: Returns the text of the model.
            faults: N for each kind of fault, which one of N requests has.
            delay: Seconds before each answer.
            port: Port to listen on; 0 for any free port.

        Raises:
            ConfigError: `delay` is out of range.
        """
        self.faults = {kind: _every(kind, every) for kind, every in (faults or {}).items()}
        if not 0 <= delay <= MAX_HANG:
            raise ConfigError(f"delay: expected 0 to {MAX_HANG:g} seconds, got {delay!r:.40}", field="delay")
        self.script, self.delay = script, delay
        self.requests = 0
        self.models: list[str] = []
        """The model names of the last thousand requests."""
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._server = _Server(self, port)
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """The address for clients, with /v1."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def start(self) -> Self:
        """Serve in a separate thread, and return this endpoint."""
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        """Stop serving; hanging answers are cut off."""
        self._stopped.set()
        if self._thread is not None:
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()

    def serve_forever(self) -> None:
        """Serve in this thread until interrupted."""
        self._server.serve_forever(0.05)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *error: object) -> None:
        self.stop()

    def answer(self, to: ChatRequest, body: Any) -> None:
        """Answer one request.

        Args:
            to: The request, which sends the answer.
            body: Decoded body of the request.
        """
        messages = _messages(body)
        with self._lock:
            self.requests += 1
            number = self.requests
            self.models = [*self.models[-999:], str(body.get("model", ""))[:200]]
        fault = self._fault(number, messages)
        if self.delay:
            time.sleep(self.delay)
        if fault in ("429", "500"):
            to.refuse(int(fault), f"the endpoint was told to answer {fault} now and then")
            return
        if fault == "hang":
            self._stopped.wait(MAX_HANG)
            to.close_connection = True
            return
        text = {"garbage": _GARBAGE, "empty": "", "wrong": _WRONG, "long": _LONG}.get(fault) if fault else None
        text = self.script(messages) if text is None else text
        finish = "length" if fault == "length" else "stop"
        usage = None if fault == "no usage" else self.usage(messages, text)
        model = str(body.get("model", ""))[:200]
        if body.get("stream") is True:
            to.stream(model, text, finish, usage, cut=fault == "cut")
        else:
            to.whole(model, text, finish, usage, cut=fault == "cut")

    def usage(self, messages: Messages, text: str) -> dict[str, Any]:
        """Return the numbers of tokens of a call; four characters count as one token.

        Args:
            messages: Messages of the prompt.
            text: The answer.
        """
        read, wrote = sum(len(part) for _, part in messages) // 4, len(text) // 4
        return {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote}

    def _fault(self, number: int, messages: Messages) -> str:
        for kind, every in self.faults.items():
            if kind in TRANSPORT_FAULTS:
                if number % every == 0:
                    return kind
            elif _hash(messages) % every == 0:
                return kind
        return ""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, endpoint: FakeEndpoint, port: int) -> None:
        self.endpoint = endpoint
        try:
            super().__init__(("127.0.0.1", port), ChatRequest)
        except OSError as error:
            raise ConfigError(f"port: cannot listen on {port}: {error.strerror}", field="port") from None

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore a client that disconnected."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class ChatRequest(BaseHTTPRequestHandler):
    """One request. Each answer is written at once, because small writes delay one another on the connection."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    server: _Server

    def do_GET(self) -> None:
        if self.path.rstrip("/").endswith("/models"):
            self._send(200, {"object": "list", "data": [{"id": "fake", "object": "model"}]})
        else:
            self.refuse(404, f"there is no {self.path[:60]}, expected /v1/models")

    def do_POST(self) -> None:
        length = self.headers.get("content-length", "")
        if not length.isdigit() or int(length) > MAX_BODY:
            self.close_connection = True
            self.refuse(413, f"content-length: expected 0 to {MAX_BODY}, got {length[:20]}")
            return
        try:
            body = json.loads(self.rfile.read(int(length)))
            _messages(body)
        except (ValueError, RecursionError, ConfigError) as error:
            self.refuse(400, f"body: {error!s:.200}")
            return
        if not self.path.rstrip("/").endswith("/chat/completions"):
            self.refuse(404, f"there is no {self.path[:60]}, expected /v1/chat/completions")
            return
        self.server.endpoint.answer(self, body)

    def refuse(self, status: int, words: str) -> None:
        """Send an error in the form of providers."""
        self._send(status, {"error": {"message": words, "type": "fake", "code": status}})

    def whole(self, model: str, text: str, finish: str, usage: Any, *, cut: bool) -> None:
        """Send an answer as one object; `cut` sends only half of it."""
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
        self._send(200, _chunk("chat.completion", model, [choice], usage), cut=cut)

    def stream(self, model: str, text: str, finish: str, usage: Any, *, cut: bool) -> None:
        """Send an answer as a stream of events; `cut` sends only its first piece."""
        size = min(PIECE, (len(text) + 1) // 2 or 1)
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        deltas: list[tuple[Any, str | None]] = [({"content": piece}, None) for piece in pieces]
        deltas = deltas[:1] if cut else [*deltas, ({}, finish)]
        kind = "chat.completion.chunk"
        events = [
            _chunk(kind, model, [{"index": 0, "delta": delta, "finish_reason": end}], None) for delta, end in deltas
        ]
        if usage is not None and not cut:
            events.append(_chunk(kind, model, [], usage))
        self.events([json.dumps(event).encode() for event in events], done=not cut)

    def events(self, events: Sequence[bytes], *, done: bool = True) -> None:
        """Send a stream of encoded events, with the end mark if `done`."""
        body = b"".join(b"data: " + event + b"\n\n" for event in events)
        self._reply(200, "text/event-stream", body + b"data: [DONE]\n\n" if done else body)

    def _send(self, status: int, value: Any, *, cut: bool = False) -> None:
        body = json.dumps(value).encode()
        if cut:
            self.close_connection = True
            self._reply(status, "application/json", body[: len(body) // 2], promised=len(body))
        else:
            self._reply(status, "application/json", body)

    def _reply(self, status: int, kind: str, body: bytes, promised: int | None = None) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body) if promised is None else promised))
        if status in (429, 500):
            self.send_header("retry-after", "0")
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, format: str, *arguments: Any) -> None:
        """Suppress the log."""


def _chunk(kind: str, model: str, choices: list[Any], usage: Any) -> dict[str, Any]:
    found = {"id": "fake", "object": kind, "created": 0, "model": model, "choices": choices}
    return found if usage is None else {**found, "usage": usage}


def _messages(body: Any) -> list[tuple[str, str]]:
    given = body.get("messages") if isinstance(body, dict) else None
    if not isinstance(given, list) or not given:
        raise ConfigError("messages: expected a list of messages", field="messages")
    found = []
    for one in given:
        content = one.get("content") if isinstance(one, dict) else None
        if isinstance(content, list):  # parts, as newer clients send them
            content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
        if not isinstance(content, str):
            raise ConfigError("messages: expected a role and a content for each", field="messages")
        found.append((str(one.get("role", "")), content))
    return found


def _hash(messages: Messages) -> int:
    joined = "\n".join(text for _, text in messages).encode("utf-8", "replace")
    return int.from_bytes(hashlib.sha256(joined).digest()[:8])


def _every(kind: str, every: int) -> int:
    if kind not in FAULTS:
        raise ConfigError(f"fault: expected {', '.join(FAULTS)}, got {kind!r:.40}", field="fault")
    if type(every) is not int or every < 1:
        raise ConfigError(f"fault: {kind}: expected one in 1 or more, got {every!r:.40}", field="fault")
    return every


def _read_fault(text: str) -> tuple[str, int]:
    kind, _, every = text.partition("=")
    if every and not (every.isdigit() and len(every) < 10):
        raise ConfigError(f"fault: {kind[:20]}: expected a whole number after =, got {every!r:.40}", field="fault")
    return kind, int(every or 1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until interrupted; the first line on standard output is the address."""
    parser = argparse.ArgumentParser(prog="python -m parlour.testing.endpoint", description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=18431, help="Port on 127.0.0.1; 0 for any.  [default: 18431]")
    parser.add_argument("--agent", help="House agent that answers, such as greedy or strong.  [default: a rule]")
    parser.add_argument("--answers", type=Path, help="File with one answer per line, given in turn.")
    parser.add_argument("--fault", action="append", default=[], metavar="KIND=N", help=f"One of {', '.join(FAULTS)}.")
    parser.add_argument("--delay", type=float, default=0.0, help="Seconds before each answer.  [default: 0]")
    chosen = parser.parse_args(arguments)
    try:
        script = by_rule if chosen.agent is None else by_agent(chosen.agent)
        if chosen.answers is not None:
            script = from_list(chosen.answers.read_text(encoding="utf-8").splitlines())
        faults = dict(map(_read_fault, chosen.fault))
        endpoint = FakeEndpoint(script, faults=faults, delay=chosen.delay, port=chosen.port)
    except (ParlourError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(f"{endpoint.url}\n")
    sys.stdout.flush()
    try:
        endpoint.serve_forever()
    except KeyboardInterrupt:
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
