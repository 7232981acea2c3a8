"""Names of places and powers in prompts: the map's, or names drawn from a seed.

A model has read thousands of games in which Burgundy matters. Under other names, on the same map, it must reason. The
renaming is one to one, so that the match is the same when it is mapped back.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

from parlour.games.diplomacy.maps.map import Map
from parlour.press.language.tokens import Lexicon

_WORD = re.compile(r"[A-Za-z]+")
_CONSONANTS, _VOWELS = "BDFGKLMNPRSTVZ", "AEIOU"


class NameBook:
    """Names in both directions. Orders and press spell some places differently, so each has its own way."""

    def __init__(self, board: Map, seed: int | None = None) -> None:
        """Use the names of the map itself or, with a seed, others."""
        self.board = board
        self.hidden = seed is not None
        self.powers: dict[str, str] = {}
        """The new name of each power, if they are hidden: FRANCE is MIREL."""
        self.places: dict[str, str] = {}
        """The new tag of each province."""
        if seed is not None:
            self._rename(random.Random(f"names {seed}"))
        tags = {power.tag: self.powers[power.name][:3] for power in board.powers} if seed is not None else {}
        press = {province.daide: self.places[province.tag] for province in board.provinces} if self.places else {}
        self._orders = _Glossary({**self.places, **self.powers})
        self._press = _Glossary({**press, **tags, **self.powers})
        self._free = _Glossary(self._plain_names())

    def _rename(self, rng: random.Random) -> None:
        # Not one that means something already, on this map or in the language.
        taken = set(Lexicon.of(self.board).known) | set(self.board.spellings) | set(self.board.power_spellings)
        for power in self.board.powers:
            word = _new(rng, taken)
            self.powers[power.name] = word + rng.choice(_VOWELS) + rng.choice(_CONSONANTS)
        for province in self.board.provinces:
            self.places[province.tag] = _new(rng, taken)

    def _plain_names(self) -> dict[str, str]:
        if not self.hidden:
            return {}
        powers = {power.title.upper(): self.powers[power.name] for power in self.board.powers}
        places = {province.name.upper(): self.places[province.tag] for province in self.board.provinces}
        return {word: name for word, name in {**places, **powers}.items() if word.isalpha()}

    def orders(self, text: str) -> str:
        """Return a text of orders and units as the model gets it."""
        return self._orders.out(text)

    def press(self, text: str) -> str:
        """Return a message in the language of press, or in any, as the model gets it."""
        return self._free.out(self._press.out(text))

    def orders_back(self, text: str) -> str:
        """Return the model's orders in the names of the map."""
        return self._orders.back(text)

    def press_back(self, text: str) -> str:
        """Return the model's press in the names of the map."""
        return self._press.back(text)

    def mapping(self) -> dict[str, str]:
        """Return all new names by the old ones, for the record."""
        return {**self.powers, **self.places}


class _Glossary:
    """Words that stand for others, in both directions and in any case."""

    def __init__(self, words: Mapping[str, str]) -> None:
        self._out, self._back = dict(words), {new: old for old, new in words.items()}

    def out(self, text: str) -> str:
        return _replaced(text, self._out)

    def back(self, text: str) -> str:
        return _replaced(text, self._back)


def _replaced(text: str, words: Mapping[str, str]) -> str:
    if not words:
        return text
    return _WORD.sub(lambda found: words.get(found[0].upper(), found[0]), text)


def _new(rng: random.Random, taken: set[str]) -> str:
    while True:
        word = rng.choice(_CONSONANTS) + rng.choice(_VOWELS) + rng.choice(_CONSONANTS)
        if word not in taken:
            taken.add(word)
            return word
