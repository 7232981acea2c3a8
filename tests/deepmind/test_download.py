"""Fetching the published files from a server on this machine: whole, cut off, resumed, changed, wrong."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import pickle
import resource
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner

from parlour.cli import parlour
from parlour.deepmind import read_parameters
from parlour.deepmind.download import fetch
from parlour.errors import ConfigError, NotationError, StoreError, Unreachable
from support.deepmind import golden as golden

NAME = "actions_outputs.npz"
CONTENT = pickle.dumps([([[1, 2]] * 7, {"noise": b"x" * 3_000_000})])


class Shelf:
    """A server with files, which may misbehave."""

    def __init__(self) -> None:
        self.files = {NAME: CONTENT}
        self.tag = '"first"'
        self.cut: int | None = None
        """Bytes after which it hangs up."""
        self.ranges = True
        self.digest = True
        self.lie = 0
        """Added to the place from which a range is said to be."""
        self.asked: list[str | None] = []
        shelf = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                with contextlib.suppress(ConnectionError):  # who reads may hang up in the middle
                    shelf.answer(self)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/shelf"

    def answer(self, asked: BaseHTTPRequestHandler) -> None:
        content = self.files.get(asked.path.rpartition("/")[2])
        wanted = asked.headers.get("Range")
        self.asked.append(wanted)
        if content is None:
            asked.send_error(404)
            return
        first = 0
        if wanted and self.ranges and asked.headers.get("If-Range") == self.tag:
            first = int(wanted.removeprefix("bytes=").rstrip("-"))
            asked.send_response(206)
            asked.send_header("Content-Range", f"bytes {first + self.lie}-{len(content) - 1}/{len(content)}")
        else:
            asked.send_response(200)
        asked.send_header("ETag", self.tag)
        asked.send_header("Content-Length", str(len(content) - first))
        if self.digest:
            asked.send_header("x-goog-hash", f"md5={base64.b64encode(hashlib.md5(content).digest()).decode()}")
        asked.end_headers()
        asked.wfile.write(content[first : None if self.cut is None else self.cut])
        asked.close_connection = True


@pytest.fixture
def shelf() -> Iterator[Shelf]:
    made = Shelf()
    yield made
    made.server.shutdown()
    made.server.server_close()


def quiet(have: int, size: int | None) -> None:
    pass


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_a_file_is_fetched_and_told_of(shelf: Shelf, tmp_path: Path) -> None:
    told: list[tuple[int, int | None]] = []
    assert fetch(NAME, shelf.url, tmp_path / "new", lambda have, size: told.append((have, size)))
    assert (tmp_path / "new" / NAME).read_bytes() == CONTENT
    assert names(tmp_path / "new") == [NAME]
    assert told[0] == (0, len(CONTENT))
    assert told[-1] == (len(CONTENT), len(CONTENT))
    assert not fetch(NAME, shelf.url, tmp_path / "new", quiet)
    assert len(shelf.asked) == 1


def test_what_was_cut_off_goes_on_where_it_stopped(shelf: Shelf, tmp_path: Path) -> None:
    shelf.cut = 1_000_000
    with pytest.raises(Unreachable, match=r"cut off|IncompleteRead|1000000 bytes"):
        fetch(NAME, shelf.url, tmp_path, quiet)
    assert names(tmp_path) == [f"{NAME}.part", f"{NAME}.part.json"]
    have = (tmp_path / f"{NAME}.part").stat().st_size
    assert 0 < have <= 1_000_000
    shelf.cut = None
    assert fetch(NAME, shelf.url, tmp_path, quiet)
    assert shelf.asked == [None, f"bytes={have}-"]
    assert (tmp_path / NAME).read_bytes() == CONTENT
    assert names(tmp_path) == [NAME]


@pytest.mark.parametrize("change", ["the file changed", "no ranges", "no notes"])
def test_it_begins_anew_where_it_cannot_go_on(shelf: Shelf, tmp_path: Path, change: str) -> None:
    shelf.cut = 1_000_000
    with pytest.raises(Unreachable):
        fetch(NAME, shelf.url, tmp_path, quiet)
    shelf.cut = None
    if change == "the file changed":
        shelf.tag = '"second"'
        shelf.files[NAME] = pickle.dumps([([[3]] * 7, {})])
    elif change == "no ranges":
        shelf.ranges = False
    else:
        (tmp_path / f"{NAME}.part.json").unlink()
    assert fetch(NAME, shelf.url, tmp_path, quiet)
    assert (tmp_path / NAME).read_bytes() == shelf.files[NAME]


def test_another_part_than_was_asked_for_is_refused(shelf: Shelf, tmp_path: Path) -> None:
    shelf.cut = 1_000_000
    with pytest.raises(Unreachable):
        fetch(NAME, shelf.url, tmp_path, quiet)
    shelf.cut, shelf.lie = None, -7
    with pytest.raises(Unreachable, match="another part than was asked for"):
        fetch(NAME, shelf.url, tmp_path, quiet)
    assert not (tmp_path / NAME).exists()


def test_a_damaged_file_is_not_put_in_place(shelf: Shelf, tmp_path: Path) -> None:
    shelf.cut = 1_000_000
    with pytest.raises(Unreachable):
        fetch(NAME, shelf.url, tmp_path, quiet)
    part = tmp_path / f"{NAME}.part"
    part.write_bytes(b"?" + part.read_bytes()[1:])
    shelf.cut = None
    with pytest.raises(NotationError, match=r"actions_outputs\.npz: what came is damaged"):
        fetch(NAME, shelf.url, tmp_path, quiet)
    assert not part.exists()
    assert not (tmp_path / NAME).exists()


@pytest.mark.parametrize("content", [b"<html>sorry</html>", pickle.dumps([]), pickle.dumps({"a": 1})])
def test_something_else_is_not_put_in_place(shelf: Shelf, tmp_path: Path, content: bytes) -> None:
    shelf.files[NAME] = content
    with pytest.raises(NotationError, match=r"actions_outputs\.npz: what came is not that file"):
        fetch(NAME, shelf.url, tmp_path, quiet)
    assert names(tmp_path) == []


def test_parameters_must_be_parameters(shelf: Shelf, tmp_path: Path) -> None:
    shelf.files["sl_params.npz"] = CONTENT
    with pytest.raises(NotationError, match="what came is not that file"):
        fetch("sl_params.npz", shelf.url, tmp_path, quiet)
    shelf.files["sl_params.npz"] = pickle.dumps(golden.triple(), 4)
    assert fetch("sl_params.npz", shelf.url, tmp_path, quiet)
    assert read_parameters(tmp_path / "sl_params.npz").config == golden.parameters().config


def test_a_server_that_has_it_not_and_one_that_is_not_there(shelf: Shelf, tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match="the server answers 404"):
        fetch("observations.npz", shelf.url, tmp_path, quiet)
    with pytest.raises(Unreachable, match="refused"):
        fetch(NAME, "http://127.0.0.1:9", tmp_path, quiet)
    for wrong in ("nowhere", "file:///etc"):
        with pytest.raises(ConfigError, match="expected an address that begins with http"):
            fetch(NAME, wrong, tmp_path, quiet)


def test_what_cannot_be_written_is_no_fault_of_the_server(shelf: Shelf, tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, hard))
    try:
        with pytest.raises(StoreError, match="File too large"):
            fetch(NAME, shelf.url, tmp_path, quiet)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not (tmp_path / NAME).exists()


def test_on_the_command_line(shelf: Shelf, tmp_path: Path) -> None:
    asked = ["deepmind", "download", NAME, "--from", shelf.url, "--output-dir", str(tmp_path)]
    done = CliRunner().invoke(parlour, asked)
    assert (done.exit_code, done.stdout) == (0, f"{tmp_path / NAME}: what was played\n")
    assert "100%" in done.stderr
    again = CliRunner().invoke(parlour, asked)
    assert again.stdout == f"{tmp_path / NAME} is there already\n"
    wrong = CliRunner().invoke(parlour, ["deepmind", "download", "other.npz"])
    assert wrong.exit_code == 2
    assert "there is no 'other.npz'" in wrong.stderr


def test_parameters_are_converted(tmp_path: Path) -> None:
    source, safe, back = tmp_path / "sl_params.npz", tmp_path / "sl.safetensors", tmp_path / "again.npz"
    source.write_bytes(pickle.dumps(golden.triple(), 4))
    done = CliRunner().invoke(parlour, ["deepmind", "convert", str(source), str(safe)])
    assert (done.exit_code, done.stdout) == (0, f"{safe}: 151 arrays, 1,090,913 numbers, step 3\n")
    assert (
        CliRunner().invoke(parlour, ["deepmind", "convert", str(safe), str(back), "--as", "published"]).exit_code == 0
    )
    assert read_parameters(back).step == 3
    assert pickle.loads(back.read_bytes())[0].keys() == golden.triple()[0].keys()
