"""The strong player: it beats look-ahead, is exact when cut off, keeps its budget and follows from its seed."""

from __future__ import annotations

import pytest

from parlour.agents.fish import strong
from parlour.agents.fish.lookahead import LookAheadPlayer
from parlour.agents.fish.simple import Greedy
from parlour.agents.fish.strong import Budget, Strong
from parlour.core.game import Seat, View
from parlour.core.player import Player
from parlour.games.fish import COLOURS, GAME, Board, Position, Side
from parlour.games.fish.kernel.terrain import Terrain
from parlour.games.fish.lookup_tables import flat, tables
from parlour.games.fish.position import Rules
from support.fish.positions import oracle_of, random_game


def play(players: dict[Seat, Player], seed: int, **config: object) -> Position:
    position = GAME.start(config, tuple(players), seed)
    while to_act := position.to_act():
        seat = to_act[0]
        position, _ = position.apply({seat: players[seat].act(View(seat, position, 1))})
    return position


@pytest.mark.parametrize("players", [2, 3, 4])
def test_it_beats_look_ahead_from_every_seat(players: int) -> None:
    won = 0.0
    for game in range(12):
        own = COLOURS[game % players]
        table: dict[Seat, Player] = {seat: LookAheadPlayer(2) for seat in COLOURS[:players]}
        table[own] = Strong(game, nodes=5000)
        outcome = play(table, game).outcome()
        assert outcome is not None
        won += (own in outcome.winners) / len(outcome.winners)
    # By chance alone it would be 12 / players; bench/fish_strength.py measures it over many games.
    assert won >= 9


def test_cut_off_it_collects_all_that_can_be_collected() -> None:
    checked = 0
    for seed in range(30):
        for position in random_game(5, 5, 2, seed):
            if position.stage != "move" or not position.to_act():
                continue
            fish, places, scores, slots = flat(position)
            terrain = Terrain(tables(5, 5), 2, slots)
            terrain.load(fish, places, scores)
            best, exact = terrain.best_harvest(0, 5000)
            if not terrain.cut_off(0) or not exact:
                continue
            oracle = oracle_of(position)
            action = Strong(0, nodes=20_000).act(View(position.to_act()[0], position, 1))
            start, end = (action[0][0], action[0][1]), (action[1][0], action[1][1])
            gained = oracle.ice[start]
            oracle.move(0, (start, end))
            assert gained + oracle.best_harvest(0) == best
            checked += 1
    assert checked > 20


def test_the_same_seed_plays_the_same_game() -> None:
    games = [play({seat: Strong(seed, nodes=1000) for seat in COLOURS[:3]}, 1, rows=4, cols=4) for seed in (5, 5, 6)]
    assert games[0] == games[1] != games[2]


def test_it_keeps_to_the_rule_of_single_fish() -> None:
    players: dict[Seat, Player] = {seat: Strong(1, nodes=500) for seat in COLOURS[:2]}
    assert play(players, 3, one_fish_placement=True).outcome() is not None


def test_a_large_board_is_no_obstacle() -> None:
    position = GAME.start({"rows": 25, "cols": 25}, COLOURS, 1)
    for _ in range(10):
        seat = position.to_act()[0]
        position, _ = position.apply({seat: Strong(1, nodes=1000).act(View(seat, position, 1))})
    assert position.stage == "move"


def test_a_budget_of_nodes_is_spent_and_no_more() -> None:
    budget = Budget(1000, None)
    assert budget.left() == 1000
    budget.spend(990)
    assert budget.left() == 10
    budget.spend(20)
    assert budget.left() == 0


class Ticking:
    """A clock that goes on by a quarter of a second whenever somebody looks at it."""

    def __init__(self) -> None:
        self.looks = 0

    def monotonic(self) -> float:
        self.looks += 1
        return 0.25 * self.looks

    @property
    def elapsed(self) -> float:
        return 0.25 * (self.looks - 1)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Ticking:
    """Return the clock by which the player thinks."""
    ticking = Ticking()
    monkeypatch.setattr(strong, "time", ticking)
    return ticking


def test_a_budget_of_seconds_ends(clock: Ticking) -> None:
    budget = Budget(None, 2.0)
    spent = 0
    while left := budget.left():
        budget.spend(left)
        spent += left
    assert spent >= strong.SLICE
    assert clock.elapsed == 2.0


def _thinks(player: Strong, remaining: float | None = None) -> None:
    """Let a player choose a move where it is not cut off from the others."""
    position = next(p for p in random_game(5, 5, 3, 1) if p.stage == "move")
    view = View(position.to_act()[0], position, 1, deadline=remaining, remaining=remaining)
    assert position.check(view.seat, player.act(view)) == ()


@pytest.mark.parametrize(("remaining", "taken"), [(10.0, 3.0), (20.0, 6.0)])
def test_it_takes_no_more_than_a_share_of_the_clock(clock: Ticking, remaining: float, taken: float) -> None:
    _thinks(Strong(1, nodes=1_000_000), remaining)
    assert clock.elapsed == taken


def test_it_does_not_wait_for_the_clock_when_its_nodes_are_spent(clock: Ticking) -> None:
    _thinks(Strong(1, nodes=5_000), 1000.0)
    assert clock.elapsed < 2.0


@pytest.mark.parametrize(("remaining", "taken"), [(None, 5.0), (1000.0, 5.0), (10.0, 3.0)])
def test_seconds_replace_the_nodes(clock: Ticking, remaining: float | None, taken: float) -> None:
    _thinks(Strong(1, nodes=1, seconds=5.0), remaining)
    assert clock.elapsed == taken


def test_it_finds_out_who_grabs_and_wins_at_a_table_of_four() -> None:
    won = 0.0
    for game in range(8):
        own = COLOURS[game % 4]
        table: dict[Seat, Player] = {seat: Greedy() for seat in COLOURS}
        table[own] = Strong(game, nodes=5000)
        outcome = play(table, game).outcome()
        assert outcome is not None
        won += (own in outcome.winners) / len(outcome.winners)
    assert won >= 6  # by chance alone it would be 2


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("switch", ["one_fish_placement", "cash_last_tile", "tiles_break_ties", "end_when_alone"])
def test_it_plays_by_every_switch(switch: str, players: int) -> None:
    table: dict[Seat, Player] = {seat: Strong(1, nodes=1000) for seat in COLOURS[:players]}
    assert play(table, 3, **{switch: True}).outcome() is not None


def test_the_last_tile_is_chosen_for_its_fish_if_it_counts() -> None:
    # Alone with two dead ends: to the north waits a tile with five fish, to the south one with a single fish.
    board = Board.of([[0, 5], [0, 0], [0, 2], [0, 0], [0, 1], [0, 0], [3, 0]])
    sides = (Side(COLOURS[0], ((2, 1),)), Side(COLOURS[1], ((6, 0),)))
    position = Position(board, sides, 1, Rules(cash_last_tile=True))
    assert Strong(0, nodes=1000).act(View(COLOURS[0], position, 1)) == [[2, 1], [0, 1]]


def test_of_equal_harvests_the_one_with_more_tiles_is_better_if_they_break_ties() -> None:
    # Northwards lie three tiles of one fish, southwards one of a single fish and one of two.
    column = [1, 0, 1, 0, 1, 0, 2, 0, 1, 0, 2, 0, 0, 0, 3]
    board = Board.of([[0, fish] for fish in column])
    sides = (Side(COLOURS[0], ((6, 1),)), Side(COLOURS[1], ((14, 1),)))
    tied = Position(board, sides, 1, Rules(tiles_break_ties=True))
    fish, places, scores, slots = strong.weighed(tied)
    terrain = Terrain(tables(15, 2), 2, slots)
    terrain.load(fish, places, scores)
    assert terrain.best_harvest(0, 1000) == (strong.UNIT * 4 + 3, True)
    action = Strong(0, nodes=1000).act(View(COLOURS[0], tied, 1))
    assert action[1][0] < 6


def test_scores_and_tiles_are_weighed_together() -> None:
    position = GAME.start({"tiles_break_ties": True}, COLOURS[:2], 1)
    assert strong.unit_of(position) == strong.UNIT
    fish, _, scores, _ = strong.weighed(position)
    assert list(fish) == [strong.UNIT * count + 1 for count in position.board.fish]
    assert list(scores) == [0, 0]
    assert strong.unit_of(GAME.start({}, COLOURS[:2], 1)) == 1
