"""A map as a foreign file describes it, and its text in our own format, statement by statement.

The text is read back by our own reader, so a map is checked in one place. Each statement keeps the line of the foreign
file that it came from: an error names that line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from parlour.errors import MapError
from parlour.games.diplomacy.maps.calendar import FIRST_SEASONS, SEASON_NAMES, Calendar
from parlour.games.diplomacy.maps.map import Builds, Ground, Map, read_map

Statement = tuple[str, int]
"""A line in our own format, and the line of the foreign file that it came from."""


@dataclass
class DraftPlace:
    """A province as the foreign file describes it."""

    tag: str
    name: str
    kind: Ground
    line: int
    coasts: list[str] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)
    port: bool = False


@dataclass
class DraftPower:
    """A power as the foreign file describes it."""

    name: str
    title: str
    line: int
    homes: list[str] = field(default_factory=list)
    owned: list[str] = field(default_factory=list)
    units: list[tuple[str, str, int]] = field(default_factory=list)
    """Type, area and line of each starting unit."""
    aliases: list[str] = field(default_factory=list)
    played: bool = True


@dataclass
class MapDraft:
    """A map as the foreign file describes it."""

    name: str
    title: str
    path: str
    year: int = 1901
    season: int = 0
    calendar: Calendar = field(default_factory=Calendar)
    victory: int = 0
    builds: Builds = Builds.HOME
    places: list[DraftPlace] = field(default_factory=list)
    powers: list[DraftPower] = field(default_factory=list)
    neutral: list[str] = field(default_factory=list)
    borders: dict[str, dict[str, list[str]]] = field(default_factory=lambda: {"army": {}, "fleet": {}})
    """The areas that armies and fleets reach from each area."""
    lines: dict[str, int] = field(default_factory=dict)
    """The line on which the borders of an area stand."""
    notes: list[str] = field(default_factory=list)
    """Statements that were skipped because they have no effect here."""

    def statements(self) -> Iterator[Statement]:
        """Yield the statements of the map in our own format."""
        yield f"map {self.name}", 0
        yield f"title {self.title}", 0
        first = next(name for name, season in FIRST_SEASONS.items() if season == self.season)
        yield f"begin {self.year}{'' if self.season == 0 else ' ' + first}", 0
        if (self.calendar.step, self.calendar.later) != (1, 0):
            yield f"years {self.calendar.step} {self.calendar.later}", 0
        if self.calendar.seasons != SEASON_NAMES:
            yield f"seasons {' '.join(self.calendar.seasons)}", 0
        yield f"victory {self.victory or len(self._centres()) // 2 + 1}", 0
        if self.builds is not Builds.HOME:
            yield f"builds {self.builds}", 0
        yield from self._politics()
        yield from self._geography()
        yield from self._holdings()
        for unit, borders in self.borders.items():
            for area, others in borders.items():
                if others:
                    yield f"{unit} {area} {' '.join(others)}", self.lines.get(area, 0)

    def _centres(self) -> set[str]:
        return {*self.neutral, *(tag for power in self.powers for tag in (*power.homes, *power.owned))}

    def _politics(self) -> Iterator[Statement]:
        taken = {place.tag for place in self.places}  # DAIDE distinguishes powers and provinces by their tags
        for power in self.powers:
            tag = power_tag(power.name, taken)
            taken.add(tag)
            yield f"power {power.name} {tag} {power.title}", power.line

    def _geography(self) -> Iterator[Statement]:
        for kind in Ground:
            for place in self.places:
                if place.kind is kind:
                    shores = "".join(f"/{coast}" for coast in place.coasts)
                    yield f"{'port' if place.port else kind} {place.tag}{shores} {place.name}", place.line
        for place in self.places:
            if place.aliases:
                yield f"alias {place.tag} {' '.join(_one_word(place.aliases))}", place.line
        for power in self.powers:
            if power.aliases:
                yield f"alias {power.name} {' '.join(_one_word(power.aliases))}", power.line

    def _holdings(self) -> Iterator[Statement]:
        first: set[str] = set()
        for power in self.powers:
            own = [tag for tag in power.homes if tag in power.owned and tag not in first]
            rest = [tag for tag in power.homes if tag not in own]
            more = [tag for tag in power.owned if tag not in own]
            first.update(own)
            for word, tags in (("home", own), ("homeland", rest), ("owns", more)):
                if tags:
                    yield f"{word} {power.name} {' '.join(tags)}", power.line
        held = {tag for power in self.powers for tag in (*power.homes, *power.owned)}
        if free := [tag for tag in self.neutral if tag not in held]:
            yield f"neutral {' '.join(free)}", 0
        if idle := [power.name for power in self.powers if not power.played]:
            yield f"unplayed {' '.join(idle)}", 0
        for power in self.powers:
            for kind, area, line in power.units:
                yield f"start {power.name} {kind} {area}", line

    def text(self) -> str:
        """Return the map as a file in our own format."""
        return "".join(f"{line}\n" for line, _ in self.statements())

    def map(self) -> Map:
        """Return the map; raise MapError with the line of the foreign file and the reason."""
        origins = [line for _, line in self.statements()]
        try:
            return read_map(self.text(), self.path)
        except MapError as error:
            at = origins[error.line - 1] if 0 < error.line <= len(origins) else 0
            raise MapError(error.reason, path=self.path, line=at) from None


def power_tag(name: str, taken: Iterable[str]) -> str:
    """Return a tag for a power that is not taken: its first three letters, or else other letters or digits."""
    letters = [letter for letter in name if letter != "_"] + ["X", "X"]
    known = set(taken)
    for second in range(1, len(letters)):
        for third in range(second + 1, len(letters)):
            if (tag := letters[0] + letters[second] + letters[third]) not in known:
                return tag
    return next(tag for number in range(100) if (tag := f"{letters[0]}{number:02}") not in known)


def map_name(stem: str) -> str:
    """Return the name of a map, made from the name of its file."""
    return re.sub(r"[^a-z0-9_-]", "-", stem.lower())[:32].lstrip("_-") or "map"


def _one_word(words: Iterable[str]) -> list[str]:
    return ["_".join(word.split()) for word in words]
