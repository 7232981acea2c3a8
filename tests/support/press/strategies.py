"""Hypothesis strategies for press: messages of every level on the standard map."""

from __future__ import annotations

from hypothesis import strategies as st

from parlour.press.language import message_types as v
from parlour.press.language.tokens import standard_lexicon

LEXICON = standard_lexicon()
POWERS = sorted(LEXICON.powers)
LEVELS = (10, 20, 30, 40, 50, 60)

provinces = st.sampled_from(sorted(LEXICON.provinces))
places = st.one_of(
    provinces,
    st.sampled_from([f"{province} {coast}" for province, coasts in LEXICON.shores.items() for coast in coasts]),
)
seas = st.lists(st.sampled_from(sorted(LEXICON.seas)), min_size=1, max_size=4).map(tuple)
power = st.sampled_from(POWERS)
units = st.builds(v.Unit, power, st.sampled_from(["AMY", "FLT"]), places)


def powers(least: int) -> st.SearchStrategy[tuple[str, ...]]:
    """So many powers or more, perhaps some twice: syntax does not mind."""
    return st.lists(power, min_size=least, max_size=5).map(tuple)


orders: st.SearchStrategy[v.Order] = st.one_of(
    st.builds(v.Hold, units),
    st.builds(v.Move, units, places),
    st.builds(v.SupportHold, units, units),
    st.builds(v.SupportMove, units, units, provinces),
    st.builds(v.Convoy, units, units, provinces),
    st.builds(v.ConvoyedMove, units, provinces, seas),
    st.builds(v.Retreat, units, places),
    st.builds(v.Disband, units),
    st.builds(v.Build, units),
    st.builds(v.RemoveUnit, units),
    st.builds(v.Waive, power),
)


def _leaves(level: int) -> st.SearchStrategy[v.Arrangement]:
    found: list[st.SearchStrategy[v.Arrangement]] = [
        st.builds(v.Peace, powers(2)),
        st.builds(v.Alliance, powers(2), powers(1)),
        st.builds(v.Draw, st.one_of(st.just(()), powers(2))),
        st.builds(v.Solo, power),
    ]
    if level >= 20:
        found += [
            st.builds(v.Execute, orders),
            st.builds(v.Demilitarized, powers(1), st.lists(places, min_size=1, max_size=4).map(tuple)),
        ]
    if level >= 40:
        centres = st.lists(st.sampled_from(sorted(LEXICON.centres)), min_size=1, max_size=4).map(tuple)
        anything = st.builds(v.Unit, power, st.sampled_from(["AMY", "FLT", "UNT"]), places)
        shares = st.lists(st.builds(v.Share, power, centres), min_size=1, max_size=3).map(tuple)
        found += [
            st.builds(v.Centres, shares),
            st.builds(v.Occupied, st.lists(anything, min_size=1, max_size=3).map(tuple)),
        ]
    return st.one_of(found)


def _wrapped(inner: st.SearchStrategy[v.Arrangement]) -> st.SearchStrategy[v.Arrangement]:
    return st.one_of(st.builds(v.Not, inner), st.builds(v.Undo, inner))


def arrangements(level: int) -> st.SearchStrategy[v.Arrangement]:
    """Arrangements that a game of that level admits."""
    single = st.recursive(_leaves(level), _wrapped, max_leaves=3)
    if level < 30:
        return single

    def joined(inner: st.SearchStrategy[v.Arrangement]) -> st.SearchStrategy[v.Arrangement]:
        parts = st.lists(inner, min_size=2, max_size=4).map(tuple)
        found: list[st.SearchStrategy[v.Arrangement]] = [st.builds(v.Every, parts), st.builds(v.Either, parts)]
        if level >= 50:
            found.append(st.builds(v.Choice, st.integers(0, 3), st.integers(0, 4), parts))
        return st.one_of(found)

    if level < 50:
        return st.one_of(single, joined(single), _wrapped(joined(single)))
    return st.recursive(single, lambda inner: st.one_of(joined(inner), _wrapped(inner)), max_leaves=6)


def presses(level: int) -> st.SearchStrategy[v.Press]:
    """Messages that a reply may quote."""
    what = arrangements(level)
    words = st.lists(st.sampled_from(sorted(LEXICON.known)), max_size=5).map(tuple)
    found: list[st.SearchStrategy[v.Press]] = [
        st.builds(v.Propose, what),
        st.builds(v.Fact, what),
        st.builds(v.Try, words),
        st.builds(v.Withdraw, st.builds(v.Propose, what)),
        st.builds(v.Withdraw, st.builds(v.Accept, st.builds(v.Propose, what))),
    ]
    if level >= 60:
        query = st.builds(v.Query, what)
        statement = st.one_of(what, query, st.builds(v.NotSo, query))
        found += [
            query,
            st.builds(v.Insist, what),
            st.builds(v.Suggest, what),
            st.builds(v.Think, statement),
            st.builds(v.Fact, statement),
        ]
    return st.one_of(found)


def messages(level: int) -> st.SearchStrategy[v.Message]:
    """Whole messages of that level."""
    press = presses(level)
    tokens = st.sampled_from(["PRP", "PCE", "ENG", "FOO", "17", "XDO"])
    found: list[st.SearchStrategy[v.Message]] = [
        press,
        st.builds(v.Accept, press),
        st.builds(v.Reject, press),
        st.builds(v.NoBusiness, press),
        st.lists(tokens, max_size=4).map(lambda words: v.Huh((*words, "ERR", *words))),
    ]
    if level >= 60:
        found.append(st.builds(v.Unknown, st.builds(v.Query, arrangements(level))))
    return st.one_of(found)
