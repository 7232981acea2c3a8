"""The classes agree with a second implementation over random press matches; and asking for seals changes nothing."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from parlour.agents import make_agent
from parlour.core import events as ev
from parlour.core.terms import PressMode, PressTerms, SealMode, SealTerms, Terms
from parlour.press.deception.class_counts import proportion
from parlour.press.deception.classes import PromiseClass
from parlour.press.judging.findings import PromiseStatus
from parlour.press.language.writer import write
from parlour.press.ledger import Ledger, ledger_of
from parlour.referee.conduct import PRESETS
from parlour.referee.local import play
from parlour.referee.match import Match
from support.press.class_oracle import classes_by_replay
from support.press.sealed_press import sealed_press
from support.press.tables import GAME, played

KINDS = [
    "honest",
    "liar",
    "turncoat",
    "sleeper",
    "bungler",
    "misreader",
    "absentee",
    "doubledealer",
    "penitent",
    "attacker",
    "retaliator",
    "gamer",
]


def random_match(seed: int) -> list[ev.Event]:
    """Return a match of scripted kinds, drawn by the seed, that seal as one of the modes says."""
    rng = random.Random(seed)
    mode = rng.choice([SealMode.REQUIRED, SealMode.INVITED, SealMode.DRAWN])
    press = PressTerms(rng.choice([PressMode.WINDOW, PressMode.WINDOW, PressMode.ANYTIME]))
    terms = Terms(conduct=PRESETS["diplomacy"], press=press, seals=SealTerms(mode))
    config = {"last_year": rng.choice([1901, 1901, 1902])}
    players = {seat: make_agent("diplomacy", rng.choice(KINDS), rng.getrandbits(30)) for seat in GAME.seats(config)}
    events: list[ev.Event] = []
    play(Match(GAME, config, terms, seed), players, keep=events.extend)
    return events


def classes_of(ledger: Ledger) -> dict[tuple[int, str, str, int], str]:
    return {
        (verdict.pact.number, verdict.performer, write(verdict.clause.what), verdict.turn): str(kind)
        for verdict, kind in ledger.classes()
    }


def check_agreement(seeds: range) -> Counter[str]:
    found: Counter[str] = Counter()
    for seed in seeds:
        events = random_match(seed)
        ours = classes_of(ledger_of(events))
        assert ours == classes_by_replay(events), seed
        found.update(ours.values())
    return found


def test_two_implementations_agree_on_random_matches() -> None:
    found = check_agreement(range(10))
    assert len(found) >= 8


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_two_implementations_agree_on_a_thousand_random_matches() -> None:
    found = check_agreement(range(1000, 2000))
    assert found["premeditated"] > 1000


def check_random_press(seeds: range) -> Counter[str]:
    """Compare the classes of random press; the second implementation knows no conflicts."""
    found: Counter[str] = Counter()
    for seed in seeds:
        events = sealed_press(seed, 10)
        ours, theirs = classes_of(ledger_of(events)), classes_by_replay(events)
        decided = {key: kind for key, kind in ours.items() if kind != "forced: conflict"}
        assert decided == {key: kind for key, kind in theirs.items() if key in decided}, seed
        assert ours.keys() == theirs.keys(), seed
        found.update(ours.values())
    return found


def test_two_implementations_agree_on_random_press() -> None:
    found = check_random_press(range(4))
    assert found["honest"] > 100
    assert found["premeditated"] > 10


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_two_implementations_agree_on_a_thousand_matches_of_random_press() -> None:
    assert len(check_random_press(range(1000, 2000))) == len(PromiseClass) - 1


def breaches(seals: SealMode, seeds: range) -> tuple[int, int]:
    broken = due = 0
    for seed in seeds:
        names = ("stabber", "peace", "stabber", "reciprocator", "stabber", "broker", "stabber")
        terms = SealTerms(seals)
        ledger = ledger_of(played(names, last_year=1903, seed=seed * 100, seals=terms))
        mine = [v for v in ledger.verdicts if v.performer in ("AUS", "FRA", "ITA", "TUR")]
        broken += sum(v.status is PromiseStatus.BROKEN for v in mine)
        due += sum(v.status in (PromiseStatus.BROKEN, PromiseStatus.KEPT) for v in mine)
    return broken, due


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    first, second = proportion(*one), proportion(*other)
    assert first is not None
    assert second is not None
    return first[1] <= second[2] and second[1] <= first[2]


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_an_agent_breaks_its_word_as_often_whether_it_must_seal_or_not() -> None:
    with_seals, without = breaches(SealMode.REQUIRED, range(12)), breaches(SealMode.NONE, range(12))
    assert _overlap(with_seals, without), (with_seals, without)
