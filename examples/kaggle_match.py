"""A match as a Kaggle environment: pip install kaggle-environments, then python examples/kaggle_match.py."""

from __future__ import annotations

import sys
from typing import Any

from parlour.harness import Episode
from parlour.harness.rows import setups
from parlour.testing import by_rule

try:
    from kaggle_environments import make, register
except ImportError:
    print("kaggle-environments is not installed: pip install kaggle-environments")
    sys.exit(0)

SEATS = 3
SPECIFICATION = {
    "name": "parlour_fish", "title": "Fish", "description": "Penguins on a melting board", "version": "0.1.0",
    "agents": [SEATS],
    "configuration": {"episodeSteps": 2000, "actTimeout": 600, "seed": {"type": "integer", "default": 0}},
    "reward": {"type": ["number", "null"], "default": 0},
    "observation": {"messages": {"type": "array", "default": []}, "remainingOverageTime": 600},
    "action": {"type": ["string", "null"], "default": None},
    "status": {"defaults": ["ACTIVE"] + ["INACTIVE"] * (SEATS - 1)},
}  # fmt: skip


def interpreter(state: list[Any], env: Any) -> list[Any]:
    """Give the answer of the active agent to the match, and the next prompt to the agent that it is for."""
    if env.done or not hasattr(env, "episode"):
        config = {"players": SEATS, "rows": 4, "cols": 4}
        env.episode = Episode(next(setups("fish", seed=env.configuration.seed, config=config)))
        env.seats = [str(seat) for seat in env.episode.setup.asked()]
        prompt = env.episode.ask()
    else:
        prompt = env.episode.answer(next((one.action for one in state if one.status == "ACTIVE"), "") or "")
    for seat, one in zip(env.seats, state, strict=True):
        mine = prompt is not None and prompt.seat == seat
        one.observation.messages = prompt.chat() if mine and prompt is not None else []
        one.status = "DONE" if prompt is None else "ACTIVE" if mine else "INACTIVE"
        one.reward = 0 if prompt is not None else env.episode.standing().seats[seat].score
    return state


def agent(observation: Any, configuration: Any) -> str:
    """Answer a prompt; put your model here."""
    return by_rule([(one["role"], one["content"]) for one in observation["messages"]])


register("parlour_fish", {"specification": SPECIFICATION, "interpreter": interpreter, "renderer": lambda *_: "",
                          "html_renderer": lambda *_: "", "agents": {"rule": agent}})  # fmt: skip
env = make("parlour_fish", configuration={"seed": 0})
env.run([agent] * SEATS)
print(env.episode.standing().table())
env.episode.close()
