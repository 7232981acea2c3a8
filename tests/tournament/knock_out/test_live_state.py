"""The course of a tournament: what its events make of it, and that it replays."""

from __future__ import annotations

import msgspec
import pytest

from parlour.core.events import Ended, Event, Joined, Removed, Started
from parlour.core.fouls import Conduct, Standing
from parlour.core.game import Outcome, Seat
from parlour.core.intents import PlayerType
from parlour.core.terms import Terms
from parlour.errors import RecordError
from parlour.tournament.knock_out.events import (
    Announced,
    Closed,
    Decided,
    Entrant,
    RoundDrawn,
    TableEnded,
    TournamentEvent,
)
from parlour.tournament.knock_out.live_state import LiveState
from parlour.tournament.knock_out.rounds import KnockOut
from parlour.tournament.knock_out.table_results import Departure, TableResult, TournamentResult, result_of

RED, WHITE, BROWN = Seat("red"), Seat("white"), Seat("brown")


def announced(count: int, seed: int = 7) -> Announced:
    entrants = tuple(Entrant(name) for name in "abcdefghij"[:count])
    return Announced(0.0, "t", "fish", {}, Terms(Conduct("strict", {})), "knock-out", seed, entrants)


def cheat(name: str) -> Departure:
    return Departure(name, Standing.CHEATER, "illegal: off the board")


def failure(name: str) -> Departure:
    return Departure(name, Standing.FAILURE, "late: no answer in time")


def play(course: LiveState, results: dict[tuple[str, ...], TableResult]) -> list[TournamentEvent]:
    """Everything that happens if tables end like that."""
    happened: list[TournamentEvent] = [course.announced]

    def happen(event: TournamentEvent) -> None:
        course.fold(event)
        happened.append(event)

    happen(course.set_field([failure("b")], 1.0))
    while course.decided is None:
        if sittings := [*course.sittings()]:
            for sitting in reversed(sittings):
                happen(course.end_table(sitting, results[sitting.players], 2.0))
        else:
            happen(course.advance(3.0))
    happen(course.close([failure("e")], become=None, at=4.0))
    return happened


RESULTS = {
    ("a", "c", "d"): TableResult((("d", "a"),), {}, (cheat("c"),)),
    ("e", "f"): TableResult((("e",), ("f",))),
    ("a", "d", "e"): TableResult((("a", "e"),), {}, (failure("d"),)),
}


def test_a_tournament_from_announcement_to_close() -> None:
    course = LiveState(announced(6))
    happened = play(course, RESULTS)
    assert [type(event).__name__ for event in happened] == [
        "Announced",
        "FieldSet",
        "RoundDrawn",
        "TableEnded",
        "TableEnded",
        "RoundDrawn",
        "TableEnded",
        "Decided",
        "Closed",
    ]
    assert happened[2] == RoundDrawn(3.0, 1, (("a", "c", "d"), ("e", "f")))
    assert isinstance(happened[3], TableEnded)
    assert (happened[3].match, happened[3].table) == ("t.1.2", 1)
    assert isinstance(happened[-2], Decided)
    assert happened[-2].result.winners == ("a", "e")
    assert course.closed == TournamentResult(
        winners=("a",),
        losers=("e", "f"),
        cheaters=(cheat("c"),),
        failures=(failure("b"), failure("d")),
        rounds=2,
        reason="final played",
    )


@pytest.mark.parametrize("most", [1, 2])
def test_rounds_come_to_an_end(most: int) -> None:
    course = LiveState(announced(6))
    course.format = KnockOut(max_rounds=most)
    play(course, RESULTS)
    assert course.decided is not None
    assert (course.decided.rounds, course.decided.reason, course.decided.winners) == (
        (1, "no decision in 1 rounds", ("a", "d", "e")) if most == 1 else (2, "final played", ("a", "e"))
    )


def test_a_silent_winner_becomes_a_failure_where_the_course_says_so() -> None:
    course = LiveState(announced(6))
    play(course, RESULTS)
    course.departed = [d for d in course.departed if d.name != "e"]
    closed = course.close([failure("e")], become=Standing.FAILURE, at=4.0)
    assert closed.result.winners == ("a",)
    assert closed.result.losers == ("f",)
    assert failure("e") in closed.result.failures


def test_everyone_is_in_exactly_one_list() -> None:
    course = LiveState(announced(6))
    play(course, RESULTS)
    assert course.closed is not None
    listed = [*course.closed.winners, *course.closed.losers]
    listed += [d.name for d in (*course.closed.cheaters, *course.closed.failures)]
    assert sorted(listed) == list("abcdef")


def test_every_prefix_of_the_record_replays_to_the_same_course() -> None:
    happened = play(LiveState(announced(6)), RESULTS)
    decoder = msgspec.json.Decoder(TournamentEvent)
    stored = [decoder.decode(msgspec.json.encode(event)) for event in happened]
    assert stored == happened
    for length in range(1, len(stored)):
        course = LiveState.replay(stored[:length])
        following = stored[length]
        if isinstance(following, (RoundDrawn, Decided)):
            assert course.advance(following.at) == following
        if isinstance(following, TableEnded):
            assert following.match in map(course.match_id, course.sittings())
        if isinstance(following, Closed):
            assert course.close([failure("e")], become=None, at=4.0) == following


def test_seeds_of_matches_follow_from_the_tournaments() -> None:
    def seeds(seed: int) -> list[int]:
        course = LiveState(announced(10, seed))
        course.fold(course.set_field([], 0.0))
        course.fold(course.advance(0.0))
        return [sitting.seed for sitting in course.sittings()]

    assert seeds(1) == seeds(1)
    assert not set(seeds(1)) & set(seeds(2))
    assert len(set(seeds(1))) == 3
    assert all(0 <= seed < 2**63 for seed in seeds(1))
    assert seeds(1) == [2062734603205289354, 5572948337924371801, 4700815605129192621], "as in earlier versions"


@pytest.mark.parametrize("broken", ["no announcement", "twice", "table", "round"])
def test_a_record_that_does_not_fit_together_is_refused(broken: str) -> None:
    happened = play(LiveState(announced(6)), RESULTS)
    wrong: list[TournamentEvent] = {
        "no announcement": happened[1:],
        "twice": [happened[0], *happened],
        "table": [*happened[:4], happened[3]],
        "round": [*happened[:2], happened[5]],
    }[broken]
    with pytest.raises(RecordError) as raised:
        LiveState.replay(wrong)
    assert raised.value.number == {"no announcement": 0, "twice": None, "table": 4, "round": 2}[broken]


def test_the_result_of_a_match_is_by_name_with_the_reasons_of_removals() -> None:
    record: list[Event] = [
        Joined(0.0, RED, "whatever it called itself", PlayerType.NO_PRESS_BOT),
        Started(0.0, (RED, WHITE, BROWN), None),
        Removed(1.0, WHITE, "illegal: no such tile", Standing.CHEATER),
        Ended(2.0, Outcome({"red": 3.0, "brown": 5.0}, (("brown",), ("red",)), "nobody can move")),
    ]
    assert result_of(record, {RED: "ann", WHITE: "bob", BROWN: "cy"}) == TableResult(
        places=(("cy",), ("ann",)),
        scores={"ann": 3.0, "cy": 5.0},
        departed=(Departure("bob", Standing.CHEATER, "illegal: no such tile"),),
        reason="nobody can move",
    )


def test_who_is_left_before_the_start_has_the_first_place() -> None:
    record: list[Event] = [
        Removed(0.0, WHITE, "late: did not say who it is", Standing.FAILURE),
        Ended(0.0, Outcome({}, (), "1 of at least 2 seats are taken")),
    ]
    result = result_of(record, {RED: "ann", WHITE: "bob"})
    assert result.winners == ("ann",)
    assert [departure.name for departure in result.departed] == ["bob"]


def test_a_match_that_goes_on_has_no_result() -> None:
    with pytest.raises(RecordError, match="not ended"):
        result_of([Started(0.0, (RED,), None)], {RED: "ann"})
