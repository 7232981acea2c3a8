"""Words of DAIDE as people write them, for tests: text to tokens, and a bare client on a socket."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Sequence
from typing import ClassVar

from parlour.games.diplomacy.maps.map import standard
from parlour.net.daide.tokens import Token, codec, letters, written

CODEC = codec(standard())
SILENCE = 30.0
"""Seconds without a frame after which a line gives up: a server answers within milliseconds, under load seconds."""


def tokens(text: str) -> list[Token]:
    """NME ( 'Bot' ) ( '1' ), cut."""
    found: list[Token] = []
    for word in re.findall(r"'[^']*'|[()]|[^\s()]+", text):
        if word.startswith("'"):
            found += letters(word[1:-1])
        elif re.fullmatch(r"-?\d+", word):
            found.append(int(word))
        else:
            found.append(word)
    return found


def frame(kind: int, body: bytes = b"", pad: int = 0) -> bytes:
    """Return a frame; what stands in the pad byte means nothing."""
    return bytes((kind, pad)) + len(body).to_bytes(2, "big") + body


INITIAL = frame(0, bytes.fromhex("0001da10"))


class DaideLine:
    """A bare client: says and hears text."""

    everyone: ClassVar[list[DaideLine]] = []
    """All that were opened, for hanging up at the end."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self._loop = asyncio.get_running_loop()
        self._last = "nothing"
        """Return the last messages, for the error of a wait in vain."""
        self.everyone.append(self)

    @classmethod
    async def hang_up(cls) -> None:
        """Close every line, whatever happened on it."""
        while cls.everyone:
            line = cls.everyone.pop()
            if line._loop is not asyncio.get_running_loop():
                continue  # somebody else's who failed: nobody can close it any more
            line.writer.close()
            with contextlib.suppress(OSError):
                await line.writer.wait_closed()

    @classmethod
    @contextlib.asynccontextmanager
    async def hung_up_at_the_end(cls) -> AsyncIterator[None]:
        """For a scene after which no line is open, also if it fails."""
        try:
            yield
        finally:
            await cls.hang_up()

    @classmethod
    async def open(cls, port: int, *, greet: bool = True) -> DaideLine:
        line = cls(*await asyncio.open_connection("127.0.0.1", port))
        try:
            if greet:
                line.writer.write(INITIAL)
                assert await line.frame() == (1, b"")
        except BaseException:  # the server died, or who opens it was stopped: nobody has it to close
            cls.everyone.remove(line)
            line.writer.close()
            raise
        return line

    async def frame(self) -> tuple[int, bytes]:
        """Return the next frame; a closed connection is an EOFError, and a silent one an AssertionError."""
        async with self._in_time():
            head = await self.reader.readexactly(4)
            return head[0], await self.reader.readexactly(int.from_bytes(head[2:], "big"))

    async def rest(self) -> bytes:
        """Return all bytes up to the end of the connection, which the server closes."""
        async with self._in_time():
            return await self.reader.read()

    @contextlib.asynccontextmanager
    async def _in_time(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(SILENCE):
                yield
        except TimeoutError:
            raise AssertionError(f"the server sent nothing for {SILENCE:g} seconds after: {self._last}") from None

    def say(self, text: str) -> None:
        self._last = f"we said {text}"
        self.writer.write(frame(2, CODEC.encode(tokens(text))))

    async def hear(self) -> str:
        kind, body = await self.frame()
        found = written(CODEC.decode(body)) if kind == 2 else f"<{kind} {body.hex()}>"
        self._last = f"it said {found}"
        return found

    async def until(self, *words: str) -> list[str]:
        """All that is heard up to the first message that begins with one of the words."""
        heard: list[str] = []
        while not heard or heard[-1].split()[0] not in words:
            heard.append(await self.hear())
        return heard

    async def ask(self, text: str) -> str:
        self.say(text)
        return await self.hear()

    async def sit(self, name: str, version: str = "1") -> None:
        """Sign up and take the seat."""
        answer = await self.ask(f"NME ( '{name}' ) ( '{version}' )")
        assert answer.startswith("YES ( NME"), answer
        assert await self.hear() == "MAP ( 'standard' )"
        self.say("YES ( MAP ( 'standard' ) )")

    async def close(self) -> None:
        self.writer.close()


def as_sets(words: Sequence[Token]) -> tuple[object, ...]:
    """Nested brackets as sets, for comparing what may come in any order."""
    stack: list[list[object]] = [[]]
    for word in words:
        if word == "(":
            stack.append([])
        elif word == ")":
            inner = frozenset(stack.pop())
            stack[-1].append(inner)
        else:
            stack[-1].append(word)
    return tuple(stack[0])
