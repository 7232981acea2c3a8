"""A model that plays Fish: one call per turn, and none if there is only one legal choice."""

from __future__ import annotations

from typing import Any

from parlour.agents.llm.answers import ReplyClass, last_object
from parlour.agents.llm.prompts import template
from parlour.agents.llm.retries import AnswerLost, AnswerReading
from parlour.agents.llm.seated import ModelPlayer
from parlour.agents.llm.spec import LlmSpec, read_spec
from parlour.agents.specs import Recipe
from parlour.core.game import Action, Position, View
from parlour.core.text import printable

LEGAL = 4000
"""Maximum characters of the listed legal actions."""


class FishModelPlayer(ModelPlayer):
    """A player of Fish that plays by a model's answers."""

    def act(self, view: View) -> Action:
        """Return the only legal action, or ask the model for a placement or a move."""
        legal = view.position.legal(view.seat)
        if len(legal) == 1:
            return legal[0]
        self.begin(view)
        system = template("fish").substitute(seat=view.seat)

        def read(text: str, kept: Action | None) -> AnswerReading[Action]:
            return read_action(text, view)

        try:
            return self.seek(view.position.stage, system, self._prompt(view.position, view), read)
        except AnswerLost as lost:
            if lost.verdict is ReplyClass.ILLEGAL and lost.value is not None:
                return lost.value  # the referee decides the consequences
            raise self.give_up(lost, view.turn) from None

    def _prompt(self, position: Position, view: View) -> str:
        parts = [f"You are {view.seat}. The board, with penguins by the first letter of their colour:\n{position}"]
        if self.spec.options.legal:
            legal = " ".join(_written(action) for action in position.legal(view.seat))
            parts.append(f"Legal: {legal[:LEGAL]}")
        place = "Place a penguin" if position.stage == "placement" else "Move a penguin"
        parts.append(f'{place}. Answer with {{"action": ...}} and nothing after it.')
        return "\n\n".join(parts)


def read_action(text: str, view: View) -> AnswerReading[Action]:
    """Return the reading of an answer: its action, and the fault if the action is not legal."""
    found = last_object(text)
    if found is None:
        return AnswerReading(ReplyClass.UNPARSABLE, None, "There is no JSON object in your answer.")
    if "action" not in found:
        named = ", ".join(map(repr, list(found)[:3])) or "nothing"
        return AnswerReading(
            ReplyClass.UNPARSABLE, None, f'Expected an object with "action", got {printable(named, 80)}.'
        )
    action: Any = found["action"]
    violations = view.position.check(view.seat, action)
    if not violations:
        return AnswerReading(ReplyClass.EXACT, action)
    garbled = violations[0].foul.value == "garbled"
    return AnswerReading(
        ReplyClass.UNPARSABLE if garbled else ReplyClass.ILLEGAL, None if garbled else action, violations[0].message
    )


def _written(action: Action) -> str:
    return str(action).replace(" ", "")


RECIPE: Recipe[LlmSpec] = Recipe(FishModelPlayer, LlmSpec, read=read_spec)
