"""Registers the environments for one learner with Gymnasium: `gymnasium.make("parlour/Fish-v0")` after this import."""

from __future__ import annotations

from typing import Any

from parlour.errors import MissingExtra
from parlour.games import declared, games

try:
    import gymnasium
except ImportError:
    raise MissingExtra("envs", "a Gymnasium environment") from None

CONVERSATION = "parlour.harness.conversation_env:ConversationEnv"


def _register(name: str, entry_point: str, **settings: Any) -> str:
    id = f"parlour/{name}-v0"
    if id not in gymnasium.registry:
        gymnasium.register(id, entry_point=entry_point, kwargs=settings)
    return id


def _ids() -> tuple[str, ...]:
    found = []
    for game in games():
        declaration = declared(game)
        title = declaration.title.replace(" ", "")
        for name, path in declaration.environments.items():
            if name.endswith("Single"):
                found.append(_register(title, path))
        if declaration.model:
            found.append(_register(f"{title}Text", CONVERSATION, game=game))
        if declaration.model and declaration.talks:
            found.append(_register(f"{title}Press", CONVERSATION, game=game, press=True))
    return tuple(found)


IDS = _ids()
"""The registered ids."""
