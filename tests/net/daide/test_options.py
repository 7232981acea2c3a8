"""Options of DAIDE matches: how HLO tells them, how people write them, and the terms they amount to."""

from __future__ import annotations

import msgspec
import pytest

from parlour.core.terms import Clock, PressMode, PressTerms, Terms
from parlour.errors import ConfigError
from parlour.net.daide.options import DaideOptions, options_of, read_options
from parlour.net.daide.tokens import written
from parlour.referee.conduct import DIPLOMACY


def test_options_are_told_in_the_order_of_the_document() -> None:
    assert written(DaideOptions().tokens()) == "( ( LVL 0 ) )"
    every = DaideOptions(level=30, mtl=600, rtl=60, btl=61, dsd=True, aoa=True, pda=True, npr=True, npb=True, ptl=5)
    assert written(every.tokens()) == (
        "( ( LVL 30 ) ( MTL 600 ) ( RTL 60 ) ( BTL 61 ) ( DSD ) ( AOA ) ( PDA ) ( NPR ) ( NPB ) ( PTL 5 ) )"
    )


def test_options_become_terms_and_terms_options() -> None:
    terms = DaideOptions(level=20, mtl=600, btl=60, npr=True).terms()
    assert terms.clock.per_stage == {"orders": 600.0, "adjustments": 60.0}
    assert (terms.press.mode, terms.press.level, terms.press.stages) == (
        PressMode.ANYTIME,
        20,
        ("orders", "adjustments"),
    )
    assert DaideOptions().terms().press.mode is PressMode.NONE
    assert options_of(terms, None) == DaideOptions(level=20, mtl=600, btl=60)
    told = msgspec.to_builtins(DaideOptions(level=20, npr=True))
    assert options_of(terms, told) == DaideOptions(level=20, npr=True)
    by_turn = Terms(DIPLOMACY, Clock(per_turn=1e6), PressTerms(level=60))
    assert options_of(by_turn, None) == DaideOptions(level=60, mtl=8191, rtl=8191, btl=8191)


def test_people_write_switches_by_name_and_times_with_seconds() -> None:
    assert read_options(10, 300, ("npr", "RTL=60", " PTL=5")) == DaideOptions(
        level=10, mtl=300, npr=True, rtl=60, ptl=5
    )


@pytest.mark.parametrize("text", ["xyz", "npr=1", "rtl", "rtl=", "rtl=ten", "rtl=9000", "level=3", "rtl=-1"])
def test_what_is_no_option_is_answered_with_what_there_is(text: str) -> None:
    with pytest.raises(ConfigError, match=r"expected (RTL=60, BTL=60, DSD|0 to 8191)"):
        read_options(0, 0, (text,))


@pytest.mark.parametrize("field", ["level", "mtl", "rtl", "btl", "ptl"])
def test_numbers_must_fit_into_a_token(field: str) -> None:
    with pytest.raises(ConfigError, match=f"{field}: expected 0 to 8191"):
        msgspec.structs.replace(DaideOptions(), **{field: 8192}).check()
