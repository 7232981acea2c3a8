"""The words that all layers share are values: none of them can be changed, and those that are keys can be hashed."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from typing import Any

import msgspec
import pytest

import parlour.core
from parlour.core.game import Seat
from parlour.core.player import Told
from parlour.core.viewers import seated_on

MODULES = [
    importlib.import_module(f"parlour.core.{found.name}") for found in pkgutil.iter_modules(parlour.core.__path__)
]
STRUCTS = sorted(
    {
        kind
        for module in MODULES
        for _, kind in inspect.getmembers(module, inspect.isclass)
        if issubclass(kind, msgspec.Struct) and kind.__module__.startswith("parlour.core.")
    },
    key=lambda kind: f"{kind.__module__}.{kind.__name__}",
)


@pytest.mark.parametrize("kind", STRUCTS, ids=lambda kind: kind.__name__)
def test_every_struct_of_the_core_is_frozen(kind: type[Any]) -> None:
    assert kind.__struct_config__.frozen


def test_the_position_of_what_was_told_is_looked_up_once_and_only_if_asked_for() -> None:
    asked: list[int] = []

    def position() -> Any:
        asked.append(1)
        return "here"

    told: Any = Told(2, 5, None, position)  # type: ignore[arg-type]
    assert (told.k, told.number, told.event, asked) == (2, 5, None, [])
    assert [told.position, told.position] == ["here", "here"]
    assert asked == [1]


def test_a_viewer_of_one_seat_is_made_once() -> None:
    assert seated_on(Seat("north")) is seated_on(Seat("north"))
