"""The rule on an intent, its event's causes and its event's effect stand side by side, in one file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.referee import match  # registers all matters
from parlour.referee.rulings import _INFERENCES, _RULINGS
from parlour.referee.state import _FOLDS

SOURCE = Path(match.__file__).parents[1]
MATTERS = "parlour.referee.rules."
ALONE = {
    it.Announce: ev.Proclaimed,
    it.Retract: ev.Retracted,
    it.Extend: ev.Extended,
}
"""Intents with events that nothing else in the referee has to know of: what a new one costs."""


def test_every_intent_is_ruled_on_and_every_event_folded_in_a_matter() -> None:
    assert set(_RULINGS) == set(get_args(it.Intent))
    assert set(_FOLDS) == set(get_args(ev.Event))
    for function in (*_RULINGS.values(), *_FOLDS.values(), *_INFERENCES.values()):
        assert function.__module__.startswith(MATTERS)


@pytest.mark.parametrize("intent", get_args(it.Intent), ids=lambda intent: intent.__name__)
def test_every_intent_says_who_may_hand_it_in(intent: type[it.Intent]) -> None:
    assert "sender" in vars(intent)
    fields = intent.__struct_fields__
    if intent.by_proxy:
        assert "by" in fields
        assert intent.sender is it.IntentSender.SEAT
    if intent.sender is it.IntentSender.MODERATOR:
        assert "by" in fields
    elif intent.sender is it.IntentSender.SEAT:
        assert "seat" in fields


def test_routine_is_what_all_may_know_of() -> None:
    routine = {kind for kind in ev.EVENTS if kind.routine}
    assert routine
    assert not {kind for kind in routine if "privy" in vars(kind)}, "those whom it does not interest count it unseen"
    assert all(kind.fleeting for kind in routine)


@pytest.mark.parametrize("event", _INFERENCES, ids=lambda event: event.__name__)
def test_what_may_have_led_to_an_event_stands_beside_what_it_changes(event: type[ev.Event]) -> None:
    assert _INFERENCES[event].__module__ == _FOLDS[event].__module__


@pytest.mark.parametrize("intent", ALONE, ids=lambda intent: intent.__name__)
def test_a_new_intent_with_its_event_touches_three_files(intent: type[it.Intent]) -> None:
    event = ALONE[intent]
    matter = _RULINGS[intent].__module__
    assert matter == _FOLDS[event].__module__
    words = re.compile(rf"\b(it\.{intent.__name__}|ev\.{event.__name__}|class ({intent.__name__}|{event.__name__}))\b")
    found = {
        path.relative_to(SOURCE).as_posix()
        for layer in ("core", "referee")
        for path in (SOURCE / layer).rglob("*.py")
        if words.search(path.read_text(encoding="utf-8"))
    }
    assert found == {"core/intents.py", "core/events.py", matter.removeprefix("parlour.").replace(".", "/") + ".py"}
