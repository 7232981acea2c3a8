"""Reads the text of a map file into a Map, and refuses a text that contradicts itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NoReturn

from parlour.errors import MapError
from parlour.games.diplomacy.maps.calendar import FIRST_SEASONS, SEASON_NAMES, Calendar
from parlour.games.diplomacy.maps.map import (
    COASTS,
    MAX_FILE,
    MAX_LINES,
    MAX_PORTS,
    MAX_POWERS,
    MAX_PROVINCES,
    MAX_SEAS,
    SHIPPED,
    Area,
    Builds,
    Ground,
    Map,
    Power,
    Province,
    StartingUnit,
    path_of,
)

_GEOGRAPHY = frozenset({"land", "sea", "coast", "port", "tag", "alias", "army", "fleet", "oneway", "at"})
"""Statements about provinces and borders, not about powers."""
_WORD = re.compile(r"[A-Z][A-Z0-9_]{1,19}")
_TAG = re.compile(r"[A-Z][A-Z0-9]{2}")
_MAP_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")
_SEASON = re.compile(r"[^\W_][\w.-]{0,19}")


@dataclass
class _Province:
    """A province while the file is being read."""

    id: int
    tag: str
    name: str
    kind: Ground
    coasts: tuple[str, ...]
    line: int
    area: int
    daide: str = ""
    centre: bool = False
    home: int | None = None
    owner: int | None = None
    at: tuple[float, float] | None = None
    aliases: list[str] = field(default_factory=list)
    port: bool = False

    @property
    def convoys(self) -> bool:
        """True if a fleet there can convoy."""
        return self.port or self.kind is Ground.SEA


@dataclass
class _Power:
    """A power while the file is being read."""

    name: str
    tag: str
    title: str
    homes: list[int] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)
    owned: list[int] = field(default_factory=list)
    sites: list[int] = field(default_factory=list)
    played: bool = True

    @property
    def spellings(self) -> tuple[str, ...]:
        """Every spelling of the power so far."""
        return self.name, self.tag, self.title.upper(), *self.aliases


class MapReader:
    """A reader of statements, each of which is checked against those before it."""

    def __init__(self, text: str, path: str) -> None:
        self._text, self._path, self._line = text, path, 0
        self._once: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        self._powers: list[_Power] = []
        self._provinces: list[_Province] = []
        self._spellings: dict[str, int] = {}
        self._areas: list[Area] = []
        self._area_ids: dict[str, int] = {}
        self._units: list[StartingUnit] = []
        self._borders: dict[str, dict[int, tuple[int, tuple[int, ...]]]] = {"army": {}, "fleet": {}}
        self._one_way: dict[str, dict[int, set[int]]] = {"army": {}, "fleet": {}}
        self._season = 0
        self._calendar = Calendar()
        self._geography_of = ""
        self._statements: dict[str, Callable[[list[str]], None]] = {
            "map": lambda words: self._set("map", words, _MAP_NAME),
            "title": lambda words: self._set("title", [" ".join(words)], re.compile(r".{1,80}")),
            "begin": self._begin,
            "years": self._years,
            "seasons": self._seasons,
            "builds": lambda words: self._set("builds", words, re.compile("|".join(Builds))),
            "victory": lambda words: self._number("victory", words, 1, MAX_PROVINCES),
            "geography": self._geography,
            "power": self._power,
            "land": lambda words: self._province(Ground.LAND, words),
            "sea": lambda words: self._province(Ground.SEA, words),
            "coast": lambda words: self._province(Ground.COAST, words),
            "port": self._port,
            "tag": self._tag,
            "alias": self._alias,
            "home": self._home,
            "homeland": lambda words: self._home(words, owned=False),
            "owns": self._owns,
            "neutral": self._neutral,
            "site": self._site,
            "unplayed": self._unplayed,
            "start": self._start,
            "army": lambda words: self._border("army", words),
            "fleet": lambda words: self._border("fleet", words),
            "oneway": self._oneway,
            "at": self._at,
        }

    def map(self) -> Map:
        """Return the map; raise MapError if the file is not valid."""
        if len(self._text.encode()) > MAX_FILE:
            self._fail(f"larger than {MAX_FILE} bytes")
        for words in self._lines():
            if words[0] not in self._statements:
                self._fail(f"unknown statement {words[0]!r:.40}")
            if len(words) == 1:
                self._fail(f"{words[0]}: nothing follows")
            if self._geography_of and words[0] in _GEOGRAPHY - {"alias"}:
                self._fail(f"{words[0]}: the geography is that of {self._geography_of}")
            self._statements[words[0]](words[1:])
        return self._finish()

    def _lines(self) -> Iterator[list[str]]:
        lines = self._text.splitlines()
        if len(lines) > MAX_LINES:
            self._fail(f"more than {MAX_LINES} lines")
        for self._line, line in enumerate(lines, 1):
            words = line.partition("#")[0].split()
            if words:
                yield words

    def _fail(self, reason: str, line: int | None = None) -> NoReturn:
        raise MapError(reason, path=self._path, line=self._line if line is None else line)

    def _set(self, key: str, words: list[str], form: re.Pattern[str]) -> None:
        if key in self._once:
            self._fail(f"{key}: given twice")
        if len(words) != 1 or not form.fullmatch(words[0]):
            self._fail(f"{key}: expected one value like {form.pattern}, got {' '.join(words)!r:.60}")
        self._once[key] = words[0]

    def _number(self, key: str, words: list[str], low: int, high: int) -> None:
        self._set(key, words, re.compile(r"[0-9]{1,4}"))
        value = int(words[0])
        if not low <= value <= high:
            self._fail(f"{key}: expected a number from {low} to {high}, got {value}")
        self._numbers[key] = value

    def _geography(self, words: list[str]) -> None:
        """Read the provinces, spellings and borders of a map that ships."""
        path = path_of(words[0])
        if path is None or len(words) > 1:
            self._fail(f"geography: expected one of {', '.join(SHIPPED)}, got {' '.join(words)!r:.60}")
        if self._provinces:
            self._fail("geography: expected before any province, and once")
        self._geography_of = path.stem
        for statement in path.read_text("utf-8").splitlines():
            known = statement.partition("#")[0].split()
            if known and known[0] in _GEOGRAPHY and (known[0] != "alias" or known[1] in self._area_ids):
                self._statements[known[0]](known[1:])
        if not self._provinces:
            self._fail(f"geography: {words[0]} has the geography of another map; expected that one")

    def _begin(self, words: list[str]) -> None:
        self._number("begin", words[:1], 1, 9999)
        if len(words) > 2 or (len(words) == 2 and words[1] not in FIRST_SEASONS):
            self._fail(f"begin: expected YEAR and one of {', '.join(FIRST_SEASONS)}, got {' '.join(words)!r:.60}")
        self._season = FIRST_SEASONS[words[1]] if len(words) == 2 else 0

    def _years(self, words: list[str]) -> None:
        self._number("years", words[:1], 1, 100)
        if len(words) > 2 or not all(re.fullmatch(r"[0-9]{1,2}", word) for word in words[1:]):
            self._fail(f"years: expected STEP and LATER, like 10 5, got {' '.join(words)!r:.60}")
        later = int(words[1]) if len(words) == 2 else 0
        if later >= max(self._numbers["years"], 1) and later:
            self._fail(f"years: expected fewer than {self._numbers['years']} from spring to fall, got {later}")
        self._calendar = Calendar(self._numbers["years"], later, self._calendar.seasons)

    def _seasons(self, words: list[str]) -> None:
        if "seasons" in self._once:
            self._fail("seasons: given twice")
        if len(words) != 3 or not all(_SEASON.fullmatch(word) for word in words):
            self._fail(f"seasons: expected three names, like {' '.join(SEASON_NAMES)}")
        self._once["seasons"] = " ".join(words)
        self._calendar = Calendar(self._calendar.step, self._calendar.later, tuple(words))

    def _power(self, words: list[str]) -> None:
        if len(words) < 3 or not _WORD.fullmatch(words[0]) or not _TAG.fullmatch(words[1]):
            self._fail("power: expected NAME TAG WORDS, like AUSTRIA AUS Austria")
        if len(self._powers) == MAX_POWERS:
            self._fail(f"power: more than {MAX_POWERS} powers")
        name, tag, title = words[0], words[1], " ".join(words[2:])
        taken = {word for power in self._powers for word in power.spellings}
        for word in (name, tag, title.upper()):
            if word in taken:
                self._fail(f"power: {word} is taken")
        self._powers.append(_Power(name, tag, title))

    def _province(self, kind: Ground, words: list[str], *, port: bool = False) -> None:
        tag, *coasts = words[0].split("/")
        if not _TAG.fullmatch(tag) or len(words) < 2:
            self._fail(f"{kind}: expected TAG WORDS, like PAR Paris")
        if len(self._provinces) == MAX_PROVINCES:
            self._fail(f"more than {MAX_PROVINCES} provinces")
        if (port or kind is Ground.SEA) and sum(p.convoys for p in self._provinces) == MAX_SEAS:
            self._fail(f"more than {MAX_SEAS} seas")
        if coasts and (kind is not Ground.COAST or len(set(coasts)) != 2 or len(coasts) != 2):
            self._fail(f"{tag}: a coast is split into two shores, like BUL/EC/SC, or not at all")
        for coast in coasts:
            if coast not in COASTS:
                self._fail(f"{tag}: unknown shore {coast!r:.20}; expected one of {', '.join(COASTS)}")
        name = " ".join(words[1:])
        province = _Province(len(self._provinces), tag, name, kind, tuple(coasts), self._line, len(self._areas))
        province.port = port
        self._provinces.append(province)
        self._spell(tag, province.id)
        if name.upper() != tag:
            self._spell(name.upper(), province.id)
        for index, end in enumerate(("", *(f"/{coast}" for coast in coasts))):
            self._area_ids[tag + end] = len(self._areas)
            self._areas.append(Area(len(self._areas), province.id, index, tag + end, ""))

    def _port(self, words: list[str]) -> None:
        if "/" in words[0]:
            self._fail(f"port: expected one shore, got {words[0]!r:.20}")
        if sum(p.port for p in self._provinces) == MAX_PORTS:
            self._fail(f"more than {MAX_PORTS} ports")
        self._province(Ground.COAST, words, port=True)

    def _spell(self, word: str, number: int) -> None:
        if len(word) > 40:
            self._fail(f"a name longer than 40 letters: {word:.40}")
        if word in self._spellings:
            other = self._provinces[self._spellings[word]]
            self._fail(f"{word} already means {other.name} (line {other.line})")
        self._spellings[word] = number

    def _known(self, word: str) -> _Province:
        if word not in self._area_ids or "/" in word:
            self._fail(f"unknown province {word!r:.40}")
        return self._provinces[self._areas[self._area_ids[word]].province]

    def _known_power(self, word: str) -> int:
        for number, power in enumerate(self._powers):
            if power.name == word:
                return number
        self._fail(f"unknown power {word!r:.40}")

    def _area(self, word: str) -> Area:
        if word not in self._area_ids:
            self._fail(f"unknown area {word!r:.40}")
        return self._areas[self._area_ids[word]]

    def _tag(self, words: list[str]) -> None:
        province = self._known(words[0])
        if len(words) != 2 or not _TAG.fullmatch(words[1]):
            self._fail("tag: expected TAG OTHER, like ENG ECH")
        if province.daide:
            self._fail(f"tag: {province.tag} already has {province.daide}")
        self._spell(words[1], province.id)
        province.daide = words[1]

    def _alias(self, words: list[str]) -> None:
        power = next((power for power in self._powers if power.name == words[0]), None)
        if power is not None and words[0] not in self._area_ids:
            self._alias_power(power, words[1:])
            return
        province = self._known(words[0])
        for word in words[1:]:
            spelling = word.replace("_", " ")
            self._spell(spelling, province.id)
            province.aliases.append(spelling)

    def _alias_power(self, power: _Power, words: list[str]) -> None:
        for word in (word.replace("_", " ") for word in words):
            if len(word) > 40:
                self._fail(f"a name longer than 40 letters: {word:.40}")
            if word in {known for other in self._powers for known in other.spellings}:
                self._fail(f"alias: {word} is taken")
            power.aliases.append(word)

    def _centre(self, word: str, *, known: bool = False) -> _Province:
        """Make a province a supply centre and return it. If `known`, it may be a centre already."""
        province = self._known(word)
        if province.centre and not known:
            self._fail(f"{word} is a centre twice")
        if province.kind is Ground.SEA:
            self._fail(f"{word} is at sea and cannot be a centre")
        province.centre = True
        return province

    def _neutral(self, words: list[str]) -> None:
        for word in words:
            self._centre(word)

    def _home(self, words: list[str], *, owned: bool = True) -> None:
        power = self._known_power(words[0])
        for word in words[1:]:
            province = self._centre(word, known=not owned)
            if province.id in self._powers[power].homes:
                self._fail(f"{word} is a home of {words[0]} twice")
            province.home = power if province.home is None else province.home
            self._powers[power].homes.append(province.id)
            if owned:
                self._give(province, power)

    def _owns(self, words: list[str]) -> None:
        power = self._known_power(words[0])
        for word in words[1:]:
            self._give(self._centre(word, known=True), power)

    def _give(self, province: _Province, power: int) -> None:
        if province.owner is not None:
            self._fail(f"{province.tag} is owned twice, already by {self._powers[province.owner].name}")
        province.owner = power
        self._powers[power].owned.append(province.id)

    def _site(self, words: list[str]) -> None:
        power = self._known_power(words[0])
        for word in words[1:]:
            province = self._known(word)
            if not province.centre:
                self._fail(f"site: {word} is not a supply centre")
            if province.id in (*self._powers[power].homes, *self._powers[power].sites):
                self._fail(f"site: {words[0]} may build in {word} anyway")
            self._powers[power].sites.append(province.id)

    def _unplayed(self, words: list[str]) -> None:
        for word in words:
            power = self._powers[self._known_power(word)]
            if not power.played:
                self._fail(f"unplayed: {word} is given twice")
            power.played = False

    def _start(self, words: list[str]) -> None:
        if len(words) != 3 or words[1] not in ("A", "F"):
            self._fail("start: expected POWER A|F AREA, like AUSTRIA A VIE")
        power, fleet, area = self._known_power(words[0]), words[1] == "F", self._area(words[2])
        if any(self._areas[unit.area].province == area.province for unit in self._units):
            self._fail(f"start: two units in {words[2]}")
        if not self._stands(area, fleet):
            self._fail(f"start: {'a fleet' if fleet else 'an army'} cannot stand in {area.tag}")
        self._units.append(StartingUnit(power, fleet, area.id))

    def _stands(self, area: Area, fleet: bool) -> bool:
        """Return True if a unit of that type can be in exactly that area."""
        province = self._provinces[area.province]
        if not fleet:
            return province.kind is not Ground.SEA and area.coast == 0
        return province.kind is not Ground.LAND and (area.coast > 0) == bool(province.coasts)

    def _border(self, unit: str, words: list[str]) -> None:
        here, there = self._area(words[0]), [self._area(word) for word in words[1:]]
        for area in (here, *there):
            if not self._stands(area, unit == "fleet"):
                self._fail(f"{unit}: {'a fleet' if unit == 'fleet' else 'an army'} cannot stand in {area.tag}")
        if here.id in self._borders[unit]:
            self._fail(f"{unit}: borders of {here.tag} are given twice")
        if len({area.id for area in there}) != len(there):
            self._fail(f"{unit}: a border of {here.tag} is given twice")
        if any(area.province == here.province for area in there):
            self._fail(f"{unit}: {here.tag} cannot border itself")
        self._borders[unit][here.id] = (self._line, tuple(sorted(area.id for area in there)))

    def _oneway(self, words: list[str]) -> None:
        unit = words[0]
        if unit not in self._one_way or len(words) < 3:
            self._fail("oneway: expected army or fleet, the AREA to leave and the AREAs to enter")
        here, there = self._area(words[1]), [self._area(word) for word in words[2:]]
        for area in (here, *there):
            if not self._stands(area, unit == "fleet"):
                self._fail(f"oneway: {'a fleet' if unit == 'fleet' else 'an army'} cannot stand in {area.tag}")
        if any(area.province == here.province for area in there):
            self._fail(f"oneway: {here.tag} cannot border itself")
        self._one_way[unit].setdefault(here.id, set()).update(area.id for area in there)

    def _at(self, words: list[str]) -> None:
        province = self._known(words[0])
        if len(words) != 3 or not all(re.fullmatch(r"-?[0-9]{1,5}(?:\.[0-9]{1,3})?", word) for word in words[1:]):
            self._fail("at: expected TAG X Y, like PAR 480 -120")
        if province.at is not None:
            self._fail(f"at: {province.tag} is given twice")
        province.at = (float(words[1]), float(words[2]))

    def _reach(self, unit: str, area: int) -> tuple[int, ...]:
        """Return the areas that a unit reaches from an area, ascending."""
        both_ways = self._borders[unit].get(area, (0, ()))[1]
        return tuple(sorted({*both_ways, *self._one_way[unit].get(area, ())}))

    def _finish(self) -> Map:
        for key in ("map", "title", "begin", "victory"):
            if key not in self._once:
                self._fail(f"no {key}")
        if sum(power.played for power in self._powers) < 2:
            self._fail("fewer than 2 powers")
        if self._numbers["victory"] > sum(p.centre for p in self._provinces):
            self._fail("victory: more centres than there are")
        self._check_tags()
        self._check_borders()
        self._check_beginning()
        provinces = tuple(
            Province(
                p.id,
                p.tag,
                p.daide or p.tag,
                p.name,
                p.kind,
                p.coasts,
                p.area,
                p.centre,
                p.home,
                (*p.aliases,),
                p.owner,
                p.at,
                p.port,
            )
            for p in self._provinces
        )
        return Map(
            name=self._once["map"],
            title=self._once["title"],
            year=self._numbers["begin"],
            victory=self._numbers["victory"],
            powers=tuple(
                Power(i, p.name, p.tag, p.title, (*p.homes,), (*p.aliases,), tuple(p.owned), tuple(p.sites), p.played)
                for i, p in enumerate(self._powers)
            ),
            provinces=provinces,
            areas=tuple(
                Area(a.id, a.province, a.coast, a.tag, provinces[a.province].daide + a.tag[3:]) for a in self._areas
            ),
            army=tuple(self._reach("army", area.id) for area in self._areas),
            fleet=tuple(self._reach("fleet", area.id) for area in self._areas),
            units=tuple(self._units),
            season=self._season,
            calendar=self._calendar,
            builds=Builds(self._once.get("builds", Builds.HOME)),
            geography=self._geography_of,
        )

    def _check_tags(self) -> None:
        """Refuse a power and a province with one tag: DAIDE could not distinguish them."""
        places = {place.daide or place.tag: place.tag for place in self._provinces}
        for power in self._powers:
            if power.tag in places:
                self._fail(f"{power.name}: the tag {power.tag} is that of the province {places[power.tag]} in DAIDE")

    def _check_beginning(self) -> None:
        """Refuse a first winter in which nobody has anything to order."""
        if self._season < FIRST_SEASONS["winter"]:
            return
        for number, power in enumerate(self._powers):
            units = sum(unit.power == number for unit in self._units)
            if len(power.owned) != units and power.played:
                return
        self._fail("begin: nobody has anything to build or remove; expected spring or fall")

    def _check_borders(self) -> None:
        for unit, borders in self._borders.items():
            for here, (line, there) in borders.items():
                for other in there:
                    if other in self._one_way[unit].get(here, ()) or here in self._one_way[unit].get(other, ()):
                        a, b = self._areas[here].tag, self._areas[other].tag
                        self._fail(f"{unit}: {a} and {b} border both ways and one way", line)
                    if here not in borders.get(other, (0, ()))[1]:
                        a, b = self._areas[here].tag, self._areas[other].tag
                        self._fail(f"{unit}: asymmetric border: {a} lists {b}, but {b} does not list {a}", line)
        for area in self._areas:
            province = self._provinces[area.province]
            if self._stands(area, True) and not self._reach("fleet", area.id):
                self._fail(f"{area.tag} has no border for fleets", province.line)
            if province.kind is Ground.LAND and not self._reach("army", area.id):
                self._fail(f"{area.tag} has no border for armies", province.line)
