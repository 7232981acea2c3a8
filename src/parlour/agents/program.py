"""A player in another program, in any language: JSON lines on its standard input and output.

Each line we write is an object with one key:

    {"start": {"game": ..., "seat": ..., "position": ...}}
    {"ask": {"seat": ..., "turn": ..., "stage": ..., "position": ..., "remaining": seconds or null}}
    {"refused": {"reason": ...}}        its last action was not taken; an ask follows if it may try again
    {"end": {"scores": {...}, "places": [[...], ...], "reason": ...}}

position is Position.encode() of the game. Only an ask is answered, by one line:

    {"turn": the turn of the ask, "action": ...}

A line for an earlier turn is dropped, so an answer that comes too late is never taken for the next one. Whatever the
program writes to standard error is left alone. The program ends when its input ends; if not, it is killed.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import shlex
import signal
import subprocess
import time
import weakref
from collections.abc import Sequence

import msgspec

from parlour.core.events import Event, Removed
from parlour.core.game import Action, Outcome, Plain, Seat, View, Violation
from parlour.core.intents import Refusal
from parlour.errors import ConfigError, RemoteWireError

MAX_LINE = 1 << 20
PATIENCE = 60.0  # seconds for an answer in a match without clocks
GRACE = 0.5  # seconds to end by itself


class Program:
    """A player that lives in a process of its own; started at once, ended with the match."""

    def __init__(self, command: str | Sequence[str], game: str = "", *, patience: float = PATIENCE) -> None:
        words = shlex.split(command) if isinstance(command, str) else list(command)
        if not words:
            raise ConfigError("agent: expected a command", field="agent")
        try:
            self._process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, start_new_session=True
            )
        except OSError as error:
            raise ConfigError(f"agent: {words[0]!r} does not start: {error.strerror}", field="agent") from None
        self._finalizer = weakref.finalize(self, _end, self._process)
        self._game = game
        self._patience = patience
        self._seat: Seat | None = None
        self._buffer = bytearray()

    def started(self, view: View) -> None:
        """Tell the program where it sits."""
        self._seat = view.seat
        self._write("start", {"game": self._game, "seat": view.seat, "position": view.position.encode()})

    def act(self, view: View) -> Action:
        """Ask the program and wait for its answer, no longer than the view allows."""
        position = view.position
        ask = {
            "seat": view.seat,
            "turn": view.turn,
            "stage": position.stage,
            "position": position.encode(),
            "remaining": view.remaining,
        }
        self._write("ask", ask)
        until = time.monotonic() + (self._patience if view.remaining is None else view.remaining)
        while True:
            answer = _read_answer(self._line(until))
            if answer["turn"] >= view.turn:
                return answer["action"]

    def refused(self, reason: Violation | Refusal) -> None:
        """Tell the program that something it sent was not taken."""
        self._write("refused", {"reason": reason.message if isinstance(reason, Violation) else reason.reason})

    def told(self, event: Event) -> None:
        """End the program when its seat is removed."""
        if isinstance(event, Removed) and event.seat == self._seat:
            self.close()

    def ended(self, outcome: Outcome) -> None:
        """Tell the program how the match ended, and end it."""
        # A program that is gone already, or was removed, has nobody to tell.
        with contextlib.suppress(ConnectionError):
            self._write("end", msgspec.to_builtins(outcome))
        self.close()

    def close(self) -> None:
        """End the program, by force if it does not end by itself."""
        self._finalizer()

    def _write(self, key: str, value: Plain) -> None:
        assert self._process.stdin is not None
        if self._process.stdin.closed:
            raise ConnectionError("the program has ended")
        line = msgspec.json.encode({key: value}) + b"\n"
        until = time.monotonic() + self._patience
        descriptor = self._process.stdin.fileno()
        os.set_blocking(descriptor, False)
        try:
            while line:
                _ready(descriptor, selectors.EVENT_WRITE, until)
                line = line[os.write(descriptor, line) :]
        except BrokenPipeError:
            raise ConnectionError("the program has ended") from None

    def _line(self, until: float) -> bytes:
        """The program's next line."""
        assert self._process.stdout is not None
        if self._process.stdout.closed:
            raise ConnectionError("the program has ended")
        descriptor = self._process.stdout.fileno()
        while (end := self._buffer.find(b"\n")) < 0:
            if len(self._buffer) > MAX_LINE:
                self.close()
                raise RemoteWireError(f"the program wrote a line of more than {MAX_LINE:,} bytes")
            _ready(descriptor, selectors.EVENT_READ, until)
            piece = os.read(descriptor, 1 << 16)
            if not piece:
                raise ConnectionError("the program has ended")
            self._buffer += piece
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line


def _ready(descriptor: int, event: int, until: float) -> None:
    """Return when the pipe is ready; TimeoutError when it is not in time."""
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, event)
        if not selector.select(max(0.0, until - time.monotonic())):
            raise TimeoutError("the program did not answer in time")


def _read_answer(line: bytes) -> dict[str, Plain]:
    try:
        answer = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise RemoteWireError("the program wrote a line that is not JSON") from None
    if not isinstance(answer, dict) or type(answer.get("turn")) is not int or "action" not in answer:
        raise RemoteWireError('the program wrote a line that is not {"turn": ..., "action": ...}')
    return answer


def _end(process: subprocess.Popen[bytes]) -> None:
    """Close the pipes, wait a moment, and kill the program with all that it started."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(GRACE)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
