"""Redirects the prints of bots to standard error, each line with its bot's name, apart from Parlour's own output."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, TextIO, TypeAlias

from parlour.core.text import printable

MAX_LINE = 2000
"""Maximum number of characters of a printed line that are passed on."""

Said: TypeAlias = Callable[[str, str], None]
"""Called with the name of a bot and a line that it printed."""

_speaker: ContextVar[str] = ContextVar("speaker", default="")


@contextlib.contextmanager
def speaking(name: str) -> Iterator[None]:
    """Attribute the prints of this thread or task to the bot of that name while the block runs."""
    token = _speaker.set(name)
    try:
        yield
    finally:
        _speaker.reset(token)


def to_stderr(speaker: str, line: str) -> None:
    """Print a line to standard error, after the name of its bot."""
    sys.stderr.write(printable(f"{speaker}: {line}", MAX_LINE) + "\n")


@contextlib.contextmanager
def prints_aside(said: Said = to_stderr) -> Iterator[None]:
    """Redirect the prints of bots; said receives each line with the name of its bot."""
    ours, aside = sys.stdout, _Stdout(sys.stdout, said)
    sys.stdout = aside  # prints of bots and of Parlour go through this object
    try:
        yield
    finally:
        aside.finish()
        if sys.stdout is aside:  # other code may have replaced the stream meanwhile
            sys.stdout = ours


class _Stdout:
    """Standard output: prints of bots are attributed to them, all others pass unchanged."""

    def __init__(self, ours: TextIO, said: Said) -> None:
        self._ours, self._say = ours, said
        self._begun: dict[str, str] = {}
        """Unfinished lines by bot."""

    def write(self, text: str) -> int:
        """Write text: a bot's text line by line after its name, other text unchanged."""
        speaker = _speaker.get()
        if not speaker:
            return self._ours.write(text)
        *lines, self._begun[speaker] = (self._begun.get(speaker, "") + text).split("\n")
        for line in lines:
            self._say(speaker, line)
        if len(self._begun[speaker]) > MAX_LINE:
            self._say(speaker, self._begun.pop(speaker))
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        """Write the lines one after another."""
        for line in lines:
            self.write(line)

    @property
    def buffer(self) -> Any:
        """The stream for bytes, which are treated like text."""
        return sys.stderr.buffer if _speaker.get() else self._ours.buffer

    def flush(self) -> None:
        """Flush the stream; a bot's line is printed once it is complete."""
        if not _speaker.get():
            self._ours.flush()

    def finish(self) -> None:
        """Print the unfinished lines of bots."""
        for speaker, line in self._begun.items():
            if line:
                self._say(speaker, line)
        self._begun.clear()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ours, name)
