"""What the layers hand to one another, keep and send are values: nobody who was given one can change it."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import msgspec
import pytest

CHANGING = {"DaideReport"}
"""Structs that grow while something goes on."""


@pytest.mark.parametrize("layer", ["core", "referee", "net", "store", "tournament"])
def test_structs_are_frozen(layer: str) -> None:
    package = importlib.import_module(f"parlour.{layer}")
    modules = [
        importlib.import_module(found.name) for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]
    structs = {
        kind
        for module in modules
        for name, kind in inspect.getmembers(module, inspect.isclass)
        if issubclass(kind, msgspec.Struct) and kind.__module__ == module.__name__ and not name.startswith("_")
    }
    assert structs
    assert {kind.__name__ for kind in structs if not kind.__struct_config__.frozen} <= CHANGING
