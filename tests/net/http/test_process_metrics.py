"""Metrics of the process, as operators see them."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from parlour.net.http import metrics as process_metrics
from parlour.net.http.metrics import Numbers


def shown(numbers: Numbers) -> dict[str, float]:
    lines = [line.split() for line in numbers.text().splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in lines}


def test_processor_time_memory_and_files_are_among_the_numbers(tmp_path: Path) -> None:
    numbers = Numbers()
    process_metrics.show_vitals(numbers)
    before = shown(numbers)
    assert abs(before["process_start_time_seconds"] - time.time()) < 3600
    assert before["process_resident_memory_bytes"] > 1 << 20
    with (tmp_path / "open").open("w"):
        assert shown(numbers)["process_open_fds"] == before["process_open_fds"] + 1
    while time.process_time() < before["process_cpu_seconds_total"] + 0.05:
        os.getpid()
    assert shown(numbers)["process_cpu_seconds_total"] > before["process_cpu_seconds_total"]
    kinds = {line.split()[2]: line.split()[3] for line in numbers.text().splitlines() if line.startswith("# TYPE")}
    assert {name for name, kind in kinds.items() if kind == "counter"} == {"process_cpu_seconds_total"}


def test_a_system_that_does_not_tell_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_metrics, "STATUS", tmp_path / "nothing")
    numbers = Numbers()
    process_metrics.show_vitals(numbers)
    assert set(shown(numbers)) == {"process_start_time_seconds", "process_cpu_seconds_total"}
