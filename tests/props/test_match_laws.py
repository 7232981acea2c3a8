"""Laws of the match: determinism, resumption after any event, no stall, no leak, an end for everyone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.events import Event
from parlour.core.game import FoulKind, Game, Plain
from parlour.core.intents import Ballot, Intent
from parlour.core.table_view import MatchStatus, TableView
from parlour.core.terms import Clock, PressMode, PressTerms, Terms
from parlour.core.viewers import SPECTATOR, Viewer, seated_on
from parlour.referee.conduct import PRESETS, STRICT
from parlour.referee.consequences import due, next_event
from parlour.referee.match import Match, replay
from parlour.referee.record import decode, encode
from parlour.referee.state import MatchState
from parlour.testing import BIDS, NIM
from support.matches.hostile import Timed, configs, steps, terms

games = st.sampled_from([NIM, BIDS])


def sat_down(game: Game, config: dict[str, Plain]) -> list[Timed]:
    return [(0.0, it.Join(f"player {seat}", seat)) for seat in game.seats(config)] + [(0.0, it.Start("test"))]


def run(match: Match, steps: list[Timed], now: float = 0.0) -> list[tuple[float, Intent | None, int, int]]:
    """Feed the steps; for each the time, the intent, and the record's length after the tick and after the intent."""
    trace = []
    for wait, intent in steps:
        now += wait
        match.tick(now)
        ticked = len(match.record)
        if intent is not None:
            match.handle(intent, now)
        trace.append((now, intent, ticked, len(match.record)))
    return trace


def played(game: Game, config: dict[str, Plain], terms: Terms, steps: list[Timed], seed: int = 7) -> Match:
    match = Match(game, config, terms, seed)
    match.start(0.0)
    run(match, sat_down(game, config) + steps)
    return match


@given(games, configs, terms, steps)
def test_same_inputs_give_the_same_events_byte_for_byte(
    game: Game, config: dict[str, Plain], terms: Terms, steps: list[Timed]
) -> None:
    first, second = (played(game, config, terms, steps).record for _ in range(2))
    assert [encode(event) for event in first] == [encode(event) for event in second]


@given(games, configs, terms, steps, st.data())
def test_a_match_resumed_after_any_event_goes_on_as_if_it_had_never_stopped(
    game: Game, config: dict[str, Plain], terms: Terms, steps: list[Timed], data: st.DataObject
) -> None:
    match = Match(game, config, terms, 7)
    match.start(0.0)
    trace = run(match, sat_down(game, config) + steps)
    cut = data.draw(st.integers(1, len(match.record)), label="events before the crash")

    resumed = Match.resume(match.record[:cut], game)
    resumed.tick(resumed.state.now)
    for now, intent, ticked, after in trace:
        if after < cut or (intent is not None and ticked < cut <= after):
            continue  # its event is in the record; what was still to follow has followed
        if ticked >= cut:
            resumed.tick(now)
        if intent is not None and after >= cut:
            resumed.handle(intent, now)
    assert [encode(e) for e in resumed.record] == [encode(e) for e in match.record]


@given(games, configs, terms, steps)
def test_no_sequence_of_intents_raises_or_stalls(
    game: Game, config: dict[str, Plain], terms: Terms, steps: list[Timed]
) -> None:
    match = played(game, config, terms, steps)
    state = match.state
    if state.status is MatchStatus.RUNNING:
        held = any(place.wait and place.present for place in state.places.values())
        assert match.asks() or match.due() is not None or held, "somebody to ask, a time to wait for, or a wait flag"


@given(games, configs, terms, steps)
def test_replaying_a_record_gives_the_position_of_the_match(
    game: Game, config: dict[str, Plain], terms: Terms, steps: list[Timed]
) -> None:
    match = played(game, config, terms, steps)
    lines = [decode(encode(event), number) for number, event in enumerate(match.record)]
    state = replay(lines, game)
    assert state.status is match.state.status
    assert state.outcome == match.outcome
    if match.state.position is not None and state.position is not None:
        assert state.position.encode() == match.position.encode()


@given(games, configs, terms, steps)
def test_the_table_as_told_after_each_event_is_that_of_the_replayed_record(
    game: Game, config: dict[str, Plain], terms: Terms, steps: list[Timed]
) -> None:
    match, now = Match(game, config, terms, 7), 0.0
    told = [*match.start(now).views]
    for wait, intent in sat_down(game, config) + steps:
        now += wait
        told += match.tick(now).views
        if intent is not None:
            told += match.handle(intent, now).views
    afresh = MatchState(game)
    for event, view in zip(match.record, told, strict=True):
        before = afresh.shown
        afresh.fold(event)
        afresh.rows.clear()
        afresh.shown = None
        assert view == afresh.view()
        if isinstance(event, ev.Said | ev.Noted | ev.Sealed | ev.SealWanted | ev.Reserved | ev.Consulted):
            assert view == before, "an event that not all may know of changes nothing that all are shown"
        if before is not None:
            assert event.changes_position or view.position == before.position
            assert event.changes_player or sitting(view) == sitting(before)


@given(games, configs, terms, steps)
def test_nothing_follows_from_an_inert_event(
    game: Game, config: dict[str, Plain], terms: Terms, steps: list[Timed]
) -> None:
    state = MatchState(game)
    for event in played(game, config, terms, steps).record:
        deadline = due(state)
        state.fold(event)
        if event.inert:
            assert due(state) == deadline
            assert next_event(state, event.at) is None or (deadline is not None and event.at >= deadline)


@given(games, configs, terms, steps, st.lists(st.integers(-30, 30), min_size=1))
def test_a_record_holds_that_has_intents_within_microseconds_of_its_deadlines(
    game: Game, config: dict[str, Plain], terms: Terms, steps: list[Timed], offsets: list[int]
) -> None:
    match, now = Match(game, config, terms, 7, dated=True), 1e9
    match.start(now)
    for number, (wait, intent) in enumerate(sat_down(game, config) + steps):
        deadline = match.due()
        now = now + wait if deadline is None else deadline + offsets[number % len(offsets)] / 1e7
        if intent is not None:
            match.handle(intent, now)
    assert Match.resume(match.record, game).state.count == match.state.count


def sitting(view: TableView) -> list[tuple[str | None, bool]]:
    """Return who sits on each seat."""
    return [(row.name, row.present) for row in view.seats]


@given(configs, terms, steps)
def test_no_view_of_the_table_shows_a_ballot_or_a_hand_of_another(
    config: dict[str, Plain], terms: Terms, steps: list[Timed]
) -> None:
    match, seats = played(BIDS, config, terms, steps), BIDS.seats(config)
    state = MatchState(BIDS)
    for event in match.record:
        state.fold(event)
        for viewer in (SPECTATOR, *map(seated_on, seats), seated_on(*seats[:2])):
            view = state.view().seen(viewer)
            assert all(row.seat in viewer.seats or row.ballot is Ballot.NEUTRAL for row in view.seats)
            hands = {} if view.position is None else view.position.encode()["hands"]
            assert all(seat in viewer.seats or not any(hand) for seat, hand in hands.items())


@given(configs, st.sampled_from(list(PRESETS.values())), steps)
def test_no_seat_learns_a_secret_of_another(config: dict[str, Plain], conduct: object, steps: list[Timed]) -> None:
    press = PressTerms(PressMode.ANYTIME)
    match = played(BIDS, config, Terms(conduct=conduct, clock=Clock(per_turn=5.0), press=press), steps)  # type: ignore[arg-type]
    seats = BIDS.seats(config)
    for viewer in (SPECTATOR, *map(seated_on, seats), seated_on(*seats[:2])):
        for event in match.record:
            check_seen(match.seen_by(event, viewer), event, viewer)


def check_seen(seen: Event | None, event: Event, viewer: Viewer) -> None:
    own = getattr(event, "seat", None) in viewer.seats
    match event:
        case ev.Acted() if not own:
            assert isinstance(seen, ev.Acted)
            assert seen.action is None
            assert not seen.violations
        case ev.Said() if event.to and not own and not set(event.to) & set(viewer.seats):
            assert seen is None
        case ev.Noted() | ev.Sealed() | ev.SealWanted() | ev.Reserved() | ev.Consulted() if not own:
            assert seen is None
        case ev.Voted() if not own:
            assert isinstance(seen, ev.Voted)
            assert (seen.seat, seen.ballot, seen.in_favour) == ("", Ballot.NEUTRAL, event.in_favour)
        case ev.Fouled() if not own:
            assert isinstance(seen, ev.Fouled)
            assert seen.violation is None
            assert seen.detail == event.kind
        case ev.Removed() if not own:
            assert isinstance(seen, ev.Removed)
            assert seen.reason in (*FoulKind, "removed")
        case ev.Opened():
            assert isinstance(seen, ev.Opened)
            assert seen.seed == 0
        case ev.Started() | ev.PositionSet():
            assert isinstance(seen, ev.Started | ev.PositionSet)
            for seat, hand in seen.position["hands"].items():
                assert seat in viewer.seats or not any(hand)
        case _:
            assert seen == event


@given(games, configs, terms, steps)
def test_when_everyone_is_removed_there_is_an_outcome(
    game: Game, config: dict[str, Plain], terms: Terms, steps: list[Timed]
) -> None:
    match = played(game, config, terms, steps)
    for seat in game.seats(config):
        match.handle(it.Remove("test", seat), match.state.now)
    assert match.over
    assert match.outcome is not None


@pytest.mark.parametrize("game", [NIM, BIDS])
def test_the_view_of_a_seat_hides_what_the_game_hides(game: Game) -> None:
    match = played(game, {}, Terms(conduct=STRICT), [])
    for seat in game.seats({}):
        assert match.view(seat).position.encode() == match.position.view(seated_on(seat)).encode()
