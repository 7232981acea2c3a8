"""When a match stops for want of players, who may look back, and which times and limits are refused."""

from __future__ import annotations

import math

import msgspec
import pytest

from parlour.core.fouls import Conduct, Consequence, Rule
from parlour.core.game import FoulKind, Seat
from parlour.core.terms import MAX_COUNT, MAX_SECONDS, Clock, PressTerms, Terms
from parlour.core.viewers import OMNISCIENT, SPECTATOR, seated_on
from parlour.errors import ConfigError

TERMS = Terms(Conduct("any", {}))


def test_a_match_stops_for_want_of_players_only_if_its_terms_say_so() -> None:
    assert not TERMS.stops_for_want
    assert msgspec.structs.replace(TERMS, quorum=2).stops_for_want
    assert msgspec.structs.replace(TERMS, stops_while_away=True).stops_for_want


def test_all_is_open_afterwards_only_where_that_was_agreed() -> None:
    north = seated_on(Seat("north"))
    assert TERMS.hindsight(north) == north.looking_back()
    assert TERMS.hindsight(SPECTATOR) == SPECTATOR.looking_back()
    assert msgspec.structs.replace(TERMS, disclosed=True).hindsight(SPECTATOR) == OMNISCIENT.looking_back()


@pytest.mark.parametrize(
    ("field", "terms"),
    [
        *(
            (field, msgspec.structs.replace(TERMS, clock=msgspec.structs.replace(Clock(), **{field: time})))
            for field in ("per_turn", "first_turn")
            for time in (0.0, -1.0, MAX_SECONDS, math.nan)
        ),
        *(
            ("per_stage orders", msgspec.structs.replace(TERMS, clock=Clock(per_stage={"orders": time})))
            for time in (0.0, MAX_SECONDS)
        ),
        *(("window", msgspec.structs.replace(TERMS, press=PressTerms(window=time))) for time in (0.0, MAX_SECONDS)),
        *(("bank", msgspec.structs.replace(TERMS, clock=Clock(bank=time))) for time in (-1.0, MAX_SECONDS)),
        *(
            ("silent_before", msgspec.structs.replace(TERMS, press=PressTerms(silent_before=time)))
            for time in (-1.0, MAX_SECONDS)
        ),
        ("max_length", msgspec.structs.replace(TERMS, press=PressTerms(max_length=-1))),
        ("max_per_turn", msgspec.structs.replace(TERMS, press=PressTerms(max_per_turn=-1))),
        ("tokens", msgspec.structs.replace(TERMS, clock=Clock(tokens=-1))),
        ("usd", msgspec.structs.replace(TERMS, clock=Clock(usd=math.inf))),
        ("quorum", msgspec.structs.replace(TERMS, quorum=-1)),
        ("seats_to_start", msgspec.structs.replace(TERMS, seats_to_start=-1)),
        ("level", msgspec.structs.replace(TERMS, press=PressTerms(level=-1))),
        # What is no number of 64 bits could be neither told nor stored.
        ("level", msgspec.structs.replace(TERMS, press=PressTerms(level=MAX_COUNT + 1))),
        ("max_length", msgspec.structs.replace(TERMS, press=PressTerms(max_length=10**400))),
        ("max_per_turn", msgspec.structs.replace(TERMS, press=PressTerms(max_per_turn=2**64))),
        ("tokens", msgspec.structs.replace(TERMS, clock=Clock(tokens=MAX_COUNT + 1))),
        ("usd", msgspec.structs.replace(TERMS, clock=Clock(usd=1e16))),
        ("quorum", msgspec.structs.replace(TERMS, quorum=2**64)),
        *(
            ("limit of * late", Terms(Conduct("odd", {"*": {FoulKind.LATE: Rule(Consequence.SKIP, limit=limit)}})))
            for limit in (-1, 2**64)
        ),
        ("seats_to_start", msgspec.structs.replace(TERMS, seats_to_start=2**64)),
    ],
)
def test_what_no_clock_can_show_and_no_limit_can_be_is_refused_by_name(field: str, terms: Terms) -> None:
    with pytest.raises(ConfigError) as caught:
        terms.check()
    assert caught.value.field == field
    assert str(caught.value).startswith(f"{field}: expected ")


def test_the_ends_of_what_is_allowed_are_allowed() -> None:
    little, much = math.nextafter(0, 1), math.nextafter(MAX_SECONDS, 0)
    for time in (little, much):
        times = Clock(per_turn=time, first_turn=time, per_stage={"orders": time}, bank=0.0, tokens=0, usd=0.0)
        press = PressTerms(window=time, silent_before=0.0, max_length=0, max_per_turn=0)
        msgspec.structs.replace(TERMS, clock=times, press=press, quorum=0, seats_to_start=0).check()
    msgspec.structs.replace(TERMS, clock=Clock(bank=much), press=PressTerms(silent_before=much)).check()
    most = PressTerms(level=MAX_COUNT, max_length=MAX_COUNT, max_per_turn=MAX_COUNT)
    msgspec.structs.replace(TERMS, press=most, quorum=MAX_COUNT, seats_to_start=MAX_COUNT).check()
