"""The composer writes only press that the table takes: whatever its slots are filled with, at every level."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from parlour.core.game import Seat
from parlour.games.diplomacy.display.pages import PICTURES
from parlour.games.diplomacy.position import Position
from parlour.press.admission import refusal
from parlour.press.language.tokens import LEVELS
from parlour.web.packing import STATIC

EACH, DRAFTS = 5, 60
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(
    NODE is None, reason="node is not installed: pages' modules cannot run outside a browser"
)


@cache
def positions() -> list[Position]:
    """Positions of a random game, as many of each stage."""
    chance, found, position = random.Random(7), dict[str, list[Position]](), Position.start()
    while len(found) < 3 or min(map(len, found.values())) < EACH:
        found.setdefault(position.stage, []).append(position)
        position = position.apply({seat: position.sample(seat, chance) for seat in position.to_act()})[0].bare()
    return [position for stage in found.values() for position in stage[-EACH:]]


def setting(number: int, position: Position) -> dict[str, Any]:
    sheet = PICTURES.sheet(position)
    return {
        "position": number,
        "stage": position.stage,
        "seats": sheet.seats,
        "places": sheet.places,
        "units": position.units,
        "alive": [seat for seat in position.units if position.units[seat] or position.centers[seat]],
        "orders": [{"seat": seat, "order": order} for seat in position.to_act() for order in position.legal(seat)],
    }


@cache
def written() -> list[dict[str, Any]]:
    given = {
        "modules": (STATIC / "proposals.js").as_uri(),
        "drafts": DRAFTS,
        "settings": [setting(number, position) for number, position in enumerate(positions())],
    }
    script = Path(__file__).with_name("compose.mjs")
    assert NODE is not None
    done = subprocess.run([NODE, script], input=msgspec.json.encode(given), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_whatever_is_chosen_the_table_takes_what_is_written() -> None:
    sent = [one for one in written() if one["text"]]
    assert len(sent) > 1000
    for one in sent:
        to = [Seat(seat) for seat in one["to"]]
        found = refusal(one["text"], one["level"], positions()[one["position"]], Seat(one["seat"]), to)
        assert found is None, (one["level"], one["text"], found)


def test_every_word_of_the_levels_can_be_written() -> None:
    words = {word for one in written() for word in one["text"].split()}
    replies = {"HUH", "TRY", "YES", "REJ", "BWX", "CCL", "IDK", "ERR"}
    assert {word for word in LEVELS if word not in replies} - words == set()


def test_what_is_not_finished_says_what_is_missing() -> None:
    for one in written():
        assert bool(one["text"]) != bool(one["missing"])
