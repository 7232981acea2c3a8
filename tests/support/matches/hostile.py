"""Strategies for whatever may reach a match: sensible, stale, hostile and absurd intents, at growing times."""

from __future__ import annotations

import msgspec
from hypothesis import strategies as st

from parlour.core import intents as it
from parlour.core.fouls import Conduct, Consequence, Rule, Standing
from parlour.core.game import FoulKind, Outcome, Plain, Seat
from parlour.core.intents import Ballot, CommStatus, Consultation, Intent, PlayerType
from parlour.core.terms import Clock, PressMode, PressTerms, SealMode, SealOpening, SealTerms, Terms, Vacancy
from parlour.referee.conduct import PRESETS
from parlour.testing.checks import GARBAGE

seats = st.sampled_from([Seat(s) for s in ("north", "east", "south", "west", "nobody", "")])
texts = st.sampled_from(["", "hello", "PRP ( PCE ( ENG FRA ) )", "x" * 5000, "secret-of-a-seat"])
plains = st.one_of(st.integers(-2, 12), st.sampled_from(GARBAGE))

proxies = st.sampled_from(["", "host"])
consultations = st.builds(
    Consultation, texts, texts, texts, texts, tokens_in=st.integers(-1, 900), usd=st.sampled_from([-1.0, 0.0, 0.7])
)

intents: st.SearchStrategy[Intent] = st.one_of(
    st.builds(it.Act, seats, plains, st.one_of(st.none(), st.integers(0, 12))),
    st.builds(it.Act, seats, st.integers(1, 10)),
    st.builds(it.Act, seats, st.integers(1, 10), st.none(), proxies),
    st.builds(it.Retract, seats, proxies),
    st.builds(it.Say, seats, texts, st.lists(seats, max_size=3).map(tuple)),
    st.builds(it.SetCommStatus, seats, st.sampled_from(CommStatus), proxies),
    st.builds(it.SetWait, seats, st.booleans(), proxies),
    st.builds(it.Vote, seats, st.sampled_from(Ballot)),
    st.builds(it.Vote, seats, st.sampled_from(Ballot), st.lists(seats, max_size=3).map(tuple)),
    st.builds(it.Join, texts, st.one_of(st.none(), seats), st.sampled_from(PlayerType)),
    st.builds(it.Leave, seats),
    st.builds(it.Report, seats, st.sampled_from(FoulKind), texts, st.sampled_from([None, "identify", "end"])),
    st.builds(it.Note, seats, texts),
    st.builds(
        it.Seal,
        seats,
        plains,
        st.dictionaries(texts, texts, max_size=2),
        st.dictionaries(seats, plains, max_size=2),
        texts,
    ),
    st.builds(it.ReserveBudget, seats, st.integers(-1, 900), st.sampled_from([0.0, 0.5, 2.0])),
    st.builds(it.RecordModelCall, seats, consultations, st.one_of(st.none(), st.integers(0, 3))),
    st.builds(it.Announce, texts, texts),
    st.builds(it.Extend, texts, st.sampled_from([-7.0, 0.0, 3.0])),
    st.builds(it.Downtime, texts, st.sampled_from([-1.0, 0.25, 1.0, 7.0])),
    st.builds(it.Start, texts),
    st.builds(it.Pause, texts),
    st.builds(it.Resume, texts),
    st.builds(it.ForceTurn, texts),
    st.builds(it.SetPosition, texts, plains),
    st.builds(it.Remove, texts, seats, texts),
    st.builds(it.Substitute, texts, seats, texts, st.sampled_from(PlayerType)),
)
not_finite = st.sampled_from([float("inf"), float("-inf"), float("nan")])
absurd: st.SearchStrategy[Intent] = st.one_of(  # what no wire could carry
    st.builds(it.ReserveBudget, seats, st.just(1), not_finite),
    st.builds(it.Extend, texts, not_finite),
    st.builds(it.Downtime, texts, not_finite),
)
outcomes = st.builds(
    Outcome,
    st.dictionaries(seats, st.sampled_from([0.0, 1.0, float("inf")]), max_size=2),
    st.lists(st.lists(seats, max_size=2).map(tuple), max_size=2).map(tuple),
    texts,
)
endings: st.SearchStrategy[Intent] = st.one_of(
    st.builds(it.Cancel, texts), st.builds(it.EndWithResult, texts, st.one_of(st.none(), outcomes))
)

rules = st.builds(
    Rule,
    st.sampled_from(Consequence),
    st.one_of(st.none(), st.sampled_from(Standing)),
    st.one_of(st.none(), st.integers(1, 3)),
    st.one_of(st.none(), st.sampled_from(Consequence)),
)
tables = st.dictionaries(
    st.sampled_from(["*", "orders", "move", "identify", "end"]), st.dictionaries(st.sampled_from(FoulKind), rules)
)
conducts = st.one_of(st.sampled_from(list(PRESETS.values())), st.builds(Conduct, st.just("custom"), tables))

seconds = st.sampled_from([0.5, 1.0, 5.0])
clocks = st.builds(
    Clock,
    st.one_of(st.none(), seconds),
    st.one_of(st.none(), seconds),
    seconds,
    st.dictionaries(st.sampled_from(["move", "orders"]), seconds),
    st.one_of(st.none(), st.integers(0, 1000)),
    st.one_of(st.none(), st.sampled_from([0.0, 1.0])),
)
press = st.builds(
    PressTerms,
    st.sampled_from(PressMode),
    st.just(60),
    seconds,
    max_per_turn=st.just(2),
    private=st.booleans(),
    silent_stages=st.sampled_from([(), ("move",), ("orders", "retreats")]),
    silent_before=st.sampled_from([0.0, 0.7]),
    before_start=st.booleans(),
)
terms = st.builds(
    Terms,
    conducts,
    clocks,
    press,
    st.sampled_from([None, 0, 2]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from(Vacancy),
    st.one_of(st.none(), st.integers(0, 4)),
    st.booleans(),
    partial_draws=st.booleans(),
    stops_while_away=st.booleans(),
    seals=st.one_of(
        st.just(msgspec.UNSET),
        st.builds(SealTerms, st.sampled_from(SealMode), st.sampled_from(SealOpening), st.sampled_from([0.0, 0.5, 1.0])),
    ),
)

Timed = tuple[float, Intent | None]
"""Seconds that pass, then an intent; None is a tick."""
steps: st.SearchStrategy[list[Timed]] = st.lists(
    st.tuples(st.sampled_from([0.0, 0.5, 1.0, 7.0]), st.one_of(st.none(), intents, intents, intents, endings, absurd)),
    max_size=60,
)

configs: st.SearchStrategy[dict[str, Plain]] = st.sampled_from([{}, {"seats": 4}])
