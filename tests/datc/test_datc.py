"""Every case of the Diplomacy Adjudicator Test Cases, by its number, through `parlour adjudicate`.

The tables in this folder hold cases 6.A to 6.J of DATC 2.5, those that DATC 3 added, and the outcomes that the DATC's
author prefers. A `[[case]]` has

    id, title        its number; what it is about, in our words
    phase            S1901M unless said
    units            by power; if missing, the units that are ordered
    centers          by power; if missing, those of the start
    orders           by power
    moved            units that go elsewhere; all others stay
    dislodged        units that must leave, each with the places where it may go; without one it is disbanded
    disbanded, built, removed        units that leave or enter the board in retreats and adjustments
    void             orders that must be called void
    [[case.then]]    the phases that follow, with the same keys from orders on
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from parlour.cli.adjudicate import adjudicate
from support.diplomacy.datc import ByPower, Case, Step, datc_cases


@pytest.mark.parametrize("case", datc_cases(), ids=lambda case: case.id)
def test_datc(case: Case) -> None:
    asked: dict[str, Any] = {"phase": case.phase, "units": case.units}
    if case.centers is not None:
        asked["centers"] = case.centers
    units: ByPower = case.units
    loose: ByPower = {}
    for step in case.steps:
        answer = adjudicate({**asked, "orders": step.orders})
        check(answer, step, units, loose)
        units, loose = step.after(units, loose), step.loose(units)
        asked = {key: answer[key] for key in ("phase", "units", "centers", "retreats")}


def check(answer: Any, step: Step, units: ByPower, loose: ByPower) -> None:
    """The answer says what the table says."""
    assert {power: sorted(own) for power, own in answer["units"].items() if own} == step.after(units, loose)
    retreats = {unit: sorted(places) for own in answer["retreats"].values() for unit, places in own.items()}
    assert retreats == {unit: sorted(places) for unit, places in step.dislodged.items() if places}
    disbanded = sorted(unit for own in answer.get("disbanded", {}).values() for unit in own)
    assert disbanded == sorted([*step.disbanded, *(unit for unit, places in step.dislodged.items() if not places)])
    results = {order: verdict for own in answer["results"].values() for order, verdict in own.items()}
    assert {order: results.get(order) for order in step.void} == dict.fromkeys(step.void, "void")


def test_no_case_is_missing() -> None:
    sections = Counter(case.id.rstrip("ab").rpartition(".")[0] for case in datc_cases() if not case.id.endswith("b"))
    counts = {"A": 12, "B": 15, "C": 9, "D": 34, "E": 15, "F": 25, "G": 19, "H": 16, "I": 7, "J": 11}
    assert sections == {f"6.{letter}": count for letter, count in counts.items()}
    assert len({case.id for case in datc_cases()}) == len(datc_cases())
