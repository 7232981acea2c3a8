"""The messages of the protocol: a model's answer, and the next prompt or the end of the match."""

from __future__ import annotations

from typing import Any

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class ParlourAction(Action):
    """The answer to the open prompt."""

    text: str = Field(description="The words of the model")
    tokens_in: int | None = Field(default=None, ge=0, description="Tokens of the prompt; estimated if missing")
    tokens_out: int | None = Field(default=None, ge=0, description="Tokens of the answer; estimated if missing")
    finish: str = Field(default="stop", description="Why the model stopped; `length` if it was cut off")
    fault: str = Field(default="", description="Why there is no answer; the text does not count then")


class ParlourObservation(Observation):
    """The next prompt; after the last answer the figures of all seats."""

    seat: str = ""
    """Seat of the prompt: the client routes the prompt to that seat's model."""
    purpose: str = ""
    repair: bool = False
    messages: list[dict[str, str]] = Field(default_factory=list)
    max_tokens: int = 0
    number: int = 0
    rows: dict[str, dict[str, float]] = Field(default_factory=dict)
    sha256: str = ""
    reason: str = ""
    void: str = ""


class ParlourState(State):
    """The match that is played."""

    game: str = ""
    seed: int = 0
    seats: list[str] = Field(default_factory=list)
    setup: dict[str, Any] = Field(default_factory=dict)
