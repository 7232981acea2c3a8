"""Flat tables for the kernel: each says the same as the board's rays, and positions come through whole."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from parlour.games.fish.board import rays
from parlour.games.fish.lookup_tables import flat, tables
from support.fish.positions import random_game


@pytest.mark.parametrize(("height", "width"), [(5, 5), (2, 9), (8, 8), (9, 8), (25, 25)])
def test_tables_say_what_the_rays_say(height: int, width: int) -> None:
    made = tables(height, width)
    assert made.words == -(-height * width // 64)
    for tile, lines in enumerate(rays(height, width)):
        for direction, ray in enumerate(lines):
            entry = tile * 6 + direction
            expected = [row * width + column for row, column in ray]
            bits = sum(made.rays[entry * made.words + word] << 64 * word for word in range(made.words))
            assert [number for number in range(height * width) if bits >> number & 1] == sorted(expected)
            assert list(made.along[entry * made.longest :][: len(ray)]) == expected
            assert made.length[entry] == len(ray)
            assert made.beside[entry] == (expected[0] if expected else -1)


def test_a_flat_position_has_sides_in_turn_order_and_marks_what_is_missing() -> None:
    position = list(random_game(5, 5, 3, 1))[4]
    fish, places, scores, slots = flat(position)
    assert (bytes(fish), slots) == (position.board.fish, 3)
    # Red and white have placed twice and once: white is next, and has one penguin.
    assert [side.seat for side in position.sides] == ["white", "brown", "red"]
    assert [sum(tile >= 0 for tile in places[i : i + 3]) for i in (0, 3, 6)] == [1, 1, 2]
    assert list(scores) == [0, 0, 0]


def test_scores_of_any_size_keep_their_differences_as_far_as_these_can_be_made_up() -> None:
    position = list(random_game(5, 5, 3, 1))[4]
    total = sum(position.board.fish)

    def lowered(*scores: int) -> list[int]:
        sides = tuple(replace(side, score=score) for side, score in zip(position.sides, scores, strict=True))
        return list(flat(replace(position, sides=sides))[2])

    assert lowered(0, 3, 7) == [0, 3, 7]
    assert lowered(10**40, 10**40 + 2, 0) == [total + 1, total + 3, 0]
    assert lowered(total, 0, 10**9) == [total, 0, 2 * total + 1]
