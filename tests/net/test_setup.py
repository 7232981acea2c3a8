"""Setups of new matches: an impossible one is refused before it is stored, a valid one is read back from its head."""

from __future__ import annotations

import pytest

from parlour.agents.house_specs import remote_spec
from parlour.core.game import Seat
from parlour.core.terms import Terms
from parlour.errors import Denied
from parlour.net.accounts.principals import of_account
from parlour.net.opening import is_made_up, new_match
from parlour.net.permission_errors import DenialCode
from parlour.net.setup import MAX_EXTRAS, About, Admission, MatchSetup, about_of
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.match import opening
from parlour.store import RecordHead, RecordKind
from support.hall.halls import diplomacy

TERMS = Terms(DIPLOMACY)
NOW = 1_700_000_000.0


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"match": "x"},
        {"match": "0" + "x" * 79},
        {"match": "Ann 1 ._:@+-"},
        {"match": "_1"},
        {"match": "Käthes Spiel (#2), l'été & 東京!"},
        {"match": "東" * 80},
        {"title": "t" * 200},
        {"delay": 0.0},
        {"delay": 86_400.0},
    ],
)
def test_what_can_be_is_taken(told: dict[str, object]) -> None:
    MatchSetup(game="diplomacy", terms=TERMS, **told).check()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        (
            {"match": "x" * 81},
            "match: expected 1 to 80 letters, digits, spaces, signs of . _",
        ),
        ({"match": "𝔵" * 61}, "match: expected 1 to 80"),  # too long for a file's name
        ({"match": "a\u0308"}, "match: expected 1 to 80"),  # which looks like another
        ({"match": "a\u202eb"}, "match: expected 1 to 80"),
        ({"match": 'a"b'}, "match: expected 1 to 80"),
        ({"match": " x"}, "match: expected 1 to 80"),
        ({"match": "x\n"}, "match: expected 1 to 80"),
        ({"match": "-x"}, "match: expected 1 to 80"),
        ({"match": "a/b"}, "match: expected 1 to 80"),
        ({"title": "t" * 201}, "title: expected at most 200 characters"),
        ({"title": "one\x85two"}, "title: expected no control characters"),
        ({"title": "one\u2028two"}, "title: expected no control characters"),
        ({"delay": -0.1}, "delay: expected 0 to 86,400 seconds"),
        ({"delay": 86_400.1}, "delay: expected 0 to 86,400 seconds"),
        ({"delay": float("nan")}, "delay: expected 0 to 86,400 seconds"),
    ],
)
def test_what_can_be_for_no_match_is_refused(told: dict[str, object], reason: str) -> None:
    with pytest.raises(Denied) as raised:
        MatchSetup(game="diplomacy", terms=TERMS, **told).check()  # type: ignore[arg-type]
    assert raised.value.code == DenialCode.BAD_VALUE
    assert str(raised.value).startswith(reason)


def test_the_head_of_a_match_says_again_what_was_wanted() -> None:
    wanted = MatchSetup(
        game="diplomacy",
        terms=TERMS,
        title="Friday",
        password="a digest",
        delay=60.0,
        listed=False,
        extras={"map": "standard"},
        admission=Admission(seats_each=1, by_lot=True, watched=False),
        stand_in="hold",
        paced=True,
        unveiled=True,
    )
    head = new_match(wanted, of_account("ann"), NOW, remote_spec).stored.head
    assert (head.kind, head.game, head.owner, head.title) == (RecordKind.MATCH, "diplomacy", "ann", "Friday")
    assert (head.opened, head.updated, head.password) == (NOW, NOW, "a digest")
    said = About(60.0, False, {"map": "standard"}, wanted.admission, "hold", True, True, "no clock, no press", 7)
    assert about_of(head) == said
    assert about_of(RecordHead("old", RecordKind.MATCH, "diplomacy")) == About(), "one that says nothing is as usual"


def test_a_match_of_which_little_is_said_is_open_to_all_and_seen_by_all_at_once() -> None:
    new = new_match(MatchSetup(game="diplomacy", terms=TERMS), of_account("ann"), NOW, remote_spec)
    assert about_of(new.stored.head) == About(
        delay=0.0, listed=True, stand_in="", paced=False, unveiled=False, brief="no clock, no press", seats=7
    )
    assert about_of(new.stored.head).admission == Admission(
        seats_each=None, at_once=False, seats=None, by_lot=False, watched=True
    )
    assert new.stored.head.password == ""
    assert new.intents == ()


def test_a_match_that_nobody_names_gets_a_name_by_its_game_and_day_that_nobody_has() -> None:
    names = {
        new_match(MatchSetup(game="fish", terms=TERMS), of_account(""), NOW, remote_spec).stored.head.id
        for _ in range(5)
    }
    assert len(names) == 5
    for name in names:
        assert name.startswith("fish-20231114-")
        assert is_made_up(name, "fish")
        assert not is_made_up(name, "diplomacy")
    assert not is_made_up("fish-20231114-friday!", "fish")
    assert not is_made_up("fish-20231114-0123abcd-2", "fish")


def test_chance_is_what_was_said_or_else_by_chance() -> None:
    def seeds(seed: int | None) -> set[int]:
        setup = MatchSetup(game="fish", terms=TERMS, seed=seed)
        matches = [new_match(setup, of_account(""), NOW, remote_spec).stored.match for _ in range(3)]
        return {opening(match.start(NOW).events).seed for match in matches}

    assert seeds(7) == {7}
    assert seeds(0) == {0}
    assert len(seeds(None)) == 3


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ({"game": "chess"}, "game 'chess' does not exist"),
        ({"agents": {Seat("FRANCE"): "nobody"}}, "agent: diplomacy has no 'nobody'"),
        ({"stand_in": "nobody"}, "agent: diplomacy has no 'nobody'"),
        ({"agents": {Seat("FRANCE"): "llm:model=x"}}, "agent: this server seats no language models"),
        ({"stand_in": "llm:model=x"}, "agent: this server seats no language models"),
    ],
)
def test_a_match_with_a_game_or_an_agent_that_is_not_here_is_refused(told: dict[str, object], reason: str) -> None:
    setup = MatchSetup(**{"game": "diplomacy", "terms": TERMS, **told})  # type: ignore[arg-type]
    with pytest.raises(Denied) as raised:
        new_match(setup, of_account("ann"), NOW, remote_spec)
    assert raised.value.code == DenialCode.BAD_VALUE
    assert str(raised.value).startswith(reason)


def test_what_is_in_every_list_is_bounded() -> None:
    setup = diplomacy(extras={"rules": ["x" * (MAX_EXTRAS - 100)]})
    setup.check()
    for more in (diplomacy(extras={"rules": ["x" * MAX_EXTRAS]}), diplomacy(stand_in="x" * MAX_EXTRAS)):
        with pytest.raises(Denied, match="extras: expected at most 16,384 bytes, got"):
            more.check()
