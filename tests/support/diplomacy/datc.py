"""Reads the tables of DATC cases; their form is told in tests/datc/test_datc.py."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from support import TESTS

TABLES = TESTS / "datc"
KEYS = {"orders", "moved", "dislodged", "disbanded", "built", "removed", "void"}
OPENING = {"id", "title", "phase", "units", "centers", "then"}

ByPower = Mapping[str, list[str]]


@dataclass(frozen=True)
class Step:
    """One phase of a case: orders by power, and what becomes of the units."""

    orders: ByPower
    moved: tuple[tuple[str, str], ...]
    """Unit before and unit after."""
    dislodged: Mapping[str, list[str]]
    """Unit and where it may go; without a place to go it is disbanded at once."""
    disbanded: tuple[str, ...]
    built: tuple[str, ...]
    removed: tuple[str, ...]
    void: tuple[str, ...]

    def after(self, units: ByPower, loose: ByPower) -> dict[str, list[str]]:
        """Return the units after this phase; loose are the dislodged units, if this is a retreat phase."""
        gone = {*self.dislodged, *self.disbanded, *self.removed}
        there = dict(self.moved)
        asked, kept = (loose, units) if loose else (units, {})
        left = {power: list(own) for power, own in kept.items()}
        for power, own in asked.items():
            left.setdefault(power, []).extend(there.get(unit, unit) for unit in own if unit not in gone)
        for unit in self.built:
            power = next(power for power, orders in self.orders.items() if f"{unit} B" in orders)
            left.setdefault(power, []).append(unit)
        return {power: sorted(own) for power, own in left.items() if own}

    def loose(self, units: ByPower) -> dict[str, list[str]]:
        """Return the units that this phase dislodges and that have somewhere to go, by power."""
        found = {power: sorted(u for u in own if self.dislodged.get(u)) for power, own in units.items()}
        return {power: own for power, own in found.items() if own}


@dataclass(frozen=True)
class Case:
    """A position and the phases played from it."""

    id: str
    phase: str
    units: ByPower
    centers: ByPower | None
    steps: tuple[Step, ...]


def _step(table: Mapping[str, Any]) -> Step:
    moved = []
    for text in table.get("moved", []):
        unit, to = text.split(" - ")
        moved.append((unit, f"{unit[0]} {to}"))
    lists = {key: tuple(table.get(key, ())) for key in ("disbanded", "built", "removed", "void")}
    return Step(table.get("orders", {}), tuple(moved), table.get("dislodged", {}), **lists)


def _case(table: Mapping[str, Any]) -> Case:
    rest = table.get("then", [])
    unknown = (table.keys() - KEYS - OPENING) | {key for step in rest for key in step.keys() - KEYS}
    if unknown:
        raise ValueError(f"{table['id']}: unknown {sorted(unknown)}")
    ordered = {power: [" ".join(o.split()[:2]) for o in orders] for power, orders in table.get("orders", {}).items()}
    opening = table.get("phase", "S1901M")
    units = table.get("units", ordered if opening.endswith("M") else {})
    steps = (_step(table), *map(_step, rest))
    return Case(table["id"], opening, units, table.get("centers"), steps)


@cache
def datc_cases() -> tuple[Case, ...]:
    """Return all cases in the order of the document."""
    paths = sorted(TABLES.glob("*.toml"))
    return tuple(_case(table) for path in paths for table in tomllib.loads(path.read_text("utf-8"))["case"])
