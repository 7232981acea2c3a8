"""Metrics for Prometheus, in its text format: counters, gauges and histograms, and those of the process itself."""

from __future__ import annotations

import contextlib
import resource
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias, TypeVar

MEDIA = "text/plain; version=0.0.4; charset=utf-8"
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
STATUS = Path("/proc/self/statm")
FILES = Path("/proc/self/fd")

Labels: TypeAlias = tuple[str, ...]


class Counter:
    """A counter for each combination of its labels."""

    def __init__(self, name: str, told: str, *labels: str) -> None:
        self.name, self._told, self._labels = name, told, labels
        self._counts: dict[Labels, float] = {}

    def add(self, *values: str, amount: float = 1.0) -> None:
        """Add 1, or another amount, to the counter with these labels."""
        self._counts[values] = self._counts.get(values, 0.0) + amount

    def lines(self) -> Iterator[str]:
        """Yield the lines of the metric."""
        yield from _head(self.name, self._told, "counter")
        for values, count in sorted(self._counts.items()):
            yield f"{self.name}{_labels(zip(self._labels, values, strict=True))} {_number(count)}"


class Histogram:
    """Durations, counted by upper bounds in seconds."""

    def __init__(self, name: str, told: str, *labels: str) -> None:
        self.name, self._told, self._labels = name, told, labels
        self._counts: dict[Labels, list[int]] = {}
        self._sums: dict[Labels, float] = {}

    def observe(self, seconds: float, *values: str) -> None:
        """Add a duration in seconds."""
        counts = self._counts.setdefault(values, [0] * (len(SECONDS) + 1))
        counts[bisect_left(SECONDS, seconds)] += 1
        self._sums[values] = self._sums.get(values, 0.0) + seconds

    def lines(self) -> Iterator[str]:
        """Yield the lines of the metric; each bucket includes the counts of those before it, as Prometheus expects."""
        yield from _head(self.name, self._told, "histogram")
        for values, counts in sorted(self._counts.items()):
            pairs = list(zip(self._labels, values, strict=True))
            total = 0
            for bound, count in zip((*SECONDS, None), counts, strict=True):
                total += count
                told = "+Inf" if bound is None else _number(bound)
                yield f"{self.name}_bucket{_labels([*pairs, ('le', told)])} {total}"
            yield f"{self.name}_sum{_labels(pairs)} {_number(self._sums[values])}"
            yield f"{self.name}_count{_labels(pairs)} {total}"


class Gauge:
    """A value that is read at each scrape; a rising one never falls."""

    def __init__(self, name: str, told: str, look: Callable[[], float], *, rising: bool = False) -> None:
        self.name, self._told, self._look = name, told, look
        self._kind = "counter" if rising else "gauge"

    def lines(self) -> Iterator[str]:
        """Yield the lines of the metric."""
        yield from _head(self.name, self._told, self._kind)
        yield f"{self.name} {_number(self._look())}"


class Tally:
    """Counts that are read from elsewhere on request, by label; rising counts never fall."""

    def __init__(
        self, name: str, told: str, label: str, look: Callable[[], Mapping[str, float]], *, rising: bool = True
    ) -> None:
        self.name, self._told, self._label, self._look = name, told, label, look
        self._kind = "counter" if rising else "gauge"

    def lines(self) -> Iterator[str]:
        """Yield the lines of the metric."""
        yield from _head(self.name, self._told, self._kind)
        for value, number in sorted(self._look().items()):
            yield f"{self.name}{_labels([(self._label, value)])} {_number(number)}"


Shown = TypeVar("Shown", Counter, Histogram, Gauge, Tally)


class Numbers:
    """All metrics of a server."""

    def __init__(self) -> None:
        self.shown: dict[str, Counter | Histogram | Gauge | Tally] = {}

    def show(self, metric: Shown) -> Shown:
        """Add a metric, and return it."""
        assert metric.name not in self.shown
        self.shown[metric.name] = metric
        return metric

    def text(self) -> str:
        """Return all metrics in the text format of Prometheus."""
        return "".join(f"{line}\n" for each in self.shown.values() for line in each.lines())


def _head(name: str, told: str, kind: str) -> Iterator[str]:
    yield f"# HELP {name} {told}"
    yield f"# TYPE {name} {kind}"


def _labels(pairs: Iterable[tuple[str, str]]) -> str:
    text = ",".join(f'{name}="{_escaped(value)}"' for name, value in pairs)
    return f"{{{text}}}" if text else ""


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


def show_vitals(numbers: Numbers) -> None:
    """Add processor time, memory and open files to the metrics, under the names that Prometheus uses.

    Memory and files are added only where /proc exists.
    """
    begun = time.time()
    numbers.show(Gauge("process_start_time_seconds", "Start time of the server, in Unix seconds.", lambda: begun))
    numbers.show(Gauge("process_cpu_seconds_total", "Processor time used, in seconds.", _seconds, rising=True))
    if _resident():
        numbers.show(Gauge("process_resident_memory_bytes", "Resident memory, in bytes.", _resident))
        numbers.show(Gauge("process_open_fds", "Open files and connections.", _open_files))


def _seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _resident() -> int:
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(STATUS.read_text(encoding="ascii").split()[1]) * resource.getpagesize()
    return 0


def _open_files() -> int:
    with contextlib.suppress(OSError):
        return sum(1 for _ in FILES.iterdir())
    return 0
