"""Names of accounts: normalized, visible, and not to be confused with one another or with the server's own names.

Two names look alike if they have a skeleton in common, as in Unicode's technical standard 39, whose table is used. A
table of this module comes first, for letters that the standard keeps apart but that are easily confused.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from string import ascii_lowercase

from parlour.agents import agents_of
from parlour.errors import Denied
from parlour.games import games
from parlour.net.accounts.principals import DAIDE
from parlour.net.permission_errors import bad_value, name_taken
from parlour.store import Store

LONGEST_NAME = 100
"""Maximum length of a name: the account of the `diplomacy` package's bots has 93 characters."""
HOUSE = frozenset(
    {
        *("admin", "administrator", "anonymous", "dummy", "house", "moderator", "nobody", "observer", "omniscient"),
        *("parlour", "referee", "server", "spectator", "system", "master_type", "observer_type", "omniscient_type"),
        "server_type",
    }
)
"""Names that could be mistaken for the server or its operators, including the words that the doors use."""
ANONYMOUS = "anonymous"
"""The name of every player in an anonymous match."""
DIRECTION = "\u200e"
"""The mark that Unicode's table of similar characters puts around right-to-left characters."""
MOST_MARKS = 3
"""Maximum number of marks on one character: more of them would cover neighbouring text."""

_INVISIBLE = (
    *((0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)),
    *((0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x2800, 0x2800), (0x3164, 0x3164), (0xFE00, 0xFE0F)),
    *((0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
    *((0xFFFC, 0xFFFC), (0x13441, 0x13446), (0x16FE4, 0x16FE4), (0x1D159, 0x1D159)),  # drawn blank, or not at all
)
"""Ranges of invisible characters."""
_ALONE = frozenset({"ARMENIAN", "CHEROKEE", "COPTIC", "CYRILLIC", "GEORGIAN", "GREEK", "LATIN"})
"""Scripts with similar letters; a name may have letters of only one of them."""
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
_TABLE |= {first + at: letter for first in (0x1F150, 0x1F170, 0x1F1E6) for at, letter in enumerate(ascii_lowercase)}
_PAIRS = (("rn", "m"), ("vv", "w"))


def is_name(name: str) -> bool:
    """Return True if a text can be the name of an account: printable, in NFC, without spaces around it."""
    plain = bool(name) and len(name) <= LONGEST_NAME and name.isprintable() and name == name.strip()
    return plain and unicodedata.is_normalized("NFC", name)


def checked_name(name: str) -> str:
    """Return the name if a new account may have it; raise Denied otherwise."""
    checked_spelling(name)
    if name.startswith(DAIDE) or is_of_house(name):
        raise name_taken(name)
    return name


def checked_spelling(name: str) -> str:
    """Return the name if it is valid and readable: nothing invisible, few marks, one script; raise Denied otherwise."""
    if not is_name(name):
        raise bad_value(f"name: expected 1 to {LONGEST_NAME} printable characters and no space around them")
    if any(low <= ord(sign) <= high for sign in name if not sign.isascii() for low, high in _INVISIBLE):
        raise bad_value("name: expected no invisible characters")
    marks = 0
    for place, sign in enumerate(name):
        kind = unicodedata.category(sign)
        marks = marks + 1 if kind in ("Mn", "Me") else 0
        if marks > MOST_MARKS or kind == "Me" or (marks and not place):
            raise bad_value(f"name: expected at most {MOST_MARKS} marks after a letter, and none around it")
    scripts = {unicodedata.name(sign, "").partition(" ")[0] for sign in name if sign.isalpha()} & _ALONE
    if len(scripts) > 1:
        raise bad_value(f"name: expected letters of one script, got {' and '.join(sorted(scripts)).lower()}")
    return name


def skeletons(name: str) -> frozenset[str]:
    """Return the skeletons of a name. Two names that have one in common look alike."""
    return frozenset({_skeleton(name), _skeleton(name.casefold())})


def is_of_house(name: str) -> bool:
    """Return True if a name looks like one of the server's, or like a house agent's, with or without options."""
    return not _house().isdisjoint(skeletons(name) | skeletons(name.partition(":")[0].strip()))


def _skeleton(name: str) -> str:
    shown = unicodedata.normalize("NFKD", name[:LONGEST_NAME])  # no name is longer, whoever asks
    for _ in range(2):  # before and after case folding, because a capital may look like another letter
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
    """The skeletons of a store's account names, read from the store at the first use."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._owners: dict[str, str] | None = None
        """One account for each skeleton."""

    async def looks_taken(self, name: str, *, by: str = "") -> bool:
        """Return True if an account other than `by` has that name or one that looks like it."""
        if name == by:
            return False
        if await self._store.fetch(self._store.account, name) is not None:
            return True
        owners = await self._read()
        return any(owners.get(look, by) != by for look in skeletons(name))

    async def may_show(self, name: str, *, by: str) -> bool:
        """Return True if the holder of the account `by` may appear under a name: readable, and nobody else's."""
        try:
            checked_spelling(name)
        except Denied:
            return False
        return not is_of_house(name) and not await self.looks_taken(name, by=by)

    async def add(self, name: str) -> None:
        """Add the name of a new account."""
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


@cache
def representatives() -> Mapping[int, str]:
    """Return a table for str.translate that replaces each character by the representative of its group."""
    # Loaded on demand: it is a megabyte, and most verbs have no accounts.
    from confusable_homoglyphs.confusables import confusables_data

    found: dict[int, str] = {}
    for group in _groups(confusables_data):
        # A text of several letters is preferred, because its letters may appear one by one, as rn for m.
        best = min(group, key=lambda text: (-len(text), not text.isascii(), not text.islower(), text))
        found |= {ord(text): best for text in group if len(text) == 1 and text != best}
    return {sign: best if len(best) == 1 else best.translate(found) for sign, best in found.items()}


def _groups(alike: Mapping[str, Sequence[Mapping[str, str]]]) -> list[set[str]]:
    """Return the groups of texts that look alike, directly or through others."""
    neighbours: dict[str, set[str]] = {}
    for text, others in alike.items():
        for other in others:
            one, two = text.strip(DIRECTION), other["c"].strip(DIRECTION)
            neighbours.setdefault(one, set()).add(two)
            neighbours.setdefault(two, set()).add(one)
    groups, seen = list[set[str]](), set[str]()
    for text in neighbours:
        if text not in seen:
            group, ahead = {text}, [text]
            while ahead:
                fresh = neighbours[ahead.pop()] - group
                group |= fresh
                ahead += fresh
            seen |= group
            groups.append(group)
    return groups
