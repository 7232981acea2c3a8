"""Pictures are well-formed, complete, small and the same every time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from parlour.errors import ConfigError
from parlour.games.diplomacy.draw import DrawnKind, DrawnOrder, DrawnUnit, Result, Scene, Style, draw_scene
from parlour.games.diplomacy.draw.curves import Box
from parlour.games.diplomacy.draw.geometry import geometry_of
from parlour.games.diplomacy.draw.labels import enlarged
from parlour.games.diplomacy.draw.symbols import UNIT_HEIGHT, UNIT_WIDTH
from parlour.games.diplomacy.draw.theme import THEMES
from parlour.games.diplomacy.maps.map import Map, named, read_map, standard

SVG = "{http://www.w3.org/2000/svg}"


def elements(svg: str, tag: str, of_class: str = "") -> list[ElementTree.Element]:
    found = ElementTree.fromstring(svg).iter(SVG + tag)
    return [element for element in found if not of_class or element.get("class") == of_class]


def titles(svg: str, of_class: str) -> list[str]:
    return [group.findtext(SVG + "title", "") for group in elements(svg, "g", of_class)]


def first_units(board: Map) -> tuple[DrawnUnit, ...]:
    return tuple(
        DrawnUnit(board.powers[u.power].name, "F" if u.fleet else "A", board.areas[u.area].tag) for u in board.units
    )


def start() -> Scene:
    board = standard()
    return Scene(
        units=first_units(board),
        centres={board.provinces[home].tag: power.name for power in board.powers for home in power.homes},
    )


MORE_UNITS = """
FRANCE F WES, FRANCE F SPA/SC, ITALY F TYS, ITALY A TUN, ENGLAND F NTH, ENGLAND A YOR, ENGLAND A DEN,
GERMANY A BEL, GERMANY F HOL, GERMANY A RUH, RUSSIA F BAL, RUSSIA A RUM, RUSSIA A UKR,
TURKEY F AEG, TURKEY A BUL, AUSTRIA A SER, AUSTRIA F GRE
"""


def everything() -> Scene:
    """Return every kind of order with every result it can have; more marks than any phase of a game has."""
    units = (
        *start().units,
        *(DrawnUnit(power, kind, area) for power, kind, area in map(str.split, MORE_UNITS.split(","))),
        DrawnUnit("AUSTRIA", "A", "RUM", dislodged=True),
        DrawnUnit("GERMANY", "F", "DEN", dislodged=True),
    )
    return Scene(units, start().centres, {"TUN": "ITALY", "BUL": "TURKEY"}, tuple(all_orders()))


def all_orders() -> Iterator[DrawnOrder]:
    hold, move, support, convoy = DrawnKind.HOLD, DrawnKind.MOVE, DrawnKind.SUPPORT, DrawnKind.CONVOY
    yield DrawnOrder("FRANCE", move, "PAR", to="BUR", result=Result.BOUNCED)
    yield DrawnOrder("GERMANY", move, "MUN", to="BUR", result=Result.BOUNCED)
    yield DrawnOrder("FRANCE", support, "MAR", target="A PAR", to="BUR", result=Result.SUCCEEDED)
    yield DrawnOrder("GERMANY", support, "RUH", target="A MUN", to="BUR", result=Result.CUT)
    yield DrawnOrder("GERMANY", support, "HOL", "F", target="A BEL", result=Result.SUCCEEDED)
    yield DrawnOrder("GERMANY", hold, "BEL", result=Result.SUCCEEDED)
    yield DrawnOrder("ENGLAND", move, "YOR", to="NWY", via=("NTH",), result=Result.DISRUPTED)
    yield DrawnOrder("ENGLAND", convoy, "NTH", "F", target="A YOR", to="NWY", result=Result.DISLODGED)
    yield DrawnOrder("ENGLAND", move, "LVP", to="BEL", via=("IRI", "ENG"), result=Result.NO_CONVOY)
    yield DrawnOrder("FRANCE", move, "WES", "F", to="TYS", result=Result.BOUNCED)
    yield DrawnOrder("ITALY", move, "TYS", "F", to="WES", result=Result.BOUNCED)
    yield DrawnOrder("RUSSIA", support, "BAL", "F", target="A BER", result=Result.VOID)
    yield DrawnOrder("GERMANY", hold, "BER", result=Result.DISLODGED)
    yield DrawnOrder("RUSSIA", support, "SEV", "F", target="A UKR", to="RUM", result=Result.DISLODGED)
    yield DrawnOrder("TURKEY", move, "AEG", "F", to="GRE", result=Result.SUCCEEDED)
    yield DrawnOrder("AUSTRIA", move, "GRE", "F", to="ION", result=Result.DISLODGED)
    yield DrawnOrder("AUSTRIA", support, "TRI", "F", target="A SER", result=Result.PENDING)
    yield DrawnOrder("FRANCE", move, "SPA/SC", "F", to="LYO", result=Result.SUCCEEDED)
    yield DrawnOrder("AUSTRIA", DrawnKind.REMOVE, "RUM", result=Result.SUCCEEDED)
    yield DrawnOrder("GERMANY", DrawnKind.RETREAT, "DEN", "F", to="HEL", result=Result.SUCCEEDED)
    yield DrawnOrder("RUSSIA", DrawnKind.RETREAT, "RUM", to="GAL", result=Result.BOUNCED)
    yield DrawnOrder("TURKEY", DrawnKind.BUILD, "SMY", "F", result=Result.SUCCEEDED)
    yield DrawnOrder("ITALY", DrawnKind.BUILD, "NAP", "F", result=Result.VOID)
    yield DrawnOrder("RUSSIA", DrawnKind.REMOVE, "UKR", result=Result.SUCCEEDED)
    yield DrawnOrder("ITALY", hold, "VEN", result=Result.VOID)


@pytest.mark.parametrize("theme", sorted(THEMES))
@pytest.mark.parametrize("scene", [Scene(), start(), everything()], ids=["empty", "start", "everything"])
def test_pictures_are_well_formed(scene: Scene, theme: str) -> None:
    root = ElementTree.fromstring(draw_scene(standard(), scene, theme=theme))
    assert root.tag == SVG + "svg"
    assert root.get("viewBox") == "-15 -15 1230 1050"


@pytest.mark.parametrize("theme", sorted(THEMES))
def test_pictures_stay_small(theme: str) -> None:
    assert len(draw_scene(standard(), start(), theme=theme).encode()) < 150_000
    assert len(draw_scene(standard(), everything(), theme=theme).encode()) < 200_000


def test_every_unit_appears_with_its_power() -> None:
    scene = everything()
    drawn = Counter(
        (g.get("data-power"), g.get("data-area")) for g in elements(draw_scene(standard(), scene), "g", "unit")
    )
    assert drawn == Counter((unit.power, unit.area) for unit in scene.units)


def test_every_centre_has_a_star_in_the_colour_of_its_owner() -> None:
    board, scene = standard(), start()
    stars = {
        tag: path.get("fill")
        for path in elements(draw_scene(board, scene), "path")
        for tag in path.get("data-centres", "").split()
    }
    light = THEMES["light"]
    assert stars == {
        p.tag: light.powers[scene.centres[p.tag]].line if p.tag in scene.centres else light.centre
        for p in board.provinces
        if p.centre
    }


def test_every_order_appears_with_its_result() -> None:
    scene = everything()
    drawn = Counter(titles(draw_scene(standard(), scene), "order"))
    wanted = Counter(str(q) if q.result is Result.PENDING else f"{q}: {q.result}" for q in scene.orders)
    assert drawn == wanted


def test_results_have_their_marks() -> None:
    def marks(order: DrawnOrder) -> Counter[str]:
        scene = replace(start(), orders=(order,))
        svg = draw_scene(standard(), scene)
        names = [use.get("href", "")[1:] for use in elements(svg, "use")]
        names += [path.get("data-sign", "") for path in elements(svg, "path")]
        return Counter(name for name in names if name in ("bounce", "cut", "burst", "gone", "built"))

    move = DrawnOrder("FRANCE", DrawnKind.MOVE, "PAR", to="BUR")
    assert marks(move) == {}
    assert marks(replace(move, result=Result.SUCCEEDED)) == {}
    assert marks(replace(move, result=Result.BOUNCED)) == {"bounce": 1}
    assert marks(replace(move, result=Result.DISLODGED)) == {"bounce": 1, "burst": 1}
    assert marks(replace(move, result=Result.NO_CONVOY)) == {"cut": 1}
    support = DrawnOrder("FRANCE", DrawnKind.SUPPORT, "MAR", target="A PAR", to="BUR")
    assert marks(support) == {}
    assert marks(replace(support, result=Result.CUT)) == {"cut": 1}
    assert marks(DrawnOrder("FRANCE", DrawnKind.HOLD, "PAR", result=Result.DISLODGED)) == {"burst": 1}
    assert marks(DrawnOrder("FRANCE", DrawnKind.BUILD, "PAR")) == {"built": 1}
    assert marks(DrawnOrder("FRANCE", DrawnKind.REMOVE, "PAR")) == {"gone": 1}
    assert marks(DrawnOrder("FRANCE", DrawnKind.REMOVE, "PAR", result=Result.VOID)) == {"cut": 1}


def test_a_fleet_that_carries_and_a_unit_that_holds_are_drawn_where_they_stand() -> None:
    def drawn(order: DrawnOrder) -> list[str]:
        scene = replace(start(), orders=(order,))
        (lines,) = elements(draw_scene(standard(), scene), "g", "order")
        return [path.get("d", "") for path in lines.iter(SVG + "path")]

    x, y = geometry_of(standard()).berth("KIE")
    water = f"M{x - 18:g} {y + 14:g}q3-4 6 0 3 4 6 0 3-4 6 0 3 4 6 0 3-4 6 0 3 4 6 0"
    convoy = DrawnOrder("GERMANY", DrawnKind.CONVOY, "KIE", "F", target="A BER", to="SWE")
    assert drawn(convoy).count(water) == 2, "a casing, and the line"
    ring = f"M{x + 17:g} {y:g}a17 17 0 11-34 0a17 17 0 1134 0z"
    assert drawn(DrawnOrder("GERMANY", DrawnKind.HOLD, "KIE", "F")) == [ring, ring]


def test_only_a_unit_that_leaves_is_faded() -> None:
    for result, faded in ((Result.SUCCEEDED, 1), (Result.VOID, 0)):
        scene = replace(start(), orders=(DrawnOrder("FRANCE", DrawnKind.REMOVE, "PAR", result=result),))
        units = [
            use for group in elements(draw_scene(standard(), scene), "g", "unit") for use in group.iter(SVG + "use")
        ]
        assert sum(use.get("opacity") is not None for use in units) == faded


def test_a_build_shows_the_new_unit() -> None:
    scene = Scene(orders=(DrawnOrder("ENGLAND", DrawnKind.BUILD, "LON", "F"),))
    fleets = [use for use in elements(draw_scene(standard(), scene), "use") if use.get("href") == "#fleet"]
    assert [use.get("fill") for use in fleets] == [THEMES["light"].powers["ENGLAND"].unit]


def test_a_convoyed_army_is_drawn_past_its_fleets() -> None:
    def path(*via: str) -> str:
        order = DrawnOrder("ENGLAND", DrawnKind.MOVE, "LON", to="TUN", via=via, result=Result.SUCCEEDED)
        group = elements(draw_scene(standard(), replace(start(), orders=(order,))), "g", "order")[0]
        return next(group.iter(SVG + "path")).get("d", "")

    geometry = geometry_of(standard())
    x, y = geometry.berth("MAO")
    assert f"L{x:g} {y + 13:g}L" in path("ENG", "MAO", "WES")
    assert path() != path("ENG", "MAO", "WES")


def test_orders_of_one_power_can_be_shown_alone() -> None:
    scene = everything()
    shown = elements(draw_scene(standard(), scene, powers=["FRANCE"]), "g", "order")
    assert [group.get("data-power") for group in shown] == ["FRANCE"] * sum(q.power == "FRANCE" for q in scene.orders)
    assert len(elements(draw_scene(standard(), scene, powers=["FRANCE"]), "g", "unit")) == len(scene.units)


def test_themes_differ_in_colour_only() -> None:
    light, dark = (draw_scene(standard(), everything(), theme=theme) for theme in ("light", "dark"))
    assert light != dark
    assert titles(light, "order") == titles(dark, "order")
    assert THEMES["dark"].sea in dark
    assert THEMES["dark"].sea not in light


def test_land_takes_the_colour_of_owner_then_influence_then_first_realm() -> None:
    paint = THEMES["light"].powers
    scene = replace(start(), centres={"PAR": "GERMANY", "MOS": "RUSSIA"}, influence={"BUR": "ITALY", "NTH": "ITALY"})
    fills = {
        use.get("href"): group.get("fill")
        for land in elements(draw_scene(standard(), scene), "g", "land")
        for group in land
        for use in group
    }
    assert fills["#PAR"] == paint["GERMANY"].land
    assert fills["#BUR"] == paint["ITALY"].land
    assert fills["#PIC"] == paint["FRANCE"].land
    assert fills["#SER"] == THEMES["light"].neutral
    assert fills["#ALB"] == THEMES["light"].land
    assert "#NTH" not in fills


def test_marks_do_not_cover_tags() -> None:
    scene = everything()
    svg = draw_scene(standard(), scene)
    labels = [shape.label for shape in geometry_of(standard()).provinces.values() if not shape.sea]
    bounces = [path.get("d", "") for path in elements(svg, "path") if path.get("data-sign") == "bounce"]
    assert len(bounces) == 6
    for d in bounces:
        right, y = map(float, d.removeprefix("M").partition("l")[0].split())
        x = right - 9.2
        covered = [t for t in labels if abs(t.x - x) < 5 + t.size and abs(t.y - y) < 5 + 0.4 * t.size]
        assert not covered, d


def test_the_same_scene_gives_the_same_picture() -> None:
    assert draw_scene(standard(), everything()) == draw_scene(standard(), everything())


def test_names_are_escaped() -> None:
    text = (
        'map odd\ntitle A & B <"x">\nbegin 1901\nvictory 2\npower EAST EAS East\npower WEST WES West\n'
        "land AAA Here & <there>\nland BBB Plain\nhome EAST AAA\nhome WEST BBB\nstart EAST A AAA\nstart WEST A BBB\n"
        "army AAA BBB\narmy BBB AAA\n"
    )
    board = read_map(text)
    svg = draw_scene(board, Scene(units=(DrawnUnit("EAST", "A", "AAA"),), title='<script>"&'), label="names")
    assert ElementTree.fromstring(svg).findtext(SVG + "title") == '<script>"&'
    assert "Here & <there>" in [use.findtext(SVG + "title") for use in elements(svg, "use")]


def test_ids_get_their_prefix_everywhere() -> None:
    svg = draw_scene(standard(), everything(), ids="one-")
    root = ElementTree.fromstring(svg)
    ids = {element.get("id", "") for element in root.iter()} - {""}
    hrefs = {element.get("href", "") for element in root.iter()} - {""}
    assert all(name.startswith("one-") for name in ids)
    assert {href[1:] for href in hrefs} <= ids


def test_every_reference_leads_to_one_definition() -> None:
    root = ElementTree.fromstring(draw_scene(standard(), everything()))
    ids = Counter(element.get("id") for element in root.iter() if element.get("id"))
    hrefs = {element.get("href", "")[1:] for element in root.iter() if element.get("href")}
    assert set(ids.values()) == {1}
    assert hrefs <= set(ids)


def test_a_narrow_picture_has_larger_letters() -> None:
    def size(width: int) -> float:
        svg = draw_scene(standard(), start(), width=width)
        return next(float(t.get("font-size", "0")) for t in elements(svg, "text") if t.text == "PAR")

    assert size(600) > 1.3 * size(1200)


@pytest.mark.parametrize("scale", [1.0, 1.4])
def test_no_tag_lies_under_a_unit(scale: float) -> None:
    geometry, grown = geometry_of(standard()), 1 + 0.625 * (scale - 1)
    berths = [
        place
        for shape in geometry.provinces.values()
        for place in (shape.unit, *(berth.unit for berth in shape.coasts.values()))
    ]
    for tag, shape in geometry.provinces.items():
        if not shape.sea:
            label = enlarged(geometry, tag, scale)
            box = Box(label.x, label.y, 1.05 * label.size, 0.34 * label.size)
            units = (Box(*place, 0.55 * UNIT_WIDTH * grown, 0.55 * UNIT_HEIGHT * grown) for place in berths)
            assert max(box.overlap(unit) for unit in units) < 0.5, tag


def test_a_legend_tells_the_phase_and_the_centres_of_each_power() -> None:
    scene = replace(start(), title="Spring 1901, movement")
    svg = draw_scene(standard(), scene, legend=True, names={"FRANCE": "<b>", "ITALY": "Bob"})
    cells = {g.get("data-power"): [t.text for t in g.iter(SVG + "text")] for g in _cells(svg)}
    assert cells["RUSSIA"] == ["4", "Russia", "4 units"]
    assert cells["FRANCE"] == ["3", "France", "<b>"]
    assert next(iter(cells)) == "RUSSIA"  # who has most comes first
    assert "Spring 1901, movement" in [t.text for t in elements(svg, "text")]
    assert not _cells(draw_scene(standard(), scene))
    plain, strip = (
        float((ElementTree.fromstring(s).get("viewBox") or "").split()[3]) for s in (draw_scene(standard(), scene), svg)
    )
    assert strip > plain


def test_the_legend_says_who_is_out() -> None:
    cells = {g.get("data-power"): g for g in _cells(draw_scene(standard(), Scene(), legend=True))}
    assert [t.text for t in cells["ITALY"].iter(SVG + "text")] == ["0", "Italy", "out"]


def _cells(svg: str) -> list[ElementTree.Element]:
    return [cell for legend in elements(svg, "g", "legend") for cell in legend if cell.get("data-power")]


@pytest.mark.parametrize(
    ("label", "shown", "hidden"), [("tags", "NTH", "Sea"), ("names", "Paris", "PAR"), ("mixed", "PAR", "NTH")]
)
def test_labels_can_be_tags_or_names(label: str, shown: str, hidden: str) -> None:
    texts = {text.text for text in elements(draw_scene(standard(), start(), label=label), "text")}
    assert shown in texts
    assert hidden not in texts


def test_without_labels_only_the_compass_has_a_letter() -> None:
    assert [text.text for text in elements(draw_scene(standard(), start(), label="none"), "text")] == ["N"]


@pytest.mark.parametrize(
    ("scene", "field"),
    [
        (Scene(units=(DrawnUnit("NOBODY", "A", "PAR"),)), "power"),
        (Scene(units=(DrawnUnit("FRANCE", "A", "XXX"),)), "area"),
        (Scene(units=(DrawnUnit("FRANCE", "F", "PAR/NC"),)), "area"),
        (Scene(units=(DrawnUnit("FRANCE", "X", "PAR"),)), "unit"),
        (Scene(centres={"XXX": "FRANCE"}), "centres"),
        (Scene(orders=(DrawnOrder("FRANCE", DrawnKind.MOVE, "PAR", to="XXX"),)), "area"),
    ],
)
def test_what_is_not_on_the_map_is_refused(scene: Scene, field: str) -> None:
    with pytest.raises(ConfigError, match="expected") as caught:
        draw_scene(standard(), scene)
    assert caught.value.field == field


@pytest.mark.parametrize(
    "style", [Style(theme="pink"), Style(label="x"), Style(width=1), Style(ids='"'), Style(powers=["NOBODY"])]
)
def test_a_style_that_does_not_exist_is_refused(style: Style) -> None:
    with pytest.raises(ConfigError, match="expected") as caught:
        draw_scene(standard(), start(), **style)
    assert caught.value.field in [name.removesuffix("s") if name == "powers" else name for name in style]


def test_a_map_without_a_drawing_is_drawn_too() -> None:
    board = named("lagoon")
    units = tuple(
        DrawnUnit(board.powers[u.power].name, "F" if u.fleet else "A", board.areas[u.area].tag) for u in board.units
    )
    svg = draw_scene(board, Scene(units=units))
    assert len(elements(svg, "g", "unit")) == len(board.units)
    texts = {text.text for text in elements(svg, "text")}
    assert {p.tag for p in board.provinces if p.kind != "sea"} <= texts
