"""Matches for TextArena: `ta.make("Parlour-Diplomacy-v0")` after the import of this module.

A player's observation is one prompt as plain text, an action is the answer. The table's conduct decides the
consequences of a bad answer, so TextArena eliminates no player for one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from parlour.core.game import Plain
from parlour.errors import ConfigError, MissingExtra
from parlour.games import declared, games
from parlour.harness.episode import Episode, ModelPrompt
from parlour.harness.rows import ALL, fresh_seed, keep_record, read_rewards, setups, weighted
from parlour.harness.standing import EpisodeStanding

try:
    import textarena as ta
except ImportError:
    raise MissingExtra("textarena", "an environment for TextArena") from None


class TextArenaMatch(ta.Env):
    """One match; player i has the i-th seat without a house agent."""

    def __init__(
        self,
        game: str,
        *,
        press: bool = False,
        config: Mapping[str, Plain] | None = None,
        learners: str = ALL,
        opponents: str = "",
        reward: str = "score",
        record: str = "",
        **options: bool | int | float | str,
    ) -> None:
        """Set up the environment.

        Args:
            game: Name of the game.
            press: True if seats may negotiate.
            config: Configuration of the game.
            learners: Seats that agents play: all, or a seat's name.
            opponents: House agent on the other seats; the game's usual rival if empty.
            reward: Rewards with weights, for example score=1,legality=0.1; the names are score, win, legality, kept.
            record: Folder for records.
            options: Options of a model seat: rounds, legal, names, max_tokens.
        """
        super().__init__()
        self._game, self._weights, self._record = game, read_rewards(reward), record
        self._settings: dict[str, Any] = {
            "press": press,
            "config": dict(config or {}),
            "learners": learners,
            "opponents": opponents,
            "options": options,
        }
        self.episode: Episode | None = None

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Begin a match. The seed determines all randomness; no global random generator is used.

        Without a seed each match gets a random one, which is in its record.
        """
        self._close_episode()
        settings = dict(self._settings)
        counted = declared(self._game).counted
        if counted and settings["learners"] == ALL:
            settings["config"] = {**settings["config"], counted: num_players}
        (setup,) = setups(self._game, seed=fresh_seed() if seed is None else seed, **settings)
        self.seats = [str(seat) for seat in setup.asked()]
        if len(self.seats) != num_players:
            raise ConfigError(f"num_players: expected {len(self.seats)}, got {num_players!r:.40}", field="num_players")
        self.state = ta.FFAMultiPlayerState(num_players=num_players)
        roles = dict(enumerate(self.seats))
        self.state.reset(game_state={}, role_mapping=dict(roles), secret_roles=roles)
        self.episode = Episode(setup)
        self._turn_to(self.episode.ask())

    def get_observation(self) -> tuple[int, str]:
        """Return the number of the current player, and the prompt as one text."""
        prompt = self._asked.ask()
        text = "" if prompt is None else "\n\n".join(part for _, part in prompt.messages)
        return self.state.current_player_id, text

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Answer the prompt of the current player; return True if the match is over, and the info."""
        self.state.game_info[self.state.current_player_id]["turn_count"] += 1
        self.state.turn += 1
        self._turn_to(self._asked.answer(str(action)))
        return self.state.done, {"seat": self.seats[self.state.current_player_id]}

    def close(self) -> tuple[dict[int, float], dict[int, Any]]:
        """End the match; return the rewards and the details of each player."""
        rewards = self.state.rewards or dict.fromkeys(range(len(self.seats)), 0.0)
        self._close_episode()
        return rewards, self.state.game_info

    @property
    def _asked(self) -> Episode:
        assert self.episode is not None, "reset comes first"
        return self.episode

    def _turn_to(self, prompt: ModelPrompt | None) -> None:
        if prompt is not None:
            self.state.manually_set_current_player_id(self.seats.index(prompt.seat), force=True)
            return
        keep_record(self._asked, self._record)
        standing = self._asked.standing()
        for player, seat in enumerate(self.seats):
            self.state.game_info[player].update(_told(standing, seat))
        rewards = {player: weighted(standing, seat, self._weights) for player, seat in enumerate(self.seats)}
        self.state.set_game_outcome(rewards, standing.reason)

    def _close_episode(self) -> None:
        if self.episode is not None:
            self.episode.close()


def _told(standing: EpisodeStanding, seat: str) -> dict[str, Any]:
    row = standing.seats[seat]
    return {**row.row(), "role": seat, "invalid_move": row.usable < row.answers, "void": standing.void}


def _register() -> tuple[str, ...]:
    found: dict[str, dict[str, Any]] = {}
    for game in games():
        declaration = declared(game)
        if declaration.model:
            found[f"Parlour-{declaration.title}-v0"] = {"game": game}
        if declaration.model and declaration.talks:
            found[f"Parlour-{declaration.title}-Press-v0"] = {"game": game, "press": True}
    for name, settings in found.items():
        ta.register(id=name, entry_point=f"{__name__}:{TextArenaMatch.__name__}", **settings)
    return tuple(found)


IDS = _register()
"""The registered ids."""
