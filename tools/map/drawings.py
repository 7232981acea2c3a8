"""The maps that are drawn on the globe: the standard one, and Milan, which differs from it in northern Italy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from borders import LAND, MILAN_LAND, MILAN_WHOLE, WHOLE, Line, LonLat
from places import CITIES, ISLANDS, REALMS, SEEDS, WISHES, Wish


@dataclass(frozen=True)
class Drawing:
    """The borders of a map, and the places of its provinces, islands and cities."""

    about: str
    whole: tuple[tuple[str, str], ...]
    land: tuple[Line, ...]
    seeds: Mapping[str, list[LonLat]]
    islands: Mapping[LonLat, str]
    cities: Mapping[str, LonLat]
    realms: Mapping[str, str]
    wishes: Mapping[str, Wish]


_CREDIT = (
    "Coasts and some borders made with Natural Earth (naturalearthdata.com, public domain); "
    "all else is an original drawing."
)
STANDARD = Drawing(f"Standard Diplomacy board. {_CREDIT}", WHOLE, LAND, SEEDS, ISLANDS, CITIES, REALMS, WISHES)
_LEFT_OUT = ("PIE", "TUS")
MILAN = replace(
    STANDARD,
    about=f"The board of Milan. {_CREDIT}",
    whole=MILAN_WHOLE,
    land=MILAN_LAND,
    seeds={tag: at for tag, at in SEEDS.items() if tag not in _LEFT_OUT} | {"MIL": [(9.6, 45.4)], "SAV": [(7.8, 44.9)]},
    islands={at: "ROM" if tag == "TUS" else tag for at, tag in ISLANDS.items()},
    cities={tag: at for tag, at in CITIES.items() if tag != "VEN"} | {"MIL": (9.3, 45.5)},
    realms=REALMS | {"ITALY": "APU MIL NAP ROM SAV VEN"},
    wishes={tag: wish for tag, wish in WISHES.items() if tag not in (*_LEFT_OUT, "ROM")}
    | {"MIL": Wish(unit=(530, 622), label=(516, 640), size=10.5, centre=(508, 626), dislodged=(510, 612))},
)
DRAWINGS = {"standard": STANDARD, "milan": MILAN}
