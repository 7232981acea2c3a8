"""Every intent has its ruling and every event its fold; what is no consequence can be traced to an intent."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from parlour.core import events as ev
from parlour.core.intents import Intent
from parlour.referee import rules, rulings, state

CONSEQUENCES = {ev.Opened, ev.TurnBegan, ev.TurnEnded, ev.PressOpened, ev.PressClosed}


@pytest.mark.parametrize("kind", get_args(Intent), ids=lambda kind: kind.__name__)
def test_every_intent_has_a_ruling(kind: type[Any]) -> None:
    assert kind in rulings._RULINGS


@pytest.mark.parametrize("kind", ev.EVENTS, ids=lambda kind: kind.__name__)
def test_every_event_has_a_fold_and_all_but_consequences_have_a_cause(kind: type[Any]) -> None:
    assert kind in state._FOLDS
    assert (kind in rulings._INFERENCES) + (kind in rulings._MIRRORED) == (kind not in CONSEQUENCES)


def test_ruling_and_fold_of_one_matter_are_in_one_file() -> None:
    homes = {fold.__module__ for fold in state._FOLDS.values()}
    assert homes == {f"parlour.referee.rules.{name}" for name in rules.__all__}
    for kind, cause in rulings._INFERENCES.items():
        assert cause.__module__ == state._FOLDS[kind].__module__
    for kind, intents in rulings._MIRRORED.items():
        assert {rulings._RULINGS[intent].__module__ for intent in intents} == {state._FOLDS[kind].__module__}
