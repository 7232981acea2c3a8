"""Parameters of a network: read from published and safe files, checked name by name, written back.

Three kinds of files are recognised by their first bytes: the published one (a pickle of parameters, state and step,
even though its name ends in .npz), safetensors, and NumPy's real .npz.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import tokenize
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np
import numpy.typing as npt

from parlour.core.game import Plain
from parlour.deepmind.container import let_go, map_pickle
from parlour.deepmind.network.config import NetworkConfig, config_of
from parlour.deepmind.network.names import ArrayName, entries
from parlour.deepmind.network.safetensors import Named, read_safetensors, write_safetensors
from parlour.errors import NotationError, ParametersError
from parlour.files import open_regular

FORMAT = "parlour-network-1"
MAX_UNPACKED = 4 << 30
"""Maximum bytes of all arrays of an archive; the published ones have a seventh of that."""
_DAMAGED = (
    *(ValueError, EOFError, KeyError, NotImplementedError, RuntimeError, MemoryError, RecursionError, SyntaxError),
    *(zipfile.BadZipFile, zlib.error, tokenize.TokenError),
)
"""Exceptions of NumPy and its zip reader for an archive that is damaged, encrypted or impossible."""
FileKind = Literal["published", "safetensors", "npz"]


@dataclass(frozen=True)
class Parameters:
    """A set of parameters under our names, with the sizes of the network that they are for."""

    config: NetworkConfig
    arrays: Named
    step: int = 0
    """Number of training steps."""

    def __post_init__(self) -> None:
        found = mismatches(self.arrays, {entry.ours: entry for entry in entries(self.config)})
        if found:
            raise ParametersError(f"{len(found)} of the network's arrays do not fit", found)

    def published(self) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]], int]:
        """Return the published triple: parameters, state and step, each array by module and name."""
        parts: tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]] = ({}, {})
        for entry in entries(self.config):
            parts[entry.state].setdefault(entry.module, {})[entry.name] = self.arrays[entry.ours]
        return *parts, self.step


def mismatches(arrays: Mapping[str, Any], expected: Mapping[str, ArrayName]) -> list[str]:
    """Return a sentence for each array that is missing, unknown, of another shape or of another type."""
    found = [f"{name!r} is missing" for name in expected if name not in arrays]
    found += [f"{name[:80]!r} is not known" for name in arrays if name not in expected]
    for name, entry in expected.items():
        array = arrays.get(name)
        if array is None:
            continue
        if tuple(array.shape) != entry.shape:
            found.append(f"{name!r} has shape {tuple(array.shape)}, expected {entry.shape}")
        elif array.dtype.kind not in ("iu" if entry.whole else "f"):
            found.append(f"{name!r} is of {array.dtype}, expected {'whole numbers' if entry.whole else 'float32'}")
    return found


def from_published(triple: Plain, config: NetworkConfig | None = None) -> Parameters:
    """Return the parameters of the published triple; without a config the sizes are read from the arrays."""
    if not isinstance(triple, (tuple, list)) or len(triple) != 3:
        raise ParametersError("expected parameters, state and step")
    flat: dict[str, Any] = {}
    for part in triple[:2]:
        if not isinstance(part, Mapping):
            raise ParametersError(f"expected arrays by module and name, got {type(part).__name__}")
        for module, named in part.items():
            for name, array in named.items() if isinstance(named, Mapping) else (("", None),):
                flat[f"{module}|{name}"] = np.asarray(array)
    step = np.asarray(triple[2])
    if step.shape not in ((), (1,)) or step.dtype.kind not in "iu":
        raise ParametersError(f"step: expected a whole number, got {type(triple[2]).__name__}")
    config = _sizes(flat, config)
    table = {entry.published: entry for entry in entries(config)}
    if found := mismatches(flat, table):
        raise ParametersError(f"{len(found)} of the network's arrays do not fit", found)
    arrays = {entry.ours: _settled(flat.pop(name), entry) for name, entry in table.items()}
    return Parameters(config, arrays, int(step.reshape(-1)[0]))


def _sizes(flat: Mapping[str, Any], config: NetworkConfig | None) -> NetworkConfig:
    found = config or config_of({name: tuple(array.shape) for name, array in flat.items()})
    if found is None:
        raise ParametersError(f"no network has these {len(flat)} arrays: expected the published modules and shapes")
    return found


def _settled(array: npt.NDArray[Any], entry: ArrayName) -> npt.NDArray[Any]:
    """Return the array as float32, or int32 for a counter, in a layout for products; in place if possible."""
    settled = np.require(array, np.int32 if entry.whole else np.float32, ["C", "A"])
    if settled is not array:
        let_go(array)
    return settled


def read_parameters(path: Path | str, config: NetworkConfig | None = None) -> Parameters:
    """Return the parameters in a file of any of the three kinds.

    Raise NotationError if the file is damaged, foreign or does not fit.

    Args:
        path: File of parameters.
        config: Sizes that the file must have; any if None.
    """
    path = Path(path)
    try:
        kind = kind_of(path)
        if kind == "published":
            return from_published(map_pickle(path), config)
        arrays, words = read_safetensors(path) if kind == "safetensors" else _read_npz(path)
        return _from_words(arrays, words, config)
    except OSError as error:
        raise NotationError(f"{path.name}: cannot be read: {error.strerror}") from None
    except ParametersError as error:
        error.args = (f"{path.name}: {error}",)
        raise
    except NotationError as error:
        raise NotationError(f"{path.name}: {error}") from None


def kind_of(path: Path) -> FileKind:
    """Return the kind of a file, by its first bytes."""
    with open_regular(path) as file:
        begin = file.read(9)
    if begin[:2] == b"PK":
        return "npz"
    return "safetensors" if begin[8:] == b"{" else "published"


def _from_words(arrays: Named, words: Mapping[str, str], config: NetworkConfig | None) -> Parameters:
    if words.get("format") != FORMAT:
        raise ParametersError("holds arrays, but not those of a network of ours")
    try:
        own = NetworkConfig.from_plain(json.loads(words["config"]))
        step = int(words.get("step", "0"))
    except (KeyError, ValueError, TypeError, RecursionError) as error:
        raise ParametersError(f"its sizes cannot be read: {error!s:.100}") from None
    table = {entry.ours: entry for entry in entries(config or own)}
    if found := mismatches(arrays, table):
        raise ParametersError(f"{len(found)} of the network's arrays do not fit", found)
    return Parameters(config or own, {name: _settled(arrays[name], entry) for name, entry in table.items()}, step)


def _read_npz(path: Path) -> tuple[Named, dict[str, str]]:
    """Return arrays and words of NumPy's own archive; nothing is unpickled."""
    try:
        with open_regular(path) as file, np.load(file, allow_pickle=False) as archive:
            fits = sum(part.file_size for part in archive.zip.infolist()) <= MAX_UNPACKED
            arrays = {name: archive[name] for name in archive.files if fits}
    except _DAMAGED as error:
        raise NotationError(f"a damaged archive, or one of other things than arrays: {error!s:.80}") from None
    if not fits:
        raise NotationError(f"an archive of more than {MAX_UNPACKED:,} bytes")
    words = {name.removeprefix("word:"): str(arrays.pop(name)) for name in list(arrays) if name.startswith("word:")}
    return arrays, words


def write_parameters(parameters: Parameters, path: Path | str, kind: FileKind | None = None) -> None:
    """Write a file, whole or not at all; without a kind, .npz means NumPy's archive and other names safetensors.

    Args:
        parameters: Parameters to write.
        path: File to write.
        kind: Format of the file; by its suffix if None.
    """
    path = Path(path)
    kind = kind or ("npz" if path.suffix == ".npz" else "safetensors")
    words = {"format": FORMAT, "config": json.dumps(parameters.config.as_plain()), "step": str(parameters.step)}
    with whole_file(path) as file:
        if kind == "published":
            pickle.dump(parameters.published(), file, protocol=4)
        elif kind == "npz":
            texts = {f"word:{name}": np.array(text) for name, text in words.items()}
            np.savez(file, **parameters.arrays, **texts)  # type: ignore[arg-type]
        else:
            write_safetensors(file, parameters.arrays, words)


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file that gets its name only when it is written and on the disk; a failure leaves nothing."""
    part = path.with_name(f"{path.name}.part{os.getpid()}")
    try:
        with part.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def made_parameters(config: NetworkConfig, seed: int = 0) -> Parameters:
    """Return fresh parameters as the published code begins with, and statistics of zero mean and unit variance."""
    rng = np.random.default_rng(seed)
    arrays = {entry.ours: _fresh(entry, rng) for entry in entries(config)}
    return Parameters(config, arrays)


def _fresh(entry: ArrayName, rng: np.random.Generator) -> npt.NDArray[Any]:
    if entry.whole:
        return np.ones(entry.shape, np.int32)
    if entry.name in ("hidden", "average", "scale"):
        value = "var" in entry.module.rpartition("/")[2] or entry.name == "scale"
        # One observation of the statistic, of which a tenth goes into the sum.
        return np.full(entry.shape, value * (0.1 if entry.name == "hidden" else 1), np.float32)
    if entry.name in ("offset", "b"):
        return np.zeros(entry.shape, np.float32)
    if entry.name == "embeddings":
        return rng.uniform(-1, 1, entry.shape).astype(np.float32)
    spread = np.float32(1 / np.sqrt(entry.shape[-2]))
    noise: npt.NDArray[Any] = rng.standard_normal(entry.shape, dtype=np.float32) * spread
    return noise
