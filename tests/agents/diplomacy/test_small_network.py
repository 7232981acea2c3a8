"""The agent of the small network: legal orders that fit one another, in every phase; files that are not its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from parlour.agents import make_agent
from parlour.agents.diplomacy.area_network import SmallNetwork, made_small
from parlour.agents.diplomacy.small_network import choose, network_of
from parlour.core.game import Seat, View
from parlour.core.viewers import seated_on
from parlour.deepmind import write_parameters
from parlour.deepmind.network.config import NetworkConfig
from parlour.deepmind.network.parameters import made_parameters
from parlour.errors import ConfigError
from parlour.games.diplomacy.game import GAME
from parlour.games.diplomacy.position import Position
from parlour.games.diplomacy.variations import Variation
from parlour.testing import check_player

FRANCE = 2


def test_it_behaves_on_every_seat() -> None:
    check_player(GAME, lambda: make_agent("diplomacy", "net:temperature=1", 3), {"last_year": 1902}, matches=1)


def test_the_shipped_network_fits_into_three_megabytes_and_plays() -> None:
    import parlour.agents.diplomacy.small_network as module

    shipped = Path(module.__file__).with_name(module.SHIPPED)
    assert shipped.stat().st_size < 3_000_000
    assert network_of("").step > 0
    assert len(choose(network_of(""), Position.start(), FRANCE, 0.0, np.random.default_rng(0))) == 3


def test_nobody_goes_where_another_goes_and_supports_are_for_what_is_done() -> None:
    """Over many draws of a network without opinion, in the middle of a game."""
    network = SmallNetwork({name: array * 0 for name, array in made_small(0).items()})
    position = Position.start().resolve({"FRANCE": ["A PAR - BUR", "A MAR - SPA", "F BRE - MAO"]})
    rng = np.random.default_rng(1)
    seen = set()
    for _ in range(200):
        actions = choose(network, position, FRANCE, 1.0, rng)
        assert len(actions) == 3
        by_place = {action >> 9 & 127: action for action in actions}
        going = [action >> 17 & 127 for action in actions if action & 255 in (1, 4)]
        assert len(going) == len(set(going))
        for at, action in enumerate(actions):
            helped = by_place.get(action >> 25 & 127)
            if action & 255 == 6 and helped is not None and helped in actions[:at]:
                assert helped & 255 in (1, 4)
                assert helped >> 17 & 127 == action >> 17 & 127
        seen.add(tuple(actions))
    assert len(seen) > 20


def test_as_many_builds_as_are_due_each_in_a_place_of_its_own() -> None:
    winter = Position.start().resolve({"FRANCE": ["A MAR - SPA", "F BRE - MAO", "A PAR - GAS"]})
    winter = winter.resolve({"FRANCE": ["F MAO - POR"]})
    assert winter.stage == "adjustments"
    network, rng = SmallNetwork(made_small(4)), np.random.default_rng(1)
    for _ in range(20):
        actions = choose(network, winter, FRANCE, 5.0, rng)
        assert len(actions) == 2
        assert len({action >> 9 & 127 for action in actions}) == 2
        assert {action & 255 for action in actions} <= {10, 11}


def test_cold_it_always_plays_the_same_and_warm_it_does_not() -> None:
    network, start = SmallNetwork(made_small(4)), Position.start()
    cold = {tuple(choose(network, start, FRANCE, 0.0, np.random.default_rng(seed))) for seed in range(5)}
    warm = {tuple(choose(network, start, FRANCE, 30.0, np.random.default_rng(seed))) for seed in range(5)}
    assert len(cold) == 1
    assert len(warm) > 1


def test_files_of_other_networks_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.safetensors"
    write_parameters(made_parameters(NetworkConfig(4, 4, 0, 0, 4, 0, (4,), 2, 2, 2)), path)
    with pytest.raises(ConfigError, match=r"agent: net: other\.safetensors: holds no small network: expected parlour"):
        make_agent("diplomacy", f"net:{path}", 0)
    with pytest.raises(ConfigError, match="gone: cannot be read"):
        make_agent("diplomacy", f"net:{tmp_path / 'gone'}", 0)
    with pytest.raises(ConfigError, match="temperature: expected a number from 0"):
        make_agent("diplomacy", "net:temperature=-1", 0)


def test_it_plays_in_fog() -> None:
    foggy = Position.start().under((Variation.FOG,)).view(seated_on(Seat("FRANCE")))
    assert len(choose(network_of(""), foggy, FRANCE, 0.0, np.random.default_rng(0))) == 3


def test_another_map_is_refused() -> None:
    from parlour.games.diplomacy.maps.map import named

    lagoon = Position.start(named("lagoon"))
    seat = lagoon.alive()[0]
    with pytest.raises(ConfigError, match="plays only on the map standard"):
        make_agent("diplomacy", "net", 0).act(View(seat, lagoon, 0))
