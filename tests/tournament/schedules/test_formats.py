"""Schedules, table by table: who meets whom after what, who pauses, who stands where, and which fields are refused."""

from __future__ import annotations

import pytest

from parlour.errors import ConfigError
from parlour.games import load_contest
from parlour.tournament.schedules import formats as schedules
from parlour.tournament.schedules.blocks import Seats, groups
from parlour.tournament.schedules.formats import BlockFormat, against, by_score, make_schedule, mean_scores

FISH = Seats(load_contest("fish"), {"rows": 3, "cols": 3}, 2, 1)
DIPLOMACY = Seats(load_contest("diplomacy"), {"last_year": 1901}, 7, 1)


def pairs(schedule: BlockFormat, number: int, past: schedules.Past = ()) -> list[tuple[str, ...]]:
    return [table.players for table in schedule.block(number, past)]


@pytest.mark.parametrize(
    ("name", "waits", "fair", "length"),
    [
        ("round-robin", False, True, None),
        ("population", False, True, None),
        ("gauntlet", False, False, None),
        ("1v1", False, False, None),
        ("swiss", True, False, 2),
        ("ladder", True, False, None),
        ("knock-out", True, False, schedules.MAX_KNOCK_OUT),
    ],
)
def test_what_a_format_says_of_itself(name: str, waits: bool, fair: bool, length: int | None) -> None:
    schedule = make_schedule(name, FISH, "abcd")
    assert (schedule.waits, schedule.fair, schedule.length) == (waits, fair, length)
    assert (schedule.places([]) is None) is not waits


def test_one_against_the_rest_is_fair_if_there_is_but_one_other() -> None:
    assert make_schedule("1v1", FISH, "ab").fair
    assert not make_schedule("1v1", FISH, "abc").fair


@pytest.mark.parametrize(("count", "rounds"), [(2, 1), (3, 2), (4, 2), (5, 3), (8, 3), (9, 4)])
def test_swiss_rounds_suffice_to_find_the_first(count: int, rounds: int) -> None:
    assert make_schedule("swiss", FISH, "abcdefghi"[:count]).length == rounds


def test_challengers_meet_the_field_and_not_each_other() -> None:
    assert pairs(make_schedule("gauntlet", FISH, "abcd", 2), 0) == [("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")]
    assert pairs(make_schedule("gauntlet", DIPLOMACY, "abc"), 0) == [("a", "b"), ("a", "c")]
    threes = Seats(FISH.contest, FISH.config, 3, 1)
    assert pairs(make_schedule("gauntlet", threes, "abcd"), 0) == [("a", "b", "c"), ("a", "b", "d"), ("a", "c", "d")]


def test_alone_is_the_first_agent_or_each_of_the_others() -> None:
    assert pairs(make_schedule("1v6", DIPLOMACY, "abc"), 0) == [("a", "b"), ("a", "c")]
    assert pairs(make_schedule("6v1", DIPLOMACY, "abc"), 0) == [("b", "a"), ("c", "a")]


def test_in_a_swiss_round_those_meet_who_scored_alike_and_have_not_met() -> None:
    swiss = make_schedule("swiss", FISH, "abcd")
    (one, two), (three, four) = pairs(swiss, 0)
    past = [[{one: 1.0, two: 0.0}, {three: 0.9, four: 0.1}]]
    assert pairs(swiss, 1, past) == [(one, three), (four, two)]
    past.append([{one: 1.0, three: 0.0}, {four: 1.0, two: 0.0}])
    # The means are 1, 0.55, 0.45 and 0: the first has met the third, not the second.
    assert pairs(swiss, 2, past) == [(one, four), (three, two)]
    past.append([{one: 1.0, four: 0.0}, {three: 1.0, two: 0.0}])
    assert pairs(swiss, 3, past)[0] == (one, three), "all have met, so those meet again who are nearest"
    assert swiss.places(past) == [[one], [three], [four], [two]]


def test_the_lowest_of_those_who_have_not_paused_pauses() -> None:
    swiss = make_schedule("swiss", FISH, "abc")
    ((one, two),) = pairs(swiss, 0)
    (three,) = set("abc") - {one, two}
    past = [[{one: 1.0, two: 0.0}]]
    assert pairs(swiss, 1, past) == [(one, three)]
    past.append([{one: 0.0, three: 1.0}])
    assert pairs(swiss, 2, past) == [(three, two)]


def test_neighbours_on_the_ladder_meet_in_turn_and_change_places() -> None:
    ladder = make_schedule("ladder", FISH, "abcde")
    assert pairs(ladder, 0) == [("a", "b"), ("c", "d")]
    assert pairs(ladder, 1) == [("b", "c"), ("d", "e")]
    assert (pairs(ladder, 2), pairs(ladder, 3)) == (pairs(ladder, 0), pairs(ladder, 1))
    past = [[{"a": 0.0, "b": 1.0}, {"d": 0.5, "c": 0.5}]]
    assert ladder.places(past) == [["b"], ["a"], ["c"], ["d"], ["e"]]
    assert pairs(ladder, 1, past) == [("a", "c"), ("d", "e")]
    assert ladder.places([[{"a": 0.0}, {}]]) == [["a"], ["b"], ["c"], ["d"], ["e"]], "what is void moves nobody"
    two = make_schedule("ladder", FISH, "ab")
    assert pairs(two, 0) == pairs(two, 1) == [("a", "b")]
    assert pairs(make_schedule("ladder", FISH, "abc"), 1) == [("b", "c")]


def test_who_scores_most_goes_on_until_the_final_has_been_played() -> None:
    knock_out = make_schedule("knock-out", FISH, "abcde")
    assert pairs(knock_out, 0) == [("a", "d"), ("b", "e")]
    past = [[{"a": 1.0, "d": 0.0}, {"b": 0.0, "e": 1.0}]]
    assert pairs(knock_out, 1, past) == [("a", "e")], "c is alone, and goes on"
    past.append([{"a": 0.0, "e": 1.0}])
    assert pairs(knock_out, 2, past) == [("c", "e")]
    past.append([{"c": 0.5, "e": 0.5}])
    assert pairs(knock_out, 3, past) == [], "that was the final, which nobody won alone"
    assert knock_out.places(past) == [["c", "e"], ["a"], ["b", "d"]]
    past[-1] = [{"c": 1.0, "e": 0.0}]
    assert pairs(knock_out, 3, past) == []
    assert knock_out.places(past) == [["c"], ["e"], ["a"], ["b", "d"]]


def test_a_knock_out_in_which_nobody_loses_twice_running_is_over() -> None:
    knock_out = make_schedule("knock-out", FISH, "abcd")
    drawn = [{"a": 0.5, "c": 0.5}, {"b": 0.5, "d": 0.5}]
    assert len(pairs(knock_out, 1, [drawn])) == 2
    assert pairs(knock_out, 2, [drawn, drawn]) == []
    assert pairs(make_schedule("knock-out", FISH, "ac"), 1, [drawn[:1]]) == [], "the first round was the final"


def test_means_and_places() -> None:
    past = [[{"a": 1.0, "b": 0.0}], [{"a": 0.0, "c": 0.5}]]
    means = mean_scores("abcd", past)
    assert means == {"a": 0.5, "b": 0.0, "c": 0.5, "d": 0.0}
    assert by_score("dcba", means) == [["c", "a"], ["d", "b"]]


@pytest.mark.parametrize(
    ("name", "found"), [("1v6", (True, 7)), ("6v1", (False, 7)), ("1v1", (True, 2)), ("2v2", None), ("1v100", None)]
)
def test_one_against_many_by_name(name: str, found: tuple[bool, int] | None) -> None:
    assert against(name) == found


@pytest.mark.parametrize(
    ("name", "seats", "challengers", "needed"),
    [
        ("round-robin", FISH, 1, 2),
        ("round-robin", DIPLOMACY, 1, 2),
        ("population", FISH, 1, 1),
        ("gauntlet", FISH, 1, 2),
        ("gauntlet", FISH, 3, 4),
        ("gauntlet", DIPLOMACY, 2, 3),
        ("swiss", FISH, 1, 2),
        ("knock-out", FISH, 1, 2),
        ("ladder", FISH, 1, 2),
        ("1v6", DIPLOMACY, 1, 2),
    ],
)
def test_a_field_is_large_enough_or_refused(name: str, seats: Seats, challengers: int, needed: int) -> None:
    make_schedule(name, seats, "abcdefg"[:needed], challengers)
    with pytest.raises(ConfigError, match=f"at least {needed} agents, {needed - 1} given") as caught:
        make_schedule(name, seats, "abcdefg"[: needed - 1], challengers)
    assert caught.value.field == "agents"


@pytest.mark.parametrize(("name", "said"), [("chess", "does not exist"), ("1v5", "6 seats, a table has 7: take 1v6")])
def test_a_format_that_there_is_not_is_refused(name: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        make_schedule(name, DIPLOMACY, "ab")
    assert caught.value.field == "format"


def test_a_block_has_at_most_so_many_tables() -> None:
    assert groups("abcd", 2, 6) == [tuple(pair) for pair in ("ab", "ac", "ad", "bc", "bd", "cd")]
    with pytest.raises(ConfigError, match="more than 5 tables"):
        groups("abcd", 2, 5)


@pytest.mark.parametrize(("group", "size", "matches"), [("a", 2, 1), ("ab", 2, 2), ("abcd", 4, 24), ("abcde", 4, 5)])
def test_a_group_gathers_at_a_table_of_its_size_or_the_nearest(group: str, size: int, matches: int) -> None:
    table = FISH.gathered(group, 0)
    assert {len(seating) for seating in table.seatings} == {size}
    assert len(table.seatings) == matches
    for seat in range(size):
        assert {[seating[seat] for seating in table.seatings].count(name) for name in group} == {matches // len(group)}
