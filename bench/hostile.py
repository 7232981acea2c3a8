"""Waiting time of an honest player beside one hostile connection, and beside twenty, on a real `parlour serve`.

Figures are the median and the 99th percentile of round trips of orders, in milliseconds: at most 50 beside one, 200
beside twenty. The first row has no hostile connection. On a busy machine all figures grow; compare with the first row.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tools" / "hostile"))

import cost_attacks
import house_attacks
import record_attacks
import unlisted_attacks
from house import Felt, House, honest_player, temporary_house
from table import ATTACKS, Attack

KINDS = (cost_attacks, house_attacks, record_attacks, unlisted_attacks)
"""Modules whose attacks are in the table once they are imported."""
SECONDS = 4.0
LIMITS = {1: 50.0, 20: 200.0}
"""Milliseconds, by the number of hostile connections."""


failed: Counter[tuple[str, int]] = Counter()
"""Number of hostile connections that did not attack: they were refused, or received no answer."""


async def felt(house: House, one: Attack | None, connections: int) -> Felt:
    """Return the round trips of an honest player beside this number of connections with the same attack."""
    if one is not None and one.prepare is not None:
        await one.prepare(house)
    async with honest_player(house) as found:
        if one is None:
            await asyncio.sleep(SECONDS)
        else:
            work = (one.run(house, SECONDS) for _ in range(connections))
            results = await asyncio.gather(*work, return_exceptions=True)
            failed[one.title, connections] = sum(isinstance(result, BaseException) for result in results)
    return found[0]


def main() -> None:
    """Print a row for each kind of hostile connection."""
    print(f"{'hostile connection':58} {'one: p50':>9} {'p99':>6}   {'twenty: p50':>11} {'p99':>6}   limits 50, 200 ms")
    with temporary_house() as house:
        for one in (None, *(each for each in ATTACKS if each.floods)):
            found = {count: asyncio.run(felt(house, one, count)) for count in ((1,) if one is None else LIMITS)}
            title = "(none)" if one is None else one.title
            cells = "   ".join(f"{each.median:9.1f} {each.p99:6.1f}" for each in found.values())
            late = any(each.lost or each.p99 > LIMITS[count] for count, each in found.items())
            idle = sum(failed[title, count] for count in LIMITS)
            print(
                f"{title:58} {cells}{'   over' if late else ''}{f'   {idle} did not attack' if idle else ''}",
                flush=True,
            )


if __name__ == "__main__":
    main()
