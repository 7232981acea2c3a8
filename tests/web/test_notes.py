"""The notes of a table: what people read of the players who came, went and fouled."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest

from parlour.web.packing import STATIC

NODE = shutil.which("node")
SCRIPT = """
import { noteOf } from "{notes}";
const state = { names: {}, begun: true, title: (seat) => seat };
console.log(JSON.stringify({events}.map((event) => noteOf(event, state))));
"""


@pytest.mark.skipif(NODE is None, reason="node is not installed: pages' modules cannot run outside a browser")
def test_a_player_whose_socket_is_closed_is_gone() -> None:
    events: list[dict[str, Any]] = [
        {"event": "fouled", "seat": "RUSSIA", "kind": "disconnected", "detail": "disconnected"},
        {"event": "fouled", "seat": "RUSSIA", "kind": "disconnected", "detail": "left the match"},
        {"event": "removed", "seat": "RUSSIA", "reason": "disconnected: the connection was closed"},
        {"event": "removed", "seat": "RUSSIA", "reason": "late"},
    ]
    script = SCRIPT.replace("{notes}", (STATIC / "notes.js").as_uri()).replace("{events}", json.dumps(events))
    assert NODE is not None
    done = subprocess.run([NODE, "--input-type=module", "-e", script], capture_output=True, text=True, check=True)
    assert [note.removeprefix("RUSSIA").lstrip(": ") for note in json.loads(done.stdout)] == [
        "gone",
        "gone (left the match)",
        "is out: gone: the connection was closed",
        "is out: late",
    ]
