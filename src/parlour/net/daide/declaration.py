"""The declaration of the door for DAIDE bots: settings, module, a command to try."""

from __future__ import annotations

import re

from parlour.errors import ConfigError
from parlour.net.declaration import DoorDeclaration

NUMBERINGS = ("clients", "document")


def read_ports(text: str) -> range:
    """Return the ports of a range such as 8434-8600; an empty range for an empty text.

    Raise ConfigError if the text is not a range.
    """
    if not text:
        return range(0)
    found = re.fullmatch(r"([0-9]{1,5})-([0-9]{1,5})", text)
    first, last = (int(number) for number in found.groups()) if found else (0, 0)
    if not 1024 <= first <= last <= 65_535:
        raise ConfigError(f"daide-ports: expected like 8434-8600, from 1024 on, got {text[:40]!r}", field="daide_ports")
    return range(first, last + 1)


def _hint(address: str, program: str) -> str:
    return f"let a DAIDE bot connect, or {program} join daide://{address} --agent search"


DAIDE = DoorDeclaration(
    "daide",
    "daide_port",
    (
        "daide_port",
        "daide_level",
        "daide_mtl",
        "daide_options",
        "daide_years",
        "daide_map",
        "daide_numbering",
        "daide_ports",
    ),
    "parlour.net.daide.door",
    _hint,
    game="diplomacy",
)
