"""Turns the places of a `.map` file into provinces and borders."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NoReturn

from parlour.games.diplomacy.imports.draft import DraftPlace, MapDraft
from parlour.games.diplomacy.maps.map import Ground

TERRAIN = {"LAND": Ground.LAND, "WATER": Ground.SEA, "COAST": Ground.COAST, "PORT": Ground.COAST}
Fail = Callable[[str, int], NoReturn]
"""A function that raises MapError for a reason and a line."""


@dataclass
class Location:
    """A place or one of its shores, as its line of borders describes it."""

    kind: str
    neighbours: list[str]
    line: int
    whole: bool = False
    """True for a split province seen as a whole, in lower case."""


@dataclass
class PlaceName:
    """A place as the line with its name describes it."""

    tag: str
    name: str
    line: int
    aliases: list[str] = field(default_factory=list)


class Geographer:
    """A converter of the places in a file into provinces and borders."""

    def __init__(
        self, locations: Mapping[str, Location], names: Mapping[str, PlaceName], fail: Fail, plain_ports: bool
    ) -> None:
        self._locations, self._names, self._fail, self._plain_ports = locations, names, fail, plain_ports

    def places(self, draft: MapDraft) -> None:
        """Fill in the provinces; raise MapError with the line of an impossible place."""
        for tag, name in self._names.items():
            if tag not in self._locations:
                self._fail(f"{tag} has a name, but no borders", name.line)
        spelt: dict[str, PlaceName] = {}
        for name in self._names.values():
            for word in (name.tag, name.name.upper(), *name.aliases):
                if (other := spelt.setdefault(word, name)) is not name:
                    self._fail(f"{word} already means {other.name} (line {other.line})", name.line)
        for loc, location in self._locations.items():
            tag = base(loc)
            if tag not in self._names:
                self._fail(f"{loc} has borders, but no name", location.line)
            if loc != tag or location.kind == "SHUT":
                continue
            if location.kind == "PORT" and self._plain_ports:
                draft.notes.append(f"line {location.line}: the port {loc} is read as a coast")
            named = self._names[tag]
            place = DraftPlace(tag, named.name, TERRAIN[location.kind], location.line, aliases=named.aliases)
            place.port = location.kind == "PORT" and not self._plain_ports
            place.coasts = [each[4:] for each in self._locations if base(each) == tag and each != tag]
            draft.places.append(place)

    def borders(self, draft: MapDraft) -> None:
        """Fill in the areas that units reach from each place and shore."""
        open_places = {loc: location for loc, location in self._locations.items() if location.kind != "SHUT"}
        for unit in ("army", "fleet"):
            for loc, location in open_places.items():
                ends = dict.fromkeys(self._ends(unit, loc, location))
                if ends:
                    draft.borders[unit][loc] = list(ends)
                    draft.lines[loc] = location.line
        for place in draft.places:
            areas = [f"{place.tag}/{coast}" for coast in place.coasts] or [place.tag]
            if place.kind is Ground.COAST and not any(area in draft.borders["fleet"] for area in areas):
                place.kind, place.coasts, place.port = Ground.LAND, [], False  # no fleet can ever be there

    def _ends(self, unit: str, loc: str, location: Location) -> Iterator[str]:
        """Yield the areas that a unit reaches from a place or shore."""
        split = location.whole
        for word in location.neighbours:
            end = word.upper()
            tag = base(end)
            if tag not in self._locations:
                self._fail(f"{loc}: unknown neighbour {word}", location.line)
            there = self._locations[tag]
            if there.kind == "SHUT":
                continue
            if end not in self._locations:
                self._fail(f"{loc}: {tag} has no shore {end[4:]}", location.line)
            if unit == "army":
                walks = "WATER" not in (location.kind, there.kind) and len(loc) == 3
                if walks and not (word[0].isupper() and word[1:].islower()):
                    yield tag
            elif not split and "LAND" not in (location.kind, there.kind) and not word.islower():
                if self._locations[end].whole:
                    self._fail(f"{loc}: {word} is split: expected one of its shores", location.line)
                yield end


def base(loc: str) -> str:
    """Return the tag of the place of a shore, in upper case."""
    return loc.upper()[:3]
