"""Callbacks: for each notification of the protocol one can be set and cleared, and no other changes with it."""

from __future__ import annotations

import pytest

from parlour.net.client.callbacks import Callbacks
from parlour.net.mila import notifications as n
from parlour.net.mila.requests import wire_name

KINDS = {wire_name(kind.__name__): kind for kind in n.GameNotification.__subclasses__()}
KINDS[wire_name(n.PowerVoteUpdated.__name__)] = n.PowerVoteUpdated


def set_for_all() -> tuple[Callbacks, dict[str, object]]:
    callbacks = Callbacks()
    given = {name: object() for name in KINDS}
    for name, callback in given.items():
        getattr(callbacks, f"add_on_{name}")(callback)
    return callbacks, given


def called(callbacks: Callbacks) -> dict[str, object]:
    return {name: found[0] for name, kind in KINDS.items() if (found := callbacks._callbacks.get(kind))}


def test_each_is_called_for_its_own_notification() -> None:
    callbacks, given = set_for_all()
    assert called(callbacks) == given


@pytest.mark.parametrize("name", KINDS)
def test_whoever_is_cleared_is_called_no_more_and_all_others_are(name: str) -> None:
    callbacks, given = set_for_all()
    for _ in range(2):
        getattr(callbacks, f"clear_on_{name}")()
        assert called(callbacks) == {other: callback for other, callback in given.items() if other != name}


def test_several_are_called_in_the_order_in_which_they_came() -> None:
    callbacks = Callbacks()
    first, second = (lambda game, told: 1), (lambda game, told: 2)
    callbacks.add_on_game_deleted(first)
    callbacks.add_on_game_deleted(second)
    told = n.GameDeleted(notification_id="n", token="t", game_id="g", game_role="FRANCE")
    assert callbacks.callbacks_of(told) == (first, second)
