"""One match as a conversation: ask() returns the next prompt, answer() accepts the text, the record has the rest.

The referee runs in a separate thread and stops at every prompt. So only one prompt at a time is open in a match, and
the same answers produce the same record. Any number of episodes may be open at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import queue
import threading
import weakref
import zlib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Self

import msgspec

from parlour.agents import check_match
from parlour.agents.llm.endpoint import MAX_ANSWER, MAX_TOKENS, ModelQuestion, ModelReply
from parlour.agents.llm.seated import ModelPlayer
from parlour.agents.loading import make_player
from parlour.core import seeds
from parlour.core.declaration import fetch
from parlour.core.events import Event, Started
from parlour.core.game import Seat
from parlour.core.player import Player
from parlour.core.text import printable
from parlour.errors import ConfigError, RuleError
from parlour.games import declared, load_game
from parlour.harness.setup import EpisodeSetup, is_asked, model_spec
from parlour.harness.standing import EpisodeStanding, standing
from parlour.referee.local import play
from parlour.referee.match import Match
from parlour.referee.record import decode, encode, record_lines

MAX_FINISH = 40
CHUNK = 16 << 10
"""Least number of bytes of a record that are compressed at once."""
CLOSED = "the episode was closed"


class ModelPrompt(msgspec.Struct, frozen=True):
    """One prompt for the model of one seat."""

    seat: str
    purpose: str
    """The purpose of the answer: `talk`, or the stage of the game."""
    repair: bool
    """True if the answer before this one could not be used."""
    messages: tuple[tuple[str, str], ...]
    """Pairs of a role and its text: system, user; in a repair also assistant, user."""
    max_tokens: int
    temperature: float | None
    model: str
    """Name of the model in the player's specification."""
    number: int
    """Number of the prompt in this episode, from 0."""

    def chat(self) -> list[dict[str, str]]:
        """Return the messages in the form of chat endpoints."""
        return [{"role": role, "content": text} for role, text in self.messages]


class _PackedRecord:
    """The events of a match as compressed JSON lines, because prompts repeat and hundreds of matches may be open."""

    def __init__(self) -> None:
        self._packed: list[bytes] = []
        self._open = bytearray()

    def add(self, events: Sequence[Event]) -> None:
        """Append events."""
        for event in events:
            self._open += encode(event) + b"\n"
        if len(self._open) > CHUNK:
            self._packed.append(zlib.compress(bytes(self._open), 1))
            self._open.clear()

    def lines(self) -> bytes:
        """Return all lines."""
        return b"".join((*map(zlib.decompress, self._packed), bytes(self._open)))

    def events(self) -> tuple[Event, ...]:
        """Return all events."""
        return tuple(decode(line, number) for number, line in enumerate(self.lines().splitlines()))


class _Abandoned(Exception):
    """Raised after the episode was closed, where the referee writes events, which is outside every player."""


class _PromptLine:
    """The connection for prompts and answers between the caller's thread and the referee's thread."""

    def __init__(self, match: Match, players: dict[Seat, Player], names: dict[Seat, str]) -> None:
        self.match, self.players, self.names = match, players, names
        self.coming: Future[ModelPrompt | None] = Future()
        """The next prompt; None after the match is over."""
        self.answers: queue.SimpleQueue[ModelReply | None] = queue.SimpleQueue()
        self.record = _PackedRecord()
        self.asked = 0
        self.closed = self.started = False

    def ask(self, prompt: Callable[[int], ModelPrompt]) -> ModelReply:
        """Pass a prompt to the caller and wait for the answer."""
        if self.closed:
            return ModelReply(fault=CLOSED, again=False)
        self.asked += 1
        self.coming.set_result(prompt(self.asked - 1))
        reply = self.answers.get()
        return ModelReply(fault=CLOSED, again=False) if reply is None else reply

    def keep(self, events: Sequence[Event]) -> None:
        """Store the events, and stop the referee if the episode was closed.

        Players who join receive the events before them. After the start no player joins, so the match drops its events.
        """
        if self.closed:
            raise _Abandoned
        self.record.add(events)
        self.started = self.started or any(type(event) is Started for event in events)
        if self.started:
            self.match.record.clear()

    def run(self) -> None:
        """Play the match to its end; the target of the referee's thread."""
        try:
            play(self.match, self.players, names=self.names, keep=self.keep)
        except _Abandoned:
            self._end()
        except BaseException as error:  # the thread's boundary: ask() raises it for the caller
            self._end(error)
        else:
            self._end()

    def _end(self, error: BaseException | None = None) -> None:
        """Wake a caller that waits for a prompt, because no further prompt will come."""
        if self.coming.done():
            return
        if error is None:
            self.coming.set_result(None)
        else:
            self.coming.set_exception(error)

    def close(self) -> None:
        """Let the referee's thread end."""
        if not self.closed:
            self.closed = True
            self.answers.put(None)


class _SeatOracle:
    """A source of answers for one seat that asks the framework."""

    def __init__(self, line: _PromptLine, seat: Seat) -> None:
        self._line, self._seat = line, seat

    def ask(self, question: ModelQuestion, seconds: float | None = None) -> ModelReply:
        """Return the framework's answer."""
        return self._line.ask(lambda number: self._prompt(question, number))

    def _prompt(self, question: ModelQuestion, number: int) -> ModelPrompt:
        player: Any = self._line.players[self._seat]
        return ModelPrompt(
            str(self._seat),
            player.model_line.purpose,
            len(question.messages) > 2,
            question.messages,
            question.max_tokens,
            question.temperature,
            question.model,
            number,
        )


class Episode:
    """One match that a framework plays by answering prompts.

    >>> episode = Episode(EpisodeSetup.of("fish", config={"players": 2, "rows": 2, "cols": 2, "fish": 1}))
    >>> prompt = episode.ask()
    >>> prompt.seat, prompt.purpose
    ('red', 'placement')
    >>> episode.close()
    """

    def __init__(self, setup: EpisodeSetup, *, answered: Callable[[str], bool] = is_asked) -> None:
        """Set up the match; play begins with the first ask().

        Args:
            setup: The match and its players.
            answered: Returns True for each player whose prompts are answered here.
        """
        self.setup = setup
        self._answered = answered
        self._answers: list[ModelReply] = []
        self._open: ModelPrompt | None = None
        self._begun = self._done = False
        match = Match(load_game(setup.game), setup.config, setup.terms, setup.seed)
        self._line = _PromptLine(match, {}, {})
        for number, seat in enumerate(match.game.seats(setup.config)):
            if str(seat) in setup.players:
                name = setup.players[str(seat)]
                self._line.names[seat] = name
                self._line.players[seat] = self._player(seat, name, seeds.local_player(setup.seed, number))
        # The thread has no reference to the episode, so that a dropped episode ends its thread.
        self._finalizer = weakref.finalize(self, self._line.close)

    def _player(self, seat: Seat, name: str, seed: int) -> Player:
        if self._answered(name):
            recipe = declared(self.setup.game).model
            if not recipe:
                raise ConfigError(f"players: {seat}: no model can play {self.setup.game}", field="players")
            player: Player = fetch(recipe).make(model_spec(name), seed, _SeatOracle(self._line, seat))
            return player
        check_match(self.setup.game, name, self.setup.config)
        player = make_player(self.setup.game, name, seed)
        if isinstance(player, ModelPlayer):
            player.slow = False  # models are called in turn, so the order of messages does not depend on latency
        return player

    # The conversation

    def ask(self) -> ModelPrompt | None:
        """Return the open prompt; None if the match is over. Until an answer, each call returns the same prompt."""
        if self._awaits():
            self._receive(self._line.coming.result)
        return self._open

    async def ask_async(self) -> ModelPrompt | None:
        """Return the open prompt like ask(), without blocking the event loop and without a pool thread.

        After a cancelled call the next call waits for the same prompt.
        """
        if self._awaits():
            await self._receive_async()
        return self._open

    def _awaits(self) -> bool:
        """Return True if the caller has to wait for the next prompt; begin the match if it has not begun."""
        if self._open is not None or self._done:
            return False
        if not self._begun:
            self._begun = True
            threading.Thread(target=self._line.run, daemon=True, name="parlour episode").start()
        return True

    def answer(
        self,
        text: str,
        tokens_in: int | None = None,
        tokens_out: int | None = None,
        *,
        tokens_reasoning: int = 0,
        finish: str = "stop",
        fault: str = "",
    ) -> ModelPrompt | None:
        """Answer the open prompt and return the next one; None if the match is over.

        Args:
            text: Text of the model; at most 200,000 characters are read.
            tokens_in: Tokens of the prompt; estimated if None.
            tokens_out: Tokens of the answer; estimated if None.
            tokens_reasoning: Tokens of hidden reasoning, not part of tokens_out.
            finish: Reason why the model stopped; `length` if its answer was cut off.
            fault: Reason why there is no answer; then the text is ignored.
        """
        return self.reply(_reply(text, tokens_in, tokens_out, tokens_reasoning, finish, fault))

    async def answer_async(
        self,
        text: str,
        tokens_in: int | None = None,
        tokens_out: int | None = None,
        *,
        tokens_reasoning: int = 0,
        finish: str = "stop",
        fault: str = "",
    ) -> ModelPrompt | None:
        """Answer the open prompt and return the next one like answer(), without blocking the event loop.

        Args:
            text: Text of the model; at most 200,000 characters are read.
            tokens_in: Tokens of the prompt; estimated if None.
            tokens_out: Tokens of the answer; estimated if None.
            tokens_reasoning: Tokens of hidden reasoning, not part of tokens_out.
            finish: Reason why the model stopped; `length` if its answer was cut off.
            fault: Reason why there is no answer; then the text is ignored.
        """
        reply = _reply(text, tokens_in, tokens_out, tokens_reasoning, finish, fault)
        self._send(reply, await self.ask_async())
        await self._receive_async()
        return self._open

    def reply(self, reply: ModelReply) -> ModelPrompt | None:
        """Answer the open prompt with a reply in the form of endpoints; return the next prompt."""
        self._send(reply, self.ask())
        self._receive(self._line.coming.result)
        return self._open

    def _send(self, reply: ModelReply, prompt: ModelPrompt | None) -> None:
        if prompt is None:
            raise RuleError("there is no prompt to answer: the match is over")
        self._answers.append(reply)
        self._open = None
        self._line.coming = Future()
        self._line.answers.put(reply)

    async def _receive_async(self) -> None:
        coming, loop = self._line.coming, asyncio.get_running_loop()
        arrived = loop.create_future()

        def wake(_: object) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed, so no task waits
                loop.call_soon_threadsafe(_settle, arrived)

        # A separate future, because a cancelled task must not cancel the future of the referee's thread.
        coming.add_done_callback(wake)
        await arrived
        self._receive(coming.result)

    def _receive(self, result: Callable[[], ModelPrompt | None]) -> None:
        try:
            self._open = result()
        finally:
            self._done = self._open is None

    def finish(self, reason: str) -> None:
        """Play the match to its end, with a fault for every further prompt.

        Args:
            reason: Fault that the record shows.
        """
        prompt = self.ask()
        while prompt is not None:
            prompt = self.answer("", fault=reason)

    def close(self) -> None:
        """Stop the match at its present state. The record stays readable, and a second close changes nothing."""
        self._done, self._open = True, None
        self._finalizer()

    # Results

    @property
    def over(self) -> bool:
        """True after the last answer, and after close()."""
        return self._done

    @property
    def record(self) -> tuple[Event, ...]:
        """All events so far."""
        return self._line.record.events()

    def record_bytes(self) -> bytes:
        """Return the record as the bytes of a record file."""
        return b"".join(record_lines(())) + self._line.record.lines()

    def digest(self) -> str:
        """Return the SHA-256 of the record file, in hexadecimal digits."""
        return hashlib.sha256(self.record_bytes()).hexdigest()

    def standing(self) -> EpisodeStanding:
        """Return the score, legality, promises and tokens of every seat so far, from the record."""
        return standing(self.record)

    # Copies

    def clone(self) -> Episode:
        """Return an independent copy of the episode: the setup, played again with the answers so far."""
        return _restored(self.setup, self._answers, self._answered, self._begun)

    def __copy__(self) -> Episode:
        return self.clone()

    def __deepcopy__(self, memo: object) -> Episode:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.setup, list(self._answers), self._answered, self._begun)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _restored(
    setup: EpisodeSetup, answers: Iterable[ModelReply], answered: Callable[[str], bool], begun: bool
) -> Episode:
    episode = Episode(setup, answered=answered)
    if begun:
        episode.ask()
    for reply in answers:
        episode.reply(reply)
    return episode


def _settle(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def _reply(
    text: str, tokens_in: int | None, tokens_out: int | None, tokens_reasoning: int, finish: str, fault: str
) -> ModelReply:
    return ModelReply(
        _writable(text)[:MAX_ANSWER],
        printable(finish, MAX_FINISH),
        _count("tokens_in", tokens_in),
        _count("tokens_out", tokens_out),
        _count("tokens_reasoning", tokens_reasoning),
        tokens_in is not None and tokens_out is not None,
        fault=printable(_writable(fault)),
        again=False,
    )


def _writable(text: str) -> str:
    """Return the text, with ? for each character that UTF-8 cannot encode."""
    if not isinstance(text, str):
        raise ConfigError(f"text: expected a text, got {type(text).__name__}", field="text")
    return text.encode("utf-8", "replace").decode("utf-8")


def _count(field: str, value: int | None) -> int:
    if value is None:
        return 0
    if type(value) is not int or not 0 <= value < MAX_TOKENS:
        raise ConfigError(f"{field}: expected 0 to {MAX_TOKENS - 1:,}, got {value!r:.40}", field=field)
    return value
