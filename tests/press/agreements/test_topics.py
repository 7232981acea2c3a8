"""Arrangements that cannot both hold share a topic, whichever was agreed first; unrelated ones do not."""

from __future__ import annotations

import pytest

from parlour.press.agreements.topics import filed_under, looked_up
from support.press.stories import arrangement


def meet(new: str, old: str) -> bool:
    return not set(looked_up(arrangement(new))).isdisjoint(filed_under(arrangement(old)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("XDO ((FRA AMY PAR) HLD)", "XDO ((FRA AMY PAR) MTO BUR)"),
        ("XDO ((RUS FLT (STP SCS)) HLD)", "XDO ((RUS FLT STP) MTO GOB)"),
        ("XDO ((FRA AMY PAR) MTO BUR)", "PCE (FRA GER)"),
        ("XDO ((FRA AMY PAR) MTO BUR)", "ALY (FRA GER) VSS (ENG)"),
        ("XDO ((FRA AMY PAR) MTO BUR)", "DMZ (FRA GER) (BUR)"),
        ("XDO ((FRA FLT GAS) MTO (SPA NCS))", "DMZ (FRA ITA) (SPA)"),
        ("XDO ((FRA FLT GAS) MTO (SPA NCS))", "DMZ (FRA ITA) ((SPA NCS))"),
        ("XDO ((FRA AMY PAR) SUP (GER AMY MUN) MTO BUR)", "DMZ (FRA ENG) (BUR)"),
        ("ALY (FRA GER) VSS (ENG)", "PCE (FRA ENG)"),
        ("ALY (FRA GER) VSS (ENG)", "ALY (FRA ENG) VSS (GER)"),
        ("NOT (DRW)", "DRW"),
        ("NOT (XDO ((FRA AMY PAR) MTO BUR))", "XDO ((FRA AMY PAR) MTO BUR)"),
        ("NOT (PCE (FRA GER))", "PCE (GER FRA)"),
        ("XDO ((FRA AMY PAR) HLD)", "ORR (XDO ((FRA AMY PAR) MTO BUR)) (XDO ((FRA AMY PAR) MTO PIC))"),
        (
            "XDO ((FRA AMY PAR) HLD)",
            "CHO (1 1) (NOT (XDO ((FRA AMY PAR) HLD))) (XDO ((FRA AMY PAR) MTO PIC))",
        ),
        ("NOT (XDO ((FRA AMY PAR) HLD))", "CHO (2 2) (XDO ((FRA AMY PAR) HLD)) (XDO ((FRA AMY MAR) HLD))"),
    ],
)
def test_arrangements_that_can_clash_share_a_topic(one: str, other: str) -> None:
    assert meet(one, other)
    assert meet(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("XDO ((FRA AMY PAR) HLD)", "XDO ((FRA AMY MAR) HLD)"),
        ("XDO ((FRA AMY PAR) MTO BUR)", "DMZ (FRA GER) (PIC)"),
        ("XDO ((FRA AMY PAR) MTO BUR)", "PCE (ENG GER)"),
        ("DMZ (FRA GER) (BUR)", "DMZ (FRA GER) (BUR PIC)"),
        ("PCE (FRA GER)", "DMZ (FRA GER) (BUR)"),
        ("NOT (DRW)", "PCE (FRA GER)"),
        ("PCE (FRA GER)", "ORR (XDO ((FRA AMY PAR) MTO BUR)) (XDO ((FRA AMY PAR) MTO PIC))"),
        ("XDO ((FRA AMY MAR) HLD)", "ORR (XDO ((FRA AMY PAR) MTO BUR)) (XDO ((FRA AMY PAR) MTO PIC))"),
    ],
)
def test_arrangements_that_cannot_clash_share_none(one: str, other: str) -> None:
    assert not meet(one, other)
    assert not meet(other, one)
