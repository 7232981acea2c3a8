"""Writes: what they leave out is nothing, so that a copy of a store from years ago means what it meant."""

from __future__ import annotations

import inspect
import math

import msgspec
import pytest

from parlour.store import entries

WRITES = [
    kind
    for _, kind in inspect.getmembers(entries, inspect.isclass)
    if issubclass(kind, msgspec.Struct) and kind.__doc__
]


@pytest.mark.parametrize("kind", WRITES, ids=lambda kind: kind.__name__)
def test_a_write_is_frozen_and_what_it_leaves_out_is_nothing(kind: type[msgspec.Struct]) -> None:
    assert kind.__struct_config__.frozen
    left_out = {
        field.name: field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
        for field in msgspec.structs.fields(kind)
        if not field.required
    }
    assert {name: value for name, value in left_out.items() if value} == (
        {"by": math.inf} if kind is entries.AllRevoked else {}
    )
