"""Fields that a request leaves out have the defaults that the document of the API promises."""

from __future__ import annotations

import msgspec
import pytest

from parlour.core.game import Seat
from parlour.core.intents import PlayerType
from parlour.core.terms import Clock, PressMode, PressTerms, Terms, Vacancy
from parlour.errors import ConfigError
from parlour.net.http.forms import MAX_PAGE, NewMatch, NewTerms, Taking, WantedEvents, WantedMatches
from parlour.net.setup import Admission, MatchSetup
from parlour.referee.conduct import preset


def test_a_new_match_of_which_nothing_is_said() -> None:
    setup = msgspec.json.decode(b'{"game": "fish"}', type=NewMatch).setup({})
    terms = Terms(
        conduct=preset("hosted"),
        clock=Clock(),
        press=PressTerms(mode=PressMode.NONE),
        seats_to_start=None,
        wait_flags_up=False,
        draw_votes=True,
        rejoin=True,
        vacancy=Vacancy.DEFAULT,
        quorum=None,
        downtime_counts=False,
        disclosed=False,
        partial_draws=False,
        stops_while_away=False,
    )
    one_each = Admission(seats_each=1)
    assert setup == MatchSetup(game="fish", terms=terms, delay=0.0, listed=True, seed=None, admission=one_each)


def test_all_terms_of_a_match_can_be_said_and_mean_the_same_but_for_vacant_seats() -> None:
    assert set(NewTerms.__struct_fields__) == set(Terms.__struct_fields__)
    usual, new = Terms(conduct=preset("hosted")), NewTerms().terms()
    differ = [field for field in Terms.__struct_fields__ if getattr(usual, field) != getattr(new, field)]
    assert differ == ["vacancy"]


def test_all_that_is_said_of_a_new_match_is_meant() -> None:
    said = {
        "conduct": "strict",
        "wait_flags_up": True,
        "draw_votes": False,
        "rejoin": False,
        "quorum": 3,
        "downtime_counts": True,
        "disclosed": True,
        "partial_draws": True,
        "stops_while_away": True,
        "seats_to_start": 4,
    }
    terms = msgspec.convert(said, NewTerms).terms()
    assert terms.conduct == preset("strict")
    assert {field: getattr(terms, field) for field in said if field != "conduct"} == {
        field: value for field, value in said.items() if field != "conduct"
    }
    new = NewMatch(game="fish", match="m", title="t", seed=7, listed=False, delay=2.0, agents={"red": "greedy"})
    setup = new.setup({})
    assert (setup.match, setup.title, setup.seed, setup.listed, setup.delay) == ("m", "t", 7, False, 2.0)
    assert setup.agents == {Seat("red"): "greedy"}
    with pytest.raises(ConfigError):
        NewTerms(conduct="kind").terms()


def test_lists_and_seats_of_which_nothing_is_said() -> None:
    wanted = WantedMatches()
    assert (wanted.unfinished, wanted.limit, wanted.after, wanted.oldest_first) == (False, 100, None, False)
    assert (WantedEvents().since, WantedEvents().limit, WantedEvents().wait) == (0, MAX_PAGE, 0.0)
    assert (Taking().seat, Taking().name, Taking().player_type) == (None, "", PlayerType.HUMAN)
    for wrong in (b'{"limit": 0}', b'{"limit": 1001}'):
        with pytest.raises(msgspec.ValidationError):
            msgspec.json.decode(wrong, type=WantedMatches)
    for wrong in (b'{"since": -1}', b'{"wait": -1}', b'{"wait": 25.5}'):
        with pytest.raises(msgspec.ValidationError):
            msgspec.json.decode(wrong, type=WantedEvents)
    for seed, fits in ((0, True), (1 << 62, True), (-1, False), ((1 << 62) + 1, False)):
        text = msgspec.json.encode({"game": "fish", "seed": seed})
        if fits:
            assert msgspec.json.decode(text, type=NewMatch).seed == seed
        else:
            with pytest.raises(msgspec.ValidationError):
                msgspec.json.decode(text, type=NewMatch)
