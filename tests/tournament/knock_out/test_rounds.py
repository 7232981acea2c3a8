"""Formats: the allotment table, and that every course of events comes to a proper end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.errors import ConfigError
from parlour.games.fish import GAME
from parlour.tournament.knock_out.rounds import (
    MAX_ROUNDS,
    Conclusion,
    KnockOut,
    allot,
    check_tables,
)
from parlour.tournament.knock_out.table_results import Round, RoundTable, TableResult

Tables = tuple[RoundTable, ...]

# facts: the course's allotment
SIZES = {
    2: [2], 3: [3], 4: [4], 5: [3, 2], 6: [4, 2], 7: [4, 3], 8: [4, 4], 9: [4, 3, 2], 10: [4, 4, 2], 11: [4, 4, 3],
    12: [4, 4, 4], 13: [4, 4, 3, 2], 14: [4, 4, 4, 2], 17: [4, 4, 4, 3, 2], 21: [4, 4, 4, 4, 3, 2],
}  # fmt: skip


def names(count: int) -> tuple[str, ...]:
    return tuple(f"p{number:03}" for number in range(count))


def won_by(tables: Tables, *winners: tuple[str, ...]) -> Round:
    """The round in which each table was won by those."""
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
