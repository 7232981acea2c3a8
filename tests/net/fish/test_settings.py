"""Defaults of a tournament server, and settings that it refuses."""

from __future__ import annotations

import pytest

from parlour.core.terms import Terms
from parlour.errors import ConfigError
from parlour.net.fish.dialect import Patience
from parlour.net.fish.settings import Settings
from parlour.referee.conduct import STRICT

TERMS = Terms(STRICT)


def test_what_is_usual_is_as_in_the_course() -> None:
    usual = Settings(TERMS)
    assert (usual.fewest, usual.most, usual.wait, usual.tries) == (5, 10, 30.0, 2)
    assert (usual.house, usual.once, usual.resume, usual.settle) == (0, False, True, 0.0)
    assert (usual.port, usual.seed, usual.config) == (0, None, {})
    assert (usual.name_time, usual.grace, usual.return_time) == (10.0, 5.0, 15.0)
    assert (usual.most_strangers, usual.most_spectators, usual.at_once) == (256, 100, 1000)
    assert usual.patience == Patience(start=3.0, end=10.0, introduction=10.0)


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"fewest": 1, "most": 1},
        {"fewest": 10},
        {"tries": 1, "wait": 0.0},
    ],
)
def test_what_can_be_is_taken(told: dict[str, object]) -> None:
    Settings(TERMS, **told).check()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ({"fewest": 0}, r"min: expected 1 to max \(10\), got 0"),
        ({"fewest": 11}, r"min: expected 1 to max \(10\), got 11"),
        ({"tries": 0}, "tries, wait: expected at least one waiting period"),
        ({"wait": -0.1}, "tries, wait: expected at least one waiting period"),
    ],
)
def test_what_cannot_be_is_named(told: dict[str, object], reason: str) -> None:
    with pytest.raises(ConfigError, match=reason):
        Settings(TERMS, **told).check()  # type: ignore[arg-type]
