"""Names of accounts: spelt in one way, visible, and not to be taken for one another or for the house.

Two names look alike if they have a skeleton in common, as in Unicode's technical standard 39, whose table we use. Ours
comes before it: letters that it keeps apart and that are easily confused, since names differ in more than case here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import cache

from parlour.agents import agents_of
from parlour.games import games
from parlour.net.accounts.lookalikes import representatives
from parlour.net.accounts.principals import DAIDE
from parlour.net.permission_errors import bad_value, name_taken
from parlour.store import Store

LONGEST_NAME = 100
"""The account that bots of the `diplomacy` package sign in to has a name of 93 characters."""
HOUSE = frozenset(
    {
        *("admin", "administrator", "anonymous", "dummy", "house", "moderator", "nobody", "observer", "omniscient"),
        *("parlour", "referee", "server", "spectator", "system", "master_type", "observer_type", "omniscient_type"),
        "server_type",
    }
)
"""Names that could be taken for the server or for those who run it. Which words a door uses for them is there, too."""
ANONYMOUS = "anonymous"
"""The name of every player in a match whose players are not named."""
MOST_MARKS = 2
"""Combining marks in a row: more of them only hide what is below and above."""

_INVISIBLE = (
    *((0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)),
    *((0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x2800, 0x2800), (0x3164, 0x3164), (0xFE00, 0xFE0F)),
    *((0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
)
"""Ranges of invisible characters."""
_ALONE = frozenset({"ARMENIAN", "CHEROKEE", "COPTIC", "CYRILLIC", "GEORGIAN", "GREEK", "LATIN"})
"""Scripts whose letters look like one another's, so that a name has letters of one of them at most."""
_LOOKS = {
    "a": "аαɑᴀаꭺ",
    "b": "вβьʙᏏᏴ",
    "c": "сϲᴄᏟ",
    "d": "ԁđᴅᎠ",
    "e": "еεᴇєᎬ",
    "f": "ғϝ",
    "g": "ɡցɢᏀ",
    "h": "һհнʜħᎻ",
    "i": "іıιɪɨ",
    "j": "јᴊᎫ",
    "k": "кκᴋᏦ",
    "l": "1|ӏłƚʟᏞ",
    "m": "мᴍᎷ",
    "n": "ոηɴп",
    "o": "0оοօσᴏø",
    "p": "рρᴘþᏢ",
    "q": "ԛզ",
    "r": "гʀᎡ",
    "s": "ѕꜱᏚ",
    "t": "тτᴛŧᎢ",
    "u": "υսᴜ",
    "v": "νᴠѵᏙ",
    "w": "ωԝաᴡᎳ",
    "x": "хχ",
    "y": "уγʏү",
    "z": "ζᴢᏃ",
}
_TABLE = {ord(other): letter for letter, others in _LOOKS.items() for other in (*others, *others.upper())}
_TABLE |= {ord("Η"): "h", ord("Ν"): "n", ord("Υ"): "y", ord("Ι"): "l", ord("І"): "l", ord("Ӏ"): "l", ord("I"): "l"}
_PAIRS = (("rn", "m"), ("vv", "w"))


def is_name(name: str) -> bool:
    """Return True if it can be the name of an account: printable, without spaces around it, spelt in one way only."""
    plain = bool(name) and len(name) <= LONGEST_NAME and name.isprintable() and name == name.strip()
    return plain and unicodedata.is_normalized("NFC", name)


def checked_name(name: str) -> str:
    """Return the name if a new account may have it; raise Denied otherwise."""
    checked_spelling(name)
    if name.startswith(DAIDE) or is_of_house(name):
        raise name_taken(name)
    return name


def checked_spelling(name: str) -> str:
    """Return the name if all of it can be seen and read; raise Denied otherwise."""
    if not is_name(name):
        raise bad_value(f"name: expected 1 to {LONGEST_NAME} printable characters and no space around them")
    if any(low <= ord(sign) <= high for sign in name if not sign.isascii() for low, high in _INVISIBLE):
        raise bad_value("name: expected no invisible characters")
    marks = 0
    for place, sign in enumerate(name):
        marks = marks + 1 if unicodedata.combining(sign) else 0
        if marks > MOST_MARKS or (marks and not place):
            raise bad_value(f"name: expected at most {MOST_MARKS} combining marks after a letter")
    scripts = {unicodedata.name(sign, "").partition(" ")[0] for sign in name if sign.isalpha()} & _ALONE
    if len(scripts) > 1:
        raise bad_value(f"name: expected letters of one script, got {' and '.join(sorted(scripts)).lower()}")
    return name


def skeletons(name: str) -> frozenset[str]:
    """Return what a name looks like. Two names that have one of these in common can be taken for one another."""
    return frozenset({_skeleton(name), _skeleton(name.casefold())})


def is_of_house(name: str) -> bool:
    """Return True if a name could be taken for the server's, or for that of a house agent with any options."""
    return not _house().isdisjoint(skeletons(name) | skeletons(name.partition(":")[0].strip()))


def _skeleton(name: str) -> str:
    shown = unicodedata.normalize("NFKD", name)
    for _ in range(2):  # before and after the case is folded, for a capital may look like another letter
        shown = unicodedata.normalize("NFD", shown.translate(_TABLE).translate(representatives())).casefold()
    shown = " ".join(shown.split())
    for pair, one in _PAIRS:
        shown = shown.replace(pair, one)
    return shown


@cache
def _house() -> frozenset[str]:
    agents = (agent for game in games() for agent in agents_of(game))
    return _all_skeletons((*HOUSE, *agents))


def _all_skeletons(names: Iterable[str]) -> frozenset[str]:
    return frozenset(one for name in names for one in skeletons(name))


class TakenNames:
    """The skeletons of a store's account names, read from the store at the first question."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._owners: dict[str, str] | None = None
        """One account for each look of names."""

    async def looks_taken(self, name: str, *, by: str = "") -> bool:
        """Return True if an account has that name or one that looks like it, other than the account named by."""
        if name == by:
            return False
        if await self._store.fetch(self._store.account, name) is not None:
            return True
        owners = await self._read()
        return any(owners.get(look, by) != by for look in skeletons(name))

    async def add(self, name: str) -> None:
        """There is a new account."""
        owners = await self._read()
        for look in skeletons(name):
            owners.setdefault(look, name)

    async def _read(self) -> dict[str, str]:
        if self._owners is None:
            found = await self._store.fetch(self._looks)
            self._owners = found if self._owners is None else {**found, **self._owners}
        return self._owners

    def _looks(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for account in self._store.accounts():
            for look in skeletons(account.name):
                found.setdefault(look, account.name)
        return found
