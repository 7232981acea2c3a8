"""Draws a scene on a map as one SVG picture."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TypedDict, Unpack

from parlour.errors import ConfigError
from parlour.games.diplomacy.draw import ground, symbols
from parlour.games.diplomacy.draw.arrows import Arrows
from parlour.games.diplomacy.draw.geometry import geometry_of
from parlour.games.diplomacy.draw.labels import LABELS, centres, labels, occupied
from parlour.games.diplomacy.draw.scene import OrderKind, Result, Scene, Unit, province_of
from parlour.games.diplomacy.draw.shapes import Geometry
from parlour.games.diplomacy.draw.svg import attribute, body
from parlour.games.diplomacy.draw.theme import Paint, Theme, theme_named
from parlour.games.diplomacy.map import Map

SMALL = 800
"""A picture narrower than this has larger units and labels, and letters without serifs."""

MAX_WIDTH = 20_000

_SERIF = "Georgia,'DejaVu Serif','Times New Roman',serif"
_SANS = "Verdana,'DejaVu Sans',Helvetica,sans-serif"


class Style(TypedDict, total=False):
    """How a picture is to look."""

    theme: str
    """light or dark."""
    powers: Collection[str] | None
    """Show the orders of these powers only."""
    label: str
    """mixed (tags on land, names at sea), tags, names or none."""
    width: int | None
    """In pixels; without it the picture takes the room it is given."""
    ids: str
    """A prefix for element ids, when several pictures share one HTML page."""


def draw_scene(board: Map, scene: Scene, **style: Unpack[Style]) -> str:
    """The scene on a map, as SVG text."""
    powers, width = style.get("powers"), style.get("width")
    label, ids = style.get("label", "mixed"), style.get("ids", "")
    if label not in LABELS:
        raise ConfigError(f"label: expected one of {', '.join(LABELS)}, got {label!r:.60}", field="label")
    if not re.fullmatch(r"[A-Za-z][\w-]{0,39}|", ids, re.ASCII):
        raise ConfigError(f"ids: expected a letter, then letters, digits, - and _, got {ids!r:.60}", field="ids")
    if width is not None and not 100 <= width <= MAX_WIDTH:
        raise ConfigError(f"width: expected 100 to {MAX_WIDTH} pixels, got {width}", field="width")
    _check(board, scene, powers or ())
    colours = theme_named(style.get("theme", "light"))
    paints = colours.paints(power.name for power in board.powers)
    small = width is not None and width < SMALL
    svg = _Picture(geometry_of(board), scene, colours, paints, label, small).svg(board, powers, width)
    return re.sub(r'( id="|href="#|url\(#)', rf"\g<1>{ids}", svg) if ids else svg


@dataclass(frozen=True)
class _Picture:
    geometry: Geometry
    scene: Scene
    theme: Theme
    paints: Mapping[str, Paint]
    label: str
    small: bool

    @property
    def scale(self) -> float:
        return 1.25 if self.small else 1.0

    @property
    def label_scale(self) -> float:
        return 1.4 if self.small else 1.0

    def svg(self, board: Map, powers: Collection[str] | None, width: int | None) -> str:
        geometry, theme, scene = self.geometry, self.theme, self.scene
        names = {province.tag: province.name for province in board.provinces}
        owners = self._owners()
        arrows = Arrows(
            geometry, scene, self.paints, theme, self.scale, taken=occupied(geometry, self.label, self.label_scale)
        )
        arrows.draw(order for order in scene.orders if powers is None or order.power in powers)
        parts = (
            self._opening(board, width),
            f"<defs>{symbols.definitions(theme)}{ground.definitions(geometry, theme)}</defs>",
            ground.ground(geometry, owners, names, self.paints, theme),
            f'<g class="lines">{"".join(arrows.below)}</g>',
            self._bursts(),
            labels(geometry, self.label, theme, self.label_scale),
            centres(geometry, scene.centres, self.paints, theme, self.scale),
            self._units(),
            f'<g class="marks">{"".join(arrows.above)}</g>',
            "</svg>\n",
        )
        return "\n".join(part for part in parts if part)

    def _owners(self) -> dict[str, str]:
        """Whose tint each land province takes: of its owner, or else of who was there last or had it at the start."""
        scene = self.scene
        alive = {*scene.centres.values(), *(u.power for u in scene.units)}
        found: dict[str, str] = {}
        for tag, shape in self.geometry.provinces.items():
            realm = shape.realm if shape.centre is None and shape.realm in alive else None
            owner = scene.centres.get(tag) or scene.influence.get(tag) or realm
            if owner and not shape.sea:
                found[tag] = owner
        return found

    def _opening(self, board: Map, width: int | None) -> str:
        margin = ground.MARGIN
        across, down = self.geometry.width + 2 * margin, self.geometry.height + 2 * margin
        size = f' width="{width}" height="{round(width * down / across)}"' if width else ""
        font = _SANS if self.small else _SERIF
        title = self.scene.title or board.title
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-margin} {-margin} {across:g} {down:g}"{size} '
            f'font-family="{font}"><title>{body(title)}</title><metadata>{body(self.geometry.about)}</metadata>'
            f'<rect x="{-margin}" y="{-margin}" width="{across:g}" height="{down:g}" fill="{self.theme.paper}"/>'
        )

    def _bursts(self) -> str:
        """Behind dislodged units, and below labels so as not to hide them."""
        at = [self.geometry.berth(u.area, dislodged=True) for u in self.scene.units if u.dislodged]
        return "".join(symbols.mark("burst", point, 0.9 * self.scale) for point in at)

    def _units(self) -> str:
        removed = {
            province_of(q.area) for q in self.scene.orders if q.kind is OrderKind.REMOVE and q.result is not Result.VOID
        }
        retreating = {province_of(u.area) for u in self.scene.units if u.dislodged}

        def leaves(unit: Unit) -> bool:
            tag = province_of(unit.area)
            return tag in removed and (unit.dislodged or tag not in retreating)

        # Dislodged units first: where two crowd, the one that stays is on top.
        drawn = (
            f'<g class="unit" data-power={attribute(u.power)} data-area="{u.area}"><title>{body(f"{u.power} {u}")}'
            + (" dislodged" if u.dislodged else "")
            + "</title>"
            + symbols.unit(
                u.kind,
                self.geometry.berth(u.area, dislodged=u.dislodged),
                self.paints[u.power],
                self.theme,
                scale=(0.9 if u.dislodged else 1.12) * self.scale,
                faded=leaves(u),
            )
            + "</g>"
            for u in sorted(self.scene.units, key=lambda u: not u.dislodged)
        )
        return f'<g class="units">{"".join(drawn)}</g>'


def _check(board: Map, scene: Scene, powers: Collection[str]) -> None:
    """Refuse powers, provinces and kinds of units that the map does not have; areas are checked where they are used."""
    known = {power.name for power in board.powers}
    tags = {province.tag for province in board.provinces}
    named = [
        *powers,
        *(u.power for u in scene.units),
        *(q.power for q in scene.orders),
        *scene.centres.values(),
        *scene.influence.values(),
    ]
    for power in named:
        if power not in known:
            raise ConfigError(f"power: expected one of {', '.join(sorted(known))}, got {power!r:.60}", field="power")
    for tag in (*scene.centres, *scene.influence):
        if tag not in tags:
            raise ConfigError(f"centres: expected a province of the map, got {tag!r:.60}", field="centres")
    for kind in (*(u.kind for u in scene.units), *(q.unit for q in scene.orders)):
        if kind not in ("A", "F"):
            raise ConfigError(f"unit: expected A or F, got {kind!r:.60}", field="unit")
