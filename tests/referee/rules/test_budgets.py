"""Banks of tokens and money: nothing is spent that is not there, whatever providers charge."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.core import events as ev
from parlour.core.game import Seat
from parlour.core.intents import Consultation, Intent, RefusalCode
from parlour.core.terms import Clock, Terms
from parlour.errors import ConfigError
from parlour.referee.conduct import STRICT
from parlour.referee.match import Match, replay
from parlour.referee.rules import budgets
from parlour.referee.rules.budgets import available
from parlour.referee.snapshots import freeze, thaw
from parlour.testing import BIDS
from support.matches.tables import NORTH, SOUTH, begun, it, last, opened


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
    match.handle(it.ReserveBudget(NORTH, 600, 0.5), 1.0)
    assert last(match, ev.Reserved) == ev.Reserved(1.0, NORTH, 1, 1, 600, 0.5)
    assert left(match) == (400, 0.5)
    assert code(match, it.ReserveBudget(NORTH, 401)) is RefusalCode.TOO_MUCH
    assert code(match, it.ReserveBudget(NORTH, 1, 0.51)) is RefusalCode.TOO_MUCH
    assert code(match, it.ReserveBudget(NORTH, 400, 0.5)) is None
    match.handle(it.RecordModelCall(NORTH, call(), 1), 2.0)
    assert left(match) == pytest.approx((500, 0.4))
    assert code(match, it.RecordModelCall(NORTH, call(), 1)) is RefusalCode.BAD_VALUE
    assert code(match, it.RecordModelCall(NORTH, call(), 2)) is None
    state = replay(match.record, BIDS)
    assert available(state, state.places[NORTH]) == left(match)


def test_all_tokens_are_charged() -> None:
    match = banked()
    match.handle(it.ReserveBudget(NORTH, 600), 1.0)
    match.handle(it.RecordModelCall(NORTH, call(10, tokens_in=20, tokens_reasoning=300), 1), 2.0)
    assert left(match)[0] == 670


def test_without_a_bank_calls_are_written_down_all_the_same() -> None:
    match = banked(None, None)
    assert code(match, it.RecordModelCall(NORTH, call())) is None
    assert last(match, ev.Consulted).call is None
    assert code(match, it.ReserveBudget(NORTH, 10**9, 1e6)) is None
    assert code(match, it.RecordModelCall(NORTH, call(), 2)) is None, (
        "calls are numbered, whether something was set aside or not"
    )
    assert match.state.places[NORTH].calls == 2


@pytest.mark.parametrize(("tokens", "usd"), [(1000, None), (None, 1.0)])
def test_with_a_bank_nothing_is_settled_that_was_not_set_aside(tokens: int | None, usd: float | None) -> None:
    match = banked(tokens, usd)
    assert code(match, it.RecordModelCall(NORTH, call())) is RefusalCode.BAD_VALUE
    assert code(match, it.RecordModelCall(NORTH, call(), 1)) is RefusalCode.BAD_VALUE


@pytest.mark.parametrize(
    "intent",
    [
        it.ReserveBudget(NORTH, -1),
        it.ReserveBudget(NORTH, 1, -0.1),
        it.ReserveBudget(NORTH, 1, float("nan")),
        it.RecordModelCall(NORTH, call(-1)),
        it.RecordModelCall(NORTH, call(usd=float("inf"))),
        it.RecordModelCall(NORTH, call(usd=-1.0)),
        it.RecordModelCall(NORTH, call(seconds=-1.0)),
        it.RecordModelCall(NORTH, call(attempt=-1)),
        it.RecordModelCall(NORTH, Consultation("orders", "a-model", "\ud800", "4")),
        it.ReserveBudget(NORTH, budgets.MAX_TOKENS + 1),
        it.ReserveBudget(NORTH, 2**70),
        it.ReserveBudget(NORTH, 1, budgets.MAX_USD * 2),
        it.RecordModelCall(NORTH, call(budgets.MAX_TOKENS + 1)),
        it.RecordModelCall(NORTH, call(attempt=2**70)),
        it.RecordModelCall(NORTH, call(tokens_in=2**70)),
        it.RecordModelCall(NORTH, call(usd=budgets.MAX_USD * 2)),
        it.RecordModelCall(NORTH, call(seconds=1e300)),
        it.RecordModelCall(NORTH, call(tokens_reasoning=True)),
        it.RecordModelCall(NORTH, call(tokens_in=1.5)),
        it.RecordModelCall(NORTH, call(seconds="long")),
        it.RecordModelCall(NORTH, call(estimated=[])),
        it.RecordModelCall(NORTH, call(fault=b"no text")),
        it.RecordModelCall(NORTH, "no call at all"),  # type: ignore[arg-type]
    ],
)
def test_amounts_and_texts_that_make_no_sense_are_refused(intent: Intent) -> None:
    assert code(banked(None, None), intent) is RefusalCode.BAD_VALUE


def test_what_is_too_long_or_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    match = banked(None, None)
    long = Consultation("orders", "a-model", "x" * budgets.MAX_CONSULTATION, "4")
    assert code(match, it.RecordModelCall(NORTH, long)) is RefusalCode.TOO_LONG
    longest = Consultation("", "", "x" * (budgets.MAX_CONSULTATION - 1), "4", verdict="")
    assert code(banked(None, None), it.RecordModelCall(NORTH, longest)) is None
    monkeypatch.setattr(budgets, "MAX_CALLS", 2)
    assert code(match, it.RecordModelCall(NORTH, call())) is None
    assert code(match, it.ReserveBudget(NORTH, 1)) is None
    assert code(match, it.ReserveBudget(NORTH, 1)) is RefusalCode.TOO_MUCH
    assert code(match, it.RecordModelCall(NORTH, call())) is RefusalCode.TOO_MUCH
    assert code(match, it.RecordModelCall(NORTH, call(), 2)) is None


def test_the_most_that_calls_may_take_can_be_kept() -> None:
    match = banked(None, None)
    most = call(budgets.MAX_TOKENS, budgets.MAX_USD, tokens_in=budgets.MAX_TOKENS, seconds=0)
    assert code(match, it.ReserveBudget(NORTH, budgets.MAX_TOKENS, budgets.MAX_USD)) is None
    assert code(match, it.RecordModelCall(NORTH, most)) is None
    place = match.state.places[NORTH]
    place.tokens = budgets.MAX_CALLS * 3 * budgets.MAX_TOKENS  # of all calls of a match
    assert thaw(freeze(match.state), BIDS).places[NORTH] == place


def test_so_many_calls_wait_to_be_settled_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budgets, "MAX_UNSETTLED", 2)
    match = banked()
    assert code(match, it.ReserveBudget(NORTH, 1)) is None
    assert code(match, it.ReserveBudget(NORTH, 1)) is None
    assert code(match, it.ReserveBudget(NORTH, 1)) is RefusalCode.TOO_MUCH
    assert code(match, it.ReserveBudget(SOUTH, 1)) is None
    assert code(match, it.RecordModelCall(NORTH, call(), 1)) is None
    assert code(match, it.ReserveBudget(NORTH, 1)) is None


def test_only_who_sits_in_a_match_that_is_played_calls_models() -> None:
    waiting = opened(BIDS)
    for intent in (it.ReserveBudget(NORTH, 1), it.RecordModelCall(NORTH, call())):
        assert code(waiting, intent) is RefusalCode.NOT_SEATED
    waiting.handle(it.Join("Ann", NORTH), 0.0)
    for intent in (it.ReserveBudget(NORTH, 1), it.RecordModelCall(NORTH, call())):
        assert code(waiting, intent) is RefusalCode.NOT_STARTED


@pytest.mark.parametrize("clock", [Clock(tokens=-1), Clock(usd=-0.1), Clock(usd=float("inf")), Clock(usd=float("nan"))])
def test_a_bank_that_cannot_be_kept_is_refused(clock: Clock) -> None:
    with pytest.raises(ConfigError, match=r"tokens|usd"):
        Match(BIDS, {}, Terms(conduct=STRICT, clock=clock), 1)


CAP, USD = 1000, 1.0
steps = st.lists(
    st.one_of(
        st.tuples(st.just("reserve"), st.sampled_from([NORTH, SOUTH]), st.integers(0, 700), st.floats(0, 0.7)),
        # Which of the open calls is settled, and what part of what was set aside for it was taken: providers may
        # take more than they were asked to.
        st.tuples(st.just("settle"), st.sampled_from([NORTH, SOUTH]), st.integers(0, 5), st.floats(0, 3)),
        st.tuples(st.just("unasked"), st.sampled_from([NORTH, SOUTH]), st.integers(0, 9), st.floats(0, 3)),
        st.tuples(st.just("restart"), st.just(NORTH), st.just(0), st.just(0.0)),
    ),
    max_size=30,
)


@given(steps)
def test_nobody_spends_more_than_the_bank_held_whatever_happens(steps: list[tuple[str, Seat, int, float]]) -> None:
    """Calls of several seats that overlap, fail, cost more than was set aside, and restarts in between."""
    match = begun(BIDS, clock=Clock(tokens=CAP, usd=USD))
    held: dict[Seat, dict[int, tuple[int, float]]] = {NORTH: {}, SOUTH: {}}
    spent = {NORTH: (0, 0.0), SOUTH: (0, 0.0)}
    """A call takes its reserved tokens; those that a provider takes beyond that are counted, not refused."""
    for what, seat, number, amount in steps:
        if what == "reserve":
            if match.handle(it.ReserveBudget(seat, number, amount), 1.0).refusal is None:
                held[seat][last(match, ev.Reserved).call] = number, amount
        elif what == "settle" and held[seat]:
            named = sorted(held[seat])[number % len(held[seat])]
            tokens, usd = held[seat].pop(named)
            assert (
                match.handle(it.RecordModelCall(seat, call(int(tokens * amount), usd * amount), named), 1.0).refusal
                is None
            )
            spent[seat] = spent[seat][0] + min(tokens, int(tokens * amount)), spent[seat][1] + min(usd, usd * amount)
        elif what == "unasked" and number not in held[seat]:
            assert match.handle(it.RecordModelCall(seat, call(100, amount), number), 1.0).refusal is not None
        elif what == "restart":
            match = Match.resume(match.record, BIDS)
        for one, (tokens, usd) in spent.items():
            place = match.state.places[one]
            assert dict(place.reserved) == held[one], "a call that failed, or was cut off, stays set aside"
            assert tokens + sum(t for t, _ in held[one].values()) <= CAP
            assert usd + sum(u for _, u in held[one].values()) <= USD + 1e-9
            assert tokens <= place.tokens <= CAP
            assert usd <= place.usd + 1e-9 <= USD + 2e-9
            assert min(available(match.state, place)) >= 0
