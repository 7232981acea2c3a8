"""Parameters: published and safe files both ways, sizes read off, every mismatch named, nothing harmful done."""

from __future__ import annotations

import json
import pickle
import struct
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from parlour.deepmind.network.config import PUBLISHED, SMALL, NetworkConfig
from parlour.deepmind.network.names import entries
from parlour.deepmind.network.network import Network
from parlour.deepmind.network.parameters import (
    FileKind,
    Parameters,
    from_published,
    kind_of,
    made_parameters,
    read_parameters,
    whole_file,
    write_parameters,
)
from parlour.deepmind.network.safetensors import read_safetensors
from parlour.errors import ConfigError, NotationError, ParametersError
from support.deepmind import golden as golden

KINDS: tuple[FileKind, ...] = ("published", "safetensors", "npz")
TINY = NetworkConfig(2, 2, 1, 0, 2, 1, (3,), 2, 2, 2)


def test_the_published_network_has_the_published_arrays() -> None:
    learned = [entry for entry in entries(PUBLISHED) if not entry.state]
    assert len(learned) == 133
    assert sum(int(np.prod(entry.shape)) for entry in learned) == 143_657_537
    assert len(entries(PUBLISHED)) - len(learned) == 252
    names = [entry.ours for entry in entries(PUBLISHED)], [entry.published for entry in entries(PUBLISHED)]
    assert len(set(names[0])) == len(set(names[1])) == 385
    shapes = {entry.published: entry.shape for entry in entries(PUBLISHED)}
    assert shapes["network/~/board_encoder_1/~/encoder_core|w"] == (81, 68, 160)
    assert shapes["network/~/board_encoder/~/encoder_core_13|w"] == (81, 336, 160)
    assert shapes["network/~/board_encoder/~/batch_norm|scale"] == (1, 1, 1, 320)
    assert shapes["network/~/relational_order_decoder/~/encoder_core|w"] == (75, 768, 64)
    assert shapes["network/~/mlp/~/linear_0|w"] == (640, 256)


def test_sizes_are_read_off_the_arrays() -> None:
    assert golden.parameters().config == NetworkConfig(16, 16, 2, 1, 8, 2, (12,))
    assert golden.parameters().step == golden.triple()[2]


DEEPER = replace(TINY, player_cores=2, value_hidden=(4, 3), decoder_cores=0)


@pytest.mark.parametrize("config", [SMALL, TINY, replace(TINY, shared_cores=0), DEEPER])
def test_sizes_of_any_network_come_back(config: NetworkConfig) -> None:
    made = made_parameters(config)
    assert from_published(made.published()).config == config


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_is_read(tmp_path: Path, kind: FileKind) -> None:
    made = replace(made_parameters(TINY, seed=3), step=17)
    path = tmp_path / "parameters"
    write_parameters(made, path, kind)
    assert kind_of(path) == kind
    found = read_parameters(path)
    assert (found.config, found.step) == (TINY, 17)
    assert found.arrays.keys() == made.arrays.keys()
    for name, array in made.arrays.items():
        assert np.array_equal(found.arrays[name], array), name
        assert found.arrays[name].flags.aligned
    assert [file.name for file in tmp_path.iterdir()] == ["parameters"]


@pytest.mark.parametrize("protocol", range(2, 6))
def test_the_published_container_plays_as_the_golden_numbers_say(tmp_path: Path, protocol: int) -> None:
    path = tmp_path / "sl_params.npz"
    path.write_bytes(pickle.dumps(golden.triple(), protocol))
    found = read_parameters(path)
    made = Network(found.config, found.arrays).decide(golden.batch(forced=False))
    assert np.array_equal(made.shrunk(42).reshape(6, 7, 17), golden.OUTPUTS["greedy_actions"])


def test_mappings_of_the_librarys_own_kind_are_read_without_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Haiku pickles its immutable mappings as a call with a plain one."""

    class FlatMapping:
        def __init__(self, plain: Any) -> None:
            self.plain = plain

        def __reduce__(self) -> tuple[Any, ...]:
            return FlatMapping, (self.plain,)

    module = "haiku._src.data_structures"
    FlatMapping.__module__, FlatMapping.__qualname__ = module, "FlatMapping"
    for depth in range(1, 4):
        monkeypatch.setitem(sys.modules, ".".join(module.split(".")[:depth]), ModuleType("stand-in"))
    monkeypatch.setattr(sys.modules[module], "FlatMapping", FlatMapping, raising=False)
    weights, state, step = made_parameters(TINY).published()
    path = tmp_path / "params"
    inner = {name: FlatMapping(part) for name, part in weights.items()}
    path.write_bytes(pickle.dumps((FlatMapping(inner), FlatMapping(state), step), 3))
    monkeypatch.undo()
    assert read_parameters(path).config == TINY


def test_safetensors_are_those_of_the_library_of_that_name(tmp_path: Path) -> None:
    theirs = pytest.importorskip("safetensors.numpy")
    made, path = made_parameters(TINY), tmp_path / "ours.safetensors"
    write_parameters(made, path)
    found = theirs.load_file(path)
    assert all(np.array_equal(found[name], array) for name, array in made.arrays.items())
    _, words = read_safetensors(path)
    theirs.save_file(found, tmp_path / "theirs.safetensors", metadata=words)
    again = read_parameters(tmp_path / "theirs.safetensors")
    assert all(np.array_equal(again.arrays[name], array) for name, array in made.arrays.items())


@pytest.mark.parametrize("kind", ["safetensors", "published"])
def test_large_arrays_are_left_in_the_file(tmp_path: Path, kind: FileKind) -> None:
    made, path = made_parameters(TINY), tmp_path / "parameters"
    write_parameters(made, path, kind)
    array = read_parameters(path).arrays["decoder/projection"]
    if array.base is not None:  # a pickle may lay it where products cannot work on it; then it is copied, once
        assert not array.flags.writeable
    assert kind != "safetensors" or array.base is not None


def test_a_config_that_does_not_fit_is_told_everything_at_once(tmp_path: Path) -> None:
    path = tmp_path / "tiny.safetensors"
    write_parameters(made_parameters(TINY), path)
    with pytest.raises(ParametersError, match=r"tiny\.safetensors: \d+ of the network's arrays do not fit") as caught:
        read_parameters(path, replace(TINY, decoder_filter=4, player_cores=1))
    found = caught.value.mismatches
    assert "'decoder/projection' has shape (18584, 4), expected (18584, 8)" in found
    assert "'encoder_1/player_1/weight' is missing" in found
    assert len(found) == 39
    assert str(caught.value).endswith("and 34 more")
    assert "\n" not in str(caught.value)


def changed(change: Callable[[Any, Any], None]) -> Any:
    weights, state, step = made_parameters(TINY).published()
    change(weights, state)
    return weights, state, step


def test_missing_foreign_misshapen_and_other_arrays_are_named() -> None:
    def change(weights: Any, state: Any) -> None:
        del weights["network/~/embed"]
        weights["network/~/other"] = {"w": np.zeros(3, np.float32)}
        weights["network/~/mlp/~/linear_0"]["b"] = np.zeros(9, np.float32)
        weights["network/~/mlp/~/linear_1"]["b"] = np.zeros(7, np.int64)
        state["network/~/board_encoder/~/batch_norm/~/mean_ema"]["counter"] = np.zeros((), np.float32)

    with pytest.raises(ParametersError) as caught:
        from_published(changed(change), TINY)
    assert caught.value.mismatches == (
        "'network/~/embed|embeddings' is missing",
        "'network/~/other|w' is not known",
        "'network/~/board_encoder/~/batch_norm/~/mean_ema|counter' is of float32, expected whole numbers",
        "'network/~/mlp/~/linear_0|b' has shape (9,), expected (3,)",
        "'network/~/mlp/~/linear_1|b' is of int64, expected float32",
    )


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ([1, 2], "expected parameters, state and step"),
        ({"a": 1}, "expected parameters, state and step"),
        (([], {}, 0), "expected arrays by module and name, got list"),
        (({}, {}, 0), "no network has these 0 arrays"),
        (({}, {}, "x"), "step: expected a whole number, got str"),
        (({"network/~/embed": 3}, {}, 0), "no network has these 1 arrays"),
        (changed(lambda weights, state: weights.pop("network/~/board_encoder/~/encoder_core")), "no network has"),
    ],
)
def test_pickles_of_other_things_are_refused(tmp_path: Path, value: Any, why: str) -> None:
    path = tmp_path / "other.npz"
    path.write_bytes(pickle.dumps(value))
    with pytest.raises(NotationError, match=rf"other\.npz: {why}"):
        read_parameters(path)


def test_wider_and_narrower_floats_are_converted() -> None:
    def change(weights: Any, state: Any) -> None:
        weights["network/~/embed"]["embeddings"] = np.full((18585, 2), 0.5, np.float64)
        weights["network/~/mlp/~/linear_0"]["b"] = np.ones(3, np.float16)

    found = from_published(changed(change)).arrays
    assert {str(found["actions"].dtype), str(found["value/0/bias"].dtype)} == {"float32"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", [0.3, 0.9, 0.999])
def test_files_cut_off_are_refused(tmp_path: Path, kind: FileKind, part: float) -> None:
    path = tmp_path / "cut"
    write_parameters(made_parameters(TINY), path, kind)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * part)])
    with pytest.raises(NotationError, match="cut") as caught:
        read_parameters(path)
    assert "\n" not in str(caught.value)


class Trap:
    def __reduce__(self) -> tuple[Any, ...]:
        return (exec, ("raise SystemExit('harm was done')",))


def test_a_pickle_that_would_do_something_is_refused_before_it_does(tmp_path: Path) -> None:
    path = tmp_path / "trap.npz"
    path.write_bytes(pickle.dumps(({"network/~/embed": Trap()}, {}, 0)))
    with pytest.raises(NotationError, match=r"trap\.npz: asks for builtins\.exec, which is not read"):
        read_parameters(path)
    np.savez(tmp_path / "objects.npz", a=np.array([Trap()], object))
    with pytest.raises(NotationError, match=r"objects\.npz: a damaged archive, or one of other things"):
        read_parameters(tmp_path / "objects.npz")


def header(text: bytes, content: bytes = b"") -> bytes:
    return struct.pack("<Q", len(text)) + text + content


WORDS = {"format": "parlour-network-1", "config": json.dumps(TINY.as_plain())}


def shaped(shape: object, size: int = 4) -> bytes:
    return json.dumps({"a": {"dtype": "F32", "shape": shape, "data_offsets": [0, size]}}).encode()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "cut off after 0 bytes"),
        (b"abc", "takes more than there is"),
        (header(b"{nonsense"), "its header is no JSON"),
        (struct.pack("<Q", 1 << 40) + b"{}", "its header does not fit"),
        (header(b'{"__metadata__": 3}'), "metadata: expected text by name"),
        (header(b'{"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}'), "'a': cut off"),
        (header(b'{"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]}}', b"1234"), "4 bytes for shape"),
        (header(b'{"a": {"dtype": "BOOL", "shape": [2], "data_offsets": [0, 4]}}', b"1234"), "expected dtype, shape"),
        (header(b'{"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, -4]}}', b"1234"), "not in the file"),
        (header(b'{"a": 5}'), "expected dtype, shape"),
        (header(shaped([1] * 65), b"1234"), "'a': maximum supported dimension"),
        (header(shaped([0, 1 << 63], 0)), "'a': Maximum allowed dimension"),
        (header(shaped([0, 1 << 47, 1 << 47], 0)), "'a': array is too big"),
        (header(shaped({}), b"1234"), "but not those of a network"),
        (
            header(b'{"a": {"dtype": "F32", "shape": [], "data_offsets": [0, 4]}}', b"1234"),
            "but not those of a network",
        ),
        (header(json.dumps({"__metadata__": {**WORDS, "config": "[]"}}).encode()), "its sizes cannot be read"),
        (header(json.dumps({"__metadata__": {**WORDS, "config": '{"x": 1}'}}).encode()), "no size called 'x'"),
        (header(json.dumps({"__metadata__": {**WORDS, "step": "x"}}).encode()), "its sizes cannot be read"),
        (header(json.dumps({"__metadata__": WORDS}).encode()), "of the network's arrays do not fit"),
    ],
)
def test_damaged_and_foreign_files_are_refused(tmp_path: Path, content: bytes, why: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(NotationError, match=why):
        read_parameters(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotationError, match="gone: cannot be read: No such file"):
        read_parameters(tmp_path / "gone")


def test_a_zip_of_other_things_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "letters.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("letter.txt", "dear")
    with pytest.raises(NotationError, match=r"holds arrays, but not those of a network|damaged archive"):
        read_parameters(path)


def npy(header: str, body: bytes = b"") -> bytes:
    """Return an array as NumPy writes it, with any header."""
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + body


@pytest.mark.parametrize(
    "content",
    [
        npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,)}"),
        npy("{'descr': '<U100000000', 'fortran_order': False, 'shape': (100,)}"),
        npy("(" * 9000),
        npy("-" * 9000 + "1"),
        npy("{"),
    ],
)
def test_an_archive_that_claims_what_cannot_be_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "claims.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.npy", content)
    with pytest.raises(NotationError, match=r"claims\.npz: a damaged archive"):
        read_parameters(path)


def test_an_archive_that_is_damaged_within_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "damaged.npz"
    np.savez_compressed(path, a=np.arange(1000))
    whole = path.read_bytes()
    for at in range(60, len(whole) // 2, 7):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        with pytest.raises(NotationError, match=r"damaged\.npz: (a damaged archive|holds arrays, but not those)"):
            read_parameters(path)


def test_an_archive_is_not_unpacked_without_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "bomb.npz"
    np.savez_compressed(path, a=np.zeros(1 << 20, np.uint8))
    monkeypatch.setattr("parlour.deepmind.network.parameters.MAX_UNPACKED", 1 << 20)
    monkeypatch.setattr("numpy.lib.npyio.NpzFile.__getitem__", lambda *_: pytest.fail("was unpacked"))
    with pytest.raises(NotationError, match=r"bomb\.npz: an archive of more than 1,048,576 bytes"):
        read_parameters(path)


def test_a_write_that_fails_leaves_nothing_and_spoils_nothing(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    path.write_bytes(b"old")

    def write() -> None:
        with whole_file(path) as file:
            file.write(b"half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write()
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["kept"]


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"shared_filter": 0}, "shared_filter"),
        ({"decoder_cores": -1}, "decoder_cores"),
        ({"value_hidden": (0,)}, "value_hidden"),
        ({"value_hidden": [3]}, "value_hidden"),
        ({"player_filter": 5000}, "player_filter"),
        ({"player_filter": 2.0}, "player_filter"),
    ],
)
def test_sizes_that_no_network_has_are_refused(wrong: dict[str, Any], field: str) -> None:
    with pytest.raises(ConfigError, match=field):
        replace(TINY, **wrong)


def test_parameters_that_do_not_fit_cannot_be_made() -> None:
    arrays = made_parameters(TINY).arrays
    del arrays["actions"]
    with pytest.raises(ParametersError, match="1 of the network's arrays do not fit: 'actions' is missing"):
        Parameters(TINY, arrays)
