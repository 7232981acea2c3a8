"""Fish for tournaments: every order of seats on a board and on its mirror; a share of the win, and the margin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations

from parlour.core.contest import Points, win_share
from parlour.core.game import Outcome, Plain, Position, Seat, Seed
from parlour.games.fish.board import Board
from parlour.games.fish.game import FEWEST, GAME
from parlour.games.fish.position import COLOURS


class FishContest:
    """The Fish rules that tournaments need: sizes, boards, seat orders and points."""

    scores = ("win share", "margin")
    rivals = None

    def sizes(self, config: Mapping[str, Plain]) -> tuple[int, int]:
        """Return the smallest and the largest number of players: two and four."""
        return FEWEST, len(COLOURS)

    def deals(self, config: Mapping[str, Plain], seats: int, seed: Seed) -> tuple[dict[str, Plain], ...]:
        """Return a board and its mirror, so that no agent gains by the direction in which it looks first."""
        terms = {**config, "players": seats}
        board = GAME.start(terms, GAME.seats(terms), seed).board
        rest = {name: value for name, value in terms.items() if name not in ("rows", "cols", "fish", "holes", "board")}
        return tuple({**rest, "board": each.rows()} for each in (board, mirrored(board)))

    def orders(self, seats: int) -> tuple[tuple[int, ...], ...]:
        """Return all orders of players, because the order of turns matters."""
        return tuple(permutations(range(seats)))

    def points(self, position: Position, outcome: Outcome, lost: Sequence[Seat]) -> Points:
        """Return the win share and the margin of each seat.

        Seats that share the first place share the win. The margin is the lead in fish over the best other seat.
        """
        fish = {seat: 0.0 if seat in lost else score for seat, score in outcome.scores.items()}
        return {
            "win share": win_share(outcome, lost),
            "margin": {
                seat: own - max((other for name, other in fish.items() if name != seat), default=0.0)
                for seat, own in fish.items()
            },
        }


CONTEST = FishContest()


def mirrored(board: Board) -> Board:
    """Return the board mirrored if it has an odd number of rows, or turned by half if it has an even number.

    Every second row is shifted, so these symmetries take a board of that shape to itself.
    """
    rows = board.rows()[::-1]
    return Board.of(rows if board.height % 2 else [row[::-1] for row in rows])
