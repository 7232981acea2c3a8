"""Many games of Fish in flat arrays, all played at once by the kernel."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from parlour.envs.buffers import Shapes, fitting, made, random_source
from parlour.envs.kernel.fish_games import FishGames
from parlour.envs.slices import Slices
from parlour.errors import ConfigError, IllegalAction
from parlour.games.fish.board import MAX_SIDE, Board
from parlour.games.fish.lookup_tables import tables
from parlour.games.fish.position import COLOURS, Position, Side

_WHY = (
    "",
    "no such choice",
    "a placement is for placing, a move for moving",
    "a hole or a penguin is there",
    "no penguin of the seat is there",
    "the penguin cannot reach that tile",
)


class FishObservations(NamedTuple):
    """The observations of n games, created by VectorFish.buffers and filled by observe."""

    boards: npt.NDArray[np.uint8]
    """[n, rows, columns, 1 + players]: fish, penguins of the seat to act, then penguins of the next seats in turn."""
    scores: npt.NDArray[np.int32]
    """[n, players], in the order of the seats."""
    turns: npt.NDArray[np.uint8]
    """[n]: the seat to act."""


class FishStep(NamedTuple):
    """The result of a step; the arrays are the vector's own and change with the next step."""

    rewards: npt.NDArray[np.float32]
    """[n, players]: in games that ended, 1 shared by the winners; otherwise 0."""
    done: npt.NDArray[np.bool_]
    """[n]: True for games that ended and have begun again on another board."""


class VectorFish:
    """n games on boards of one size. Choices are int32 [n]: with T tiles, t < T places, T + T * from + to moves.

    A game that ends is replaced by a new one at once. Every method works on all games. With several threads each takes
    a slice, and the GIL is released. The rules are the basic ones, without rule switches.
    """

    def __init__(
        self,
        n: int,
        *,
        players: int = 2,
        rows: int = 5,
        cols: int = 5,
        holes: int = 0,
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        """Set up the games.

        Args:
            n: Number of games.
            players: Players per game.
            rows: Rows of the boards.
            cols: Columns of the boards.
            holes: Number of missing tiles.
            seed: Seed of boards and of sample.
            threads: Number of threads that share the work.

        Raises:
            ConfigError: A value is out of range, or the penguins need more tiles.
        """
        for name, value, low, high in (
            ("players", players, 2, 4),
            ("rows", rows, 1, MAX_SIDE),
            ("cols", cols, 1, MAX_SIDE),
            ("holes", holes, 0, MAX_SIDE * MAX_SIDE),
        ):
            if type(value) is not int or not low <= value <= high:
                raise ConfigError(f"{name}: expected {low} to {high}, got {value!r:.40}", field=name)
        self.n, self.players, self.rows, self.cols, self.holes = n, players, rows, cols, holes
        self.tiles, self.penguins = rows * cols, 6 - players
        if self.tiles - holes < players * self.penguins:
            raise ConfigError(f"holes: {players * self.penguins} penguins need as many tiles", field="holes")
        self._slices = Slices(n, threads, lambda: FishGames(tables(rows, cols), players, self.penguins))
        self.fish = np.zeros((n, self.tiles), np.uint8)
        self.places = np.full((n, players, self.penguins), -1, np.int16)
        self.scores = np.zeros((n, players), np.int32)
        self.turns = np.zeros(n, np.uint8)
        self._sampled = np.empty(n, np.int32)
        self._rewards = np.zeros((n, players), np.float32)
        self._done = np.zeros(n, np.bool_)
        self.reset(seed)

    @property
    def choices(self) -> int:
        """Number of choices: T + T * T for T tiles."""
        return self.tiles + self.tiles * self.tiles

    def reset(self, seed: int | None = None) -> None:
        """Begin all games again; a seed also restarts the random source."""
        if seed is not None:
            self._rng = random_source(seed)
        self._begin(np.arange(self.n))

    def legal(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Return choices int32 [N], offsets int64 [n + 1]: game b has choices[offsets[b] : offsets[b + 1]]."""
        parts = self._slices.map(self._list)
        if len(parts) == 1:
            return parts[0]
        starts = np.cumsum([0, *(len(choices) for choices, _ in parts)])
        offsets = [own[:-1] + start for (_, own), start in zip(parts, starts, strict=False)]
        return np.concatenate([choices for choices, _ in parts]), np.concatenate([*offsets, starts[-1:]])

    def _list(self, part: slice, desk: FishGames) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        games = part.stop - part.start
        # No penguin reaches every tile, so this room is always enough.
        choices = np.empty((games + 1) * self.tiles * self.penguins, np.int32)
        offsets = np.empty(games + 1, np.int64)
        desk.legal(*self._board(part), choices.data, offsets.data)
        return choices[: offsets[-1]], offsets

    def sample(self) -> npt.NDArray[np.int32]:
        """Return a random legal choice for each game, chosen in the kernel; the next call overwrites the array."""
        seeds = self._rng.integers(0, 1 << 64, self.n, np.uint64)
        self._slices.map(lambda part, desk: desk.sample(*self._board(part), seeds[part].data, self._sampled[part].data))
        return self._sampled

    def _board(self, part: slice) -> tuple[memoryview, memoryview, memoryview]:
        return self.fish[part].data, self.places[part].data, self.turns[part].data

    def buffers(self) -> FishObservations:
        """Return arrays for observe to fill."""
        return made(FishObservations, self._shapes())

    def _shapes(self) -> Shapes:
        return {
            "boards": ((self.n, self.rows, self.cols, 1 + self.players), np.uint8),
            "scores": ((self.n, self.players), np.int32),
            "turns": ((self.n,), np.uint8),
        }

    def observe(self, out: FishObservations | None = None) -> FishObservations:
        """Return the observations of all games, written into `out` if given; raise ConfigError if it does not fit."""
        wanted = self.buffers() if out is None else fitting(FishObservations, self._shapes(), out)

        def work(part: slice, _: FishGames) -> None:
            boards = wanted.boards[part].reshape(-1, self.tiles, 1 + self.players)
            boards[:, :, 0] = self.fish[part]
            boards[:, :, 1:] = 0
            seats = np.arange(self.players, dtype=np.int16)
            planes = 1 + (seats - self.turns[part, None].astype(np.int16)) % self.players
            game, seat, penguin = np.nonzero(self.places[part] >= 0)
            boards[game, self.places[part][game, seat, penguin], planes[game, seat]] = 1
            wanted.scores[part] = self.scores[part]
            wanted.turns[part] = self.turns[part]

        self._slices.map(work)
        return wanted

    def step(self, choices: npt.NDArray[np.int32]) -> FishStep:
        """Apply one choice in every game, and return the rewards and the ended games.

        Args:
            choices: One choice per game.

        Raises:
            IllegalAction: A choice is illegal; no game has changed.
        """
        choices = self._checked(choices)
        self._slices.map(
            lambda part, desk: desk.step(
                self.fish[part].data,
                self.places[part].data,
                self.scores[part].data,
                self.turns[part].data,
                choices[part].data,
                self._done[part].view(np.uint8).data,
            )
        )
        self._rewards[:] = 0
        ended = np.flatnonzero(self._done)
        if len(ended):
            scores = self.scores[ended]
            winners = scores == scores.max(axis=1, keepdims=True)
            self._rewards[ended] = winners / winners.sum(axis=1, keepdims=True)
            self._begin(ended)
        return FishStep(self._rewards, self._done)

    def position(self, game: int) -> Position:
        """Return the position of one game; its first side is to act."""
        board = Board(self.rows, self.cols, self.fish[game].tobytes())
        sides = [
            Side(
                COLOURS[seat],
                tuple((int(tile) // self.cols, int(tile) % self.cols) for tile in self.places[game, seat] if tile >= 0),
                int(self.scores[game, seat]),
            )
            for seat in range(self.players)
        ]
        first = int(self.turns[game])
        return Position(board, (*sides[first:], *sides[:first]), self.penguins)

    def close(self) -> None:
        """End the threads."""
        self._slices.close()

    def _begin(self, which: npt.NDArray[np.intp]) -> None:
        seeds = self._rng.integers(0, 1 << 64, len(which), np.uint64)
        arrays = (self.fish.data, self.places.data, self.scores.data, self.turns.data)
        numbers = which.astype(np.int64)
        self._slices.alone(lambda desk: desk.begin(*arrays, numbers.data, seeds.data, self.holes))

    def _checked(self, choices: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        if not isinstance(choices, np.ndarray) or choices.shape != (self.n,) or choices.dtype != np.int32:
            found = f"{choices.dtype} {list(choices.shape)}" if isinstance(choices, np.ndarray) else type(choices)
            raise IllegalAction(f"choices: expected int32 [{self.n}], got {found}")
        choices = np.ascontiguousarray(choices)
        reasons = np.empty(self.n, np.uint8)
        self._slices.map(lambda part, desk: desk.check(*self._board(part), choices[part].data, reasons[part].data))
        if reasons.any():
            game = int(np.flatnonzero(reasons)[0])
            seat, choice = COLOURS[self.turns[game]], choices[game]
            why = f"game {game}, {seat}: choice {choice}: {_WHY[reasons[game]]}"
            raise IllegalAction(why, seat=seat, part=str(choice))
        return choices
