"""The course of a knock-out: the tables of each round, what its events make of it, and that it replays."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.core.events import Ended, Event, Joined, Removed, Started
from parlour.core.fouls import Conduct, Standing
from parlour.core.game import Outcome, Seat
from parlour.core.intents import PlayerType
from parlour.core.terms import Terms
from parlour.errors import ConfigError, RecordError
from parlour.games.fish import GAME
from parlour.tournament.knock_out.events import (
    Announced,
    Closed,
    Decided,
    Departure,
    Entrant,
    Round,
    RoundDrawn,
    RoundTable,
    TableEnded,
    TableResult,
    TournamentEvent,
    TournamentResult,
    result_of,
)
from parlour.tournament.knock_out.live_state import (
    MAX_ROUNDS,
    Conclusion,
    KnockOut,
    LiveState,
    allot,
    check_tables,
)

RED, WHITE, BROWN = Seat("red"), Seat("white"), Seat("brown")


def announced(count: int, seed: int = 7) -> Announced:
    entrants = tuple(Entrant(name) for name in "abcdefghij"[:count])
    return Announced(0.0, "t", "fish", {}, Terms(Conduct("strict", {})), "knock-out", seed, entrants)


def cheat(name: str) -> Departure:
    return Departure(name, Standing.CHEATER, "illegal: off the board")


def failure(name: str) -> Departure:
    return Departure(name, Standing.FAILURE, "late: no answer in time")


def play(course: LiveState, results: dict[tuple[str, ...], TableResult]) -> list[TournamentEvent]:
    """Return everything that happens if tables end like that."""
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


Tables = tuple[RoundTable, ...]

# facts: the course's allotment
SIZES = {
    2: [2], 3: [3], 4: [4], 5: [3, 2], 6: [4, 2], 7: [4, 3], 8: [4, 4], 9: [4, 3, 2], 10: [4, 4, 2], 11: [4, 4, 3],
    12: [4, 4, 4], 13: [4, 4, 3, 2], 14: [4, 4, 4, 2], 17: [4, 4, 4, 3, 2], 21: [4, 4, 4, 4, 3, 2],
}  # fmt: skip


def names(count: int) -> tuple[str, ...]:
    return tuple(f"p{number:03}" for number in range(count))


def won_by(tables: Tables, *winners: tuple[str, ...]) -> Round:
    """Return the round in which each table was won by those."""
    return Round(
        tuple(
            RoundTable(
                table.players,
                TableResult((first, tuple(set(table.players) - set(first))) if first else (), reason="nobody can move"),
            )
            for table, first in zip(tables, winners, strict=True)
        )
    )


def test_a_board_that_a_smaller_table_does_not_fit_on_is_refused() -> None:
    eight_tiles = {"rows": 2, "cols": 4}
    check_tables(GAME, eight_tiles, 2)
    for players in (3, 4, 5, 8):  # four have eight penguins, but three of them may meet again, with nine
        with pytest.raises(ConfigError, match="9 penguins"):
            check_tables(GAME, eight_tiles, players)
    check_tables(GAME, {"rows": 3, "cols": 3}, 8)


@pytest.mark.parametrize(("count", "sizes"), SIZES.items())
def test_players_are_allotted_as_in_the_course(count: int, sizes: list[int]) -> None:
    groups = allot(names(count))
    assert [len(group) for group in groups] == sizes
    assert tuple(name for group in groups for name in group) == names(count)


@given(st.integers(2, 400), st.integers(2, 4), st.integers(0, 5))
def test_every_number_of_players_can_be_allotted(count: int, smallest: int, more: int) -> None:
    if count < smallest:
        count = smallest
    largest = 2 * smallest - 1 + more
    if count < smallest * (count // largest + 1) and count > largest:
        count = largest
    groups = allot(names(count), largest, smallest)
    assert sum(map(len, groups)) == count
    assert all(len(group) <= largest for group in groups)


def test_tables_that_cannot_seat_every_number_are_refused() -> None:
    with pytest.raises(ConfigError, match="tables of 2 to 2"):
        allot(names(3), 2, 2)


def test_winners_go_on_in_order_of_age() -> None:
    field = names(10)
    first = KnockOut().next_round(field, [])
    assert not isinstance(first, Conclusion)
    assert [table.players for table in first] == [field[:4], field[4:8], field[8:]]
    rounds = [won_by(first, (field[3], field[1]), (field[5],), (field[9], field[8]))]
    second = KnockOut().next_round(field, rounds)
    assert not isinstance(second, Conclusion)
    assert [table.players for table in second] == [(field[1], field[3], field[5]), (field[8], field[9])]


def test_four_or_fewer_play_one_final_and_its_first_place_wins() -> None:
    field = names(4)
    final = KnockOut().next_round(field, [])
    assert final == (RoundTable(field),)
    assert KnockOut().next_round(field, [won_by(final, (field[2], field[0]))]) == Conclusion(
        (field[0], field[2]), "final played"
    )


@pytest.mark.parametrize("count", [0, 1])
def test_fewer_than_two_win_without_a_game(count: int) -> None:
    assert KnockOut().next_round(names(count), []) == Conclusion(names(count), "too few players left")


def test_a_table_in_which_all_failed_sends_nobody_on() -> None:
    field = names(5)
    first = KnockOut().next_round(field, [])
    assert not isinstance(first, Conclusion)
    assert KnockOut().next_round(field, [won_by(first, (), (field[4],))]) == Conclusion(
        (field[4],), "too few players left"
    )
    assert KnockOut().next_round(field, [won_by(first, (), ())]) == Conclusion((), "too few players left")


def test_a_final_in_which_everybody_failed_has_no_winners() -> None:
    final = (RoundTable(names(3)),)
    assert KnockOut().next_round(names(3), [won_by(final, ())]) == Conclusion((), "final played")


@pytest.mark.parametrize("count", [5, 6, 8])
def test_ties_everywhere_end_after_two_rounds(count: int) -> None:
    """The reference implementation never ends here."""
    field = names(count)
    rounds: list[Round] = []
    for _ in range(2):
        tables = KnockOut().next_round(field, rounds)
        assert not isinstance(tables, Conclusion)
        rounds.append(won_by(tables, *(table.players for table in tables)))
    assert KnockOut().next_round(field, rounds) == Conclusion(field, "same winners in two rounds")


def test_rounds_are_capped() -> None:
    field = names(9)
    rounds: list[Round] = []
    for number in range(3):
        tables = KnockOut(max_rounds=3).next_round(field, rounds)
        assert not isinstance(tables, Conclusion)
        # Someone else loses each time, so no two rounds have the same winners.
        losers = {field[number]}
        rounds.append(won_by(tables, *(tuple(p for p in t.players if p not in losers) for t in tables)))
    found = KnockOut(max_rounds=3).next_round(field, rounds)
    assert found == Conclusion(field[3:], "no decision in 3 rounds")


@given(st.integers(0, 40), st.randoms(use_true_random=False))
def test_every_knock_out_ends_within_its_cap(count: int, rng: object) -> None:
    field, rounds = names(count), list[Round]()
    while not isinstance(tables := KnockOut().next_round(field, rounds), Conclusion):
        seated = [name for table in tables for name in table.players]
        assert len(seated) == len(set(seated))
        assert all(2 <= len(table.players) <= 4 for table in tables)
        firsts = [tuple(p for p in t.players if rng.random() < 0.6) for t in tables]  # type: ignore[attr-defined]
        rounds.append(won_by(tables, *firsts))
    assert len(rounds) <= MAX_ROUNDS
    assert set(tables.winners) <= set(field)


@pytest.mark.parametrize(("smallest", "largest"), [(2, 3), (3, 5), (4, 7)])
def test_tables_can_seat_every_number_from_the_smallest_on_or_are_refused(smallest: int, largest: int) -> None:
    for count in range(smallest, 40):
        found = allot([str(number) for number in range(count)], largest, smallest)
        assert sum(map(len, found)) == count
        assert all(smallest <= len(group) <= largest for group in found)
    with pytest.raises(ConfigError, match=f"tables of {smallest} to {largest - 1} cannot seat every number"):
        allot("abcdefghij", largest - 1, smallest)
