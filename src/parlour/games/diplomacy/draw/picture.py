"""Draws a scene on a map as one SVG picture."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TypedDict, Unpack

from parlour.core.marks import Mark, group, keyed, mark, text_of
from parlour.errors import ConfigError
from parlour.games.diplomacy.draw import ground, symbols
from parlour.games.diplomacy.draw.arrows import Arrows, Drawn
from parlour.games.diplomacy.draw.crop import cropped
from parlour.games.diplomacy.draw.geometry import geometry_of
from parlour.games.diplomacy.draw.labels import LABELS, View, centres, labels, occupied
from parlour.games.diplomacy.draw.legend import HEIGHT, legend
from parlour.games.diplomacy.draw.scene import DrawnKind, DrawnUnit, Result, Scene, province_of
from parlour.games.diplomacy.draw.shapes import Geometry
from parlour.games.diplomacy.draw.svg import body
from parlour.games.diplomacy.draw.theme import Theme, theme_named
from parlour.games.diplomacy.maps.map import Map

SMALL = 800
"""A picture narrower than this has larger units and labels, and letters without serifs."""

MAX_WIDTH = 20_000

SERIF = "Georgia,'DejaVu Serif','Times New Roman',serif"
SANS = "Verdana,'DejaVu Sans',Helvetica,sans-serif"


class Style(TypedDict, total=False):
    """Options for the look of a picture."""

    theme: str
    """The theme: light or dark."""
    powers: Collection[str] | None
    """Show the orders of these powers only."""
    label: str
    """The style of labels: mixed (tags on land, names at sea), tags, names or none."""
    width: int | None
    """Width in pixels; without a width, the picture fills the room it is given."""
    ids: str
    """A prefix for element ids, when several pictures share one HTML page."""
    legend: bool
    """Show the phase and the number of centres and units of each power below the picture."""
    names: Mapping[str, str]
    """Name of the player of each power, for the legend."""
    crop: bool
    """Show only the part of the map with units, owned centres and provinces in reach of units. Excludes a legend."""


def draw_scene(board: Map, scene: Scene, **style: Unpack[Style]) -> str:
    """Return the scene on a map, as SVG text."""
    powers, width = style.get("powers"), style.get("width")
    label, ids = style.get("label", "mixed"), style.get("ids", "")
    if label not in LABELS:
        raise ConfigError(f"label: expected one of {', '.join(LABELS)}, got {label!r:.60}", field="label")
    if not re.fullmatch(r"[A-Za-z][\w-]{0,39}|", ids, re.ASCII):
        raise ConfigError(f"ids: expected a letter, then letters, digits, - and _, got {ids!r:.60}", field="ids")
    if width is not None and not 100 <= width <= MAX_WIDTH:
        raise ConfigError(f"width: expected 100 to {MAX_WIDTH} pixels, got {width}", field="width")
    crop = style.get("crop", False)
    if crop and style.get("legend"):
        raise ConfigError("crop: expected a picture without a legend", field="crop")
    _check(board, scene, powers or ())
    theme = theme_named(style.get("theme", "light"))
    small = width is not None and width < SMALL
    view = cropped(board, geometry_of(board), scene) if crop else None
    picture = Picture(board, scene, small=small, view=view)
    names = style.get("names", {}) if style.get("legend") else None
    svg = picture.svg(theme, label, powers, width, names)
    return re.sub(r'( id="|href="#|url\(#)', rf"\g<1>{ids}", svg) if ids else svg


@dataclass(frozen=True)
class Picture:
    """A scene on a map, layer by layer."""

    board: Map
    scene: Scene
    small: bool = False
    view: View | None = None
    """The part of the paper that is shown; all of it, with its frame, if None."""

    @property
    def geometry(self) -> Geometry:
        """The outlines and positions of the map's provinces."""
        return geometry_of(self.board)

    @property
    def scale(self) -> float:
        """Factor by which units and lines are enlarged in a small picture."""
        return 1.25 if self.small else 1.0

    @property
    def label_scale(self) -> float:
        """Factor by which labels are enlarged."""
        return 1.4 if self.small else 1.0

    def orders(self, powers: Collection[str] | None = None, label: str = "mixed") -> list[Drawn]:
        """Return the orders of the scene, of these powers or of all, lowest first."""
        arrows = Arrows(self.geometry, self.scene, self.scale, occupied(self.geometry, label, self.label_scale))
        return arrows.draw(order for order in self.scene.orders if powers is None or order.power in powers)

    def svg(
        self,
        theme: Theme,
        label: str,
        powers: Collection[str] | None,
        width: int | None,
        players: Mapping[str, str] | None = None,
    ) -> str:
        """Return all layers as one picture, with a legend unless players is None."""
        geometry, owners = self.geometry, self.owners()
        names = {province.tag: province.name for province in self.board.provinces}
        paints = theme.colours(power.name for power in self.board.powers)
        drawn = self.orders(powers, label)
        defs = mark("defs", *symbols.definitions(), *ground.definitions(geometry))
        above = [order.above for order in drawn if order.above is not None]
        board = ground.in_tenths(
            ground.water(geometry, names, theme),
            text_of([ground.land(geometry, owners, names), *ground.realms(geometry, owners)], paints),
            ground.lines(geometry, theme),
            text_of(ground.fog(geometry, self.scene.hidden), paints),
        )
        marks = (
            group(*(order.below for order in drawn), class_="lines"),
            *self.bursts(),
        )
        pieces = (
            group(*centres(geometry, self.scene.centres, self.scale), class_="centres"),
            # Of two units in one place, the one that stays is on top.
            group(*self.units(dislodged=True), *self.units(dislodged=False), class_="units"),
            group(*above, class_="marks"),
        )
        size = (geometry.width, geometry.height)
        strip = [] if players is None else [legend(self.board, self.scene, size, self.scale, players)]
        parts = (
            self._opening(theme, width, bool(strip)),
            text_of(defs, paints),
            board + (ground.ornaments(geometry, theme) if self.view is None else ""),
            text_of(marks, paints),
            labels(geometry, label, theme, self.label_scale, self.view),
            text_of(pieces, paints),
            text_of(strip, paints),
            self._edge(theme),
            "</svg>\n",
        )
        return "\n".join(part for part in parts if part)

    def owners(self) -> dict[str, str]:
        """Return the power whose tint each land province takes.

        The power is the owner of the centre, or else the power with influence. A province with neither and without a
        centre takes the tint of the power that had it at the start, if that power is alive.
        """
        scene = self.scene
        alive = {*scene.centres.values(), *(u.power for u in scene.units)}
        found: dict[str, str] = {}
        for tag, shape in self.geometry.provinces.items():
            realm = shape.realm if shape.centre is None and shape.realm in alive else None
            owner = scene.centres.get(tag) or scene.influence.get(tag) or realm
            if owner and not shape.sea:
                found[tag] = owner
        return found

    def _opening(self, theme: Theme, width: int | None, strip: bool) -> str:
        margin = ground.MARGIN
        left, top = float(-margin), float(-margin)
        across, down = self.geometry.width + 2 * margin, self.geometry.height + 2 * margin
        if self.view is not None:
            left, top, across, down = self.view
        down += HEIGHT * self.scale if strip else 0
        size = f' width="{width}" height="{round(width * down / across)}"' if width else ""
        font = SANS if self.small else SERIF
        title = self.scene.title or self.board.title
        rect = f'<rect x="{left:g}" y="{top:g}" width="{across:g}" height="{down:g}"'
        # Without a clip path a window of another shape than the picture would show more of the map than this part.
        clip = "" if self.view is None else f'<clipPath id="part">{rect}/></clipPath><g clip-path="url(#part)">'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:g} {top:g} {across:g} {down:g}"{size} '
            f'font-family="{font}"><title>{body(title)}</title><metadata>{body(self.geometry.about)}</metadata>'
            f'{rect} fill="{theme.paper}"/>{clip}'
        )

    def _edge(self, theme: Theme) -> str:
        """Return the line round a part of the paper, which has no frame of its own, and the end of that part."""
        if self.view is None:
            return ""
        left, top, across, down = self.view
        return (
            f'<rect x="{left + 2:g}" y="{top + 2:g}" width="{across - 4:g}" height="{down - 4:g}" fill="none" '
            f'stroke="{theme.frame}" stroke-width="4"/></g>'
        )

    def bursts(self) -> list[Mark]:
        """Return the bursts behind dislodged units, which are drawn below the labels so as not to hide them."""
        return [
            keyed(u.area, symbols.sign("burst", self.geometry.berth(u.area, dislodged=True), 0.9 * self.scale))
            for u in self.scene.units
            if u.dislodged
        ]

    def units(self, *, dislodged: bool) -> list[Mark]:
        """Return the dislodged or the standing units, keyed by their place; removed units are faded."""
        removed = {
            province_of(q.area) for q in self.scene.orders if q.kind is DrawnKind.REMOVE and q.result is not Result.VOID
        }
        retreating = {province_of(u.area) for u in self.scene.units if u.dislodged}

        def leaves(unit: DrawnUnit) -> bool:
            tag = province_of(unit.area)
            return tag in removed and (unit.dislodged or tag not in retreating)

        return [
            keyed(
                f"{province_of(u.area)}{'*' if u.dislodged else ''}",
                group(
                    mark("title", f"{u.power} {u}{' dislodged' if u.dislodged else ''}"),
                    symbols.unit(
                        u.kind,
                        self.geometry.berth(u.area, dislodged=u.dislodged),
                        u.power,
                        scale=(0.9 if u.dislodged else 1.12) * self.scale,
                        faded=leaves(u),
                    ),
                    class_="unit",
                    data_power=u.power,
                    data_area=u.area,
                ),
            )
            for u in self.scene.units
            if u.dislodged is dislodged
        ]


def _check(board: Map, scene: Scene, powers: Collection[str]) -> None:
    """Raise ConfigError for powers, provinces and unit kinds that the map lacks; areas are checked on use."""
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
