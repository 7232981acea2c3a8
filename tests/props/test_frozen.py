"""Values that layers pass on, keep and send are immutable: no recipient can change them."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from dataclasses import is_dataclass

import msgspec
import pytest

CHANGING = {"DaideReport", "ClientReport", "MatchState", "Place", "NetworkPower", "PowerPlace", "Seated", "StoredMatch"}
"""Types that grow or change while a match runs."""


def _classes(layer: str) -> set[type]:
    package = importlib.import_module(f"parlour.{layer}")
    modules = [
        importlib.import_module(found.name) for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]
    return {
        kind
        for module in modules
        for name, kind in inspect.getmembers(module, inspect.isclass)
        if kind.__module__ == module.__name__ and not name.startswith("_")
    }


@pytest.mark.parametrize("layer", ["core", "referee", "net", "store", "tournament"])
def test_structs_and_dataclasses_are_frozen(layer: str) -> None:
    structs = [kind for kind in _classes(layer) if issubclass(kind, msgspec.Struct)]
    plain = [kind for kind in _classes(layer) if is_dataclass(kind)]
    assert structs
    loose = {kind.__name__ for kind in structs if not kind.__struct_config__.frozen}
    loose |= {kind.__name__ for kind in plain if not kind.__dataclass_params__.frozen}  # type: ignore[attr-defined]
    assert loose <= CHANGING
