"""Files that somebody named: regular ones are read, and nothing else makes a reader wait."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from parlour.agents.diplomacy.area_network import read_small
from parlour.agents.llm.prices import read_prices
from parlour.deepmind.container import read_pickle
from parlour.deepmind.network.parameters import read_parameters
from parlour.errors import ParlourError
from parlour.files import open_regular, read_regular
from parlour.games.diplomacy.maps.map import load_map
from parlour.net.settings import gather
from parlour.referee.record import is_record, read_record

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes with names here")

READERS: dict[str, Callable[[Path], Any]] = {
    "any": open_regular,
    "record": read_record,
    "is a record": is_record,
    "pickle": read_pickle,
    "parameters": read_parameters,
    "small network": read_small,
    "map": load_map,
    "prices": read_prices,
    "settings": lambda path: gather({}, {}, path),
}


def test_a_regular_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"hello")
    assert read_regular(tmp_path / "file") == b"hello"
    assert read_regular(str(tmp_path / "file"), 2) == b"he"
    (tmp_path / "link").symlink_to(tmp_path / "file")
    assert read_regular(tmp_path / "link") == b"hello"


@pytest.mark.parametrize("kind", READERS)
def test_a_pipe_that_nobody_writes_to_makes_no_reader_wait(tmp_path: Path, kind: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises((OSError, ParlourError), match=r"not a regular file"):
        READERS[kind](tmp_path / "pipe")


@pytest.mark.parametrize("named", ["/dev/ptmx", "/dev/tty", "/dev/null", "/", "/dev/zero"])
def test_devices_and_folders_are_not_read(named: str) -> None:
    if not Path(named).exists():
        pytest.skip(f"there is no {named}")
    with pytest.raises(OSError, match=r"not a regular file|Is a directory|No such device"):
        read_regular(named)


def test_what_is_refused_is_not_left_open(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    open_before = os.open(os.devnull, os.O_RDONLY)
    os.close(open_before)
    for _ in range(10):
        with pytest.raises(OSError, match="not a regular file"):
            open_regular(tmp_path / "pipe")
    after = os.open(os.devnull, os.O_RDONLY)
    os.close(after)
    assert after == open_before, "the lowest free number is the same"
