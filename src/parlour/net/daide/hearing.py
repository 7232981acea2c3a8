"""Reads the messages of one DAIDE client, in the token numbering that it uses."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from parlour.errors import PressError
from parlour.net.daide import client_messages as cm
from parlour.net.daide import mail
from parlour.net.daide.attendance import Attendance
from parlour.net.daide.frames import DIPLOMACY, framed
from parlour.net.daide.tokens import Codec, Token, word_of
from parlour.press.language.tokens import Lexicon

SHORT, MOST_SHORT = 64, 20_000
"""Maximum bytes, and maximum number, of messages whose meaning is cached for all clients.

These are questions and single orders.
"""

Tokens = Sequence[Token]


class Gibberish(NamedTuple):
    """A message that cannot be read."""

    error: PressError
    body: bytes


class Hearing:
    """Reads one client's messages. Five words of press have two numbers, of which a client uses one."""

    def __init__(self, words: Codec) -> None:
        self.words = words
        """The client's token numbers, as far as they are known."""

    def understood(self, body: bytes, at: Attendance | None) -> tuple[cm.ClientMessage | Gibberish, Tokens]:
        """Return the meaning of a message and its tokens; Gibberish if it cannot be read."""
        message, tokens = _read_short(body, self.words) if len(body) <= SHORT else _read(body, self.words)
        if isinstance(message, cm.Sending) and self.words.disputed(body):
            return self._disputed(body, message, tokens, at)
        return message, tokens

    def complaint(self, wrong: Gibberish) -> bytes:
        """Return HUH or PRN with the bytes of an unreadable message, which costs little for long ones."""
        body, at, codes = wrong.body, 2 * wrong.error.index, self.words.codes
        prn = wrong.error.kind == "PRN"
        said = body if prn else body[:at] + codes["ERR"] + body[at:]
        return framed(DIPLOMACY, codes["PRN" if prn else "HUH"] + codes["("] + said + codes[")"])

    def _disputed(
        self, body: bytes, message: cm.Sending, tokens: Tokens, at: Attendance | None
    ) -> tuple[cm.ClientMessage, Tokens]:
        """Read press with a disputed token number; if only the other numbering makes sense, use that from now on."""
        other = self.words.otherwise()
        retold = other.decode(body)
        again, _ = _read(body, other)
        if at is None or not isinstance(again, cm.Sending):
            return message, tokens
        if not mail.readable(at, _text(message)) and mail.readable(at, _text(again)):
            self.words = other
            return again, retold
        return message, tokens


def _read(body: bytes, words: Codec) -> tuple[cm.ClientMessage | Gibberish, Tokens]:
    tokens = words.decode(body)
    try:
        return cm.read(tokens, Lexicon.of(words.board)), tokens
    except PressError as error:
        return Gibberish(error, body), tokens


_read_short = lru_cache(maxsize=MOST_SHORT)(_read)


def _text(message: cm.Sending) -> str:
    return " ".join([word_of(token) for token in message.press])
