"""Budgets: the limits of a seat's model calls, reserved before a call and settled after it."""

from __future__ import annotations

import math

import msgspec

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.intents import Consultation, Refusal, RefusalCode
from parlour.core.terms import MAX_SECONDS
from parlour.referee.rulings import Ruling, not_playing, rules_on, unseated
from parlour.referee.state import MatchState, Place, folds

MAX_CONSULTATION = 1 << 20
"""Maximum number of characters of all texts of a call together; a longer call is refused."""
MAX_CALLS = 100_000
MAX_UNSETTLED = 1000
"""Maximum number of open reservations of a seat; bounds the time to add them up at each call."""
MAX_TOKENS = 10**12
"""Maximum tokens of a call: the sum over all calls must fit into a whole number of 64 bits."""
MAX_USD = 1e9
_TYPES = {field.name: field.type for field in msgspec.structs.fields(Consultation)}


def available(state: MatchState, place: Place) -> tuple[float, float]:
    """Return the tokens and US dollars that a seat may still reserve; infinite without a limit."""
    clock = state.terms.clock
    tokens = math.inf if clock.tokens is None else clock.tokens - place.tokens - sum(t for t, _ in _reserved(place))
    usd = math.inf if clock.usd is None else clock.usd - place.usd - sum(u for _, u in _reserved(place))
    return max(0.0, tokens), max(0.0, usd)


def _reserved(place: Place) -> list[tuple[int, float]]:
    return list(place.reserved.values())


@rules_on(it.ReserveBudget, leads_to=ev.Reserved)
def reserve(state: MatchState, intent: it.ReserveBudget, now: float) -> Ruling:
    """Reserve tokens and dollars, if enough are left."""
    place = state.places[intent.seat]
    if refusal := unseated(place) or not_playing(state):
        return refusal
    if not 0 <= intent.tokens <= MAX_TOKENS or not 0 <= intent.usd <= MAX_USD:
        return Refusal(RefusalCode.BAD_VALUE, f"expected 0 to {MAX_TOKENS} tokens and 0 to {MAX_USD:.0f} USD")
    if place.calls >= MAX_CALLS:
        return Refusal(RefusalCode.TOO_MUCH, f"a seat calls models at most {MAX_CALLS} times")
    if len(place.reserved) >= MAX_UNSETTLED:
        return Refusal(RefusalCode.TOO_MUCH, f"{MAX_UNSETTLED} calls of {intent.seat} are not settled yet")
    tokens, usd = available(state, place)
    if intent.tokens > tokens:
        return Refusal(RefusalCode.TOO_MUCH, f"tokens: expected at most {tokens:.0f}, got {intent.tokens}")
    if intent.usd > usd:
        return Refusal(RefusalCode.TOO_MUCH, f"usd: expected at most {usd:.4f}, got {intent.usd:.4f}")
    return ev.Reserved(now, intent.seat, state.turn, place.calls + 1, intent.tokens, float(intent.usd))


@folds(ev.Reserved)
def _fold_reserved(state: MatchState, event: ev.Reserved) -> None:
    place = state.places[event.seat]
    place.calls = event.call
    place.reserved[event.call] = (event.tokens, event.usd)


@rules_on(it.RecordModelCall, leads_to=ev.Consulted)
def consult(state: MatchState, intent: it.RecordModelCall, now: float) -> Ruling:
    """Record a model call and charge its cost."""
    place, said = state.places[intent.seat], intent.consultation
    if refusal := unseated(place) or not_playing(state) or _senseless(said):
        return refusal
    banked = state.terms.clock.tokens is not None or state.terms.clock.usd is not None
    if (intent.call is not None or banked) and intent.call not in place.reserved:
        return Refusal(RefusalCode.BAD_VALUE, f"nothing is reserved for call {intent.call}")
    if intent.call is None and place.calls >= MAX_CALLS:
        return Refusal(RefusalCode.TOO_MUCH, f"a seat calls models at most {MAX_CALLS} times")
    return ev.Consulted(now, intent.seat, state.turn, said, intent.call)


def _senseless(said: Consultation) -> Refusal | None:
    # A player in this program can put anything into a value; values from a wire were checked there.
    for name, kind in _TYPES.items():
        value = getattr(said, name, None)
        if type(value) is not kind and not (kind is float and type(value) is int):
            return Refusal(RefusalCode.BAD_VALUE, f"{name} of a call: expected {kind.__name__}")
    counts = (said.tokens_in, said.tokens_out, said.tokens_reasoning, said.attempt)
    if not 0 <= min(counts) <= max(counts) <= MAX_TOKENS:
        return Refusal(RefusalCode.BAD_VALUE, f"tokens of a call: expected 0 to {MAX_TOKENS}")
    if not 0 <= said.usd <= MAX_USD or not 0 <= said.seconds <= MAX_SECONDS:
        return Refusal(
            RefusalCode.BAD_VALUE, f"a call: expected 0 to {MAX_USD:.0f} USD and 0 to {MAX_SECONDS:.0f} seconds"
        )
    texts = [said.prompt, said.answer, said.model, said.host, said.purpose, said.verdict, said.finish]
    texts += [said.system, said.system_text, said.fault]
    if sum(map(len, texts)) > MAX_CONSULTATION:
        return Refusal(RefusalCode.TOO_LONG, f"a call: expected at most {MAX_CONSULTATION:,} characters")
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        return Refusal(RefusalCode.BAD_VALUE, "a call: expected valid Unicode, got half of a surrogate pair")
    return None


@folds(ev.Consulted)
def _consulted(state: MatchState, event: ev.Consulted) -> None:
    place, clock = state.places[event.seat], state.terms.clock
    if event.call is None:
        place.calls += 1
    else:
        del place.reserved[event.call]
    place.tokens += event.consultation.tokens
    place.usd += event.consultation.usd
    # A provider may charge more than was reserved; then the budget is empty, but never negative.
    if clock.tokens is not None:
        place.tokens = min(place.tokens, clock.tokens)
    if clock.usd is not None:
        place.usd = min(place.usd, clock.usd)
