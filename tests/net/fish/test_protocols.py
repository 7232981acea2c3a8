"""The wire protocols of Fish go by their names."""

from __future__ import annotations

import pytest

from parlour.agents import make_agent
from parlour.core.player import Player
from parlour.errors import ConfigError
from parlour.net.client.fish_json import JsonClient
from parlour.net.client.fish_neu import NeuClient
from parlour.net.fish.protocols import PROTOCOLS, make_client, make_dialect


def greedy(game: int) -> Player:
    return make_agent("fish", "greedy", game)


def test_a_name_gives_both_sides_of_its_protocol() -> None:
    assert [make_dialect(name).name for name in PROTOCOLS] == list(PROTOCOLS) == ["json", "neu"]
    assert isinstance(make_client("json", "ann", greedy), JsonClient)
    assert isinstance(make_client("neu", "ann", greedy), NeuClient)


def test_a_protocol_that_nobody_speaks_is_named() -> None:
    told = "protocol: expected json or neu, got 'xml'"
    with pytest.raises(ConfigError, match=told):
        make_dialect("xml")
    with pytest.raises(ConfigError, match=told):
        make_client("xml", "ann", greedy)
