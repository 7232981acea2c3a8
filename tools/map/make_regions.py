"""Writes the drawings of shipped maps that have no drawing of their own: regions from their borders.

    python tools/map/make_regions.py [MAP...]

A drawing is made in a second, but pages should not wait for it. Run it again when a map or the code
of drawings has changed; otherwise the files stay as they are.
"""

from __future__ import annotations

import sys

import msgspec
from drawings import DRAWINGS

from parlour.games.diplomacy.draw.regions import drawn_regions
from parlour.games.diplomacy.maps.map import BOARDS, SHIPPED, named


def main(names: list[str]) -> None:
    """Write the drawings of these maps, or of all that need one."""
    for name in names or [each for each in SHIPPED if each not in (*DRAWINGS, "pure") and not named(each).geography]:
        path = BOARDS / f"{name}.geometry.json"
        path.write_bytes(msgspec.json.encode(drawn_regions(named(name))) + b"\n")
        sys.stdout.write(f"{path}: {path.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main(sys.argv[1:])
