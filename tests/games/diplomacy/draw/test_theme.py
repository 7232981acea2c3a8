"""Colours stay apart, for colour-blind eyes too."""

from __future__ import annotations

import importlib.util
import re
from itertools import combinations
from pathlib import Path
from types import ModuleType

import pytest

from parlour.errors import ConfigError
from parlour.games.diplomacy.draw.picture import draw_scene
from parlour.games.diplomacy.draw.scene import Scene
from parlour.games.diplomacy.draw.theme import THEMES, theme_named
from parlour.games.diplomacy.maps.map import named

TOOL = Path(__file__).parents[4] / "tools" / "map" / "colours.py"


@pytest.fixture(scope="module")
def colours() -> ModuleType:
    spec = importlib.util.spec_from_file_location("colours", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_distance_is_ciede2000(colours: ModuleType) -> None:
    # Pairs 1, 7 and 24 of the data set of Sharma, Wu and Dalal (2005).
    import numpy as np

    for one, other, wanted in (
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 0, 0), (50, -1, 2), 2.3669),
        ((50, 2.5, 0), (58, 24, 15), 19.4535),
    ):
        assert colours.distance(np.array(one, float), np.array(other, float)) == pytest.approx(wanted, abs=1e-4)


@pytest.mark.parametrize("name", sorted(THEMES))
@pytest.mark.parametrize("eyes", ["normal", "protan", "deutan", "tritan"])
def test_powers_and_the_sea_can_be_told_apart(colours: ModuleType, name: str, eyes: str) -> None:
    theme = theme_named(name)
    units = [colours.seen(paint.unit, eyes) for paint in theme.powers.values()]
    lands = [colours.seen(paint.land, eyes) for paint in theme.powers.values()]
    unowned = [colours.seen(colour, eyes) for colour in (theme.land, theme.neutral)]
    sea = colours.seen(theme.sea, eyes)
    assert min(colours.distance(a, b) for a, b in combinations(units, 2)) > 14
    assert min(colours.distance(a, b) for a, b in combinations([*lands, sea], 2)) > 10
    assert min(colours.distance(a, b) for a in lands for b in unowned) > 8
    assert colours.distance(*unowned) > 6


@pytest.mark.parametrize("name", sorted(THEMES))
def test_units_stand_out_from_their_own_land(colours: ModuleType, name: str) -> None:
    for power, paint in theme_named(name).powers.items():
        assert colours.contrast(paint.unit, paint.land) > 1.9, power


@pytest.mark.parametrize("name", sorted(THEMES))
def test_bridges_stand_out_from_the_land(colours: ModuleType, name: str) -> None:
    theme = THEMES[name]
    svg = draw_scene(named("ancmed"), Scene(), theme=name) + draw_scene(named("hundred"), Scene(), theme=name)
    ways = set(re.findall(r'stroke="(#\w+)" stroke-width="26"', svg))
    assert ways == {theme.frame, theme.sea_line}
    assert colours.contrast(theme.frame, theme.land) > 2
    assert colours.contrast(theme.sea_line, theme.sea) > 1.9


@pytest.mark.parametrize("name", sorted(THEMES))
def test_fifteen_powers_have_fifteen_colours(colours: ModuleType, name: str) -> None:
    paints = THEMES[name].paints([*THEMES[name].powers, *(f"OTHER{number}" for number in range(8))])
    assert len(set(paints.values())) == 15
    lands = {paint.land: colours.seen(paint.land, "normal") for paint in paints.values()}
    assert [(a, b) for a, b in combinations(lands, 2) if colours.distance(lands[a], lands[b]) < 6] == []
    assert all(colours.contrast(paint.unit, paint.land) > 1.8 for paint in paints.values())


def test_powers_of_other_maps_get_colours_of_their_own() -> None:
    paints = THEMES["light"].paints(["AMBER", "BRONZE", "FRANCE", "COBALT"])
    assert paints["FRANCE"] == THEMES["light"].powers["FRANCE"]
    assert len(set(paints.values())) == 4


def test_an_unknown_theme_is_refused() -> None:
    with pytest.raises(ConfigError, match="light, dark"):
        theme_named("pink")
