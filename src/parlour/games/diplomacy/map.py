"""The board: provinces, areas, borders, centres, powers; read from a map file and checked.

A map file has one statement per line; `#` starts a comment. Ids follow the order of the file.

    map NAME                     the name of the map, once
    title WORDS                  what people call it
    begin YEAR                   the first phase is spring of that year
    victory COUNT                centres for a solo
    power NAME TAG WORDS         a power: name, DAIDE tag, what people call it
    land TAG WORDS               a province without a shore
    sea TAG WORDS                a province for fleets only
    coast TAG[/C1/C2] WORDS      a province with one shore, or with two shores called C1 and C2
    tag TAG OTHER                the province's tag in DAIDE and in integer actions, if it differs
    alias TAG|POWER WORD...      more spellings that readers accept; _ stands for a space
    home POWER TAG...            supply centres where the power may build, its own at the start
    neutral TAG...               supply centres that nobody owns at the start
    start POWER A|F AREA         a unit of the first position
    army TAG TAG...              where an army goes from there
    fleet AREA AREA...           where a fleet goes from there; an AREA is TAG or TAG/COAST

Integer actions have seven bits for a province and one for the coast, so a province has at most two shores.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType

from parlour.core.text import hint
from parlour.errors import ConfigError, MapError
from parlour.games.diplomacy.variations import Variation, in_order

MAX_PROVINCES = 96
MAX_SEAS = 64
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
"""The shores a split province may have: DAIDE token and English."""


class Ground(StrEnum):
    """What a province is made of."""

    LAND = "land"
    SEA = "sea"
    COAST = "coast"


@dataclass(frozen=True, slots=True)
class Power:
    """A seat at the board; id counts from 0 in the order of the file."""

    id: int
    name: str
    """AUSTRIA, as in the `diplomacy` package."""
    tag: str
    """AUS, as in DAIDE."""
    title: str
    homes: tuple[int, ...]
    """Province ids in the order of the file."""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Province:
    """A place for one unit."""

    id: int
    tag: str
    """ENG, as in the `diplomacy` package."""
    daide: str
    """ECH, as in DAIDE and in integer actions."""
    name: str
    kind: Ground
    coasts: tuple[str, ...]
    """Empty, or the two shores of a split province; the second has coast flag 1 in integer actions."""
    area: int
    """Its main area; the shores of a split province follow."""
    centre: bool
    home: int | None
    """The power that may build here."""
    aliases: tuple[str, ...]

    @property
    def areas(self) -> tuple[int, ...]:
        """The main area and those of its shores."""
        return tuple(range(self.area, self.area + 1 + len(self.coasts)))


@dataclass(frozen=True, slots=True)
class Area:
    """Where exactly a unit stands: a province, or one shore of a split one."""

    id: int
    province: int
    coast: int
    """0 for the main area, 1 and 2 for the shores."""
    tag: str
    """STP/SC."""
    daide: str


@dataclass(frozen=True, slots=True)
class StartingUnit:
    """A unit of the first position."""

    power: int
    fleet: bool
    area: int


@dataclass(frozen=True)
class Map:
    """A checked board, and by which rules it is played where they are not the usual ones."""

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
    variations: tuple[Variation, ...] = ()
    """Rules that differ from the usual ones; no map file has any."""

    def under(self, variations: Iterable[Variation]) -> Map:
        """The same map played by these variations and no others."""
        wanted = in_order(variations)
        return self if wanted == self.variations else _varied(self, wanted)

    @cached_property
    def for_actions(self) -> Map:
        """The same map with none but the variations that add to what can ever be ordered, which costs time to list."""
        return self.under([one for one in self.variations if one is Variation.BUILD_ANYWHERE])

    @cached_property
    def sites(self) -> tuple[tuple[int, ...], ...]:
        """For each power the provinces where it may build if it owns them and nobody stands there."""
        if Variation.BUILD_ANYWHERE not in self.variations:
            return tuple(power.homes for power in self.powers)
        centres = tuple(province.id for province in self.provinces if province.centre)
        return tuple((*power.homes, *(each for each in centres if each not in power.homes)) for power in self.powers)

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
        """The province of that spelling, whatever its case; None if there is none."""
        number = self.spellings.get(" ".join(text.upper().split()))
        return None if number is None else self.provinces[number]

    def find_area(self, text: str) -> Area | None:
        """The area of that spelling; a split province without a shore gives its main area."""
        number = self.area_spellings.get(" ".join(text.upper().split()))
        return None if number is None else self.areas[number]

    def find_power(self, text: str) -> Power | None:
        """The power of that name, DAIDE tag or title."""
        number = self.power_spellings.get(" ".join(text.upper().split()))
        return None if number is None else self.powers[number]

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Asked for many times a phase, and to hash the members of an enumeration takes long."""
        return hash((self.name, len(self.areas), self.variations))


SHIPPED = ("standard", "lagoon")
"""The maps that come with the package."""


@cache
def named(name: str) -> Map:
    """A map that comes with the package, by its name."""
    if name not in SHIPPED:
        got = f"got {name!r:.60}{hint(name, SHIPPED)}"
        raise ConfigError(f"map: expected one of {', '.join(SHIPPED)}, {got}", field="map")
    return load_map(Path(__file__).with_name(f"{name}.map"))


@cache
def _varied(board: Map, variations: tuple[Variation, ...]) -> Map:
    found = replace(board, variations=variations)
    shipped = named(board.name) if board.name in SHIPPED else found
    return shipped if found == shipped else found


def standard() -> Map:
    """The board of seven powers that everyone plays."""
    return named("standard")


def load_map(path: Path | str) -> Map:
    """Read and check a map file; MapError names the file, the line and the reason."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE + 1)
        text = content.decode("utf-8")
    except OSError as error:
        raise MapError(f"cannot be read: {error.strerror}", path=str(path), line=0) from None
    except UnicodeDecodeError:
        raise MapError("not UTF-8 text", path=str(path), line=0) from None
    return read_map(text, str(path))


def read_map(text: str, path: str = "map") -> Map:
    """Check the text of a map file; path is what errors call it."""
    from parlour.games.diplomacy.mapfile import MapReader

    return MapReader(text, path).map()
