"""Checks that every reader is linear: prints the ratio of the times for an input of twice the length.

Run: python bench/readers.py

A ratio near 2 is linear; 4 would be quadratic. All input from outside passes through one of these readers.
"""

from __future__ import annotations

import contextlib
import io
import pickle
import sys
import tempfile
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from time import process_time

import msgspec

import usage

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from parlour.agents.llm.answers import last_object
from parlour.agents.llm.cassette import Cassette, Take
from parlour.agents.llm.endpoint import ModelQuestion, ModelReply
from parlour.cli.options.bounded_json import each_value
from parlour.core.game import Seat
from parlour.deepmind.container import loads
from parlour.errors import ParlourError
from parlour.games.diplomacy.formats.saved import read_saved
from parlour.games.diplomacy.maps.map import named, read_map, standard
from parlour.games.diplomacy.position import Position
from parlour.net.daide import client_messages
from parlour.net.daide.tokens import codec
from parlour.net.framing.frames import FrameReader
from parlour.press.admission import refusal
from parlour.press.language.english import gloss
from parlour.press.language.reader import read
from parlour.press.language.tokens import standard_lexicon
from parlour.referee.record import RecordReader
from support.fuzz.targets import offline_socket

ROUNDS = 5
codes = codec(standard())


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
    written = files("parlour.games.diplomacy").joinpath("boards/standard.map").read_text(encoding="utf-8")
    add("map, comments", lambda n: written + "# a line\n" * n, lambda text: read_map(str(text)), 4_000)
    add("map, provinces", lambda n: written + "land XYZ Nowhere\n" * n, lambda text: read_map(str(text)), 4_000)
    with tempfile.TemporaryDirectory() as folder:
        add("DAIDE, many frames", lambda n: b"\2\0\0\2\1\0" * n, lambda raw: list(FrameReader().feed(raw)), 20_000)  # type: ignore[arg-type]
        add("DAIDE, one frame byte by byte", lambda n: b"\2\0" + n.to_bytes(2, "big") + b"\0" * n, _by_bytes, 8_000)
        add("DAIDE, a message", lambda n: codes.encode(["SND", "(", *["FRA"] * n, ")"]), _message, 2_000)
        add("websocket, many frames", lambda n: b"\x81\x81\0\0\0\0x" * n, _websocket(1 << 20), 20_000)
        add("websocket, one frame in small pieces", _long_frame, _websocket(16), 200_000)
        add("cassette", lambda n: _cassette(Path(folder) / f"{n}.tape", n), lambda at: Cassette(at, "replay"), 5_000)  # type: ignore[arg-type]
        add("a model's answer, brackets", lambda n: '{"a": [1, ' * n, lambda text: last_object(str(text)), 20_000)
        add("saved game, phases", _phases, lambda raw: read_saved(bytes(raw)), 500)  # type: ignore[call-overload]
        add("record", lambda n: _record(Path(folder) / f"{n}.jsonl", n), lambda path: list(RecordReader(path)), 5_000)  # type: ignore[arg-type]
        _print(rows)


def _by_bytes(raw: object) -> object:
    assert isinstance(raw, bytes)
    reader = FrameReader()
    return [frame for byte in raw for frame in reader.feed(bytes([byte]))]


def _message(raw: object) -> object:
    assert isinstance(raw, bytes)
    return client_messages.read(codes.decode(raw), standard_lexicon())


def _long_frame(length: int) -> bytes:
    return b"\x81\xff" + length.to_bytes(8, "big") + bytes(4 + length)


def _websocket(piece: int) -> Callable[[object], object]:
    """Return a function that feeds a socket without a network, in pieces of this length."""

    def use(raw: object) -> object:
        assert isinstance(raw, bytes)
        heard: list[bytes] = []
        socket = offline_socket(heard.append)
        for at in range(0, len(raw), piece):
            socket.data_received(raw[at : at + piece])
        return heard

    return use


def _cassette(path: Path, length: int) -> Path:
    question = ModelQuestion("m", (("system", "rules"), ("user", "what now?")), 10)
    takes = (Take(f"{number}-0", question, ModelReply("{}", "stop")) for number in range(length))
    path.write_bytes(b"".join(msgspec.json.encode(take) + b"\n" for take in takes))
    return path


def _phases(length: int) -> bytes:
    phase = {"name": "S1901M", "state": {}, "orders": {"FRANCE": ["A PAR - BUR"]}, "results": {}, "messages": []}
    return msgspec.json.encode({"id": "x", "map": "standard", "rules": [], "phases": [phase] * length})


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
    usage.parser(__doc__).parse_args()
    main()
