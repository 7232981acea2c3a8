"""A model reads prose beside its core: contradictions are findings, silence is neither agreement nor disagreement."""

from __future__ import annotations

import json

import pytest

from parlour.agents.llm.endpoint import ModelQuestion, ModelReply
from parlour.agents.llm.prose_audit import MAX_MESSAGES, audit_prose
from parlour.core import events as ev
from parlour.errors import ConfigError
from support.press.sealed_stories import SealedStory
from support.press.stories import SEATS

MODEL = "llm:reader@example.com/v1"
PEACE = ":: PRP ( PCE ( ENG FRA ) )"


class Script:
    """Answers by rule and keeps the questions."""

    def __init__(self, answer: str = "", fault: str = "") -> None:
        self.asked: list[ModelQuestion] = []
        self._answer, self._fault = answer, fault

    def ask(self, question: ModelQuestion, seconds: float | None = None) -> ModelReply:
        self.asked.append(question)
        told = self._answer or json.dumps(
            {"contradicts": "Burgundy" in question.messages[0][1], "why": "another place"}
        )
        return ModelReply(told, fault=self._fault)


def said(text: str, turn: int = 1) -> ev.Said:
    return ev.Said(0.0, SEATS["ENG"], (SEATS["FRA"],), text, turn)


EVENTS = [
    said(f"I take Burgundy $now.\n{PEACE}"),
    said(f"Peace.\n{PEACE}"),
    said("Hello"),
    said("PRP ( PCE ( ENG FRA ) )"),
]


def test_only_prose_with_a_core_is_asked_about_and_contradictions_are_found() -> None:
    story, script = SealedStory(), Script()
    found = audit_prose(EVENTS, story.ledger, MODEL, script)
    assert (found.asked, found.unanswered) == (2, 0)
    [finding] = found.findings
    assert (finding.power, finding.finding, finding.by) == ("ENG", "another place", "model")
    assert story.ledger.disagreements == [], "nothing of the ledger changes"
    prompt = script.asked[0].messages[0][1]
    assert "England" in prompt.partition("Clause: ")[2]
    assert "peace" in prompt.partition("Clause: ")[2]
    assert PEACE not in prompt


@pytest.mark.parametrize("script", [Script("no idea"), Script('{"contradicts": "perhaps"}'), Script(fault="cut off")])
def test_no_usable_answer_is_no_finding(script: Script) -> None:
    found = audit_prose(EVENTS, SealedStory().ledger, MODEL, script)
    assert (found.findings, found.asked, found.unanswered) == ((), 2, 2)


def test_a_model_is_asked_about_a_bounded_number_of_messages() -> None:
    script = Script('{"contradicts": false}')
    events = [said(f"Peace.\n{PEACE}")] * (MAX_MESSAGES + 5)
    assert audit_prose(events, SealedStory().ledger, MODEL, script).asked == MAX_MESSAGES
    assert len(script.asked) == MAX_MESSAGES


def test_a_model_is_written_with_its_address() -> None:
    with pytest.raises(ConfigError, match="expected llm:MODEL@ADDRESS"):
        audit_prose((), SealedStory().ledger, "gpt", Script())
