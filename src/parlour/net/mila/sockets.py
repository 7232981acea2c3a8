"""One socket: what is to be sent on it, in order, and what waits until a request is answered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Generic, ParamSpec, TypeVar

from parlour.net.mila.kernel.telling import framed

T = TypeVar("T")
Given = ParamSpec("Given")
_numbers = count()


class Recent(Generic[T]):
    """A set that holds so many and forgets the oldest."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[T, None] = {}

    def __contains__(self, one: T) -> bool:
        return one in self._kept

    def add(self, one: T) -> None:
        """Add one, as the latest."""
        self._kept.pop(one, None)
        self._kept[one] = None
        if len(self._kept) > self._most:
            del self._kept[next(iter(self._kept))]


class Socket:
    """A client's connection, without the connection: frames go to a transport that may be anything.

    A client takes what its request changed for granted when the answer comes. So whatever is told of a game while a
    request about it is at work waits until that request is answered.
    """

    def __init__(self, write: Callable[[bytes, bool], None], *, address: str = "", regrades: bool = False) -> None:
        self.number = next(_numbers)
        """Those that came later have higher ones."""
        self.address = address
        self.regrades = regrades
        """Whether it can read that an observer sees more or less from now on, which kills clients of 1.1.2."""
        self.tokens: set[str] = set()
        self._write = write
        self._held: dict[str, list[bytes]] = {}
        self._lanes: dict[str, list[Callable[[], object]]] = {}
        """The games that a request is at work about, and what comes after it."""

    def in_turn(self, game: str, begin: Callable[Given, object], *given: Given.args, **named: Given.kwargs) -> bool:
        """Begin a request now, or once those before it about the same game are done; whether it is now."""
        waiting = self._lanes.get(game)
        if waiting is not None:
            waiting.append(partial(begin, *given, **named))
            return False
        self._lanes[game] = []
        begin(*given, **named)
        return True

    def done(self, game: str) -> None:
        """A request about a game is done: let the next one begin."""
        if waiting := self._lanes[game]:
            asyncio.get_running_loop().call_soon(waiting.pop(0))
        else:
            del self._lanes[game]

    def answer(self, text: bytes) -> None:
        """Send a response."""
        self._write(framed(text), False)

    def teller(self, game: str) -> Callable[[bytes, bool], None]:
        """What sends notifications about a game, in frames."""

        def tell(frames: bytes, quiet: bool) -> None:
            held = self._held.get(game)
            if held is None:
                self._write(frames, quiet)
            else:
                held.append(frames)

        return tell

    def hold(self, game: str) -> None:
        """Let what is told of a game wait."""
        self._held.setdefault(game, [])

    def release(self, game: str) -> None:
        """Send what waited."""
        for frames in self._held.pop(game, ()):
            self._write(frames, False)
