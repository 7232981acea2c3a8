"""Cuts land and sea along the borders and gives every piece to a province or to a region off the board."""

from __future__ import annotations

import numpy as np
import shapely
from atlas import Atlas
from borders import SEA
from drawings import Drawing
from pen import XY, Pen, smooth
from places import DROPPED, FILLERS, MADE_LAND, MADE_WATER
from projection import HEIGHT, WIDTH, points, project
from shapely.geometry import LineString, Point, Polygon, box
from shapely.geometry.base import BaseGeometry
from shapely.ops import linemerge, polygonize, unary_union
from shapely.strtree import STRtree

FRAME = box(0, 0, WIDTH, HEIGHT)


def polygons(shape: BaseGeometry) -> list[Polygon]:
    """Return all polygons in a shape of any kind."""
    if shape.is_empty:
        return []
    if isinstance(shape, Polygon):
        return [shape]
    return [found for part in getattr(shape, "geoms", []) for found in polygons(part)]


def build_land(atlas: Atlas) -> BaseGeometry:
    """Return all land on paper, with passable belts and straits, without small islands, with rounded coasts."""
    parts: list[Polygon] = []
    for name in atlas.names():
        if name == "Greenland":
            continue
        for whole in (found for part in atlas.polygons(name) for found in polygons(part)):
            outer = project(np.array(whole.segmentize(0.5).exterior.coords))
            flat = Polygon(outer, [project(np.array(hole.coords)) for hole in whole.interiors])
            parts += [found for found in polygons(shapely.make_valid(flat)) if found.area > 0.02]
    made, cut = ([LineString(points(line)).buffer(w) for line, w in made] for made in (MADE_LAND, MADE_WATER))
    land = unary_union([unary_union(parts), *made]).difference(unary_union(cut))
    land = land.intersection(box(-60, -60, WIDTH + 60, HEIGHT + 60)).simplify(0.12)
    close, round_ = 1.15, 0.62
    land = land.buffer(close, quad_segs=3).buffer(-close - round_, quad_segs=3).buffer(round_, quad_segs=3)
    dropped = [Point(points([place])[0]) for place in DROPPED]
    kept = [
        # Of inner waters only Marmara and the Caspian are large enough to stay.
        Polygon(part.exterior, [hole for hole in part.interiors if Polygon(hole).area > 200])
        for part in polygons(land)
        if part.area >= 9 and not any(part.distance(place) < 4 for place in dropped)
    ]
    return unary_union(kept).simplify(0.1)


def build_regions(drawing: Drawing, atlas: Atlas, pen: Pen, seas: set[str]) -> dict[str, BaseGeometry]:
    """Return the shape of every province and filler; together they fill the frame."""
    land = build_land(atlas)
    faces = _faces(drawing, land, pen)
    dry = [bool(land.contains(face.representative_point())) for face in faces]
    owners = _seeded(drawing, faces, dry, seas | {tag for tag, (_, water) in FILLERS.items() if water})
    _join_slivers(faces, dry, owners)
    _settle(drawing, faces, dry, owners)
    regions: dict[str, list[Polygon]] = {}
    for face, owner in zip(faces, owners, strict=True):
        assert owner is not None
        regions.setdefault(owner, []).append(face)
    return {tag: unary_union(parts) for tag, parts in regions.items()}


def _faces(drawing: Drawing, land: BaseGeometry, pen: Pen) -> list[Polygon]:
    """Return the pieces into which coast, borders and frame cut the paper."""
    borders = [line for pair in drawing.whole for line in pen.whole(*pair)] + [pen.land(line) for line in drawing.land]
    ends: dict[XY, int] = {}
    for line in borders:
        for x, y in (line.coords[0], line.coords[-1]):
            ends[round(x, 2), round(y, 2)] = ends.get((round(x, 2), round(y, 2)), 0) + 1
    coast = land.boundary

    def beyond(end: tuple[float, ...]) -> float:
        """Return the length by which to prolong a line at a loose end: across the coast if it is near."""
        if ends[round(end[0], 2), round(end[1], 2)] > 1:
            return 0
        return 12 if coast.distance(Point(end)) < 9 else 1

    prolonged = [_prolonged(line, beyond(line.coords[0]), beyond(line.coords[-1])) for line in borders]
    near, far = land.buffer(1.5), land.buffer(-1.5)
    cuts = [line.intersection(near) for line in prolonged]
    cuts += [LineString(smooth(points(line), 12)).difference(far) for line in SEA]
    net = unary_union([*cuts, coast, FRAME.boundary])
    _report_lost(net)
    return [face for face in polygonize(net) if FRAME.contains(face.representative_point())]


def _prolonged(line: LineString, start: float, end: float) -> LineString:
    def extra(way: LineString, amount: float) -> list[XY]:
        tip, inner = np.array(way.coords[0]), np.array(way.interpolate(min(4, way.length)).coords[0])
        reach = float(np.linalg.norm(tip - inner))
        if not reach or not amount:
            return []
        x, y = tip + (tip - inner) / reach * amount
        return [(float(x), float(y))]

    path = [(x, y) for x, y in line.coords]
    return LineString(extra(line, start) + path + extra(LineString(path[::-1]), end))


def _report_lost(net: BaseGeometry) -> None:
    """Print lines that bound nothing, such as a border that misses the one it should meet."""
    dangles = shapely.polygonize_full([net])[2]
    if dangles.is_empty:
        return
    merged = linemerge(dangles)
    for line in getattr(merged, "geoms", [merged]):
        if line.intersection(FRAME).length > 16:
            print("a border bounds nothing, from", *(tuple(round(v) for v in line.coords[i]) for i in (0, -1)))


def _seeded(drawing: Drawing, faces: list[Polygon], dry: list[bool], wet: set[str]) -> list[str | None]:
    owners: list[str | None] = [None] * len(faces)
    tree = STRtree(faces)
    for tag, places in drawing.seeds.items():
        for place in places:
            hits = tree.query(Point(points([place])[0]), "intersects")
            if not len(hits) or dry[hits[0]] == (tag in wet) or owners[hits[0]] not in (None, tag):
                raise SystemExit(f"the seed of {tag} at {place} is not in a free piece of the right kind")
            owners[hits[0]] = tag
    for place, tag in drawing.islands.items():
        for i in tree.query(Point(points([place])[0]).buffer(2)):
            if owners[i] is None and dry[i]:
                owners[i] = tag
    return owners


def _join_slivers(faces: list[Polygon], dry: list[bool], owners: list[str | None]) -> None:
    """Give small pieces without a seed to the neighbour with the longest common border."""
    tree = STRtree(faces)
    for _ in range(6):
        for i, face in enumerate(faces):
            if owners[i] is not None or face.area >= 120:
                continue
            shared = [
                (face.boundary.intersection(faces[j].boundary).length, str(owners[j]))
                for j in tree.query(face.buffer(0.01))
                if j != i and owners[j] is not None and dry[j] == dry[i]
            ]
            length, owner = max(shared, default=(0.0, ""))
            if length > 0:
                owners[i] = owner


def _settle(drawing: Drawing, faces: list[Polygon], dry: list[bool], owners: list[str | None]) -> None:
    """Give the rest to Africa, to the Caspian, or, as islands, to the nearest province."""
    provinces = {
        tag: unary_union([face for face, owner in zip(faces, owners, strict=True) if owner == tag])
        for tag in drawing.seeds
        if tag not in FILLERS
    }
    lands = {
        tag: shape for tag, shape in provinces.items() if any(dry[i] for i, owner in enumerate(owners) if owner == tag)
    }
    for i, face in enumerate(faces):
        if owners[i] is None and dry[i]:
            southern = face.bounds[3] > HEIGHT - 0.5 and face.area > 40
            owners[i] = "AFR" if southern else min((shape.distance(face), tag) for tag, shape in lands.items())[1]
        elif owners[i] is None:
            if face.bounds[2] <= WIDTH - 0.5:
                raise SystemExit(f"nobody owns the water at {face.representative_point()}")
            owners[i] = "CAS"
