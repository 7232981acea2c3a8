"""The lint of the house rules, which `make check` runs, finds each breach that it is there for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LONG = "\n    ".join(["x = 1"] * 90)
BREACHES = {
    "src/parlour/games/whist/declaration.py": ('"""A game."""\n', ""),
    "src/parlour/first.py": ("x = 1\n", "line 1 is not the docstring's first line"),
    "src/parlour/second.py": ('"""Not a sentence"""\n', "does not end with a full stop"),
    "src/parlour/asked.py": ('"""Asked."""\nx = 1\n"""What it is."""\n', "not with What"),
    "src/parlour/long.py": ('"""Long."""\n' + "\n" * 600, "601 lines, at most 500"),
    "src/parlour/function.py": (f'"""Long."""\ndef f():\n    {LONG}\n', "f has 90 lines"),
    "src/parlour/name_utils.py": ('"""A name."""\n', "name_utils does not say what it is"),
    "src/parlour/net/mila/some_info.py": ('"""A name of others."""\n', ""),
    "src/parlour/some_info.py": ('"""A name."""\n', "some_info does not say what it is"),
    "src/parlour/reader.py": ('"""Read."""\ntry:\n    pass\nexcept msgspec.DecodeError:\n    pass\n', "bad UTF-8"),
    "src/parlour/generic.py": ('"""Whist."""\nx = y == "whist"\n', "names a game"),
    "src/parlour/class1.py": ('"""A class."""\nclass A: ...\n', ""),
    "src/parlour/class2.py": ('"""A class."""\nclass A: ...\n', "class1.py has a class A too"),
    "src/parlour/core/events.py": ('"""Events."""\nclass Paused: ...\nclass Said: ...\nclass Left: ...\n', ""),
    "src/parlour/web/kinds.py": (
        '"""Kinds."""\nKINDS = (ev.Said, ev.Paused1, ev.Said)\n',
        "keeps a set of event kinds",
    ),
    "src/parlour/web/union.py": (
        '"""Kinds."""\nKINDS = ev.Said | ev.Paused1 | ev.Left\n',
        "keeps a set of event kinds",
    ),
    "src/parlour/web/asked.py": (
        '"""Kinds."""\ndef f(x):\n    return isinstance(x, ev.Said | ev.Left | ev.Said)\n',
        "keeps a set of event kinds",
    ),
    "src/parlour/web/pair.py": ('"""Two."""\ndef f(x):\n    return isinstance(x, ev.Said | ev.Left)\n', ""),
    "src/parlour/web/clock.py": ('"""A clock."""\nx = isinstance(event, ev.Paused)\n', "reads an event of clocks"),
    "src/parlour/web/due.py": ('"""Due."""\nx = event.deadlines\n', "reads deadlines of events"),
    "src/parlour/web/way.py": ('"""A way."""\ndef send(one: it.Intent): ...\n', "send takes an intent"),
    "src/parlour/web/mine.py": ('"""No way."""\ndef _send(one: it.Intent): ...\n', ""),
    "src/parlour/store/upward.py": ('"""Up."""\nX = "parlour.net.mila.saving:saved"\n', "which lies above"),
    "src/parlour/net/upward.py": ('"""Up."""\nX = "parlour.cli.games"\n', "which lies above"),
    "src/parlour/web/downward.py": ('"""Down."""\nX = "parlour.net.games:first"\n', ""),
    "src/parlour/web/derived.py": ('"""Seeds."""\nx = self._seed + 1\n', "derives a seed"),
    "src/parlour/web/drawn.py": ('"""Seeds."""\nx = Random(f"of {seed}")\n', "derives a seed"),
    "src/parlour/web/plain.py": ('"""Seeds."""\nx = Random(seed)\ndef f(seed: int | None) -> None: ...\n', ""),
    "tests/flat.py": ("", "support code lies in a package"),
    "tests/core/asked.py": ('def f():\n    """Whether it is."""\n', "not with Whether"),
    "tests/core/test_a.py": ("from .test_b import thing\n", "test_b: move what is shared"),
    "tests/core/test_b.py": ("from support.core import thing\n", ""),
    "tests/core/sleeps.py": ("import time\ntime.sleep(1)\n", "say in a comment why this needs real time"),
    "tests/core/excused.py": ("import time\ntime.sleep(1)  # real time: a process has to notice\n", ""),
}
"""Files of a tree, each with what is found in it; empty if nothing is."""


def test_each_rule_finds_what_breaks_it_and_nothing_else(tmp_path: Path) -> None:
    for name, (text, _) in BREACHES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    command = [sys.executable, str(ROOT / "tools" / "house_rules"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    lines = [line for line in done.stdout.splitlines() if "needs no exception" not in line]
    assert len(lines) == sum(bool(found) for _, found in BREACHES.values()), done.stdout
    for name, (_, found) in BREACHES.items():
        assert not found or any(line.startswith(f"{name}:") and found in line for line in lines), done.stdout
    assert "games/ names no game and needs no exception" in done.stdout
