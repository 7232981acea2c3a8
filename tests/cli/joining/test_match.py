"""parlour join at ws://HOST:PORT: the power that was asked for, or one that is free, whoever else sits down."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest
from click.testing import CliRunner

from parlour.cli.join import JoinRequest, command
from parlour.cli.joining.match import _seated
from parlour.errors import ConfigError
from parlour.net.client.channel import Channel
from parlour.net.mila.faults import MapPowerException, ResponseException


class CrowdedServer:
    """A channel to a server where others sit down between every question and the next."""

    def __init__(self, quicker: int) -> None:
        self.free = ["AUSTRIA", "ENGLAND", "FRANCE"]
        self.quicker = quicker

    async def get_playable_powers(self, *, game_id: str) -> list[str]:
        return list(self.free)

    async def join_game(self, *, power_name: str, **_: Any) -> str:
        if power_name not in ("AUSTRIA", "ENGLAND", "FRANCE"):
            raise MapPowerException(power_name)
        if self.quicker:
            self.quicker -= 1
            self.free.remove(power_name)
            raise ResponseException(f"{power_name} is taken.")
        return power_name


class ClosedServer(CrowdedServer):
    """One that refuses for another reason."""

    async def join_game(self, **_: Any) -> str:
        raise ResponseException("The match has a password.")


class SlowList(CrowdedServer):
    """One whose list has a power that was just taken."""

    async def get_playable_powers(self, *, game_id: str) -> list[str]:
        return ["AUSTRIA", "ENGLAND", "FRANCE"]


def joined(server: CrowdedServer, power: str | None = None) -> object:
    guest = JoinRequest(server="ws://here", match="friday", power=power, agent="greedy")
    return asyncio.run(_seated(cast("Channel", server), guest, "friday", "no_press_bot"))


def test_whoever_names_no_power_gets_the_next_if_somebody_else_was_quicker() -> None:
    assert joined(CrowdedServer(quicker=0)) == "AUSTRIA"
    assert joined(CrowdedServer(quicker=2)) == "FRANCE"
    with pytest.raises(ConfigError, match="no power is free in 'friday'"):
        joined(CrowdedServer(quicker=3))


def test_a_power_that_was_just_taken_may_still_be_listed() -> None:
    assert joined(SlowList(quicker=2)) == "FRANCE"
    with pytest.raises(ResponseException, match="AUSTRIA is taken"):
        joined(SlowList(quicker=3))


def test_what_would_not_be_better_with_another_power_is_told_at_once() -> None:
    with pytest.raises(ResponseException, match="has a password"):
        joined(ClosedServer(quicker=0))


def test_a_mistyped_power_is_answered_by_the_one_that_was_meant() -> None:
    with pytest.raises(ConfigError, match=r"there is no 'Franc' in 'friday'.*AUSTRIA, ENGLAND.*did you mean FRANCE\?"):
        joined(CrowdedServer(quicker=0), "Franc")
    assert joined(CrowdedServer(quicker=0), "france") == "FRANCE"
    with pytest.raises(ResponseException, match="FRANCE is taken"):
        joined(CrowdedServer(quicker=1), "FRANCE")


def test_two_agents_are_refused_instead_of_the_first_being_forgotten() -> None:
    found = CliRunner().invoke(command, ["ws://127.0.0.1:1", "--agent", "peace", "--agent", "broker"])
    assert found.exit_code == 2
    assert "--agent': expected one agent, got 2; run parlour join once per agent" in found.output
