"""Banks of tokens and money: nothing is spent that is not there, whatever providers charge."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.core import events as ev
from parlour.core.intents import Consultation, Intent, RefusalCode
from parlour.core.terms import Clock, Terms
from parlour.errors import ConfigError
from parlour.referee.conduct import STRICT
from parlour.referee.match import Match, replay
from parlour.referee.matters import budgets
from parlour.referee.matters.budgets import available
from parlour.testing import BIDS
from tables import NORTH, begun, it, last, opened


def banked(tokens: int | None = 1000, usd: float | None = 1.0) -> Match:
    return begun(BIDS, clock=Clock(tokens=tokens, usd=usd))


def call(tokens: int = 100, usd: float = 0.1, **more: Any) -> Consultation:
    return Consultation("orders", "a-model", "what now?", "4", tokens_out=tokens, usd=usd, **more)


def code(match: Match, intent: Intent) -> RefusalCode | None:
    refusal = match.handle(intent, 1.0).refusal
    return None if refusal is None else refusal.code


def left(match: Match) -> tuple[float, float]:
    return available(match.state, match.state.places[NORTH])


def test_what_is_set_aside_is_gone_until_it_is_settled() -> None:
    match = banked()
    match.handle(it.Reserve(NORTH, 600, 0.5), 1.0)
    assert last(match, ev.Reserved) == ev.Reserved(1.0, NORTH, 1, 1, 600, 0.5)
    assert left(match) == (400, 0.5)
    assert code(match, it.Reserve(NORTH, 401)) is RefusalCode.TOO_MUCH
    assert code(match, it.Reserve(NORTH, 1, 0.51)) is RefusalCode.TOO_MUCH
    assert code(match, it.Reserve(NORTH, 400, 0.5)) is None
    match.handle(it.Consult(NORTH, call(), 1), 2.0)
    assert left(match) == pytest.approx((500, 0.4))
    assert code(match, it.Consult(NORTH, call(), 1)) is RefusalCode.BAD_VALUE
    assert code(match, it.Consult(NORTH, call(), 2)) is None
    state = replay(match.record, BIDS)
    assert available(state, state.places[NORTH]) == left(match)


def test_all_tokens_are_charged() -> None:
    match = banked()
    match.handle(it.Reserve(NORTH, 600), 1.0)
    match.handle(it.Consult(NORTH, call(10, tokens_in=20, tokens_reasoning=300), 1), 2.0)
    assert left(match)[0] == 670


def test_without_a_bank_calls_are_written_down_all_the_same() -> None:
    match = banked(None, None)
    assert code(match, it.Consult(NORTH, call())) is None
    assert last(match, ev.Consulted).call is None
    assert code(match, it.Reserve(NORTH, 10**9, 1e6)) is None
    assert code(match, it.Consult(NORTH, call(), 2)) is None, (
        "calls are numbered, whether something was set aside or not"
    )
    assert match.state.places[NORTH].calls == 2


@pytest.mark.parametrize(("tokens", "usd"), [(1000, None), (None, 1.0)])
def test_with_a_bank_nothing_is_settled_that_was_not_set_aside(tokens: int | None, usd: float | None) -> None:
    match = banked(tokens, usd)
    assert code(match, it.Consult(NORTH, call())) is RefusalCode.BAD_VALUE
    assert code(match, it.Consult(NORTH, call(), 1)) is RefusalCode.BAD_VALUE


@pytest.mark.parametrize(
    "intent",
    [
        it.Reserve(NORTH, -1),
        it.Reserve(NORTH, 1, -0.1),
        it.Reserve(NORTH, 1, float("nan")),
        it.Consult(NORTH, call(-1)),
        it.Consult(NORTH, call(usd=float("inf"))),
        it.Consult(NORTH, call(usd=-1.0)),
        it.Consult(NORTH, call(seconds=-1.0)),
        it.Consult(NORTH, call(attempt=-1)),
        it.Consult(NORTH, Consultation("orders", "a-model", "\ud800", "4")),
    ],
)
def test_amounts_and_texts_that_make_no_sense_are_refused(intent: Intent) -> None:
    assert code(banked(None, None), intent) is RefusalCode.BAD_VALUE


def test_what_is_too_long_or_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    match = banked(None, None)
    long = Consultation("orders", "a-model", "x" * budgets.MAX_CONSULTATION, "4")
    assert code(match, it.Consult(NORTH, long)) is RefusalCode.TOO_LONG
    monkeypatch.setattr(budgets, "MAX_CALLS", 2)
    assert code(match, it.Consult(NORTH, call())) is None
    assert code(match, it.Reserve(NORTH, 1)) is None
    assert code(match, it.Reserve(NORTH, 1)) is RefusalCode.TOO_MUCH
    assert code(match, it.Consult(NORTH, call())) is RefusalCode.TOO_MUCH
    assert code(match, it.Consult(NORTH, call(), 2)) is None


def test_only_who_sits_in_a_match_that_is_played_calls_models() -> None:
    waiting = opened(BIDS)
    for intent in (it.Reserve(NORTH, 1), it.Consult(NORTH, call())):
        assert code(waiting, intent) is RefusalCode.NOT_SEATED
    waiting.handle(it.Join("Ann", NORTH), 0.0)
    for intent in (it.Reserve(NORTH, 1), it.Consult(NORTH, call())):
        assert code(waiting, intent) is RefusalCode.NOT_STARTED


@pytest.mark.parametrize("clock", [Clock(tokens=-1), Clock(usd=-0.1), Clock(usd=float("inf")), Clock(usd=float("nan"))])
def test_a_bank_that_cannot_be_kept_is_refused(clock: Clock) -> None:
    with pytest.raises(ConfigError, match=r"tokens|usd"):
        Match(BIDS, {}, Terms(conduct=STRICT, clock=clock), 1)


amounts = st.tuples(st.integers(0, 2000), st.floats(0, 3))


@given(st.lists(st.tuples(amounts, amounts, st.booleans()), max_size=12))
def test_nobody_spends_more_than_the_bank_held_whatever_a_provider_charges(
    steps: list[tuple[tuple[int, float], tuple[int, float], bool]],
) -> None:
    match = banked()
    for aside, charged, settles in steps:
        if match.handle(it.Reserve(NORTH, *aside), 1.0).refusal is None and settles:
            number = last(match, ev.Reserved).call
            assert match.handle(it.Consult(NORTH, call(*charged), number), 1.0).refusal is None
        place = match.state.places[NORTH]
        assert place.tokens <= 1000
        assert place.usd <= 1.0
        assert min(left(match)) >= 0
