"""Seeds that follow from others: what an earlier version began comes out the same again."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import parlour
from parlour.core import seeds

EARLIER: dict[Callable[..., int], tuple[tuple[Any, ...], int]] = {
    seeds.derived: ((1, "a", 3), 4316680685705128704),
    seeds.local_player: ((7, 2), 7002),
    seeds.client_player: ((3, 5), 3005),
    seeds.match_in_row: ((11, 4), 15),
    seeds.hosted_player: ((20210114, "Ann"), 46135117624677218),
    seeds.strangers_match: ((20210114, 1, 1), 4410519902556362625),
    seeds.block_matches: ((4, 9), 7921764376692692623),
    seeds.draw_of_seats: ((4, 9, ("a", "b")), 5529293096230921073),
    seeds.swiss_pairing: ((4,), 3202166670690128295),
    seeds.training_match: ((4, 9), 2474412068783347050),
    seeds.training_round: ((4, 9), 13),
    seeds.environment_opponent: ((4, 9), 13),
    seeds.second_search: ((4,), 4 ^ 1 << 62),
    seeds.network_key: ((5 << 32 | 9,), 5 << 32 | 12),
    seeds.resampling: ((70000,), 4464),
    seeds.seat_in_block: ((4, 9), 407520802327024851),
    seeds.sealed_turn: ((4, 9), 12906315605020725397),
}
"""Results of each function before all of them were in one module."""
SEQUENCES: dict[Callable[..., Any], tuple[tuple[Any, ...], Any]] = {
    seeds.training_draws: ((4, 9), (4, 9)),
    seeds.model_names: ((4,), "names 4"),
}
"""Arguments of generators that accept more than one number."""


def test_every_seed_is_the_one_of_earlier_versions() -> None:
    found = {name: call for name, call in inspect.getmembers(seeds, inspect.isfunction) if not name.startswith("_")}
    assert found.keys() == {call.__name__ for call in (*EARLIER, *SEQUENCES)}
    assert all(call(*given) == expected for call, (given, expected) in SEQUENCES.items())
    assert {call.__name__: call(*given) for call, (given, _) in EARLIER.items()} == {
        call.__name__: expected for call, (_, expected) in EARLIER.items()
    }
    assert all(0 <= seeds.derived(1, n) < 2**63 for n in range(20))
    assert all(0 <= seeds.hosted_player(1, f"player {n}") < 2**56 for n in range(20))


def test_no_other_module_hashes_a_seed() -> None:
    package = Path(parlour.__file__).parent
    found = [
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if path.name != "seeds.py" and "seed" in (text := path.read_text(encoding="utf-8")) and "blake2b" in text
    ]
    assert found == []
