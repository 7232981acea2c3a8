"""Reading an answer: the last object counts, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from parlour.agents.llm.answers import ReplyClass, last_object, silence_of
from parlour.agents.llm.endpoint import ModelReply


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', {"a": 1}),
        ('I thought {"a": 1}, but: {"a": 2}.', {"a": 2}),
        ('```json\n{"a": {"b": 1}}\n```', {"a": {"b": 1}}),
        ('{broken {"a": 1}', {"a": 1}),
        ("A PAR - BUR is best", None),
        ("[1, 2]", None),
        ("", None),
        ('{"a": 1', None),
    ],
)
def test_the_last_object_of_a_text_counts(text: str, found: Any) -> None:
    assert last_object(text) == found


def test_a_hostile_answer_does_not_take_long() -> None:
    assert last_object('{"a":' * 30_000) is None
    assert last_object("{" * 200_000) is None


def test_a_text_is_not_gone_through_for_each_bracket_that_leads_nowhere() -> None:
    """Each of these is read to the end of the text before it turns out that it does not close."""
    opened, last = '{"a": [1, ', '{"b": 2}'
    assert last_object(opened * 4 + last) == {"b": 2}
    assert last_object(opened * 40 + last) is None


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        (ModelReply("{}", "stop"), None),
        (ModelReply("{}", "length"), ReplyClass.TRUNCATED),
        (ModelReply("{}", "max_tokens"), ReplyClass.TRUNCATED),
        (ModelReply(" \n", "stop"), ReplyClass.EMPTY),
        (ModelReply("{}", "stop", fault="HTTP 500"), ReplyClass.TRANSPORT),
    ],
)
def test_why_there_is_nothing_to_read(reply: ModelReply, verdict: ReplyClass | None) -> None:
    assert silence_of(reply) is verdict
