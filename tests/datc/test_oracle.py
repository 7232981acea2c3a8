"""The oracle of tests/support/diplomacy/oracle.py passes every DATC case that has a movement phase."""

from __future__ import annotations

import pytest

from support.diplomacy.datc import Case, datc_cases
from support.diplomacy.oracle import judge, province

CASES = [case for case in datc_cases() if case.phase.endswith("M")]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_oracle_passes(case: Case) -> None:
    step = case.steps[0]
    result = judge(case.units, step.orders)
    standing: dict[str, list[str]] = {}
    for unit in result.standing.values():
        standing.setdefault(unit.power, []).append(f"{unit.kind} {unit.area}")
    assert {power: sorted(own) for power, own in standing.items()} == step.after(case.units, {})
    expected = {province(unit.split()[1]): tuple(sorted(places)) for unit, places in step.dislodged.items()}
    assert dict(result.dislodged) == expected
