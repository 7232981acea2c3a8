"""Episodes that the tests of harnesses play: seven seats of Diplomacy with press, three of Fish."""

from __future__ import annotations

from collections.abc import Callable

from parlour.harness import Episode, EpisodeSetup, ModelPrompt, policy
from support.llm.models import plain_angler, plain_player

Script = Callable[[ModelPrompt], str]


def diplomacy_setup(last_year: int = 1901, rounds: int = 2) -> EpisodeSetup:
    """Return the setup of a short match of Diplomacy with press, a model on every seat."""
    return EpisodeSetup.of("diplomacy", config={"last_year": last_year}, press=True, others=policy(rounds=rounds))


def fish_setup(seed: int = 0, conduct: str | None = None) -> EpisodeSetup:
    """Return the setup of a match of Fish, a model on every seat."""
    return EpisodeSetup.of("fish", seed, config={"players": 3, "rows": 4, "cols": 4}, conduct=conduct)


def by_rule(prompt: ModelPrompt) -> str:
    """Answer a prompt of either game as a reasonable model does."""
    system, last = prompt.messages[0][1], prompt.messages[1][1]
    return (plain_angler if "game of Fish" in system else plain_player)(system, last)


def with_slips(prompt: ModelPrompt) -> str:
    """Answer as by_rule, but every eleventh prompt with words alone."""
    return "I shall think about it." if prompt.number % 11 == 10 else by_rule(prompt)


def played(setup: EpisodeSetup, script: Script = with_slips) -> Episode:
    """Play an episode to its end."""
    episode = Episode(setup)
    prompt = episode.ask()
    while prompt is not None:
        text = script(prompt)
        prompt = episode.answer(text, sum(len(part) for _, part in prompt.messages) // 4, len(text) // 4)
    return episode
