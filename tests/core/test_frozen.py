"""The words that all layers share are values: none of them can be changed, and those that are keys can be hashed."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from typing import Any

import msgspec
import pytest

import parlour.core
from parlour.core.game import FoulKind, Seat
from parlour.core.intents import Ballot, CommStatus, PlayerType
from parlour.core.player import ObservedEvent
from parlour.core.table_view import MatchStatus
from parlour.core.terms import Clock, PressMode, PressTerms, SealMode, SealOpening, Vacancy
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


LEFT_OUT = {
    "GameDeclaration.conduct": "strict",
    "GameDeclaration.lenient_conduct": "lenient",
    "GameDeclaration.rival": "random",
    "Acted.given": True,
    "Opened.version": 1,
    "Violation.foul": FoulKind.ILLEGAL,
    "Cancel.reason": "cancelled",
    "Remove.reason": "removed by a moderator",
    "Consultation.attempt": 1,
    "Consultation.verdict": "exact",
    "Consultation.priced": True,
    "Join.player_type": PlayerType.HUMAN,
    "Substitute.player_type": PlayerType.HUMAN,
    "PressTerms.mode": PressMode.ANYTIME,
    "PressTerms.level": 60,
    "PressTerms.window": 60.0,
    "PressTerms.stages": ("orders",),
    "PressTerms.max_length": 4096,
    "PressTerms.max_per_turn": 200,
    "PressTerms.private": True,
    "Act.sealable": True,
    "Sealed.opens": SealOpening.MATCH,
    "SealTerms.mode": SealMode.NONE,
    "SealTerms.opens": SealOpening.MATCH,
    "SealTerms.chance": 0.5,
    "Terms.clock": Clock(),
    "Terms.press": PressTerms(PressMode.NONE),
    "Terms.draw_votes": True,
    "Terms.rejoin": True,
    "Terms.vacancy": Vacancy.LEFT_OUT,
    "SeatRow.player_type": PlayerType.HUMAN,
    "SeatRow.comm_status": CommStatus.INACTIVE,
    "SeatRow.ballot": Ballot.NEUTRAL,
    "TableView.status": MatchStatus.UNOPENED,
}
"""Meanings of omitted fields, where not empty; records and requests of former years rely on them."""


@pytest.mark.parametrize("kind", STRUCTS, ids=lambda kind: kind.__name__)
def test_what_is_left_out_means_what_it_always_meant(kind: type[Any]) -> None:
    for field in msgspec.structs.fields(kind):
        if not field.required:
            made = field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
            name = f"{kind.__name__}.{field.name}"
            assert made == LEFT_OUT[name] if name in LEFT_OUT else not made, name


@pytest.mark.parametrize("kind", STRUCTS, ids=lambda kind: kind.__name__)
def test_every_struct_of_the_core_is_frozen(kind: type[Any]) -> None:
    assert kind.__struct_config__.frozen


def test_the_view_after_an_event_is_looked_up_once_and_only_if_asked_for() -> None:
    asked: list[int] = []

    def view() -> Any:
        asked.append(1)
        return "here"

    told: Any = ObservedEvent(2, 5, None, view)  # type: ignore[arg-type]
    assert (told.k, told.number, told.event, asked) == (2, 5, None, [])
    assert [told.view, told.view] == ["here", "here"]
    assert asked == [1]


def test_a_viewer_of_one_seat_is_made_once() -> None:
    assert seated_on(Seat("north")) is seated_on(Seat("north"))
