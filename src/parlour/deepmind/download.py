"""Downloads the published files: resumes a partial download; a file appears only when whole and checked."""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import re
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from parlour.deepmind.container import read_pickle
from parlour.deepmind.network.parameters import read_parameters
from parlour.errors import ConfigError, NotationError, StoreError, Unreachable

PUBLISHED_AT = "https://storage.googleapis.com/dm-diplomacy"
FILES = {
    "sl_params.npz": "parameters by supervised imitation learning (SL)",
    "fppi2_params.npz": "parameters by fictitious play policy iteration (FPPI-2)",
    "observations.npz": "what was seen, of the reference trajectory",
    "legal_actions.npz": "what was legal",
    "step_outputs.npz": "what the network gave",
    "actions_outputs.npz": "what was played",
}
CHUNK = 1 << 20
PATIENCE = 60.0
"""Seconds without a byte after which a download is given up."""
_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+|\*)")

BytesReport = Callable[[int, int | None], None]
"""A function that is called with the number of bytes received, and the total if it is known."""


def fetch(name: str, source: str, folder: Path, report: BytesReport) -> bool:
    """Fetch a file into a folder and return True; return False if the folder has it already.

    A partial download is kept in NAME.part and resumed.

    Raises:
        Unreachable: The file cannot be fetched now.
        NotationError: The received bytes are not the published file; they are deleted.
    """
    if not source.startswith(("http://", "https://")):
        raise ConfigError(f"from: expected an address that begins with http:// or https://, got {source!r:.100}")
    target = folder / name
    if target.exists():
        return False
    folder.mkdir(parents=True, exist_ok=True)
    part, notes = folder / f"{name}.part", folder / f"{name}.part.json"
    _receive(f"{source.rstrip('/')}/{name}", part, notes, report)
    try:
        check_file(part, name)
    except NotationError as error:
        part.unlink()
        raise NotationError(f"{name}: what came is not that file: {error}") from None
    finally:
        notes.unlink(missing_ok=True)
    part.replace(target)
    return True


def check_file(path: Path, name: str) -> None:
    """Raise NotationError if a file does not have the structure of the published file of that name."""
    if name.endswith("_params.npz"):
        read_parameters(path)
        return
    value = read_pickle(path)
    if not isinstance(value, (list, tuple)) or not value:
        raise NotationError("expected a sequence with one entry a phase")


def _receive(url: str, part: Path, notes: Path, report: BytesReport) -> None:
    """Download the rest of a partial file and verify the whole."""
    have, tag = _begun(part, notes)
    request = urllib.request.Request(url, headers={"User-Agent": "parlour", "Accept-Encoding": "identity"})
    if have:
        request.add_header("Range", f"bytes={have}-")
        request.add_header("If-Range", tag)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            have, size = _placed(answer, have, part)
            notes.write_text(json.dumps({"tag": answer.headers.get("ETag", ""), "of": part.name}), encoding="utf-8")
            with part.open("ab") as file:
                have = _copy(answer, file, have, size, report)
            digest = answer.headers.get("x-goog-hash", "")
    except urllib.error.HTTPError as error:
        error.close()
        raise Unreachable(f"{url}: the server answers {error.code} {error.reason}") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Unreachable(f"{url}: {getattr(error, 'reason', None) or error}; what came is kept") from None
    if size is not None and have < size:
        raise Unreachable(f"{url}: cut off after {have:,} of {size:,} bytes; what came is kept")
    _verify(part, digest, size)


def _begun(part: Path, notes: Path) -> tuple[int, str]:
    """Return the number of bytes downloaded already and the version of the file; 0 and no version if it is unknown."""
    try:
        tag = json.loads(notes.read_text(encoding="utf-8"))["tag"]
        have = part.stat().st_size
    except (OSError, ValueError, KeyError, TypeError):
        tag, have = "", 0
    if not tag or not isinstance(tag, str):
        part.unlink(missing_ok=True)
        return 0, ""
    return have, tag


def _placed(answer: Any, have: int, part: Path) -> tuple[int, int | None]:
    """Return the first byte of the answer and the whole size; delete a partial file if the answer begins anew."""
    length = answer.headers.get("Content-Length")
    if answer.status == 206 and (found := _RANGE.fullmatch(answer.headers.get("Content-Range", ""))):
        if int(found[1]) == have:
            return have, None if found[3] == "*" else int(found[3])
    elif answer.status == 200:
        part.unlink(missing_ok=True)
        return 0, None if length is None else int(length)
    raise ValueError("the server answers with another part than was asked for")


def _copy(answer: Any, file: BinaryIO, have: int, size: int | None, report: BytesReport) -> int:
    report(have, size)
    while chunk := answer.read(CHUNK):
        try:
            file.write(chunk)
        except OSError as error:
            raise StoreError(f"{file.name}: {error.strerror}") from None
        have += len(chunk)
        report(have, size)
    return have


def _verify(part: Path, digests: str, size: int | None) -> None:
    """Compare the size and the server's checksum, if known; delete a file that differs and raise NotationError."""
    wrong = size is not None and part.stat().st_size != size
    for found in re.findall(r"md5=([A-Za-z0-9+/=]+)", digests):
        with part.open("rb") as file:
            own = hashlib.file_digest(file, "md5").digest()
        wrong = wrong or base64.b64decode(found) != own
    if wrong:
        part.unlink()
        raise NotationError(f"{part.name.removesuffix('.part')}: what came is damaged; fetch it again")
