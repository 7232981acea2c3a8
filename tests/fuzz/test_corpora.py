"""Every input that the fuzzer starts from, and every one that it found, goes through its reader without a surprise."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.fuzz.targets import TARGETS

HERE = Path(__file__).parent


@pytest.mark.parametrize("name", TARGETS)
def test_a_corpus_passes_its_reader(name: str) -> None:
    inputs = [*sorted((HERE / name).iterdir()), *sorted((HERE / "findings").glob(f"{name}-*"))]
    assert inputs
    target = TARGETS[name]()
    for path in inputs:
        target(path.read_bytes())
    target(b"")
