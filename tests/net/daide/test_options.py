"""Options of DAIDE matches: how HLO tells them, how people write them, and the terms they amount to."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    press = terms.press
    assert (press.mode, press.level, press.silent_stages) == (PressMode.ANYTIME, 20, ("retreats",))
    assert DaideOptions().terms().press.mode is PressMode.NONE
    assert options_of(terms, None) == DaideOptions(level=20, mtl=600, btl=60, npr=True)
    by_turn = Terms(DIPLOMACY, Clock(per_turn=1e6), PressTerms(level=60))
    assert options_of(by_turn, None) == DaideOptions(level=60, mtl=8191, rtl=8191, btl=8191)


every = st.builds(
    DaideOptions,
    level=st.sampled_from([0, 10, 60]),
    **{field: st.integers(0, 8191) for field in ("mtl", "rtl", "btl", "ptl")},
    **{field: st.booleans() for field in ("dsd", "aoa", "pda", "npr", "npb", "adm")},
)


@given(every)
def test_a_match_that_was_opened_with_options_has_them(options: DaideOptions) -> None:
    terms = options.terms()
    terms.check()
    assert options_of(terms, options.extras()) == options


def test_a_press_window_is_silence_in_all_other_stages() -> None:
    terms = Terms(DIPLOMACY, press=PressTerms(PressMode.WINDOW, level=30, stages=("orders", "retreats")))
    assert options_of(terms, "nothing") == DaideOptions(level=30, npb=True)


def test_the_longest_turn_is_none_without_limits() -> None:
    assert DaideOptions().longest == -1
    assert DaideOptions(mtl=5, btl=7).longest == 7


def test_people_write_switches_by_name_and_times_with_seconds() -> None:
    assert read_options(10, 300, ("npr", "RTL=60", " PTL=5")) == DaideOptions(
        level=10, mtl=300, npr=True, rtl=60, ptl=5
    )


@pytest.mark.parametrize("text", ["xyz", "npr=1", "rtl", "rtl=", "rtl=ten", "rtl=9000", "level=3", "rtl=-1"])
def test_what_is_no_option_is_answered_with_what_there_is(text: str) -> None:
    with pytest.raises(ConfigError, match=r"expected (RTL=60, BTL=60, DSD|0 to 8191)"):
        read_options(0, 0, (text,))


def test_no_level_is_announced_that_is_not_read() -> None:
    assert options_of(Terms(DIPLOMACY, press=PressTerms(level=130)), None).level == 60
    with pytest.raises(ConfigError, match=r"level: expected 0 to 60, got 130: press above level 60 is not supported"):
        DaideOptions(level=130).check()


@pytest.mark.parametrize("field", ["mtl", "rtl", "btl", "ptl"])
def test_numbers_must_fit_into_a_token(field: str) -> None:
    with pytest.raises(ConfigError, match=f"{field}: expected 0 to 8191"):
        msgspec.structs.replace(DaideOptions(), **{field: 8192}).check()
