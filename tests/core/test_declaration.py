"""Declared names of a game are fetched from their modules, and a game that declares nothing has nothing."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from parlour.core.declaration import declaration_of, fetch
from parlour.core.exchange import exchange_of
from parlour.core.pictures import pictures_of
from parlour.errors import ConfigError
from parlour.games import load_game


class _Game:
    name = "mute"

    def __init__(self, declaration: object = None) -> None:
        self.declaration = declaration


DIPLOMACY: Any = load_game("diplomacy")
SILENT: Any = _Game()
RETICENT: Any = _Game(msgspec.structs.replace(DIPLOMACY.declaration, exchange="", pictures="", press_check=""))


def test_what_is_named_is_fetched() -> None:
    assert fetch("parlour.core.declaration:fetch") is fetch


def test_only_a_declaration_is_one() -> None:
    assert declaration_of(DIPLOMACY) is DIPLOMACY.declaration
    for other in (SILENT, _Game("diplomacy"), object()):
        assert declaration_of(other) is None


def test_positions_can_be_posted_to_a_game_that_declares_an_exchange_and_to_no_other() -> None:
    assert callable(exchange_of(DIPLOMACY).orders)
    for without in (SILENT, RETICENT):
        with pytest.raises(ConfigError, match="positions of mute cannot be posted") as caught:
            exchange_of(without)
        assert caught.value.field == "game"


def test_a_game_has_pictures_only_if_it_declares_them() -> None:
    pictures = pictures_of(DIPLOMACY)
    assert pictures
    assert callable(pictures.frame)
    assert pictures_of(SILENT) is pictures_of(RETICENT) is None


def test_who_has_a_language_talks() -> None:
    assert DIPLOMACY.declaration.talks
    assert not RETICENT.declaration.talks
