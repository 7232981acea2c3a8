"""Every value in an input that holds JSON may be any other value: its reader says so, or takes it.

The fuzzer changes bytes, and seldom comes upon a number where a list should be; here that is done on purpose.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from support.fuzz.targets import TARGETS

HERE = Path(__file__).parent
FEW, MANY = 60, 3000
"""Inputs of a target that are tried each time, and with `-m long`; which, is chance with a seed."""
ODD: list[Any] = [
    *(None, True, 0, 5, -1, 2**63, 10**30, -(10**30), 1.5, 1e308),
    *("", "x", "\0", "é" * 50, "A" * 3000, "FRANCE"),
    *([], {}, [[]], [None], {"x": None}, [1, 2], ["x", "y"], [[0, 0]], [[0, 0], [1, 1]]),
]
GONE = object()


def _places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield at
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inside:
        yield from _places(part, (*at, key))


def _with(value: Any, at: tuple[Any, ...], odd: Any) -> bytes:
    """Return the value as JSON, with something odd in a place, or nothing."""
    whole = [json.loads(json.dumps(value))]
    inner: Any = whole
    for key in (path := (0, *at))[:-1]:
        inner = inner[key]
    if odd is GONE:
        del inner[path[-1]]
    else:
        inner[path[-1]] = odd
    return json.dumps(whole[0]).encode() if whole else b""


def variants(raw: bytes) -> Iterator[Callable[[], bytes]]:
    """Return inputs with one odd value somewhere in a line that is JSON, perhaps after a word."""
    lines = raw.split(b"\n")
    for number, line in enumerate(lines):
        for word, blank, text in ((b"", b"", line), line.partition(b" ")):
            try:
                value = json.loads(text)
            except (ValueError, RecursionError):
                continue
            for at, odd in product(_places(value), (*ODD, GONE)):
                yield partial(_changed, lines, number, word + blank, value, at, odd)
            break


def _changed(lines: list[bytes], number: int, word: bytes, value: Any, at: tuple[Any, ...], odd: Any) -> bytes:
    return b"\n".join((*lines[:number], word + _with(value, at, odd), *lines[number + 1 :]))


def _inputs(name: str) -> Iterator[Callable[[], bytes]]:
    return (changed for path in sorted((HERE / name).iterdir()) for changed in variants(path.read_bytes()))


HOLDING = [name for name in TARGETS if next(_inputs(name), None)]


@pytest.mark.parametrize("name", HOLDING)
def test_a_few_odd_values_pass_their_reader(name: str) -> None:
    _feed(name, FEW)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", HOLDING)
def test_many_odd_values_pass_their_reader(name: str) -> None:
    _feed(name, MANY)


def _feed(name: str, most: int) -> None:
    inputs, target = list(_inputs(name)), TARGETS[name]()
    for changed in random.Random(name).sample(inputs, min(most, len(inputs))):
        target(changed())


def test_values_are_changed_one_by_one() -> None:
    found = [changed() for changed in variants(b'word\nsit {"a": [7]}\n')]
    assert len(found) == 3 * (len(ODD) + 1)
    assert b"word\nsit 5\n" in found
    assert b'word\nsit {"a": 5}\n' in found
    assert b'word\nsit {"a": [5]}\n' in found
    assert b'word\nsit {"a": []}\n' in found
    assert b"word\nsit {}\n" in found
