"""Reads a map from a file of any known format."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from parlour.errors import ConfigError, MapError
from parlour.files import read_regular
from parlour.games.diplomacy.imports.dotmap import DotMapReader
from parlour.games.diplomacy.imports.draft import MapDraft
from parlour.games.diplomacy.imports.jdip import JdipReader
from parlour.games.diplomacy.maps.map import MAX_FILE, Map, read_map
from parlour.games.diplomacy.ordering.actions import action_table

_DOT_MAP = re.compile(
    r"^[ \t]*(?:[A-Za-z]+[ \t]+[A-Za-z0-9/]+[ \t]+ABUTS\b|(?:MAP|USES?|UNPLAYED|UNOWNED|BEGIN)[ \t]"
    r"|use[ \t]|map[ \t]+\S+\.)",
    re.MULTILINE,
)
"""Matches text that only a `.map` file has: borders, an upper-case statement, or the name of another file."""


class Form(StrEnum):
    """A format of map files."""

    OWN = "parlour"
    DOT_MAP = ".map"
    JDIP = "jDip"


@dataclass(frozen=True, slots=True)
class LoadedMap:
    """A map from a file."""

    map: Map
    form: Form
    text: str
    """The map in our own format."""
    notes: tuple[str, ...] = ()
    """Statements that were left out because they have no effect here."""


def load_any(path: Path | str, *, plain_ports: bool = False, variant: str | None = None) -> LoadedMap:
    """Read and check a map file of any known format; raise MapError with the file, the line and the reason.

    With plain_ports, ports are read as coasts: fleets do not convoy there. A variants.xml of jDip may have several
    variants; variant names one.
    """
    path = Path(path)
    text = _text_of(path)

    def beside(name: str) -> str:
        return _text_of(path.parent / name)

    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        return _drafted(JdipReader(text, str(path), variant, beside, plain_ports).draft(), Form.JDIP, path)
    if variant is not None:
        raise MapError("variant: expected only for a variants.xml of jDip", path=str(path), line=0)
    if not _DOT_MAP.search(text):
        return LoadedMap(_playable(read_map(text, str(path)), path), Form.OWN, text)
    return _drafted(DotMapReader(text, str(path), path.stem, beside, plain_ports).draft(), Form.DOT_MAP, path)


def _drafted(draft: MapDraft, form: Form, path: Path) -> LoadedMap:
    return LoadedMap(_playable(draft.map(), path), form, draft.text(), tuple(draft.notes))


def _playable(board: Map, path: Path) -> Map:
    """Return the map; raise MapError if it has too many actions."""
    try:
        action_table(board)
    except ConfigError as error:
        more = "; fewer with --plain-ports" if any(province.port for province in board.provinces) else ""
        raise MapError(f"{str(error).removeprefix('map: ')}{more}", path=str(path), line=0) from None
    return board


def _text_of(path: Path) -> str:
    try:
        content = read_regular(path, MAX_FILE + 1)
    except OSError as error:
        raise MapError(f"cannot be read: {error.strerror}", path=str(path), line=0) from None
    if len(content) > MAX_FILE:
        raise MapError(f"larger than {MAX_FILE} bytes", path=str(path), line=0)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise MapError("not UTF-8 text", path=str(path), line=0) from None
