"""Many games of Diplomacy in flat arrays, all played at once by the kernel."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from parlour.deepmind.actions import MAX_ORDERS, TABLE
from parlour.deepmind.legal import drop_idle
from parlour.deepmind.observation import PROVINCE_VECTOR_LENGTH, observe_into
from parlour.deepmind.options import Options
from parlour.deepmind.provinces import NUM_AREAS, NUM_POWERS
from parlour.deepmind.readable import human_readable_action
from parlour.envs.buffers import Shapes, fitting, made, random_source
from parlour.envs.slices import Slices
from parlour.errors import ConfigError, IllegalAction
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.engine.lookup_tables import tables_of
from parlour.games.diplomacy.engine.rules import rules_of
from parlour.games.diplomacy.kernel.desk import Desk
from parlour.games.diplomacy.maps.map import named, standard
from parlour.games.diplomacy.ordering.actions import Actions

ROOM, SPARE = 768, 8192
"""First size of the buffer for legal actions: per game, and an addition per thread for crowded games."""

EVERYTHING = Options(idle_convoys=True)
"""Default options: all legal actions are listed, because random actions are drawn from all of them."""


class Observations(NamedTuple):
    """The observations of n games, created by VectorDiplomacy.buffers and filled by observe."""

    boards: npt.NDArray[np.uint8]
    """[n, 81, 35]: the boards."""
    build_numbers: npt.NDArray[np.int32]
    """[n, 7]: builds and, if negative, removals that are due."""
    seasons: npt.NDArray[np.int32]
    """[n]: the kind of phase."""
    last_actions: npt.NDArray[np.int64]
    """[n, 7, 17], padded with 0: the last submitted actions; all 0 in a game that has just begun."""


class Step(NamedTuple):
    """The result of a step; the arrays are the vector's own and change with the next step."""

    rewards: npt.NDArray[np.float32]
    """[n, 7]: the rewards of games that ended, otherwise 0."""
    done: npt.NDArray[np.bool_]
    """[n]: True for games that ended and have begun again."""


class VectorDiplomacy:
    """n games on one map. Actions are the published ones: int64 [n, powers, 17], padded with 0 or -1.

    A game that ends is replaced by a new one at once. Every method works on all games. With several threads each
    takes a slice, and the GIL is released. Vectors are independent of one another. Arrays that legal, sample and step
    return belong to the vector: the next call of the same method overwrites them.

    Observations exist for the standard map only. On other maps learners encode the states themselves.
    """

    def __init__(
        self,
        n: int,
        *,
        seed: int = 0,
        last_year: int = 0,
        threads: int = 1,
        options: Options = EVERYTHING,
        map_name: str = "standard",
    ) -> None:
        """Set up the games.

        Args:
            n: Number of games.
            seed: Seed of sample.
            last_year: Year after which games end; 0 for no limit.
            threads: Number of threads that share the work.
            options: Points that the publication leaves open.
            map_name: Name of the map.

        Raises:
            ConfigError: A value is out of range, or an option does not fit the map.
        """
        if type(last_year) is not int or not 0 <= last_year <= 9999:
            raise ConfigError(f"last_year: expected 0 to 9999, got {last_year!r:.40}", field="last_year")
        self.map = named(map_name)
        if self.map != standard() and not options.idle_convoys:
            raise ConfigError("options: idle convoys are left out on the standard map only", field="options")
        tables = tables_of(self.map)
        self._slices = Slices(n, threads, lambda: Desk(tables))
        self._options, self._rules = options, rules_of(self.map)
        self._start = self._rules.start(last_year)
        self.n, powers, provinces = n, len(self.map.powers), len(self.map.provinces)
        self._powers = powers
        self.states: npt.NDArray[np.uint8] = np.tile(self._start, (n, 1))
        """[n, 512]: the kernel's flat states."""
        self._last = np.zeros((n, powers, MAX_ORDERS), np.int64)
        self._sampled = np.empty((n, powers, MAX_ORDERS), np.int64)
        self._verdicts = np.empty((n, provinces), np.uint8)
        self._by_province = np.empty((n, provinces + 1), np.int64)
        self._by_power = np.empty((n, powers + 1), np.int64)
        self._legal = np.empty(n * ROOM + SPARE * threads, np.int64)
        self._rewards = np.zeros((n, powers), np.float32)
        self._done = np.zeros(n, np.bool_)
        self._rng = random_source(seed)

    def reset(self, seed: int | None = None) -> None:
        """Begin all games again; a seed also restarts the random actions of `sample`."""
        if seed is not None:
            self._rng = random_source(seed)
        self.states[:] = self._start
        self._last[:] = 0

    @property
    def nbytes(self) -> int:
        """Bytes of memory of all arrays of the vector."""
        return sum(value.nbytes for value in vars(self).values() if isinstance(value, np.ndarray))

    def legal(self) -> tuple[Actions, Actions]:
        """Return legal actions by ordered province: actions int64, offsets int64 [n, provinces + 1].

        The actions for province p of game b are actions[offsets[b, p] : offsets[b, p + 1]]. Waivers of builds are not
        listed. Between the games of two threads there may be a gap.
        """
        return self._listed(self._by_province, False)

    def legal_by_power(self) -> tuple[Actions, Actions]:
        """Return legal actions by power, ascending, with waivers: actions int64, offsets int64 [n, powers + 1]."""
        return self._listed(self._by_power, True)

    def _listed(self, offsets: Actions, by_power: bool) -> tuple[Actions, Actions]:
        while not all(self._slices.map(lambda part, desk: self._list_slice(part, desk, offsets[part], by_power))):
            self._legal = np.empty(2 * len(self._legal), np.int64)
        return self._legal, offsets

    def _list_slice(self, part: slice, desk: Desk, offsets: Actions, by_power: bool) -> bool:
        """Return True if the lists of a slice fit into its share of the buffer."""
        first, last = (len(self._legal) * bound // self.n for bound in (part.start, part.stop))
        states, room = self.states[part], self._legal[first:last]
        if desk.list_legal(states.data, room.data, offsets.data, by_power) < len(states):
            return False
        if not self._options.idle_convoys:
            drop_idle(states, room, offsets)
        if first:
            offsets += first
        return True

    def sample(self) -> Actions:
        """Return a random legal action for each unit, chosen in the kernel: int64 [n, powers, 17], padded with 0."""
        seeds = self._rng.integers(0, 1 << 64, self.n, np.uint64)
        self._slices.map(
            lambda part, desk: desk.sample(self.states[part].data, seeds[part].data, self._sampled[part].data)
        )
        return self._sampled

    def buffers(self) -> Observations:
        """Return arrays for observe to fill."""
        return made(Observations, self._shapes())

    def _shapes(self) -> Shapes:
        return {
            "boards": ((self.n, NUM_AREAS, PROVINCE_VECTOR_LENGTH), np.uint8),
            "build_numbers": ((self.n, NUM_POWERS), np.int32),
            "seasons": ((self.n,), np.int32),
            "last_actions": ((self.n, NUM_POWERS, MAX_ORDERS), np.int64),
        }

    def observe(self, out: Observations | None = None) -> Observations:
        """Return the observations of all games, written into `out` if given.

        Raises:
            ConfigError: The map is not the standard one, or `out` does not fit.
        """
        if self.map != standard():
            raise ConfigError(f"map: observations are of the standard map, not of {self.map.name}", field="map")
        out = self.buffers() if out is None else fitting(Observations, self._shapes(), out)
        boards, builds, seasons, last = out

        def work(part: slice, _: Desk) -> None:
            observe_into(self.states[part], boards[part], builds[part], seasons[part], self._options)
            last[part] = self._last[part]

        self._slices.map(work)
        return out

    def step(self, actions: Actions, *, strict: bool = False) -> Step:
        """Play one phase of every game, and return the rewards and the ended games.

        Units without a legal action hold or disband, and builds without one are waived.

        Args:
            actions: Integer actions of all powers, one row per game.
            strict: Raise IllegalAction for the first illegal action, before any game is changed.
        """
        self._refuse_foreign(actions)
        if strict:
            self._refuse_illegal(actions)

        def work(part: slice, desk: Desk) -> None:
            states = self.states[part]
            before = states[:, k.SEASON].copy()
            # Each state is loaded before it is overwritten, so the games may be played in place.
            desk.step(states.data, actions[part].data, states.data, self._verdicts[part].data)
            np.maximum(actions[part], 0, out=self._last[part])
            if self._options.skipped_builds_clear:
                skipped = (before >= k.SeasonCode.AUTUMN_MOVES) & (states[:, k.SEASON] == k.SeasonCode.SPRING_MOVES)
                states[skipped & (before < k.SeasonCode.BUILDS), k.BUILDS : k.BUILDS + self._powers] = 0

        self._slices.map(work)
        self._rewards[self._done] = 0
        np.not_equal(self.states[:, k.STATUS], k.Status.RUNNING, out=self._done)
        if self._done.any():
            self._begin_anew(np.flatnonzero(self._done))
        return Step(self._rewards, self._done)

    def _begin_anew(self, ended: npt.NDArray[np.intp]) -> None:
        states = self.states[ended]
        owners = states[:, k.OWNERS : k.DISLODGED]
        centres = np.stack([(owners == power + 1).sum(axis=1) for power in range(self._powers)], axis=1)
        shares = centres if self._options.draw_by_centres else centres > 0
        if self._options.solo_takes_all:
            solo = states[:, k.STATUS] == k.Status.SOLO
            winners = states[:, k.WINNER, None] == np.arange(1, self._powers + 1)
            shares = np.where(solo[:, None], winners, shares)
        self._rewards[ended] = shares / np.maximum(1, shares.sum(axis=1, keepdims=True))
        self.states[ended] = self._start
        self._last[ended] = 0

    def _refuse_foreign(self, actions: Actions) -> None:
        shape = (self.n, self._powers, MAX_ORDERS)
        if not isinstance(actions, np.ndarray) or actions.shape != shape or actions.dtype != np.int64:
            found = (
                f"{actions.dtype} {list(actions.shape)}" if isinstance(actions, np.ndarray) else type(actions).__name__
            )
            raise IllegalAction(f"actions: expected int64 {list(shape)}, got {found}")
        if not actions.flags.c_contiguous:
            raise IllegalAction("actions: expected a C-contiguous array")

    def _refuse_illegal(self, actions: Actions) -> None:
        reasons = self._rules.check(self.states, actions)
        if reasons.any():
            game, power, at = (int(found[0]) for found in np.nonzero(reasons))
            action, reason = int(actions[game, power, at]), k.ReasonCode(int(reasons[game, power, at]))
            words = human_readable_action(action) if action in TABLE and self.map == standard() else str(action)
            why = reason.name.lower().replace("_", " ")
            who = self.map.powers[power]
            raise IllegalAction(f"game {game}, {who.title}: {words}: {why}", seat=who.name, part=words)

    def close(self) -> None:
        """End the threads."""
        self._slices.close()
