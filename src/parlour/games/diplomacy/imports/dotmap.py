"""Reads `.map` files: the format of the `diplomacy` package and of DPjudge, where the format began.

One statement per line; the first word decides, in any case; `#` at the beginning of a line makes it a comment. Letter
case has a meaning on lines of borders: a place in lower case is a split province as a whole, a neighbour in lower case
is for armies only, and a capitalised one for fleets only. An unknown first word is an error, unless it is a power.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches
from typing import NoReturn

from parlour.errors import MapError
from parlour.games.diplomacy.imports.draft import DraftPower, MapDraft, map_name
from parlour.games.diplomacy.imports.flow import read_flow
from parlour.games.diplomacy.imports.geographer import TERRAIN, Geographer, Location, PlaceName, base
from parlour.games.diplomacy.maps.map import MAX_FILE, MAX_LINES, Builds

MAX_FILES = 8
"""Maximum number of files of one map."""
MAX_PLACES = 1024
MAX_NAMES = 64
"""Maximum number of spellings of one place."""

Include = Callable[[str], str]
"""A function that returns the text of another file in the same folder, by its name."""

_TAG = re.compile(r"[A-Z][A-Z0-9]{2}")
_LOC = re.compile(r"([A-Za-z][A-Za-z0-9]{2})(?:/([A-Za-z]{2}))?")
_POWER = re.compile(r"(?P<name>[^\s()=]+)\s+\((?P<adjective>[^\s():]*)(?::(?P<letter>[^\s()])?)?\)\s*(?P<rest>.*)")
_NAMING = re.compile(r"\s=\s+([A-Za-z][A-Za-z0-9]{2})(?!\S)")
_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_SKIPPED = frozenset(
    ("FLAG", "FLAGS", "NOTIFY", "TEXTONLY", "ROTATE", "TEAM", "TEAMS", "CONTROL", "LEAGUE", "MILITIA", "RESERVES")
)
"""Statements about display, teams and payola, which have no effect here."""
_REFUSED = {
    "NEWHOMES": "homes that change in play",
    "FROM": "borders that change in play",
    "IN": "borders by season",
}
_WORDS = (
    *("BEGIN", "MAP", "USE", "USES", "RULE", "RULES", "FLOW", "FLOWSIGN", "VICTORY", "AMEND", "DROP", "UNOWNED"),
    *("NEUTRAL", "OWNS", "CENTERS", "INHABITS", "HOME", "HOMES", "UNITS", "UNPLAYED", "DUMMY", "DUMMIES", "LAND"),
    *("WATER", "COAST", "PORT", "SHUT", "ABUTS", "DIRECTIVES", "END", *_SKIPPED, *_REFUSED),
)
"""The words with which a statement begins."""
_RULES = {"BUILD_ANY": Builds.ANYWHERE, "REMOTE_BUILDS": Builds.ROOTED, "HOME_BUILDS": Builds.HOMES}
_HARMLESS_RULES = frozenset({"CD_DUMMIES", "FTF_PRESS", "IMMOBILE_DUMMIES"})
"""Rules that are skipped: powers without a player hold here anyway, and a server sets the press."""


class DotMapReader:
    """A reader of one `.map` file and the files that it includes."""

    def __init__(
        self, text: str, path: str, name: str, include: Include | None = None, plain_ports: bool = False
    ) -> None:
        self._text, self._path, self._name = text, path, name
        self._include, self._plain_ports = include, plain_ports
        self._at: tuple[str, int] = (path, 0)
        self._line = 0
        self._files = {path}
        self.locations: dict[str, Location] = {}
        """Every place and shore with its borders, by its tag in upper case; SHUT places too."""
        self.names: dict[str, PlaceName] = {}
        """Every place with its name and spellings, by its tag; SHUT places too."""
        self._announced: set[str] = set()
        """Tags of all places that the files name, also below the line that is read."""
        self._powers: dict[str, DraftPower] = {}
        self._owned: dict[str, list[str]] = {}
        self._current: DraftPower | None = None
        self._neutral: list[str] = []
        self._flow: list[str] = []
        self._begin = ("SPRING", 1901, "MOVEMENT")
        self._begun = self._flowed = ("", 0)
        self._victory = 0
        self._builds = Builds.HOME
        self._notes: list[str] = []
        self._directives = False

    def draft(self) -> MapDraft:
        """Return the map that the file describes; raise MapError with the line and the reason."""
        self._read(self._text, self._path, 0)
        self._at = self._flowed if self._flow else self._begun if self._begun[1] else (self._path, 0)
        calendar, season, year = read_flow(self._begin, self._flow, self._fail)
        self._at = (self._path, 0)
        draft = MapDraft(map_name(self._name), self._name.replace("_", " ").title()[:80], self._path)
        draft.year, draft.season, draft.calendar = year, season, calendar
        draft.victory, draft.builds, draft.notes = self._victory, self._builds, self._notes
        geographer = Geographer(self.locations, self.names, self._fail, self._plain_ports)
        geographer.places(draft)
        geographer.borders(draft)
        self._fill_powers(draft)
        return draft

    # Lines

    def _fail(self, reason: str, line: int | None = None) -> NoReturn:
        path, here = self._at
        raise MapError(reason, path=path, line=here if line is None else line)

    def _read(self, text: str, path: str, included_at: int) -> None:
        if len(text) > MAX_FILE:
            self._fail(f"larger than {MAX_FILE} bytes")
        lines = text.splitlines()
        if len(lines) > MAX_LINES:
            self._fail(f"more than {MAX_LINES} lines")
        self._announced.update(found[1].upper() for line in lines if (found := _NAMING.search(line)))
        for number, line in enumerate(lines, 1):
            self._at, self._line = (path, number), included_at or number
            if line.strip() and not line.startswith("#"):
                self._statement(line.strip())

    def _statement(self, line: str) -> None:
        words = line.split()
        first = words[0].upper()
        if self._directives or "DIRECTIVES" in (word.upper() for word in words[:2]):
            self._directives = first != "END"
            return
        statements: dict[str, Callable[[list[str]], None]] = {
            "BEGIN": self._set_begin,
            "MAP": self._use,
            "USE": self._use,
            "USES": self._use,
            "RULE": self._rules,
            "RULES": self._rules,
            "FLOW": self._add_flow,
            "FLOWSIGN": lambda _: self._fail("FLOWSIGN: a calendar of its own is not supported"),
            "VICTORY": self._set_victory,
            "AMEND": self._amend,
            "DROP": self._drop,
            "UNOWNED": self._unowned,
            "NEUTRAL": self._unowned,
            "OWNS": lambda words: self._hold(words, fresh=False),
            "CENTERS": lambda words: self._hold(words, fresh=True),
            "INHABITS": lambda words: self._homes(words, fresh=False),
            "HOME": lambda words: self._homes(words, fresh=True),
            "HOMES": lambda words: self._homes(words, fresh=True),
            "UNITS": self._no_units,
            "UNPLAYED": self._unplayed,
            "DUMMY": self._dummies,
            "DUMMIES": self._dummies,
        }
        if first in _REFUSED:
            self._fail(f"{first}: {_REFUSED[first]}: not supported")
        if "=" in words:
            self._place(line)
        elif len(words) > 2 and words[2].upper() == "ABUTS" and first in (*TERRAIN, "SHUT", "AMEND"):
            self._borders(first, words)
        elif first in ("A", "F") and len(words) == 2:
            self._unit(first, words[1])
        elif first in statements:
            statements[first](words[1:])
        elif first in _SKIPPED:
            self._notes.append(f"line {self._line}: {first} is skipped")
        else:
            self._power(line, words)

    def _use(self, words: list[str]) -> None:
        for word in words:
            name = word if "." in word else f"{word}.map"
            if not _FILE.fullmatch(name):
                self._fail(f"USE: expected the name of a file in the same folder, got {word!r:.60}")
            if name in self._files:
                self._fail(f"USE: {name} is read twice")
            if len(self._files) == MAX_FILES:
                self._fail(f"USE: more than {MAX_FILES} files")
            if self._include is None:
                self._fail(f"USE: {name} cannot be read from here")
            self._files.add(name)
            before, line = self._at, self._line
            self._read(self._include(name), name, line)
            self._at, self._line = before, line

    def _set_begin(self, words: list[str]) -> None:
        if len(words) != 3 or not re.fullmatch(r"[0-9]{1,4}", words[1]):
            self._fail(f"BEGIN: expected SEASON YEAR TYPE, like SPRING 1901 MOVEMENT, got {' '.join(words)!r:.60}")
        self._begin, self._begun = (words[0].upper(), int(words[1]), words[2].upper()), self._at

    def _add_flow(self, words: list[str]) -> None:
        self._flow.extend(word.upper() for word in words)
        self._flowed = self._flowed if self._flowed[1] else self._at

    def _set_victory(self, words: list[str]) -> None:
        if not words or not all(re.fullmatch(r"[0-9]{1,4}", word) for word in words):
            self._fail("VICTORY: expected a number of centres")
        if len(set(words)) > 1:
            self._fail("VICTORY: a number that changes by year is not supported")
        self._victory = int(words[0])

    def _rules(self, words: list[str]) -> None:
        for word in words:
            rule = word.upper()
            if rule.startswith("!"):
                self._builds = Builds.HOME if _RULES.get(rule[1:]) is self._builds else self._builds
            elif rule in _RULES:
                self._builds = _RULES[rule]
            elif rule not in _HARMLESS_RULES:
                known = ", ".join((*_RULES, *sorted(_HARMLESS_RULES)))
                self._fail(f"RULE: {rule:.40} is not supported; expected one of {known}")

    # Places

    def _place(self, line: str) -> None:
        left, _, right = line.partition("=")
        words = right.split()
        old, arrow, renamed = (part.strip() for part in left.partition("->"))
        name = " ".join((renamed if arrow else left).split())
        if not words or not name:
            self._fail("expected NAME = TAG and more spellings")
        if len(words) > MAX_NAMES:
            self._fail(f"{name:.40}: more than {MAX_NAMES} spellings")
        tag = words[0].upper()
        if re.fullmatch(r"[A-Z0-9]{3}/[A-Z]{2}", tag):
            return  # a shore; its spellings follow from those of its province
        if not _TAG.fullmatch(tag):
            self._fail(f"{name:.40}: expected a tag of a letter and two letters or digits, got {words[0]!r:.20}")
        if arrow:
            self._rename(old.upper(), tag)
        elif tag in self.names:
            self._fail(f"{tag} already means {self.names[tag].name} (line {self.names[tag].line})")
        if len(self.names) == MAX_PLACES:
            self._fail(f"more than {MAX_PLACES} places")
        spellings = [word.rstrip("?").replace("+", " ").upper() for word in words[1:]]
        aliases = [each for each in dict.fromkeys(spellings) if re.fullmatch(r"[^#/()]{2,40}", each)]
        own = {tag, name.upper()}
        self.names[tag] = PlaceName(tag, name, self._line, [alias for alias in aliases if alias not in own])

    def _rename(self, old: str, new: str) -> None:
        if old not in self.names:
            self._fail(f"->: unknown place {old!r:.20}")
        self.names.pop(old)
        for loc in [loc for loc in self.locations if base(loc) == old]:
            self.locations[new + loc[3:]] = self.locations.pop(loc)
        for location in self.locations.values():
            location.neighbours = [
                _cased_as(each, new) + each[3:] if base(each) == old else each for each in location.neighbours
            ]
        for power in self._powers.values():
            power.homes = [new if tag == old else tag for tag in power.homes]
            power.units = [(kind, new + at[3:] if base(at) == old else at, line) for kind, at, line in power.units]
        self._owned = {name: [new if tag == old else tag for tag in own] for name, own in self._owned.items()}
        self._neutral = [new if tag == old else tag for tag in self._neutral]

    def _borders(self, terrain: str, words: list[str]) -> None:
        if not _LOC.fullmatch(words[1]):
            self._fail(f"{terrain}: expected the tag of a place, got {words[1]!r:.20}")
        loc = words[1].upper()
        neighbours = words[3:]
        for word in neighbours:
            if not _LOC.fullmatch(word.lstrip("-") if terrain == "AMEND" else word):
                self._fail(f"{loc}: {self._oddity(word)}")
        if terrain == "AMEND":
            self._amend_borders(loc, neighbours)
            return
        if len(self.locations) == 2 * MAX_PLACES:
            self._fail(f"more than {2 * MAX_PLACES} places and shores")
        self.locations[loc] = Location(terrain, neighbours, self._line, whole=words[1].islower())

    def _oddity(self, word: str) -> str:
        """Return the error in a neighbour, which names the unsupported rule if there is one."""
        if "*" in word or "~" in word:
            return f"{word!r:.20}: weak borders are not supported"
        if ":" in word or "(" in word:
            return f"{word!r:.20}: borders by power or owner are not supported"
        return f"expected the tag of a neighbour, got {word!r:.20}"

    def _amend(self, words: list[str]) -> None:
        self._fail(f"AMEND: expected TAG ABUTS and neighbours, got {' '.join(words)!r:.60}")

    def _amend_borders(self, loc: str, neighbours: list[str]) -> None:
        if loc not in self.locations:
            self._fail(f"AMEND: unknown place {loc}")
        location = self.locations[loc]
        for word in neighbours:
            plain = word.lstrip("-")
            location.neighbours = [each for each in location.neighbours if each.upper() != plain.upper()]
            if not word.startswith("-"):
                location.neighbours.append(word)

    def _drop(self, words: list[str]) -> None:
        for tag in (word.upper() for word in words):
            if tag not in self.names:
                self._fail(f"DROP: unknown place {tag!r:.20}")
            del self.names[tag]
            for loc in [loc for loc in self.locations if base(loc) == tag]:
                del self.locations[loc]
            for location in self.locations.values():
                location.neighbours = [each for each in location.neighbours if base(each) != tag]
            for power in self._powers.values():
                power.homes = [each for each in power.homes if each != tag]
                power.units = [unit for unit in power.units if base(unit[1]) != tag]
            self._owned = {name: [each for each in own if each != tag] for name, own in self._owned.items()}
            self._neutral = [each for each in self._neutral if each != tag]

    # Powers

    def _power(self, line: str, words: list[str]) -> None:
        found = _POWER.fullmatch(line)
        key = re.sub(r"[\s+-]", "", found["name"] if found else words[0]).upper()
        if found is None and key not in self._powers and not self._is_bare_power(words):
            self._fail(f"unknown statement {words[0]!r:.40}; a power is declared as NAME (ADJECTIVE) CENTRE...")
        if not re.fullmatch(r"[A-Z][A-Z0-9_]{1,19}", key):
            self._fail(f"{words[0]:.40}: expected a power's name of 2 to 20 letters and digits")
        if key not in self._powers:
            title = (found["name"] if found else words[0]).replace("+", " ").title()
            adjective = found["adjective"].replace("+", " ").upper() if found else ""
            self._powers[key] = DraftPower(key, title, self._line)
            if re.fullmatch(r"[^#/()]{2,40}", adjective) and adjective not in (key, title.upper()):
                self._powers[key].aliases.append(adjective)
        self._current = self._powers[key]
        for word in found["rest"].split() if found else words[1:]:
            self._add_home(word)

    def _is_bare_power(self, words: list[str]) -> bool:
        """Return True for a power without an adjective: in capitals, unlike a statement, followed by known places."""
        if not words[0].isupper() or get_close_matches(words[0], _WORDS, 1, 0.8):
            return False
        return len(words) > 1 and all(word.upper() in self._announced for word in words[1:])

    def _add_home(self, word: str) -> None:
        assert self._current is not None
        tag = word.lstrip("-").upper()
        if not _TAG.fullmatch(tag):
            self._fail(
                f"{self._current.name}: {word!r:.20}: expected the tag of a home; marked sites are not supported"
            )
        if word.startswith("-"):
            self._current.homes = [each for each in self._current.homes if each != tag]
            self._neutral.append(tag)
        elif tag not in self._current.homes:
            self._current.homes.append(tag)

    def _need_power(self, statement: str) -> DraftPower:
        if self._current is None:
            self._fail(f"{statement}: expected after a power")
        return self._current

    def _unowned(self, words: list[str]) -> None:
        """Add neutral centres; `-XXX` takes one away."""
        self._current = None
        for word in words:
            tag = self._tag(word.removeprefix("-"))
            self._neutral = [each for each in self._neutral if each != tag]
            if not word.startswith("-"):
                self._neutral.append(tag)

    def _hold(self, words: list[str], *, fresh: bool) -> None:
        if self._current is None:
            self._unowned(words)
            return
        own = self._owned.setdefault(self._current.name, [])
        if fresh:
            own.clear()
        own.extend(self._tag(word) for word in words)

    def _homes(self, words: list[str], *, fresh: bool) -> None:
        power = self._need_power("HOMES")
        if fresh or not power.homes:
            self._owned.setdefault(power.name, list(power.homes))
            power.homes = []
        for word in words:
            self._add_home(word)

    def _tag(self, word: str) -> str:
        if not _TAG.fullmatch(word.upper()):
            self._fail(f"expected the tag of a centre, got {word!r:.20}")
        return word.upper()

    def _unit(self, kind: str, word: str) -> None:
        power = self._need_power(kind)
        if not _LOC.fullmatch(word):
            self._fail(f"{kind}: expected the tag of a place, got {word!r:.20}")
        area = word.upper()
        for other in self._powers.values():
            other.units = [unit for unit in other.units if base(unit[1]) != base(area)]
        power.units.append((kind, area, self._line))

    def _no_units(self, words: list[str]) -> None:
        self._need_power("UNITS").units.clear()

    def _named(self, words: list[str]) -> list[str]:
        """Return the powers that a list names: some, ALL, or ALL EXCEPT some."""
        names = [re.sub(r"[\s+,-]", "", word).upper() for word in words]
        every = names[:1] == ["ALL"]
        wanted = list(dict.fromkeys(name for name in names[every:] if name and name != "EXCEPT"))
        for name in wanted:
            if name not in self._powers:
                self._fail(f"unknown power {name!r:.40}")
        return [name for name in self._powers if name not in wanted] if every else wanted

    def _unplayed(self, words: list[str]) -> None:
        if not words:
            words = [self._need_power("UNPLAYED").name]
        for name in self._named(words):
            power = self._powers.pop(name)
            self._neutral.extend((*power.homes, *self._owned.pop(name, ())))
        self._current = None

    def _dummies(self, words: list[str]) -> None:
        for name in self._named(words) if words else [self._need_power("DUMMY").name]:
            self._powers[name].played = False

    # The draft

    def _fill_powers(self, draft: MapDraft) -> None:
        for name in sorted(self._powers):
            power = self._powers[name]
            power.owned = list(dict.fromkeys(self._owned.get(name, power.homes)))
            for tag in (*power.homes, *power.owned):
                if tag not in self.names:
                    self._fail(f"{name}: unknown centre {tag}", power.line)
            draft.powers.append(power)
        for tag in self._neutral:
            if tag not in self.names:
                self._fail(f"unknown centre {tag}")
        draft.neutral = list(dict.fromkeys(self._neutral))
        for power in draft.powers:
            for kind, area, line in power.units:
                if area not in self.locations:
                    self._fail(f"{power.name}: {kind} {area}: unknown place", line)


def _cased_as(model: str, word: str) -> str:
    if model[:3].islower():
        return word.lower()
    return word.capitalize() if model[1:3].islower() else word
