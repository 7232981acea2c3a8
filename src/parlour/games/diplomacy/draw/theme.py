"""Colours of the board, light and dark, chosen to stay apart for colour-blind eyes (tools/map/colours.py checks)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any

from parlour.core.marks import PAINT
from parlour.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Paint:
    """The colours of one power: its units, its land, its order lines, stars and borders."""

    unit: str
    land: str
    line: str


@dataclass(frozen=True, slots=True)
class Theme:
    """Every colour of a picture."""

    name: str
    paper: str
    ink: str
    frame: str
    sea: str
    sea_text: str
    waves: tuple[str, str, str]
    graticule: str
    land: str
    neutral: str
    """Land with a supply centre that nobody owns."""
    dead: str
    """Land off the board, hatched with `hatch`."""
    hatch: str
    coast: str
    border: str
    sea_line: str
    label: str
    halo: str
    centre: str
    centre_ink: str
    unit_ink: str
    unit_halo: str
    casing: str
    """Colour round order lines and marks, so that they show on any ground."""
    bad: str
    good: str
    powers: dict[str, Paint]
    spare: tuple[Paint, ...]
    """Colours for powers that have none of their own, in the order in which they are given out."""

    def paints(self, powers: Iterable[str]) -> dict[str, Paint]:
        """Return a paint for each power: its own if this theme has one, otherwise the next spare; spares may repeat."""
        names = list(dict.fromkeys(powers))
        own = {name: self.powers[name] for name in names if name in self.powers}
        free = [paint for paint in self.spare if paint not in own.values()]
        others = [name for name in names if name not in own]
        return own | {name: free[number % len(free)] for number, name in enumerate(others)}

    def colours(self, powers: Iterable[str]) -> dict[str, str]:
        """Return every colour by its name in marks: sea, unit-ink, france-line."""
        found: dict[str, str] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, str) and field.name != "name":
                found[field.name.replace("_", "-")] = value
        found |= {f"wave-{number}": colour for number, colour in enumerate(self.waves)}
        for power, paint in self.paints(powers).items():
            detail = self.unit_ink if is_pale(paint.unit) else self.unit_halo
            parts = {"unit": paint.unit, "land": paint.land, "line": paint.line, "detail": detail}
            parts["band"] = _between(paint.land, paint.line)
            found |= {paint_of(power, part)[1:]: colour for part, colour in parts.items()}
        return found


def paint_of(power: str, part: str) -> str:
    """Return the name of a power's paint in marks; part is unit, land, line, band or detail (on the unit)."""
    return f"{PAINT}{power.lower()}-{part}"


def _between(one: str, other: str) -> str:
    """Return the colour half way between two."""
    mixed = (sum(int(colour[at : at + 2], 16) for colour in (one, other)) // 2 for at in (1, 3, 5))
    return "#" + "".join(f"{part:02x}" for part in mixed)


_LIGHT = {
    "AUSTRIA": Paint("#a22915", "#e6947d", "#96240f"),
    "ENGLAND": Paint("#103e85", "#929bd7", "#103e85"),
    "FRANCE": Paint("#128fcf", "#89d3fe", "#0474ab"),
    "GERMANY": Paint("#2d2c29", "#9a9a99", "#2d2c29"),
    "ITALY": Paint("#2c7a58", "#9ec8af", "#1d6b4a"),
    "RUSSIA": Paint("#fff9ff", "#c2abc5", "#6b3f8c"),
    "TURKEY": Paint("#be8619", "#f6cb57", "#a06c00"),
}
_DARK = {
    "AUSTRIA": Paint("#d35637", "#7e280d", "#ee7a58"),
    "ENGLAND": Paint("#3b73e9", "#2d4888", "#7098f0"),
    "FRANCE": Paint("#56c8fd", "#35718a", "#59c7fe"),
    "GERMANY": Paint("#a4a3a3", "#676663", "#c4c2bd"),
    "ITALY": Paint("#8fba81", "#64805a", "#a2d69c"),
    "RUSSIA": Paint("#f4e4f5", "#a086b8", "#ecd9f5"),
    "TURKEY": Paint("#f9c71a", "#ac882b", "#f9c71a"),
}
_MORE_LIGHT = (
    Paint("#c2407f", "#f0a9c8", "#a52d68"),
    Paint("#6b7a1c", "#c9d07e", "#5a6814"),
    Paint("#6e4423", "#c9a283", "#5e3718"),
    Paint("#0e8c86", "#8fd6cf", "#0a716c"),
    Paint("#e0661c", "#f8b88b", "#b94e0d"),
    Paint("#6a3fb0", "#b9a2e6", "#562f96"),
    Paint("#57a51f", "#b9e08f", "#3f8211"),
    Paint("#56707f", "#a9bcc6", "#43596b"),
)
_MORE_DARK = (
    Paint("#f07ab2", "#8a3a63", "#f58fc0"),
    Paint("#c6cf5a", "#6d7424", "#d3db70"),
    Paint("#c99a6e", "#6b4a30", "#d9ad84"),
    Paint("#4fd0c6", "#23706a", "#6adcd3"),
    Paint("#ff9a55", "#8f4d20", "#ffab70"),
    Paint("#b094f2", "#55408c", "#c2abf7"),
    Paint("#9ee05f", "#4d7a26", "#b0ec78"),
    Paint("#a9c3d1", "#4c6472", "#bcd3df"),
)
# Neighbours in this order differ most; the first three do for a small map.
_SPARE = ("TURKEY", "AUSTRIA", "ENGLAND", "ITALY", "RUSSIA", "GERMANY", "FRANCE")

THEMES = {
    "light": Theme(
        name="light",
        paper="#f4ecd8",
        ink="#2e261b",
        frame="#5b4a33",
        sea="#d2e2e7",
        sea_text="#365a6e",
        waves=("#c4d9e1", "#b5cfda", "#a2c1d0"),
        graticule="#b9d0da",
        land="#efe7ca",
        neutral="#e0d1a2",
        dead="#d9d3c6",
        hatch="#c0b7a4",
        coast="#41535c",
        border="#6d5c42",
        sea_line="#7399ac",
        label="#241c12",
        halo="#fbf6e8",
        centre="#fffaf0",
        centre_ink="#2e261b",
        unit_ink="#1c1712",
        unit_halo="#fffdf6",
        casing="#fffaf0",
        bad="#c2182b",
        good="#16753a",
        powers=_LIGHT,
        spare=(*(_LIGHT[name] for name in _SPARE), *_MORE_LIGHT),
    ),
    "dark": Theme(
        name="dark",
        paper="#17191c",
        ink="#e8dfca",
        frame="#8c7d60",
        sea="#1f2b36",
        sea_text="#8fb0c4",
        waves=("#23333f", "#283b49", "#2e4555"),
        graticule="#293a46",
        land="#3b372d",
        neutral="#5b5239",
        dead="#2b2a27",
        hatch="#3a3833",
        coast="#0c1115",
        border="#15130f",
        sea_line="#4d6b7f",
        label="#f6efdf",
        halo="#1b1a17",
        centre="#f5ecd6",
        centre_ink="#14120f",
        unit_ink="#0d0b09",
        unit_halo="#f4ecd8",
        casing="#101215",
        bad="#ff5d5d",
        good="#5ddc86",
        powers=_DARK,
        spare=(*(_DARK[name] for name in _SPARE), *_MORE_DARK),
    ),
}


def theme_named(name: str) -> Theme:
    """Return the theme of that name; raise ConfigError, which lists the names, if there is none."""
    if name not in THEMES:
        raise ConfigError(f"theme: expected one of {', '.join(THEMES)}, got {name!r:.60}", field="theme")
    return THEMES[name]


def named_paints() -> Theme:
    """Return a theme whose colours are names of paints, which a page replaces by the colours of its theme."""
    light = THEMES["light"]
    named: dict[str, Any] = {
        field.name: f"{PAINT}{field.name.replace('_', '-')}"
        for field in fields(Theme)
        if isinstance(getattr(light, field.name), str)
    }
    waves = (f"{PAINT}wave-0", f"{PAINT}wave-1", f"{PAINT}wave-2")
    return replace(light, **named, waves=waves)


def is_pale(colour: str) -> bool:
    """Return True if dark strokes show better on #rrggbb than light ones."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return 0.30 * red + 0.59 * green + 0.11 * blue > 175
