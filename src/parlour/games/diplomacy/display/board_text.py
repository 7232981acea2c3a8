"""A position as plain text for people: one line per power, its retreats and builds, and the outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parlour.games.diplomacy.position import Position


def write_board(position: Position) -> str:
    """Return the phase, the units, centres, retreats and builds of each power, and the outcome, if there is one."""
    units, centers, builds = position.units, position.centers, position.builds
    retreats = position.retreats
    width = max(map(len, units))
    standing = {name: " ".join(f"{unit}," for unit in own).rstrip(",") or "no units" for name, own in units.items()}
    span = max(map(len, standing.values()))
    lines = [f"{position.phase_name} ({position.board.title})"]
    for name in units:
        count = len(centers[name])
        head = f"{name:<{width}} {count:>2}  {standing[name]:<{span}}"
        lines.append(f"{head}  [{' '.join(centers[name])}]" if count else head.rstrip())
        for unit, places in retreats[name].items():
            lines.append(f"{'':<{width}}     {unit} is dislodged, may retreat to {', '.join(places) or 'nowhere'}")
        if builds[name]:
            deed = f"builds {builds[name]}" if builds[name] > 0 else f"removes {-builds[name]}"
            lines.append(f"{'':<{width}}     {deed}")
    outcome = position.outcome()
    if outcome is not None:
        lines.append(outcome.reason)
    return "\n".join(lines)
