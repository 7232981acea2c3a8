"""Where tournaments between agents are kept: which one is resumed, what is refused, and whose agent has changed."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from parlour.errors import ConfigError, RecordError
from parlour.store import Entries, Filter, RecordHead, RecordKind, Store, open_store
from parlour.tournament.engines.playing import match_id
from parlour.tournament.results import Delivery
from parlour.tournament.results_state import ResultsState
from parlour.tournament.storage.fingerprints import fingerprint
from parlour.tournament.storage.tournament_store import (
    TournamentStore,
    check_unchanged,
    is_between_agents,
    read,
    unfinished,
)
from support.tournament.plans import plan_of, result_of

PLAN = plan_of(["random", "greedy"])


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(tmp_path / "kept.db")


def opened(store: Store, tournament: str, game: str = "fish") -> TournamentStore:
    results_store = TournamentStore(store, msgspec.structs.replace(PLAN, tournament=tournament, game=game))
    results_store.open()
    return results_store


def test_the_newest_that_was_cut_short_is_resumed(store: Store) -> None:
    with store:
        opened(store, "first")
        opened(store, "second")
        opened(store, "elsewhere", "diplomacy")
        opened(store, "over").close(b"{}")
        store.write(RecordHead("strangers", RecordKind.TOURNAMENT, "fish"))
        assert unfinished(store, "fish") == "second"
        assert unfinished(store, "fish", "first") == "first"
        assert [is_between_agents(head) for head in store.heads()] == [True] * 4 + [False]


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("nothing", "no tournament 'nothing' is kept"),
        ("match", "no tournament 'match' is kept"),
        ("strangers", "no tournament 'strangers' is kept"),
        ("elsewhere", "elsewhere is a tournament of diplomacy, not of fish"),
        ("over", "over is over"),
        ("", "no tournament of fish in .* was cut short; it keeps one of diplomacy"),
    ],
)
def test_what_cannot_be_resumed_is_refused(store: Store, wanted: str, said: str) -> None:
    with store:
        opened(store, "elsewhere", "diplomacy")
        opened(store, "over").close(b"{}")
        about = next(store.heads()).about
        store.write(RecordHead("strangers", RecordKind.TOURNAMENT, "fish"))
        store.write(RecordHead("match", RecordKind.MATCH, "fish", about=about))
        with pytest.raises(ConfigError, match=said) as caught:
            unfinished(store, "fish", wanted)
        assert caught.value.field == "resume"


def test_an_empty_store_keeps_nothing_to_resume(store: Store) -> None:
    with store, pytest.raises(ConfigError, match=r"was cut short$"):
        unfinished(store, "fish")


def test_results_are_kept_with_their_records_and_read_back(store: Store) -> None:
    series, results_store = ResultsState(PLAN), TournamentStore(store, PLAN)
    with store:
        results_store.open()
        results_store.keep([], series)
        first, second, *_ = series.wanted()
        deliveries = [Delivery(result_of(first), (b"1", b"2")), Delivery(result_of(second), ())]
        results_store.keep(deliveries, series)
        again, more = read(store, PLAN.tournament)
        assert (again.finished, store.length(PLAN.tournament)) == (2, 3)
        heads = list(store.heads(Filter(kind=RecordKind.MATCH)))
        assert [(head.id, head.parent) for head in heads] == [(match_id(PLAN, first.number), PLAN.tournament)]
        assert list(store.entries(heads[0].id)) == [b"1", b"2"]
        assert heads[0].result is not None
        assert sorted(heads[0].players.values()) == sorted(first.players)
        third = next(iter(again.wanted()))
        more.keep([Delivery(result_of(third), ())], again)
        assert read(store, PLAN.tournament)[0].finished == 3


def test_matches_are_listed_in_the_order_of_the_schedule_after_their_tournament(store: Store) -> None:
    series = ResultsState(PLAN)
    with store:
        results_store = opened(store, PLAN.tournament)
        for sitting in reversed(list(series.wanted())):
            results_store.keep([Delivery(result_of(sitting), (b"1",))], series)
        moments = {head.id: head.opened for head in store.heads()}
    assert sorted(moments, key=lambda name: moments[name]) == [
        PLAN.tournament,
        *(match_id(PLAN, number) for number in range(len(moments) - 1)),
    ]
    assert max(moments.values()) - min(moments.values()) < 1.0, "all are opened with it"


@pytest.mark.parametrize("bodies", [(), ("played",), ("plan", "plan")])
def test_a_tournament_begins_with_its_only_plan(store: Store, bodies: tuple[str, ...]) -> None:
    sitting = next(iter(ResultsState(PLAN).wanted()))
    kept = {"plan": msgspec.json.encode(PLAN), "played": msgspec.json.encode(result_of(sitting))}
    with store:
        store.write(RecordHead("t", RecordKind.TOURNAMENT, "fish"), Entries("t", 0, tuple(kept[b] for b in bodies)))
        with pytest.raises(RecordError, match="only one plan" if len(bodies) == 2 else "does not begin with") as caught:
            read(store, "t")
        assert caught.value.number == max(0, len(bodies) - 1)


def test_an_agent_that_has_changed_is_named() -> None:
    own = [msgspec.structs.replace(one, fingerprint=fingerprint("fish", one.agent)) for one in PLAN.contenders]
    check_unchanged(msgspec.structs.replace(PLAN, contenders=tuple(own)))
    own[1] = msgspec.structs.replace(own[1], fingerprint={**own[1].fingerprint, "gone.py": "1"})
    with pytest.raises(ConfigError, match=r"greedy has changed since the tournament began \(gone.py\)"):
        check_unchanged(msgspec.structs.replace(PLAN, contenders=tuple(own)))
