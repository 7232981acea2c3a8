"""DAIDE's tokens: two bytes each, a category and a number. Converts words of the language to bytes and back.

A token here is a word (NME, FRA, "("), an int, or a Letter, one character of a string. A map that is not the standard
one brings its own numbers for powers and provinces, which a client learns from the RM message.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from functools import cache
from typing import TypeAlias

from parlour.errors import RemoteWireError
from parlour.games.diplomacy.maps.map import Ground, Map, Province, named, path_of, standard

LEAST, MOST = -8192, 8191
"""Range of the numbers that fit into a token."""


class Letter(str):
    """One character of a string, as a token; strings have no quotes on the wire."""

    __slots__ = ()


Token: TypeAlias = str | int
"""A word, a Letter or a number."""


class Numbering(Enum):
    """The two numberings of five words of press; each connection uses one."""

    CLIENTS = "clients"  # the C++ headers and the `diplomacy` package
    DOCUMENT = "document"  # the protocol's text and Parlance


def _from(first: int, words: str) -> dict[int, str]:
    return dict(enumerate(words.split(), first))


_WORDS: Mapping[int, Mapping[int, str]] = {
    0x40: _from(0x00, "( )"),
    0x42: _from(0x00, "AMY FLT"),
    0x43: _from(0x20, "CTO CVY HLD MTO SUP VIA") | _from(0x40, "DSB RTO") | _from(0x80, "BLD REM WVE"),
    0x44: _from(0x00, "MBV BPR CST ESC FAR HSC NAS NMB NMR NRN NRS NSA NSC NSF NSP") | _from(0x10, "NSU NVR NYU YSC"),
    0x45: _from(0x00, "SUC BNC CUT DSR FLD NSO RET"),
    0x46: {2 * number: word for number, word in _from(0x00, "NCS NEC ECS SEC SCS SWC WCS NWC").items()},
    0x47: _from(0x00, "SPR SUM FAL AUT WIN"),
    0x48: _from(0x00, "CCD DRW FRM GOF HLO HST HUH IAM LOD MAP MDF MIS NME NOT NOW OBS OFF ORD OUT PRN REJ SCO SLO SND")
    | _from(0x18, "SUB SVE THX TME YES ADM SMR"),
    0x49: _from(0x00, "AOA BTL ERR LVL MRT MTL NPB NPR PDA PTL RTL UNO") | _from(0x0D, "DSD"),
    0x4A: _from(0x00, "ALY AND BWX DMZ ELS EXP")
    | _from(0x09, "HOW IDK IFF INS")
    | _from(0x0E, "OCC ORR PCE POB")
    | _from(0x13, "PRP QRY SCD SRY SUG THK THN TRY")
    | _from(0x1C, "VSS WHT WHY XDO XOY YDO CHO BCC UNT"),
}
"""The words of every map, by category and number, without the five that the two numberings dispute."""
_DISPUTED: Mapping[Numbering, Mapping[int, str]] = {
    Numbering.CLIENTS: {0x06: "FCT", 0x07: "FOR", 0x08: "FWD", 0x25: "NAR", 0x26: "CCL"},
    Numbering.DOCUMENT: {0x06: "FWD", 0x07: "FCT", 0x08: "FOR", 0x25: "CCL", 0x26: "NAR"},
}
_PRESS, _STRING, _POWERS, _PROVINCES = 0x4A, 0x4B, 0x41, 0x50
_UNKNOWN = re.compile(r"\?[0-9A-Fa-f]{4}")
_DISPUTED_PAIRS = frozenset(_PRESS << 8 | number for number in _DISPUTED[Numbering.CLIENTS])


class _Meanings(dict[int, Token]):
    """The token of each pair of bytes. Numbers and letters are cached at their first use.

    Unknown pairs are not cached, because a client that sends noise would fill megabytes.
    """

    def __init__(self, words: Mapping[str, bytes]) -> None:
        super().__init__({int.from_bytes(code, "big"): word for word, code in words.items()})

    def __missing__(self, pair: int) -> Token:
        if pair < 0x4000:
            found: Token = pair - 0x4000 if pair & 0x2000 else pair
        elif pair >> 8 == _STRING:
            found = Letter(chr(pair & 0xFF))
        else:
            return f"?{pair:04x}"
        self[pair] = found
        return found


class _Spelled(dict[Token, bytes]):
    """The bytes of each word and number. Numbers are cached at their first use, unknown tokens are not."""

    def __missing__(self, token: Token) -> bytes:
        if isinstance(token, int):
            if not LEAST <= token <= MOST:
                raise ValueError(f"{token} does not fit into a token")
            found = (token & 0x3FFF).to_bytes(2, "big")
        elif unknown(token):
            return bytes.fromhex(token[1:])
        else:
            raise KeyError(token)
        self[token] = found
        return found


class Codec:
    """Turns the words of one map, in one numbering, into bytes and back."""

    def __init__(self, codes: Mapping[str, bytes], board: Map, numbering: Numbering) -> None:
        self.codes, self.board, self.numbering = codes, board, numbering
        self._meanings, self._spelled = _Meanings(codes), _Spelled(codes)

    @property
    def standard(self) -> bool:
        """True for the standard map, whose numbers every client knows."""
        return self.board == standard()

    def encode(self, tokens: Iterable[Token]) -> bytes:
        """Return the tokens as bytes.

        Raise KeyError for a word that the map does not have, ValueError for a number that does not fit.
        """
        spelled = self._spelled
        # Letters of strings are not looked up: a bracket in a string is only a letter.
        return b"".join([spelled[t] if type(t) is not Letter else bytes((_STRING, ord(t))) for t in tokens])

    def can_say(self, tokens: Iterable[Token]) -> bool:
        """Return True if all tokens can be encoded: words of the map, numbers in range, and valid unknown tokens.

        Text from other doors may hold words without a token.
        """
        return all(self._can_say(token) for token in tokens)

    def _can_say(self, token: Token) -> bool:
        if isinstance(token, int):
            return LEAST <= token <= MOST
        if isinstance(token, Letter) or not _UNKNOWN.fullmatch(token):
            return token in self.codes
        meaning = self._meanings[int(token[1:], 16)]
        return isinstance(meaning, Letter) or meaning == token.lower()

    def decode(self, raw: bytes) -> list[Token]:
        """Return the tokens of a message; raise RemoteWireError for an odd number of bytes.

        An unknown pair of bytes becomes a word of its own, such as ?5a01.
        """
        if len(raw) % 2:
            raise RemoteWireError("a message has half of a token")
        return list(map(self._meanings.__getitem__, struct.unpack(f">{len(raw) // 2}H", raw)))

    def representation(self) -> bytes:
        """Return the body of RM: empty for the standard map, otherwise each power and province with its number."""
        if self.standard:
            return b""
        return b"".join(self.codes[word] + word.encode("ascii") + b"\0" for word in _own_words(self.board))

    def renumbered(self, codes: Mapping[str, bytes]) -> Codec:
        """Return a codec with other numbers for some words."""
        return Codec({**self.codes, **codes}, self.board, self.numbering)

    def on(self, name: str) -> Codec:
        """Return a codec for the map of that name if it has the same words, else this one."""
        board = named(name) if path_of(name) is not None else self.board
        return Codec(self.codes, board, self.numbering) if _own_words(board) == _own_words(self.board) else self

    def otherwise(self) -> Codec:
        """Return the codec of the same map in the other numbering."""
        other = Numbering.DOCUMENT if self.numbering is Numbering.CLIENTS else Numbering.CLIENTS
        return codec(self.board, other)

    def disputed(self, raw: bytes) -> bool:
        """Return True if a message has a word that the two numberings read differently."""
        return any(pair in _DISPUTED_PAIRS for pair in struct.unpack(f">{len(raw) // 2}H", raw))


def unknown(token: Token) -> bool:
    """Return True if a token is unknown: a private one, or of another map."""
    return isinstance(token, str) and token.startswith("?")


@cache
def codec(board: Map, numbering: Numbering = Numbering.CLIENTS) -> Codec:
    """Return the codec of a map."""
    codes = {word: bytes((category, number)) for category, words in _WORDS.items() for number, word in words.items()}
    codes |= {word: bytes((_PRESS, number)) for number, word in _DISPUTED[numbering].items()}
    codes |= {power.tag: bytes((_POWERS, power.id)) for power in board.powers}
    codes |= {province.daide: bytes((_category(province), province.id)) for province in board.provinces}
    return Codec(codes, board, numbering)


def represented(raw: bytes, boards: Iterable[Map], numbering: Numbering = Numbering.CLIENTS) -> Codec | None:
    """Return the codec for a server's RM: that of the board whose powers and provinces it numbers.

    None if no board fits.
    """
    if not raw:
        return codec(standard(), numbering)
    rows = [raw[at : at + 6] for at in range(0, len(raw), 6)]
    given = {row[2:5].decode("ascii", "replace"): row[:2] for row in rows}
    for board in boards:
        if given.keys() == set(_own_words(board)):
            own = codec(board, numbering)
            return own if all(own.codes[word] == code for word, code in given.items()) else own.renumbered(given)
    return None


def _own_words(board: Map) -> list[str]:
    return [power.tag for power in board.powers] + [province.daide for province in board.provinces]


def _category(province: Province) -> int:
    """Return a province's category: 0x50 with a bit for a supply centre and two for the kind of province."""
    ground = {Ground.LAND: 0, Ground.SEA: 1, Ground.COAST: 2}[province.kind]
    return _PROVINCES | (3 if province.coasts else ground) << 1 | int(province.centre)


def word_of(token: Token) -> str:
    """Return a token as text; a Letter, which may look like a word such as "(" or "5", is written by its bytes."""
    return f"?{_STRING:02x}{ord(token):02x}" if isinstance(token, Letter) else str(token)


def letters(text: str) -> list[Token]:
    """Return a string as tokens; a character that is not ASCII becomes a question mark."""
    return [Letter(sign if sign.isascii() else "?") for sign in text]


def text_of(tokens: Sequence[Token]) -> str:
    """Return the string that these letters spell."""
    return "".join(str(token) for token in tokens)


def written(tokens: Iterable[Token]) -> str:
    """Return tokens as people write them: separated by spaces, strings in quotes."""
    parts: list[str] = []
    spelled = ""
    for token in tokens:
        if isinstance(token, Letter):
            spelled += token
            continue
        if spelled:
            parts.append(f"'{spelled}'")
            spelled = ""
        parts.append(str(token))
    return " ".join([*parts, f"'{spelled}'"] if spelled else parts)
