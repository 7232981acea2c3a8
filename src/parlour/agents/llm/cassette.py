"""Cassettes: models' answers in a file of JSON lines, so that a match can be played again without the models.

A line is an answer or a text. The key of an answer is the hash of its question (model, messages, parameters) and the
number of equal questions of the seat before. Each text of a message is stored once, because prompts share most of
their text. Transport faults are not stored, because they are not answers.
"""

from __future__ import annotations

import difflib
import hashlib
import threading
from pathlib import Path
from typing import Literal
from weakref import WeakValueDictionary

import msgspec

from parlour.agents.llm.endpoint import ModelQuestion, ModelReply, Oracle
from parlour.core.decoding import UNREADABLE
from parlour.core.text import printable
from parlour.errors import CassetteMiss, ConfigError
from parlour.files import read_regular

MAX_DIFFERENCE = 12
"""Maximum number of changed lines that a miss shows."""
Mode = Literal["record", "replay", "both"]


class Wording(msgspec.Struct, frozen=True, tag="text"):
    """A line of a cassette: a text by its hash."""

    key: str
    text: str


class Take(msgspec.Struct, frozen=True, tag="answer"):
    """A line of a cassette: a question, its texts by their hashes, and the answer."""

    key: str
    question: ModelQuestion
    reply: ModelReply


class Cassette:
    """A file of answers, shared by all seats that play from it."""

    def __init__(self, path: Path, mode: Mode) -> None:
        self.path, self.mode = path, mode
        self._takes: dict[str, Take] = {}
        self._texts: dict[str, str] = {}
        self._lock = threading.Lock()
        self.missed: CassetteMiss | None = None
        """The error for the first question without an answer."""
        if mode == "replay" and not path.is_file():
            raise ConfigError(f"cassette: there is no file {str(path)!r}", field="cassette")
        if path.is_file():
            self._load()

    @staticmethod
    def at(path: str, mode: Mode) -> Cassette:
        """Return the cassette of a file; players that use the file at the same time share one object."""
        where = str(Path(path).resolve()), mode
        with _opening:
            found = _open.get(where)
            if found is None:
                found = _open[where] = Cassette(Path(path), mode)
        return found

    def find(self, key: str) -> ModelReply | None:
        """Return the answer with a key; None if there is none."""
        take = self._takes.get(key)
        return None if take is None else take.reply

    def keep(self, key: str, question: ModelQuestion, reply: ModelReply) -> None:
        """Add an answer. It is written to the file before any player receives it."""
        texts = {_hash(text): text for _, text in question.messages}
        short = tuple((role, _hash(text)) for role, text in question.messages)
        take = Take(key, msgspec.structs.replace(question, messages=short), reply)
        with self._lock:
            lines: list[Wording | Take] = [
                Wording(hashed, text) for hashed, text in texts.items() if hashed not in self._texts
            ]
            with self.path.open("ab") as file:
                file.writelines(msgspec.json.encode(line) + b"\n" for line in (*lines, take))
            self._texts |= texts
            self._takes[key] = take

    def missing(self, question: ModelQuestion) -> CassetteMiss:
        """Return the error for a question without a recorded answer."""
        wanted = "\n".join(text for _, text in question.messages)
        takes = [take for take in self._takes.values() if take.question.model == question.model]
        if not takes:
            models = sorted({take.question.model for take in self._takes.values()})
            others = f"of {', '.join(models)}" if models else "at all"
            return CassetteMiss(f"{self.path.name} has no answer of {question.model}; it has answers {others}")
        nearest = self._text(max(takes, key=lambda take: _likeness(self._text(take), wanted)))
        differs = _difference(nearest, wanted)
        return CassetteMiss(f"{self.path.name} has no such answer; the nearest question differs: {differs}")

    def _text(self, take: Take) -> str:
        return "\n".join(self._texts.get(hashed, "") for _, hashed in take.question.messages)

    def _load(self) -> None:
        for number, line in enumerate(read_regular(self.path).splitlines(), 1):
            try:
                found = _LINES.decode(line)
            except UNREADABLE:
                where = f"line {number} of {self.path.name}"
                raise ConfigError(f"cassette: {where} is no answer", field="cassette") from None
            if isinstance(found, Wording):
                self._texts[found.key] = found.text
            else:
                self._takes[found.key] = found


class Deck:
    """A cassette as one seat uses it, with an endpoint for missing answers if one may be asked."""

    def __init__(self, cassette: Cassette, endpoint: Oracle | None) -> None:
        self._cassette, self._endpoint = cassette, endpoint
        self._asked: dict[str, int] = {}

    def ask(self, question: ModelQuestion, seconds: float | None = None) -> ModelReply:
        """Return the recorded answer, or ask the endpoint and record its answer.

        Raises:
            CassetteMiss: There is no recorded answer and no endpoint.
        """
        digest = key_of(question)
        repeat = self._asked[digest] = self._asked.get(digest, -1) + 1
        key = f"{digest}-{repeat}"
        if self._cassette.mode != "record" and (found := self._cassette.find(key)) is not None:
            return found
        if self._endpoint is None:
            missing = self._cassette.missing(question)
            self._cassette.missed = self._cassette.missed or missing
            raise missing
        reply = self._endpoint.ask(question, seconds)
        if reply.fault:
            self._asked[digest] -= 1
        else:
            self._cassette.keep(key, question, reply)
        return reply


def key_of(question: ModelQuestion) -> str:
    """Return the hash of a question, which begins the keys of its answers."""
    return hashlib.blake2b(msgspec.json.encode(question), digest_size=16).hexdigest()


_LINES = msgspec.json.Decoder(Wording | Take)
_open: WeakValueDictionary[tuple[str, str], Cassette] = WeakValueDictionary()
_opening = threading.Lock()


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _likeness(one: str, other: str) -> float:
    """Return the share of lines that two texts have in common. It is quick, because a cassette may hold thousands."""
    first, second = set(one.splitlines()), set(other.splitlines())
    return len(first & second) / (len(first | second) or 1)


def _difference(nearest: str, wanted: str) -> str:
    lines = difflib.unified_diff(nearest.splitlines(), wanted.splitlines(), lineterm="", n=0)
    changed = [line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    shown = [printable(line, 160) for line in changed[:MAX_DIFFERENCE]]
    more = f" and {len(changed) - MAX_DIFFERENCE} more lines" if len(changed) > MAX_DIFFERENCE else ""
    return " | ".join(shown or ["only in its parameters, or in how often it was asked"]) + more
