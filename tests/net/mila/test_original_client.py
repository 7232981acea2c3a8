"""The unmodified client of the `diplomacy` package, in an environment of its own, at our door."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from parlour.games.diplomacy.formats.saved import SavedGame
from parlour.games.diplomacy.maps.map import SHIPPED, named, package_name
from support.mila.house import mila_server
from support.mila.servers import seen_by_client, served

pytestmark = pytest.mark.timeout(300)  # the first of them may have to make the environment
MAPS = ["standard_france_austria", "standard_age_of_empires", "pure"]
POWERS = ["AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY"]


@pytest.fixture
def run(tmp_path: Path) -> Any:
    """Runs a scenario of the client against our server; gives what the client saw."""

    async def play(scenario: str, *words: str) -> Any:
        async with mila_server(tmp_path) as house:
            return await seen_by_client("original_client", scenario, house.port, *words)

    return lambda *words: asyncio.run(play(*words))


def test_every_misuse_gets_the_class_that_the_client_knows(run: Any) -> None:
    assert run("errors") == {
        "no name": "UserException",
        "no password": "PasswordException",
        "no port": "DaidePortException",
        "wrong password": "UserException",
        "no game": "GameIdException",
        "no map": "MapIdException",
        "no power": "MapPowerException",
        "solitaire": "GameSolitaireException",
        "id taken": "GameIdException",
        "power taken": "ResponseException",
        "unknown power": "MapPowerException",
        "not admin": "AdminTokenException",
        "not master": "GameMasterTokenException",
        "two powers": "ResponseException",
        "observer plays": "GameJoinRoleException",
        "observer orders": "ResponseException",
        "player processes": "ResponseException",
        "no press": "ResponseException",
        "no game password": "GameRegistrationPasswordException",
        "let in": "ITALY",
        "no bot": "ResponseException",
        "no schedule": "ResponseException",
        "canceled": "GameFinishedException",
        "logged out": "TokenException",
    }


@pytest.mark.parametrize("number", range(3))
def test_other_maps_are_played_as_by_the_engine_of_the_package(run: Any, number: int) -> None:
    seen = run("other_map", str(number), "7")
    assert seen["differences"] == []
    assert (seen["map"], seen["phases"], seen["same"]) == (MAPS[number], 12, True)
    assert seen["any"] == (number == 1)


def test_lists_of_games_maps_and_powers(run: Any) -> None:
    assert run("lists") == {
        "maps": sorted(package_name(named(name)) for name in SHIPPED),
        "powers": POWERS,
        "found": ["lists one", "lists two"],
        "active": ["lists one"],
        "infos": [["lists two", 3, "master_type", "forming"]],
        "one": ["S1901M", 60, 1, ["FRANCE"], False],
        "free": [power for power in POWERS if power != "FRANCE"],
    }


def test_who_is_told_what_and_who_is_not(run: Any) -> None:
    """The protocol's table of notifications, as the clients of five roles saw it."""
    seen = run("callbacks")
    flags = ["power_wait_flag"] * 7
    steps = {step: (found["master"], found["watcher"], found["other"], found["england"], found["france"])
             for step, found in seen["steps"].items()}  # fmt: skip
    message, status, controllers = ["game_message_received"], ["game_status_update"], ["powers_controllers"]
    cleared = ["cleared_orders", "power_wait_flag"]
    # Master, observer, another client of the same power, another power, and who asked for it: France, then the master.
    assert steps == {
        "orders": (["power_orders_update"], [], ["power_orders_update"], ["power_orders_flag"], []),
        "wait": (["power_wait_flag"], ["power_wait_flag"], ["power_wait_flag"], ["power_wait_flag"], []),
        "private": (message, [], message, message, []),
        "private to another": (message, [], message, [], []),
        "global": (message, message, message, [], message),
        "vote": (
            ["vote_updated"],
            ["vote_count_updated"],
            ["power_vote_updated"],
            ["power_vote_updated"],
            ["power_vote_updated"],
        ),
        "clear": (cleared, cleared, cleared, cleared, []),
        "pause": ([], status, status, status, status),
        "resume": ([], status, status, status, status),
        "process": (["game_processed", *flags],) * 5,
        "clear units": ([], *[["cleared_units"]] * 4),
        "clear centers": ([], *[["cleared_centers"]] * 4),
        "state": ([], *[["game_phase_update"]] * 4),
        "leave": (status + controllers, status + controllers, status + controllers, [], status + controllers),
        "kick": (controllers, controllers, controllers, [], controllers),
        "draw": (["game_processed", *status], ["game_processed", *status], [], [], []),
        "delete": ([], ["game_deleted"], [], [], []),
    }
    assert seen["kicked"] == [True, True]


def test_orders_press_and_votes_stay_secret(run: Any) -> None:
    assert run("secrets_kept") == {
        "orders": [{}, {}, {}],
        "flag": 2,
        "votes": ["neutral", "neutral", "neutral"],
        "messages": [1, 1, 0, 0, 0],
        "saved": [False, False, False],
        "own": True,
    }


def test_whoever_is_late_loses_the_power_and_all_are_told(run: Any) -> None:
    seen = run("deadline", "0")
    assert seen["told"] == ["game_status_update", "powers_controllers"]
    assert (seen["phase"], seen["status"], seen["england"]) == ("S1901M", "forming", False)
    assert (seen["controller"], seen["delay"]) == ("dummy", 1)


def test_in_civil_disorder_whoever_is_late_holds(run: Any) -> None:
    seen = run("deadline", "1")
    assert {"game_processed"} <= set(seen["told"])
    assert (seen["phase"], seen["status"], seen["england"]) == ("F1901M", "active", True)


def test_a_client_that_is_cut_off_comes_back_and_has_missed_nothing(run: Any) -> None:
    seen = run("cut")
    assert seen["heard"] == ["one", "two", "three"]
    assert seen["processed"] == seen["history"] == ["S1901M", "F1901M"]


def test_nothing_is_lost_or_doubled_however_often_a_client_is_cut_off(run: Any) -> None:
    found = run("cut_often", "1")
    for role, other in (("FRANCE", "ENGLAND"), ("ENGLAND", "FRANCE")):
        own, others = found["seen"][role], found["seen"][other]
        assert [text for text in own["heard"] if text not in others["unsure"]] == others["sent"]
        assert own["heard"] == sorted(set(own["heard"]))
        assert own["phases"] == found["phases"]


def test_who_loses_games_while_cut_off_plays_the_others_on(run: Any) -> None:
    assert run("lost") == {"orders": ["A PAR - BUR"], "kept": True}


def test_one_account_plays_several_powers_and_a_master_orders_for_the_rest(run: Any) -> None:
    assert run("multiple") == {
        "role": "FRANCE",
        "controlled": ["FRANCE", "ITALY"],
        "units": ["A APU", "A BUR", "A MAR", "A VEN", "F BRE", "F NAP"],
        "by": "multiple other",
    }


def test_clients_that_order_before_all_have_joined_are_not_waited_for_again(run: Any) -> None:
    assert run("early") == {"forming": True, "reached": ["S1902M"]}


def test_a_game_saved_here_is_read_there_and_here(run: Any) -> None:
    seen = run("saved")
    assert seen["phase"] == "F1901M"
    assert sorted(seen["units"]) == ["A BUR", "A MAR", "F BRE"]
    saved = SavedGame(seen["saved"])
    assert saved.status == "active"
    assert saved.controllers is not None
    assert saved.controllers["FRANCE"] == "saved FRANCE"
    assert [message["message"] for message in saved.phases[0].messages] == ["to all"]
    assert saved.phases[-1].position.units["FRANCE"] == ["F BRE", "A BUR", "A MAR"]


def test_a_whole_game_through_parlour_serve_agrees_with_the_packages_own_engine(tmp_path: Path) -> None:
    """Random orders of seed 1 end in a solo of Russia after some hundred phases by the package's engine alone."""

    async def play() -> Any:
        async with served(tmp_path, ["mila"]) as ports:
            return await seen_by_client("original_client", "whole_game", ports["mila"], 1)

    seen = asyncio.run(play())
    assert seen["same"]
    assert seen["phases"] > 50
    assert "RUS" in seen["note"]
    # The named difference: after a hundred years the package ends before the last winter, and we after it.
    assert {difference["phase"] for difference in seen["differences"]} <= {"F2000M", "F2000R", "W2000A"}
