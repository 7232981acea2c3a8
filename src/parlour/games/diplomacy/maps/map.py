"""The board: provinces, areas, borders, centres, powers; read from a map file and checked.

A map file has one statement per line; `#` starts a comment. Ids follow the order of the file.

    map NAME                     the name of the map, once
    title WORDS                  the name for people
    begin YEAR [SEASON]          the first phase: spring, fall or winter (adjustments) of that year
    years STEP [LATER]           years from spring to spring, and from spring to fall; default 1 and 0
    seasons SPRING FALL WINTER   names of the seasons, if they differ
    geography MAP                provinces, spellings and borders of a map that ships; then the file has none
    victory COUNT                centres for a solo
    builds MODE                  where units are built: home, homes, anywhere or rooted (Builds); default home
    power NAME TAG WORDS         a power: name, DAIDE tag, name for people
    land TAG WORDS               a province without a shore
    sea TAG WORDS                a province for fleets only
    coast TAG[/C1/C2] WORDS      a province with one shore, or with two shores called C1 and C2
    port TAG WORDS               a province with one shore where fleets convoy as at sea
    tag TAG OTHER                the province's tag in DAIDE and in integer actions, if it differs
    alias TAG|POWER WORD...      more spellings that readers accept; _ stands for a space
    home POWER TAG...            supply centres where the power may build, its own at the start
    homeland POWER TAG...        supply centres where the power may build, not its own at the start
    owns POWER TAG...            supply centres of the power at the start, but not its homes
    neutral TAG...               supply centres that nobody owns at the start
    site POWER TAG...            supply centres where the power may build as well, though they are not its homes
    unplayed POWER...            powers without a player: their units hold, and leave when they are dislodged
    start POWER A|F AREA         a unit of the first position
    army TAG TAG...              where an army goes from there
    fleet AREA AREA...           where a fleet goes from there; an AREA is TAG or TAG/COAST
    oneway army|fleet AREA AREA...   where an army or fleet goes from there, but not back
    at TAG X Y                   where a drawing should have the province: x to the right, y down, in any unit

Integer actions have seven bits for a province and one for the coast, so a province has at most two shores.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType

from parlour.core.text import hint
from parlour.errors import ConfigError, MapError
from parlour.files import read_regular
from parlour.games.diplomacy.maps.calendar import USUAL, Calendar
from parlour.games.diplomacy.variations import Variation, in_order

MAX_PROVINCES = 96
MAX_SEAS = 64
"""Maximum number of seas and ports, the provinces where fleets convoy."""
MAX_PORTS = 16
MAX_POWERS = 15
MAX_FILE = 262_144
MAX_LINES = 4096

COASTS = {
    "NC": ("NCS", "north coast"),
    "EC": ("ECS", "east coast"),
    "SC": ("SCS", "south coast"),
    "WC": ("WCS", "west coast"),
    "NE": ("NEC", "north-east coast"),
    "SE": ("SEC", "south-east coast"),
    "SW": ("SWC", "south-west coast"),
    "NW": ("NWC", "north-west coast"),
}
"""The possible shores of a split province, with DAIDE token and English name."""


class Ground(StrEnum):
    """Terrain of a province."""

    LAND = "land"
    SEA = "sea"
    COAST = "coast"


class Builds(StrEnum):
    """The sites where a power may build, always among the free supply centres that it owns."""

    HOME = "home"  # the power's own homes
    HOMES = "homes"  # the homes of all powers
    ANYWHERE = "anywhere"
    ROOTED = "rooted"  # every centre, while the power owns one of its homes


@dataclass(frozen=True, slots=True)
class Power:
    """A seat at the board; id counts from 0 in the order of the file."""

    id: int
    name: str
    """The name as in the `diplomacy` package: AUSTRIA."""
    tag: str
    """The tag as in DAIDE: AUS."""
    title: str
    homes: tuple[int, ...]
    """Province ids in the order of the file."""
    aliases: tuple[str, ...] = ()
    owned: tuple[int, ...] = ()
    """Provinces of the centres that the power owns at the start."""
    sites: tuple[int, ...] = ()
    """Provinces where the power may build, besides its homes."""
    played: bool = True
    """False if nobody plays the power: its units hold."""


@dataclass(frozen=True, slots=True)
class Province:
    """A place for one unit."""

    id: int
    tag: str
    """The tag as in the `diplomacy` package: ENG."""
    daide: str
    """The tag as in DAIDE and in the published environment: ECH."""
    name: str
    kind: Ground
    coasts: tuple[str, ...]
    """Empty, or the two shores of a split province; the second has coast flag 1 in integer actions."""
    area: int
    """The province's main area; the shores of a split province follow."""
    centre: bool
    home: int | None
    """The power that has a home here; the first of them if there are several."""
    aliases: tuple[str, ...]
    owner: int | None = None
    """The power that owns the centre at the start."""
    at: tuple[float, float] | None = None
    """The place in a drawing; None if the file does not give it."""
    port: bool = False
    """True for a coast where fleets convoy."""

    @property
    def convoys(self) -> bool:
        """True if a fleet there can convoy: at sea and in ports."""
        return self.port or self.kind is Ground.SEA

    @property
    def areas(self) -> tuple[int, ...]:
        """The main area, and the areas of the shores."""
        return tuple(range(self.area, self.area + 1 + len(self.coasts)))


@dataclass(frozen=True, slots=True)
class Area:
    """The exact place of a unit: a province, or one shore of a split province."""

    id: int
    province: int
    coast: int
    """0 for the main area, 1 and 2 for the shores."""
    tag: str
    """The tag, for example STP/SC."""
    daide: str


@dataclass(frozen=True, slots=True)
class StartingUnit:
    """A unit of the first position."""

    power: int
    fleet: bool
    area: int


@dataclass(frozen=True)
class Map:
    """A checked board, with the variations of the rules by which it is played."""

    name: str
    title: str
    year: int
    victory: int
    powers: tuple[Power, ...]
    provinces: tuple[Province, ...]
    areas: tuple[Area, ...]
    army: tuple[tuple[int, ...], ...]
    """For each area, the areas an army reaches in one move, ascending; always main areas."""
    fleet: tuple[tuple[int, ...], ...]
    """For each area, the areas a fleet reaches in one move, ascending."""
    units: tuple[StartingUnit, ...]
    season: int = 0
    """The first phase, as the kernel counts them: 0 spring moves, 2 fall moves, 4 adjustments."""
    calendar: Calendar = USUAL
    builds: Builds = Builds.HOME
    geography: str = ""
    """The shipped map that this map has its provinces and borders from; empty if they are its own."""
    variations: tuple[Variation, ...] = ()
    """Variations of the rules; they come from a match, never from a map file."""

    def under(self, variations: Iterable[Variation]) -> Map:
        """Return the same map played by these variations and no others."""
        wanted = in_order(variations)
        return self if wanted == self.variations else _varied(self, wanted)

    @cached_property
    def for_actions(self) -> Map:
        """The map with only the variations that add possible orders; all others share its slow list of orders."""
        return self.under([one for one in self.variations if one is Variation.BUILD_ANYWHERE])

    @cached_property
    def build_mode(self) -> Builds:
        """The rule for build sites: that of the map, or any centre by a variation."""
        return Builds.ANYWHERE if Variation.BUILD_ANYWHERE in self.variations else self.builds

    @cached_property
    def sites(self) -> tuple[tuple[int, ...], ...]:
        """The provinces where each power may ever build, if it owns them and nobody stands there."""
        match self.build_mode:
            case Builds.HOME:
                more: tuple[int, ...] = ()
            case Builds.HOMES:
                more = tuple(sorted({home for power in self.powers for home in power.homes}))
            case _:
                more = tuple(province.id for province in self.provinces if province.centre)
        return tuple(tuple(dict.fromkeys((*power.homes, *power.sites, *more))) for power in self.powers)

    @cached_property
    def unplayed(self) -> frozenset[int]:
        """The numbers of the powers that nobody plays."""
        return frozenset(power.id for power in self.powers if not power.played)

    @property
    def players(self) -> tuple[Power, ...]:
        """The powers that somebody plays."""
        return tuple(power for power in self.powers if power.played)

    @cached_property
    def spellings(self) -> Mapping[str, int]:
        """Every accepted upper-case spelling of a province, with its id."""
        found: dict[str, int] = {}
        for province in self.provinces:
            for word in (province.tag, province.daide, province.name.upper(), *province.aliases):
                found[word] = province.id
        return MappingProxyType(found)

    @cached_property
    def area_spellings(self) -> Mapping[str, int]:
        """Every accepted upper-case spelling of an area, with its id: STP, STP/SC, STP SCS, STPSC, ..."""
        found = {word: self.provinces[number].area for word, number in self.spellings.items()}
        for word, number in self.spellings.items():
            province = self.provinces[number]
            for index, coast in enumerate(province.coasts, 1):
                token, english = COASTS[coast]
                for end in (f"/{coast}", f" {coast}", coast, f"({coast})", f" ({coast})", f" {token}", f"/{token}"):
                    found[word + end] = province.area + index
                found[f"{word} {english.upper()}"] = province.area + index
        return MappingProxyType(found)

    @cached_property
    def power_spellings(self) -> Mapping[str, int]:
        """Every accepted upper-case spelling of a power, with its id."""
        return MappingProxyType(
            {word: p.id for p in self.powers for word in (*p.aliases, p.title.upper(), p.tag, p.name)}
        )

    def find(self, text: str) -> Province | None:
        """Return the province of that spelling, in any case; None if there is none.

        Args:
            text: Spelling to look up.
        """
        number = self.spellings.get(" ".join(text.upper().split()))
        return None if number is None else self.provinces[number]

    def find_area(self, text: str) -> Area | None:
        """Return the area of that spelling; None if there is none. A split province gives its main area.

        Args:
            text: Spelling to look up.
        """
        number = self.area_spellings.get(" ".join(text.upper().split()))
        return None if number is None else self.areas[number]

    def find_power(self, text: str) -> Power | None:
        """Return the power of that name, DAIDE tag, title or alias; None if there is none.

        Args:
            text: Spelling to look up.
        """
        number = self.power_spellings.get(" ".join(text.upper().split()))
        return None if number is None else self.powers[number]

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """The hash, computed once: it is needed many times per phase."""
        return hash((self.name, len(self.areas), self.variations))


BOARDS = Path(__file__).parents[1] / "boards"
"""The folder of the maps that come with the package."""
SHIPPED = (
    "standard",
    "lagoon",
    "france-austria",
    "germany-italy",
    "england-turkey",
    "germany-russia",
    "fleet-rome",
    "age-of-empires",
    "age-of-empires-2",
    "1898",
    "crowded",
    "milan",
    "pure",
    "hundred",
    "ancmed",
)
"""The maps that come with the package."""
BY_PACKAGE = {
    "standard_france_austria": "france-austria",
    "standard_germany_italy": "germany-italy",
    "standard_fleet_rome": "fleet-rome",
    "standard_age_of_empires": "age-of-empires",
    "standard_age_of_empires_2": "age-of-empires-2",
}
"""Parlour's names of maps by their names in the `diplomacy` package, where the two differ."""


FOLDERS = "PARLOUR_MAPS"
"""The environment variable with the folders of more maps, separated as in PATH."""
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")


def path_of(name: str) -> Path | None:
    """Return the file of a map by its name here or in the `diplomacy` package; None if there is none.

    Maps that ship come first, then those of the operator's folders.
    """
    name = BY_PACKAGE.get(name, name)
    if name in SHIPPED:
        return BOARDS / f"{name}.map"
    if _NAME.fullmatch(name):
        for folder in _folders():
            if (path := folder / f"{name}.map").is_file():
                return path
    return None


def _folders() -> list[Path]:
    return [Path(folder) for folder in os.environ.get(FOLDERS, "").split(os.pathsep) if folder]


def operators_maps() -> tuple[str, ...]:
    """Return the names of the maps in the operator's folders that can be played."""
    names = sorted({path.stem for folder in _folders() for path in folder.glob("*.map")} - set(SHIPPED))
    found = [(name, path) for name in names if (path := path_of(name)) is not None]
    return tuple(name for name, path in found if _is_playable(name, path, path.stat().st_mtime_ns))


@cache
def _is_playable(name: str, path: Path, changed: int) -> bool:
    """Return True if the map of that name can be read; a file that failed is tried again after a change."""
    try:
        named(name)
    except ConfigError:
        return False
    return True


def package_name(board: Map) -> str:
    """Return the name of a map in the `diplomacy` package."""
    return next((theirs for theirs, ours in BY_PACKAGE.items() if ours == board.name), board.name)


def named(name: str) -> Map:
    """Return a shipped map or an operator's, by its name here or in the `diplomacy` package.

    Raises:
        ConfigError: No map has the name, or the file of the operator is not valid.
    """
    return _shipped(BY_PACKAGE.get(name, name))


@cache
def _shipped(name: str) -> Map:
    path = path_of(name)
    if path is None:
        known = (*SHIPPED, *operators_maps())
        got = f"got {name!r:.60}{hint(name, known)}"
        raise ConfigError(f"map: expected one of {', '.join(known)}, {got}", field="map")
    return load_map(path) if name in SHIPPED else _operators(path)


def _operators(path: Path) -> Map:
    """Return an operator's map of any known format, with the name of its file."""
    from parlour.games.diplomacy.imports.files import load_any

    try:
        return replace(load_any(path).map, name=path.stem)
    except MapError as error:
        raise ConfigError(f"map: {error}", field="map") from None


@cache
def _varied(board: Map, variations: tuple[Variation, ...]) -> Map:
    found = replace(board, variations=variations)
    shipped = named(board.name) if board.name in SHIPPED else found
    return shipped if found == shipped else found


def standard() -> Map:
    """Return the standard board of seven powers."""
    return named("standard")


def load_map(path: Path | str) -> Map:
    """Read, check and return a map; raise MapError with the file, the line and the reason.

    Args:
        path: Map file.
    """
    path = Path(path)
    try:
        text = read_regular(path, MAX_FILE + 1).decode("utf-8")
    except OSError as error:
        raise MapError(f"cannot be read: {error.strerror}", path=str(path), line=0) from None
    except UnicodeDecodeError:
        raise MapError("not UTF-8 text", path=str(path), line=0) from None
    return read_map(text, str(path))


def read_map(text: str, path: str = "map") -> Map:
    """Return the map of the text of a map file, after its checks; errors name the path."""
    from parlour.games.diplomacy.maps.mapfile import MapReader

    return MapReader(text, path).map()
