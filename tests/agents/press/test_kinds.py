"""The scripted kinds at real tables: each shows as the class that it is, and as no other."""

from __future__ import annotations

from collections import Counter

import pytest

from parlour.agents import agents_of, make_agent, negotiates
from parlour.core import events as ev
from parlour.core.terms import PressMode, PressTerms, SealMode, SealTerms, Terms
from parlour.press.ledger import Ledger, ledger_of
from parlour.referee.conduct import PRESETS
from parlour.referee.local import play
from parlour.referee.match import Match, replay
from support.press.tables import GAME, played

TABLES = (
    ("liar", "turncoat", "sleeper", "bungler", "misreader", "absentee", "honest"),
    ("doubledealer", "penitent", "attacker", "retaliator", "gamer", "honest", "honest"),
)
ALWAYS = {
    "honest": {"honest"},
    "liar": {"premeditated"},
    "turncoat": {"opportunistic"},
    "sleeper": {"honest", "premeditated"},
    "bungler": {"mistaken: slip"},
    "misreader": {"mistaken: misread"},
    "absentee": {"forced: absent"},
    "doubledealer": {"honest", "premeditated"},
    "penitent": {"insincere, then kept"},
    "attacker": set(),
    "retaliator": {"honest", "none"},
    "gamer": {"mistaken: slip"},
}
"""The classes of each kind: exactly these."""


def table_of(names: tuple[str, ...], seed: int, seals: SealMode = SealMode.REQUIRED) -> list[ev.Event]:
    config = {"last_year": 1901}
    terms = Terms(conduct=PRESETS["diplomacy"], press=PressTerms(PressMode.WINDOW), seals=SealTerms(seals))
    seats = GAME.seats(config)
    players = {
        seat: make_agent("diplomacy", name, seed * 10 + number)
        for number, (seat, name) in enumerate(zip(seats, names, strict=True))
    }
    events: list[ev.Event] = []
    play(Match(GAME, config, terms, seed), players, keep=events.extend)
    return events


def rotated(names: tuple[str, ...], by: int) -> tuple[str, ...]:
    by %= len(names)
    return names[by:] + names[:by]


def matrix(seeds: range) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {kind: Counter() for kind in ALWAYS}
    for seed in seeds:
        for table in TABLES:
            names = rotated(table, seed)
            ledger = ledger_of(table_of(names, seed))
            kinds = dict(zip(ledger.lexicon.powers, names, strict=True))
            for verdict, kind in ledger.classes():
                found[kinds[verdict.performer]][str(kind)] += 1
            _check_fidelity(ledger, kinds)
    return found


def _check_fidelity(ledger: Ledger, kinds: dict[str, str]) -> None:
    for power, fidelity in ledger.seals.fidelity.items():
        if kinds[power] not in ("bungler", "gamer", "absentee"):
            assert fidelity.share == 1.0, kinds[power]
        elif kinds[power] == "gamer":
            assert fidelity.share is not None
            assert fidelity.share < 0.9


def test_the_matrix_of_kinds_by_classes_is_diagonal() -> None:
    found = matrix(range(4))
    assert {kind: set(classes) for kind, classes in found.items()} == ALWAYS


@pytest.mark.long
def test_the_matrix_of_kinds_by_classes_is_diagonal_over_a_hundred_seeds() -> None:
    found = matrix(range(100))
    assert {kind: set(classes) for kind, classes in found.items()} == ALWAYS


def test_every_kind_is_an_agent_that_negotiates() -> None:
    for kind in ALWAYS:
        assert kind in agents_of("diplomacy")
        assert negotiates("diplomacy", kind)


def test_without_seals_no_kind_has_a_class() -> None:
    ledger = ledger_of(table_of(TABLES[0], 1, SealMode.NONE))
    classes = {str(kind) for _, kind in ledger.classes()}
    assert classes == {"unknown", "forced: absent"}
    assert not ledger.seals.plans


@pytest.mark.parametrize("mode", [PressMode.WINDOW, PressMode.ANYTIME])
def test_agents_of_the_house_order_what_they_sealed(mode: PressMode) -> None:
    names = ("peace", "stabber", "reciprocator", "yesman", "broker", "proposer", "stabber")
    events = played(names, mode=mode, seals=SealTerms(SealMode.REQUIRED))
    replay(events, GAME)
    ledger = ledger_of(events)
    assert {fidelity.share for fidelity in ledger.seals.fidelity.values()} == {1.0}
    assert not [event for event in events if isinstance(event, ev.SealWanted | ev.Fouled)]
    honest = {power for power, name in zip(ledger.lexicon.powers, names, strict=True) if name in ("peace", "broker")}
    classes = Counter(str(kind) for verdict, kind in ledger.classes() if verdict.performer in honest)
    assert classes["honest"]
    assert set(classes) <= {"honest", "none"}
