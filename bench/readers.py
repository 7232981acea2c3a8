"""That every reader is linear: each gets an input and one of twice the length, and the ratio of the times is printed.

Run: python bench/readers.py

A ratio near 2 is linear; 4 would be quadratic. Whatever comes from outside passes through one of these.
"""

from __future__ import annotations

import contextlib
import io
import pickle
import tempfile
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from time import process_time

import msgspec

from parlour.cli.plain import each_value
from parlour.core.game import Seat
from parlour.deepmind.container import loads
from parlour.errors import ParlourError
from parlour.games.diplomacy.map import named, read_map
from parlour.games.diplomacy.position import Position
from parlour.press.admission import refusal
from parlour.press.english import gloss
from parlour.press.reader import read
from parlour.referee.record import RecordReader

ROUNDS = 5


def main() -> None:
    """Print a row for each reader and kind of input."""
    position = Position.start(named("standard"))
    rows: dict[str, tuple[Callable[[int], object], Callable[[object], object], int]] = {}

    def add(name: str, make: Callable[[int], object], use: Callable[[object], object], size: int) -> None:
        rows[name] = make, use, size

    for name, form in _PRESS.items():
        add(f"press, {name}: read", form, lambda text: read(str(text)), 4000)
        add(f"press, {name}: admitted", form, _admitted(position), 4000)
        add(f"press, {name}: in English", form, lambda text: gloss(read(str(text))), 4000)
    orders = ["A PAR - BUR", "A PAR S A MAR - BUR", "F BRE - MAO", "nonsense", "A PAR VIA"]
    add("orders", lambda n: (orders * n)[:n], lambda given: position.check(Seat("FRANCE"), given), 200)
    add("JSON, a list", lambda n: b"[" + b"1," * n + b"1]", _values, 50_000)
    add("JSON, white space", lambda n: b" " * n + b"1 ", _values, 200_000)
    add("JSON, a string", lambda n: b'"' + b'\\"' * n + b'"', _values, 50_000)
    add("pickle, a list", lambda n: pickle.dumps(list(range(n))), lambda raw: loads(bytes(raw)), 20_000)  # type: ignore[call-overload]
    add("pickle, a dict", lambda n: pickle.dumps({str(i): i for i in range(n)}), lambda raw: loads(bytes(raw)), 10_000)  # type: ignore[call-overload]
    standard = files("parlour.games.diplomacy").joinpath("standard.map").read_text(encoding="utf-8")
    add("map, comments", lambda n: standard + "# a line\n" * n, lambda text: read_map(str(text)), 20_000)
    add("map, provinces", lambda n: standard + "land XYZ Nowhere\n" * n, lambda text: read_map(str(text)), 20_000)
    with tempfile.TemporaryDirectory() as folder:
        add("record", lambda n: _record(Path(folder) / f"{n}.jsonl", n), lambda path: list(RecordReader(path)), 5_000)  # type: ignore[arg-type]
        _print(rows)


def _record(path: Path, length: int) -> Path:
    said = {"event": "said", "at": 1.0, "seat": "FRANCE", "to": [], "text": "PRP (PCE (FRA GER))", "turn": 1}
    lines = [{"format": "parlour record", "version": 1}, *[said] * length]
    path.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    return path


def _print(rows: dict[str, tuple[Callable[[int], object], Callable[[object], object], int]]) -> None:
    for name, (make, use, size) in rows.items():
        once, twice = _time(use, make(size)), _time(use, make(2 * size))
        print(f"{name:44}{once * 1e3:9.2f} ms {twice * 1e3:9.2f} ms   ratio {twice / max(once, 1e-9):.1f}")


_PRESS: dict[str, Callable[[int], str]] = {
    "an alliance of many": lambda n: f"PRP (ALY ({'FRA GER ' * (n // 4)}) VSS ({'ENG ' * (n // 2)}))",
    "a zone of many": lambda n: f"PRP (DMZ (FRA GER) ({'BUR ' * n}))",
    "many parts": lambda n: f"PRP (AND {'(PCE (FRA GER)) ' * (n // 6)})",
    "brackets that do not close": lambda n: f"PRP (PCE ({'FRA ' * n}",
}


def _admitted(position: Position) -> Callable[[object], object]:
    return lambda text: refusal(str(text), 60, position, Seat("FRANCE"), (Seat("GERMANY"),))


def _values(raw: object) -> object:
    assert isinstance(raw, bytes)
    return list(each_value(io.BytesIO(raw)))


def _time(use: Callable[[object], object], value: object) -> float:
    best = float("inf")
    for _ in range(ROUNDS):
        begun = process_time()
        with contextlib.suppress(ParlourError):
            use(value)
        best = min(best, process_time() - begun)
    return best


if __name__ == "__main__":
    main()
