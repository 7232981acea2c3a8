"""Names of places and powers in prompts: the map's, or names drawn from a seed.

A model has read thousands of games about Burgundy. Under other names, on the same map, the model must reason. The
renaming is one to one, so the match is the same when the names are mapped back.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

from parlour.core import seeds
from parlour.games.diplomacy.maps.map import Map
from parlour.press.language.tokens import Lexicon

_WORD = re.compile(r"[A-Za-z]+")
_CONSONANTS, _VOWELS = "BDFGKLMNPRSTVZ", "AEIOU"


class NameBook:
    """Names in both directions. Orders and press spell some places differently, so each has its own mapping."""

    def __init__(self, board: Map, seed: int | None = None) -> None:
        """Use the map's own names, or with a seed random ones."""
        self.board = board
        self.hidden = seed is not None
        self.powers: dict[str, str] = {}
        """The new name of each power, for example MIREL for FRANCE; empty without a seed."""
        self.places: dict[str, str] = {}
        """The new tag of each province; empty without a seed."""
        if seed is not None:
            self._rename(random.Random(seeds.model_names(seed)))
        tags = {power.tag: self.powers[power.name][:3] for power in board.powers} if seed is not None else {}
        press = {province.daide: self.places[province.tag] for province in board.provinces} if self.places else {}
        self._orders = _Glossary({**self.places, **self.powers})
        self._press = _Glossary({**press, **tags, **self.powers})
        self._free = _Glossary(self._plain_names())

    def _rename(self, rng: random.Random) -> None:
        # New names must not have a meaning on this map or in the press language.
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
        """Return a text of orders and units in the new names."""
        return self._orders.out(text)

    def press(self, text: str) -> str:
        """Return a text of press or prose in the new names."""
        return self._free.out(self._press.out(text))

    def orders_back(self, text: str) -> str:
        """Return the model's orders in the names of the map."""
        return self._orders.back(text)

    def press_back(self, text: str) -> str:
        """Return the model's press in the names of the map."""
        return self._press.back(text)

    def mapping(self) -> dict[str, str]:
        """Return the new names by the old names, for the record."""
        return {**self.powers, **self.places}


class _Glossary:
    """Replacements of words, in both directions and for any letter case."""

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
