"""A seat as a Gymnasium environment of texts, press included: an observation is a prompt, an action is an answer."""

from __future__ import annotations

import string
from collections.abc import Mapping
from typing import Any, Literal

from parlour.core.game import Plain
from parlour.errors import ConfigError, MissingExtra
from parlour.games import declared, filled, load_game
from parlour.harness.episode import Episode, ModelPrompt
from parlour.harness.rows import read_rewards, weighted
from parlour.harness.setup import EpisodeSetup, policy

try:
    import gymnasium
    from gymnasium import spaces
except ImportError:
    raise MissingExtra("envs", "a Gymnasium environment") from None

MAX_PROMPT = 100_000
MAX_TEXT = 20_000
"""Maximum characters of an answer in the action space; longer answers are read too."""
_WRITABLE = str.maketrans({number: "?" for number in range(32) if chr(number) not in string.printable})


class ConversationEnv(gymnasium.Env[str, str]):
    """One learner on one seat that reads prompts and writes answers, with house agents on the other seats.

    With press the learner negotiates before it orders. After an unusable answer the learner is asked once more; then
    the table's conduct decides the consequences. The reward comes with the last answer.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 4}  # noqa: RUF012 - as Gymnasium has it

    def __init__(
        self,
        game: str,
        *,
        seat: str | None = None,
        opponents: str | None = None,
        press: bool = False,
        config: Mapping[str, Plain] | None = None,
        reward: str = "score",
        options: Mapping[str, bool | int | float | str] | None = None,
        render_mode: Literal["ansi"] | None = None,
    ) -> None:
        """Set up the environment.

        Args:
            game: Name of the game.
            seat: Seat of the learner; random for each match if None.
            opponents: House agent on all other seats; the game's usual rival if None.
            press: True if seats may negotiate.
            config: Configuration of the game.
            reward: Rewards with weights, for example score=1,legality=0.1; the names are score, win, legality, kept.
            options: Options of the model seat: rounds, legal, names, max_tokens.
            render_mode: `ansi` returns the open prompt.
        """
        declaration = declared(game)
        rival = (declaration.talking_rival if press else "") or declaration.rival
        self._game, self._press, self._weights = game, press, read_rewards(reward)
        self._config = filled(declaration, dict(config or {}))
        self._seats = [str(one) for one in load_game(game).seats(self._config)]
        if seat is not None and seat not in self._seats:
            raise ConfigError(f"seat: expected {', '.join(self._seats)}, got {seat!r:.40}", field="seat")
        self._seat, self._opponents, self._policy = seat, opponents or rival, policy(**dict(options or {}))  # type: ignore[arg-type]
        self.render_mode = render_mode
        self.observation_space = spaces.Text(MAX_PROMPT, min_length=0, charset=string.printable)
        self.action_space = spaces.Text(MAX_TEXT, min_length=0, charset=string.printable)
        self.episode: Episode | None = None
        self._setup(self._seats[0], 0)

    def _setup(self, seat: str, seed: int) -> EpisodeSetup:
        return EpisodeSetup.of(
            self._game,
            seed,
            config=self._config,
            players={seat: self._policy},
            others=self._opponents,
            press=self._press,
        )

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Begin a match; return the first prompt and the info.

        The seed determines the deal, the seat and the opponents' random choices, also in later matches.
        """
        super().reset(seed=seed)
        deal, place = (int(number) for number in self.np_random.integers(0, 2**31, 2))
        self.close()
        self.learner = self._seat or self._seats[place % len(self._seats)]
        self.episode = Episode(self._setup(self.learner, deal))
        prompt = self.episode.ask()
        return _shown(prompt), self._told(prompt)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Answer the open prompt; return the next prompt, reward, terminated, truncated and info."""
        assert self.episode is not None, "reset comes first"
        prompt = self.episode.answer(str(action))
        over = prompt is None
        reward = weighted(self.episode.standing(), self.learner, self._weights) if over else 0.0
        return _shown(prompt), reward, over, False, self._told(prompt)

    def render(self) -> Any:
        """Return the open prompt in the mode `ansi`, otherwise None."""
        return _shown(self.episode.ask() if self.episode is not None else None) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """End the open match."""
        if self.episode is not None:
            self.episode.close()

    def _told(self, prompt: ModelPrompt | None) -> dict[str, Any]:
        if prompt is not None:
            return {"seat": prompt.seat, "purpose": prompt.purpose, "repair": prompt.repair, "messages": prompt.chat()}
        assert self.episode is not None
        return {"seat": self.learner, "standing": self.episode.standing().seats[self.learner].row()}


def _shown(prompt: ModelPrompt | None) -> str:
    """Return the text of a prompt in printable ASCII, as the observation space requires."""
    if prompt is None:
        return ""
    text = "\n\n".join(part for _, part in prompt.messages).encode("ascii", "replace").decode()
    return text.translate(_WRITABLE)[:MAX_PROMPT]
