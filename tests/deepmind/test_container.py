"""The restricted reader: arrays and plain values of every pickle protocol, and nothing that could do harm."""

from __future__ import annotations

import base64
import pickle
import struct
import sys
from collections import Counter, OrderedDict
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.deepmind import container, pickle_machine
from parlour.deepmind.container import let_go, loads, map_pickle, read_pickle
from parlour.deepmind.pickle_parts import MAX_KEY
from parlour.errors import NotationError

PLAIN: dict[str | int, Any] = {
    "numbers": [0, 1, 255, 256, 65535, 65536, -1, -(2**31), 2**31, 2**63 - 1, -(2**63), 2**100],
    "floats": [0.0, -1.5, 1e300, float("inf")],
    "others": (
        None,
        True,
        False,
        "",
        "tèxt\n\\u0041 ☃",
        b"",
        b"bytes\x00\xff",
        (),
        (1,),
        (1, 2),
        (1, 2, 3),
        (1, 2, 3, 4),
    ),
    "nested": [[], {}, [[]], {"a": {"b": []}}, OrderedDict(x=1, y=[2])],
    7: "seven",
}
ARRAYS = [
    np.arange(6, dtype=np.uint8).reshape(2, 3),
    np.array([], np.int64),
    np.zeros((0, 3), np.float32),
    np.array(5.5),
    np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    np.array([True, False]),
    np.arange(4, dtype=">i4"),
    np.arange(10, dtype=np.int64)[::2],
    np.array([1, -1], np.float16),
]


@pytest.mark.parametrize("protocol", range(6))
def test_plain_values_of_every_protocol(protocol: int) -> None:
    assert loads(pickle.dumps(PLAIN, protocol)) == PLAIN


@pytest.mark.parametrize("protocol", range(6))
@pytest.mark.parametrize("array", ARRAYS, ids=lambda array: f"{array.dtype}{array.shape}")
def test_arrays_of_every_protocol(array: np.ndarray[Any, Any], protocol: int) -> None:
    found = loads(pickle.dumps([array, array], protocol))
    for copy in found:
        assert (copy.shape, copy.dtype.kind, copy.dtype.itemsize) == (
            array.shape, array.dtype.kind, array.dtype.itemsize,
        )  # fmt: skip
        assert np.array_equal(copy, array)


@pytest.mark.parametrize("protocol", range(6))
def test_numpy_scalars_become_numbers(protocol: int) -> None:
    assert loads(pickle.dumps([np.float32(1.5), np.int64(-7), np.bool_(True)], protocol)) == [1.5, -7, True]


def test_the_names_of_older_numpy_are_known() -> None:
    content = pickle.dumps(np.arange(3), 2).replace(b"numpy._core.multiarray", b"numpy.core.multiarray")
    assert loads(content).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("jax.interpreters.xla", "reconstruct_device_array"),
        ("jax._src.device_array", "reconstruct_device_array"),
        ("jax._src.array", "_reconstruct_array"),
    ],
)
def test_arrays_of_accelerators_are_read_without_their_library(
    monkeypatch: pytest.MonkeyPatch, module: str, name: str
) -> None:
    def rebuild(*_: Any) -> None:
        raise AssertionError("called")

    rebuild.__module__, rebuild.__qualname__, rebuild.__name__ = module, name, name
    for depth in range(1, module.count(".") + 2):
        monkeypatch.setitem(sys.modules, ".".join(module.split(".")[:depth]), ModuleType("stand-in"))
    setattr(sys.modules[module], name, rebuild)

    class DeviceArray:
        def __reduce__(self) -> tuple[Any, ...]:
            parts: Any = np.arange(6, dtype=np.float32).reshape(2, 3).__reduce__()
            return rebuild, (*parts, {"weak_type": False})

    assert loads(pickle.dumps([DeviceArray()], 3))[0].tolist() == [[0, 1, 2], [3, 4, 5]]


STREAMS = [line.split() for line in Path(__file__).with_name("dill_streams.txt").read_text("ascii").splitlines()]
"""One list as several versions of dill wrote it, by protocols 2 and 4: version and stream in base 85."""


@pytest.mark.parametrize(("version", "stream"), STREAMS, ids=[f"{v}-{number}" for number, (v, _) in enumerate(STREAMS)])
def test_streams_of_dill_are_read_without_dill(version: str, stream: str) -> None:
    (seen, pair) = loads(base64.b85decode(stream))
    assert (seen["season"], seen["board"].tolist(), pair) == (1, [[0, 1, 2], [3, 4, 5]], (2.0, [5]))


def test_dill_can_name_nothing_else() -> None:
    module = b"cdill._dill\n_import_module\nX\x02\x00\x00\x00os\x85R"
    by_dill = b"\x80\x02cdill._dill\n_get_attr\n" + module + b"X\x06\x00\x00\x00system\x86R."
    with pytest.raises(NotationError, match=r"os\.system, which is not read"):
        loads(by_dill)
    with pytest.raises(NotationError, match="other than plain values"):
        loads(b"\x80\x02" + module + b".")
    with pytest.raises(NotationError, match=r"dill\._dill\._create_code, which is not read"):
        loads(b"\x80\x02cdill._dill\n_create_code\n)R.")


@pytest.mark.parametrize("protocol", [0, 2, 4])
def test_numbers_that_could_all_have_one_hash_are_no_keys(protocol: int) -> None:
    assert loads(pickle.dumps({MAX_KEY: 1, -MAX_KEY: 2}, protocol)) == {MAX_KEY: 1, -MAX_KEY: 2}
    for key in (2**61 - 1, -(2**61), MAX_KEY + 1):
        with pytest.raises(NotationError, match="a key beyond"):
            loads(pickle.dumps({key: 1}, protocol))


def test_places_in_the_memo_are_bounded() -> None:
    assert loads(b"I7\np9\n0g9\n.") == 7
    for place in (b"-1", str(2**61 - 1).encode()):
        with pytest.raises(NotationError, match="a reference beyond"):
            loads(b"I7\np" + place + b"\n.")


def test_shared_parts_stay_shared_in_value() -> None:
    part = [1, 2]
    assert loads(pickle.dumps({"a": part, "b": part, "c": [part] * 3})) == {"a": part, "b": part, "c": [part] * 3}


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20) | st.binary(),
        lambda inner: (
            st.lists(inner, max_size=5)
            | st.dictionaries(st.text(max_size=5) | st.integers(-MAX_KEY, MAX_KEY), inner, max_size=5)
        ),
        max_leaves=20,
    ),
    st.integers(0, 5),
)
def test_whatever_is_plain_comes_back(value: Any, protocol: int) -> None:
    assert loads(pickle.dumps(value, protocol)) == value


class Touch:
    """Would make a file if it were unpickled as pickles usually are."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return (open, (self.path, "w"))


@pytest.mark.parametrize("protocol", range(6))
def test_nothing_is_called(tmp_path: Path, protocol: int) -> None:
    trap = tmp_path / "trap"
    with pytest.raises(NotationError, match="open, which is not read"):
        loads(pickle.dumps([Touch(str(trap))], protocol))
    assert not trap.exists()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (pickle.dumps(Counter("aab")), "collections.Counter, which is not read"),
        (pickle.dumps({1, 2}), "makes no plain value"),
        (pickle.dumps(np.array([object()], object)), "not read"),
        (pickle.dumps(np.array(["text"])), "arrays of 'U4' are not read"),
        (pickle.dumps(np.dtype("i4")), "other than plain values"),
        (pickle.dumps(np.ndarray), "other than plain values"),
        (pickle.dumps(len), "which is not read"),
        (pickle.dumps({(1, 2): 3}), "key that is neither text nor number"),
        (pickle.dumps({1.5: 3}), "key that is neither"),
        (b"PK\x03\x04rest of a zip", "zip archive"),
        (b"", "damaged near byte 0"),
        (b".", "damaged"),
        (b"not a pickle at all", "makes no plain value|damaged"),
        (pickle.dumps([1] * 50)[:-20], "damaged|cut off"),
        (b"\x80\x04\x8e" + struct.pack("<Q", 1 << 60) + b"xx.", "cut off"),
        (b"\x80\x05\x96" + struct.pack("<Q", 1 << 60) + b"xx.", "cut off"),
        (b"r\xff\xff\xff\x7f.", "damaged"),
        (b"]" * 100 + b"a" * 99 + b".", "nested too deeply"),
        (b"\x80\x02]q\x00h\x00a.", "nested too deeply"),
        (b"cos\nsystem\n(S'true'\ntR.", "os.system"),
        (b"\x80\x02cnumpy\ndtype\nX\x02\x00\x00\x00i8b.", "damaged|other than plain"),
        (b"\x80\x02cnumpy\nndarray\n}b.", "other than plain values"),
        (b"\x80\x02K\x01K\x02R.", "other than plain values"),
        (b"\x80\x02K\x01K\x02a.", "appends to something that is not a list"),
        (b"\x80\x02cnumpy.core.multiarray\n_reconstruct\n)R.", "array without content"),
        (b"I" + b"9" * 5000 + b"\n.", "a number of 5,000 digits"),
    ],
)
def test_everything_else_is_refused_in_one_line(content: bytes, why: str) -> None:
    with pytest.raises(NotationError, match=why) as caught:
        loads(content)
    assert "\n" not in str(caught.value)


def forged(shape: tuple[Any, ...], raw: bytes, code: str = "i8") -> bytes:
    """Return an array as NumPy pickles it, with any shape and content."""

    class Forged:
        def __reduce__(self) -> tuple[Any, ...]:
            real = np.zeros(1, np.int64).__reduce__()
            return real[0], real[1], (1, shape, np.dtype(code), False, raw)

    return pickle.dumps(Forged(), 2)


@pytest.mark.parametrize(
    ("shape", "raw"),
    [
        ((1 << 40,), b""),
        ((3,), b"12345678"),
        ((-1,), b""),
        ((2, 2), b"1" * 8),
        ((1,) * 9, b"1" * 8),
        ((1.5,), b"1" * 8),
    ],
)
def test_an_array_has_exactly_the_bytes_of_its_shape(shape: tuple[Any, ...], raw: bytes) -> None:
    with pytest.raises(NotationError, match="array of"):
        loads(forged(shape, raw))


def test_a_bomb_of_shared_lists_is_cheap() -> None:
    value: list[Any] = []
    for _ in range(25):
        value = [value] * 10
    assert len(loads(pickle.dumps(value))) == 10


def text(value: str) -> bytes:
    return b"X" + struct.pack("<I", len(value)) + value.encode()


# Two to the power of thirty parts when written out, and a tuple too deep to be written at all.
WIDE = b"K\x01\x85" + b"2\x86" * 30
DEEP = b"K\x01" + b"\x85" * 100_000


@pytest.mark.parametrize("part", [WIDE, DEEP])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"}", b"K\x01s."),
        (b"", text("name") + b"\x93."),
        (text("module"), b"\x93."),
        (b"cnumpy\ndtype\n", b"\x85R."),
        (b"cdill._dill\n_import_module\n", b"\x85R."),
        (b"cdill._dill\n_get_attr\ncdill._dill\n_import_module\n" + text("numpy") + b"\x85R", b"\x86R."),
    ],
)
def test_errors_about_huge_values_are_short(before: bytes, after: bytes, part: bytes) -> None:
    with pytest.raises(NotationError, match=" a tuple") as caught:
        loads(b"\x80\x04" + before + part + after)
    assert len(str(caught.value)) < 100


def test_a_part_is_not_made_into_something_again_and_again() -> None:
    encode = b"c_codecs\nencode\nh\x00" + text("latin1") + b"\x86R"
    with pytest.raises(NotationError, match="more of its parts than there is"):
        loads(b"\x80\x04(" + text("a" * 100_000) + b"q\x00" + encode * 50 + b"t.")
    pairs = b"(" + b"".join(b"M" + struct.pack("<H", key) + b"N\x86" for key in range(10_000)) + b"tq\x00"
    with pytest.raises(NotationError, match="more of its parts than there is"):
        loads(b"\x80\x04(" + pairs + b"ccollections\nOrderedDict\nh\x00\x85R" * 50 + b"t.")


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31m", "\u202ea"])
def test_names_do_not_paint_the_terminal(name: str) -> None:
    with pytest.raises(NotationError, match="which is not read") as caught:
        loads(
            b"\x80\x04"
            + text(name).replace(struct.pack("<I", len(name)), struct.pack("<I", len(name.encode())))
            + text("open")
            + b"\x93."
        )
    assert str(caught.value).isprintable()


def test_endless_values_are_refused() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(NotationError, match="nested too deeply"):
        loads(pickle.dumps(value))


def test_steps_and_sizes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pickle_machine, "MAX_STEPS", 100)
    with pytest.raises(NotationError, match="more than 100 steps"):
        loads(b"N0" * 200 + b"N.")
    monkeypatch.setattr(container, "MAX_BYTES", 10)
    with pytest.raises(NotationError, match="too large"):
        loads(b"N0" * 10)


def assert_refused_or_plain(content: bytes) -> None:
    said = ""
    try:
        loads(content)
    except NotationError as error:
        said = str(error)
    assert "\n" not in said


@given(st.binary(max_size=200))
def test_noise_is_refused_or_plain(content: bytes) -> None:
    assert_refused_or_plain(content)


@given(st.data())
def test_damaged_files_are_refused_or_plain(data: st.DataObject) -> None:
    content = bytearray(pickle.dumps([PLAIN, *ARRAYS], data.draw(st.integers(0, 5))))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    assert_refused_or_plain(bytes(content))


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotationError, match=r"gone\.npz: cannot be read"):
        read_pickle(tmp_path / "gone.npz")
    (tmp_path / "bad.npz").write_bytes(b"PK")
    with pytest.raises(NotationError, match=r"bad\.npz: is a zip archive"):
        read_pickle(tmp_path / "bad.npz")


def resident() -> int:
    """Bytes of mapped files that this process has in memory."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("RssFile"))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is told by Linux")
def test_an_array_of_a_mapped_file_that_was_let_go_takes_no_memory_and_is_still_there(tmp_path: Path) -> None:
    numbers = np.arange(4 << 20, dtype=np.int64)
    (tmp_path / "large").write_bytes(pickle.dumps([numbers, numbers[:9].copy()], 4))
    found: Any = map_pickle(tmp_path / "large")
    before = resident()
    assert int(found[0].sum()) == int(numbers.sum())
    assert resident() - before > 24 << 20
    let_go(found[0])
    assert resident() - before < 8 << 20
    assert np.array_equal(found[0], numbers)
    assert found[1].tolist() == list(range(9))


def test_arrays_of_memory_are_not_let_go_and_neither_are_short_ones(tmp_path: Path) -> None:
    own = np.arange(5000)
    let_go(own)
    let_go(own[1:])
    (tmp_path / "short").write_bytes(pickle.dumps(np.arange(9), 4))
    short: Any = map_pickle(tmp_path / "short")
    let_go(short)
    assert short.tolist() == list(range(9))
    assert own.tolist() == list(range(5000))
