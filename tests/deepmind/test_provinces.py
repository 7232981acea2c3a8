"""Ids, area names and the two graphs are the published ones."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np
import pytest

from parlour.deepmind import provinces as p
from parlour.errors import ConfigError, NotationError


def test_ids_of_provinces_and_areas() -> None:
    standard, bicoastal = p.province_name_to_id(), p.province_name_to_id(p.MapMDF.BICOASTAL_MAP)
    assert len(standard) == p.NUM_PROVINCES
    assert len(bicoastal) == p.NUM_AREAS
    assert [standard[tag] for tag in ("BOH", "WAR", "ADR", "ECH", "ALB", "VEN", "BUL", "SPA", "STP")] == [
        0, 13, 14, 20, 33, 71, 72, 73, 74,
    ]  # fmt: skip
    assert [bicoastal[tag] for tag in ("ECH", "BUL", "BUL/EC", "BUL/SC", "SPA/NC", "STP", "STP/SC")] == [
        20, 72, 73, 74, 76, 78, 80,
    ]  # fmt: skip
    assert p.province_id_to_name()[20] == "ECH"


class Published(Enum):
    """As in the published code, and one more."""

    STANDARD_MAP = 0
    ANOTHER_MAP = 1


def test_the_map_may_be_named_by_the_published_enumeration_and_nothing_else() -> None:
    asked: Any = Published.STANDARD_MAP
    assert p.province_name_to_id(asked) == p.province_name_to_id()
    for wrong in (0, None, "BICOASTAL_MAP", Published.ANOTHER_MAP):
        asked = wrong
        with pytest.raises(ConfigError, match="map_mdf: expected a MapMDF"):
            p.province_name_to_id(asked)


def test_a_name_table_is_the_callers_own() -> None:
    p.province_name_to_id()["ECH"] = 3
    assert p.province_name_to_id()["ECH"] == 20


@pytest.mark.parametrize("area", range(81))
def test_areas_split_into_province_and_index(area: int) -> None:
    province, index = p.province_and_area_index(area)
    assert (province, index) == ((area, 0) if area < 72 else (72 + (area - 72) // 3, (area - 72) % 3))
    assert p.area_of(province, index) == area


@pytest.mark.parametrize("wrong", [(-1, 0), (75, 0), (0, 1), (72, 3), (72, -1)])
def test_no_such_area(wrong: tuple[int, int]) -> None:
    with pytest.raises(NotationError, match="no area"):
        p.area_of(*wrong)


def test_area_out_of_range() -> None:
    with pytest.raises(NotationError, match="expected 0 to 80"):
        p.province_and_area_index(81)


def test_whose_home_each_centre_is() -> None:
    homes = p.home_power()
    ids = p.province_name_to_id()
    assert len(homes) == 34
    assert {tag: homes[ids[tag]] for tag in ("VIE", "LON", "BRE", "KIE", "NAP", "STP", "SMY", "SER", "SPA")} == {
        "VIE": 0, "LON": 1, "BRE": 2, "KIE": 3, "NAP": 4, "STP": 5, "SMY": 6, "SER": 7, "SPA": 7,
    }  # fmt: skip
    assert sum(power == 7 for power in homes.values()) == 12


def test_matrices_are_the_published_ones_but_for_the_last_bit() -> None:
    """The published code takes powers in float32, whose last bit is the processor's."""
    for matrix, size, edges in ((p.province_adjacency(), 75, 206), (p.area_adjacency(), 81, 224)):
        assert (str(matrix.dtype), matrix.shape) == ("float32", (size, size))
        assert ((matrix > 0).sum() - size) // 2 == edges
        graph = (matrix > 0).astype(np.float32)
        roots = np.diag(np.power(graph.sum(axis=1), np.float32(-0.5)))
        assert np.abs(matrix - roots @ graph @ roots).max() <= 3e-8


def test_the_topological_order_has_each_area_once() -> None:
    assert sorted(p.mila_areas()) == list(range(81))
    assert p.mila_areas()[:2] == (47, 54)
