"""The maps of the `diplomacy` package, read from its own files: sizes, borders, golden games, positions and cases."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from parlour.core.game import Seat
from parlour.errors import MapError
from parlour.games.diplomacy.engine import codes as k
from parlour.games.diplomacy.formats.states import position_of_state
from parlour.games.diplomacy.imports.dotmap import DotMapReader
from parlour.games.diplomacy.imports.files import load_any
from parlour.games.diplomacy.maps.map import COASTS, Map
from parlour.games.diplomacy.position import Position
from support.mila.servers import seen_by_client

pytestmark = pytest.mark.skipif(find_spec("diplomacy") is None, reason="the `diplomacy` package is not installed")

GOLDEN = Path(__file__).parents[1] / "golden"
MAPS: dict[str, dict[str, Any]] = json.loads((GOLDEN / "maps.json").read_bytes())
WITHIN = (
    "ancmed",
    "ancmed_age_of_empires",
    "pure",
    "standard",
    "standard_age_of_empires",
    "standard_age_of_empires_2",
    "standard_fleet_rome",
    "standard_france_austria",
    "standard_germany_italy",
)
"""The maps within today's limits; ancmed without its port."""
BEYOND = {
    "colonial": "more than 96 provinces",
    "empire": "more than 96 provinces",
    "modern": "more than 96 provinces",
    "known_world_901": "more than 15 powers",
    "world": "more than 15 powers",
}
CARRIED_BY_A_PORT = {("ancmed", 4), ("ancmed", 13)}
"""Positions that need the port of the Baleares."""


@cache
def folder() -> Path:
    found = find_spec("diplomacy")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent / "maps"


@cache
def board(name: str) -> Map:
    return load_any(folder() / f"{name}.map", plain_ports=True).map


@cache
def with_port() -> Map:
    """Ancient Mediterranean with its port, and without three provinces: all its actions would have no room."""
    text = (folder() / "ancmed.map").read_text("utf-8") + "DROP COR RAV EPI\n"
    return DotMapReader(text, "ancmed.map", "ancmed").draft().map()


def hash_of(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def hash_of_value(value: object) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@pytest.mark.parametrize("name", WITHIN)
def test_the_sizes_borders_and_starts_are_those_of_the_package(name: str) -> None:
    wanted, here = MAPS[name], board(name)
    text = (folder() / f"{name}.map").read_text("utf-8")
    reader = DotMapReader(text, name, name, lambda file: (folder() / file).read_text("utf-8"), plain_ports=True)
    reader.draft()
    places = sorted(f"{loc} {location.kind}" for loc, location in reader.locations.items())
    assert hash_of(places) == wanted["locations_hash"]
    ends = {loc: f" ({COASTS[loc[4:]][1]})" if len(loc) > 3 else "" for loc in reader.locations}
    words = sorted(f"{loc}={reader.names[loc[:3]].name}{end}".upper() for loc, end in ends.items())
    assert hash_of(words) == wanted["names_hash"]
    owners = [province.owner for province in here.provinces if province.centre]
    assert (len(owners), owners.count(None)) == (wanted["centres"], wanted["neutral"])
    borders = [
        f"{kind} {here.areas[start].tag} {here.areas[end].tag}"
        for kind, reach in (("A", here.army), ("F", here.fleet))
        for start, ends in enumerate(reach)
        for end in ends
    ]
    assert hash_of(sorted(borders)) == wanted["borders_hash"]
    assert [power.name for power in here.powers] == wanted["powers"]
    assert (len(here.areas), here.victory) == (wanted["locations"] - wanted["kinds"]["SHUT"], wanted["win"])
    position = Position.start(here)
    assert position.phase == wanted["first_phase"]
    assert {name: sorted(own) for name, own in position.units.items()} == wanted["units"]
    assert position.homes == {name: sorted(own) for name, own in wanted["homes"].items()}
    assert legal_hash(position) == wanted["legal_hash_at_start"]


@pytest.mark.parametrize(("name", "limit"), sorted(BEYOND.items()))
def test_a_map_beyond_the_limits_is_refused_with_the_limit_by_name(name: str, limit: str) -> None:
    with pytest.raises(MapError, match=limit):
        load_any(folder() / f"{name}.map")


def test_ancmed_has_too_many_actions_unless_its_port_is_read_as_a_coast() -> None:
    with pytest.raises(MapError, match="ancmed has more than 32,767 actions"):
        load_any(folder() / "ancmed.map")


def plain(orders: Iterable[str]) -> list[str]:
    """Orders but convoys and supports to a coast, of which the package lists others."""
    wanted = {each for each in orders if " C " not in each and not (" S " in each and "/" in each.partition(" - ")[2])}
    return sorted(wanted)


def legal_hash(position: Position) -> str:
    """Return the hash of all legal orders but convoys and supports to a coast."""
    return hash_of(plain(order for power in position.board.powers for order in position.legal(Seat(power.name))))


def golden_games() -> list[str]:
    return sorted(path.stem for path in GOLDEN.glob("*.golden-*.json"))


@pytest.mark.parametrize("game", golden_games())
def test_a_golden_game_agrees_in_every_phase(game: str) -> None:
    recorded = json.loads((GOLDEN / f"{game}.json").read_bytes())
    position = Position.start(board(recorded["map"]))
    phases = [*recorded["phases"], recorded["end"]]
    for entry, following in pairwise(phases):
        same_as(position, entry)
        assert legal_hash(position) == entry["legal_hash"], (game, entry["phase"])
        position = position.resolve({name: own for name, own in entry["orders"].items() if own})
        assert position.phase == following["phase"], (game, entry["phase"])
    same_as(position, recorded["end"])


def same_as(position: Position, entry: dict[str, Any]) -> None:
    where = entry["phase"]
    assert position.phase == where
    standing = {name: sorted(own) for name, own in position.units.items()}
    assert standing == {
        name: sorted(u for u in own if not u.startswith("*")) for name, own in entry["units"].items()
    }, where
    assert {name: sorted(own) for name, own in position.centers.items()} == {
        name: sorted(own) for name, own in entry["centers"].items()
    }, where
    if position.stage == "retreats":
        ours = {name: {unit: sorted(to) for unit, to in own.items()} for name, own in position.retreats.items() if own}
        theirs = {name: own for name, own in entry["retreats"].items() if own}
        assert ours == {name: {unit: sorted(to) for unit, to in own.items()} for name, own in theirs.items()}, where
    if position.stage == "adjustments" and not position.over:
        assert {name: count for name, count in position.builds.items() if count} == entry["builds"], where


@pytest.mark.timeout(120)
def test_a_game_of_the_package_s_own_engine_agrees_in_every_phase() -> None:
    in_lockstep(1, 24, "pure", "standard_germany_italy", "standard_age_of_empires")


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("seed", range(6))
def test_games_of_the_package_s_own_engine_agree_in_every_phase(seed: int) -> None:
    in_lockstep(seed, 60, *WITHIN)


def in_lockstep(seed: int, phases: int, *maps: str) -> None:
    """Play the orders of random games of the package's engine, and compare all that it says with what comes of them."""
    for game in asyncio.run(seen_by_client("original_games", seed, phases, *maps)):
        position = Position.start(board(game["map"]))
        for entry in game["phases"]:
            same_as(position, entry)
            by_port = any(unit == "F BAL" for own in position.units.values() for unit in own)
            for power, legal in entry["legal"].items():
                ours = position.legal(Seat(power))
                assert by_port or plain(ours) == plain(legal), (game["map"], seed, entry["phase"], power)
                assert by_port or {order for order in legal if " C " in order} <= set(ours)
            position = position.resolve({name: own for name, own in entry["orders"].items() if own})
        same_as(position, game["end"])
        assert position.over == game["done"]


@pytest.mark.parametrize("name", sorted(path.name.partition(".")[0] for path in GOLDEN.glob("*.positions.json")))
def test_crowded_positions_agree(name: str) -> None:
    recorded = json.loads((GOLDEN / f"{name}.positions.json").read_bytes())
    for number, entry in enumerate(recorded["positions"]):
        by_port = (name, number) in CARRIED_BY_A_PORT
        here = with_port() if by_port else board(name)
        state = {"name": Position.start(here).phase, "units": entry["units"], "centers": {}}
        position = position_of_state(state, board=here)
        assert by_port or legal_hash(position) == entry["legal_hash"], (name, number)
        after = position.resolve(entry["orders"])
        loose = set(entry["retreats_unchecked"])
        retreats = {
            power: {unit: sorted(to) for unit, to in own.items() if unit not in loose}
            for power, own in after.retreats.items()
        }
        facts = {
            "units": {power: sorted(own) for power, own in after.units.items() if own},
            "retreats": {power: own for power, own in retreats.items() if own},
        }
        assert hash_of_value(facts) == entry["after_hash"], (name, number)


def cases() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((GOLDEN / "cases.json").read_bytes())
    return [case for case in found if case["map"] in WITHIN]


@pytest.mark.parametrize("case", cases(), ids=lambda case: str(case["id"]))
def test_where_the_package_errs_the_rules_decide(case: dict[str, Any]) -> None:
    here = with_port() if case["id"].startswith("port") else board(case["map"])
    first = Position.start(here).phase
    position = position_of_state({"name": first, "units": case["units"], "centers": {}}, board=here)
    after = position.resolve(case["orders"])
    units = {name: sorted(own) for name, own in after.units.items() if own}
    agrees = (units, after.phase) == (case["after"], case["next"])
    assert agrees != ("package error" in case["note"] or "the package does not find it" in case["note"])


def test_no_state_has_a_byte_beyond_the_provinces() -> None:
    state = Position.start(board("pure")).state
    assert not any(state[k.UNITS + 7 : k.OWNERS])
