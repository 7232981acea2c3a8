"""Watches a player for its author: where in the author's file it crashed, and which of its messages were refused."""

from __future__ import annotations

import inspect
import sysconfig
import traceback
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

from parlour.agents.aside import speaking
from parlour.core import events as ev
from parlour.core.game import Action, Seat, View
from parlour.core.intents import Ballot, CommStatus, Consultation, Refusal, RefusalCode
from parlour.core.player import Answer, ObservedEvent, Player, SeatHandle
from parlour.core.text import printable

CALLS = ("act", "on_seated", "on_start", "on_resume", "on_event", "on_refused", "identify", "on_introduced", "on_end")
"""The methods that a driver calls."""
MAX_WAITING = 1000
"""Maximum number of messages whose delivery is not known yet; a seat handle queues no more intents either."""
MAX_TRACE = 20_000
"""Maximum characters of a traceback, of which the end is kept."""
MAX_SEATS = 7
"""Maximum number of addressees that the note on a refused message names."""
_NOT_OF_PRESS = (RefusalCode.NO_CHANGE, RefusalCode.TOO_LATE, RefusalCode.OUT_OF_TURN, RefusalCode.ILLEGAL)
"""Codes with which actions, flags and votes are refused, but never messages."""
_OURS = Path(__file__).parents[1]
_LIBRARIES = tuple(Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib"))


@dataclass(frozen=True, slots=True)
class Crash:
    """A method of the player raised an exception."""

    seat: Seat | None
    call: str
    reason: str
    place: str
    """Place in the author's file, if the error passed through it: `bot.py:17, in offers`."""
    trace: str = ""
    """The traceback, of which the end is kept."""

    def __str__(self) -> str:
        return f"{self.call} crashed at {self.place}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Undelivered:
    """The table refused a message of the player: nobody got it."""

    seat: Seat | None
    to: tuple[str, ...]
    text: str
    reason: str

    def __str__(self) -> str:
        return f"message to {', '.join(self.to[:MAX_SEATS]) or 'all'} was refused: {self.text}: {self.reason}"


Mishap: TypeAlias = Crash | Undelivered
Note: TypeAlias = Callable[[Mishap], None]
"""Called with each mishap of the player, in the player's own thread."""


class Watched:
    """Plays as the player does. Errors are noted and raised again: the referee decides what they cost."""

    act: Callable[[View], Answer]

    def __init__(self, player: Player, note: Note, label: str = "") -> None:
        self._player, self._note = player, note
        self._label = label or type(player).__name__
        self._handle: _NotingHandle | None = None
        # A player without a handle sends no messages, so refusals and deliveries need no watching.
        ours = ("on_seated", "on_event", "on_refused") if _method(player, "on_seated") else ("on_seated",)
        for name in CALLS:
            method = _method(player, name)
            if method is not None or name in ours:
                setattr(self, name, self._guarded(name, method or _nothing))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._player, name)

    def _guarded(self, call: str, method: Callable[..., Any]) -> Callable[..., Any]:
        """Return the method with its exceptions noted; a coroutine function if the method is one."""

        async def later(*arguments: Any) -> Any:
            try:
                with speaking(self._name()):
                    return await method(*self._look(call, arguments))
            except (Exception, SystemExit) as error:  # the player boundary: the error is noted, then raised again
                self._crashed(call, error)
                raise

        def now(*arguments: Any) -> Any:
            try:
                with speaking(self._name()):
                    return method(*self._look(call, arguments))
            except (Exception, SystemExit) as error:  # the player boundary: the error is noted, then raised again
                self._crashed(call, error)
                raise

        return later if inspect.iscoroutinefunction(method) else now

    def _look(self, call: str, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """Note an event or a refusal that a call brings to the player. Return the arguments to pass on."""
        handle = self._handle
        match call, *arguments:
            case "on_seated", new:
                self._handle = _NotingHandle(new)
                return (self._handle,)
            case "on_event", ObservedEvent(event=ev.Said(seat=seat, text=text)) if handle and seat == handle.seat:
                handle.delivered(text)
            case "on_refused", Refusal(code=code, reason=reason) if handle is not None and code not in _NOT_OF_PRESS:
                if handle.waiting:
                    text, to = handle.waiting.popleft()
                    self._note(Undelivered(handle.seat, to, printable(text), printable(reason)))
        return arguments

    def _name(self) -> str:
        """Return the name shown before what the player prints."""
        return self._label if self._handle is None else f"{self._label} as {self._handle.seat}"

    def _crashed(self, call: str, error: BaseException) -> None:
        seat = None if self._handle is None else self._handle.seat
        trace = "".join(traceback.format_exception(error))[-MAX_TRACE:]
        self._note(Crash(seat, call, reason_of(error), place_of(error), trace))


class _NotingHandle:
    """A seat handle that remembers messages which are neither delivered nor refused yet, oldest first."""

    def __init__(self, handle: SeatHandle) -> None:
        self._handle = handle
        self.waiting: deque[tuple[str, tuple[str, ...]]] = deque(maxlen=MAX_WAITING)

    @property
    def seat(self) -> Seat:
        return self._handle.seat

    def say(self, text: str, to: Sequence[Seat] = ()) -> None:
        self.waiting.append((str(text), tuple(str(seat) for seat in to)))
        self._handle.say(text, to)

    def set_comm_status(self, status: CommStatus) -> None:
        self._handle.set_comm_status(status)

    def set_wait(self, wait: bool) -> None:
        self._handle.set_wait(wait)

    def vote(self, ballot: Ballot) -> None:
        self._handle.vote(ballot)

    def act(self, action: Any) -> None:
        self._handle.act(action)

    def note(self, text: str) -> None:
        self._handle.note(text)

    def seal(
        self,
        action: Action = None,
        stances: Mapping[str, str] = MappingProxyType({}),
        text: str = "",
        expects: Mapping[Seat, Action] = MappingProxyType({}),
    ) -> None:
        self._handle.seal(action, stances, text, expects)

    def reserve(self, tokens: int, usd: float = 0.0) -> int | Refusal:
        return self._handle.reserve(tokens, usd)

    def consult(self, consultation: Consultation, call: int | None = None) -> Refusal | None:
        return self._handle.consult(consultation, call)

    def delivered(self, text: str) -> None:
        """Note that a message arrived."""
        for sent in self.waiting:
            if sent[0] == text:
                self.waiting.remove(sent)
                return


def reason_of(error: BaseException) -> str:
    """Return the kind of an error and what it says, in one line."""
    try:
        said = str(error)
    except Exception:  # the player boundary: even the words of an error are the player's own
        said = ""
    return printable(f"{type(error).__name__}: {said}" if said else type(error).__name__)


def own_place_of(error: BaseException) -> str:
    """Return the last place in the author's own files that an error passed through, `bot.py:17, in offers`; or ""."""
    return _shown([frame for frame in traceback.extract_tb(error.__traceback__) if _is_own(frame.filename)])


def place_of(error: BaseException) -> str:
    """Return the place in the author's files, or else the place where the error was raised."""
    return own_place_of(error) or _shown(traceback.extract_tb(error.__traceback__)) or "an unknown place"


def _shown(frames: Sequence[traceback.FrameSummary]) -> str:
    return printable(f"{Path(frames[-1].filename).name}:{frames[-1].lineno}, in {frames[-1].name}") if frames else ""


def _is_own(filename: str) -> bool:
    """Return True if a file is neither Parlour's nor a library's."""
    path = Path(filename)
    return not filename.startswith("<") and not any(path.is_relative_to(folder) for folder in (_OURS, *_LIBRARIES))


def _method(player: object, name: str) -> Callable[..., Any] | None:
    try:
        found = getattr(player, name, None)
    except Exception:  # the player boundary: looking at it may already run its code
        return None
    return found if callable(found) else None


def _nothing(*arguments: Any) -> None:
    """Do nothing: stands in for a method that the player does not have."""
