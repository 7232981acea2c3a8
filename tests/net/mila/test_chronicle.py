"""The public past of a match: phases that are kept, forgotten and told, and who has won."""

from __future__ import annotations

import json

from parlour.core.game import Outcome
from parlour.games.diplomacy import start
from parlour.games.diplomacy.position import Position
from parlour.games.diplomacy.states import position_of_state, write_state
from parlour.net.mila.chronicle import OVER, Chronicle, PhaseParts, WrittenState, note_of, winners_of

CENTRES = sorted(province.tag for province in start().board.provinces if province.centre)


def owning(phase: str = "S1902M", **centres: int) -> Position:
    """A position in which these have so many centres, and all others none; nobody has a unit."""
    state, free = write_state(start()), list(CENTRES)
    state["centers"] = {name: [free.pop() for _ in range(centres.get(name, 0))] for name in state["centers"]}
    state["units"] = {name: [] for name in state["units"]}
    return position_of_state(state | {"name": phase}, board=start().board, after="F1901M")


def test_phases_are_kept_in_order_and_those_that_are_played_again_forgotten() -> None:
    chronicle = Chronicle()
    parts = [PhaseParts(name, b'{"a":1}', b"{}", b"[]") for name in ("S1901M", "F1901M", "S1902M")]
    for at, one in enumerate(parts, 5):
        chronicle.add(one, at)
    assert chronicle.names == ["S1901M", "F1901M", "S1902M"]
    assert [chronicle.ended(name) for name in chronicle.names] == [5, 6, 7]
    assert [chronicle.parts(name) for name in chronicle.names] == parts
    assert chronicle.cut("W1999A") == []
    assert chronicle.cut("F1901M") == ["F1901M", "S1902M"]
    assert chronicle.names == ["S1901M"]


def test_a_solo_is_won_by_one_and_a_draw_by_all_who_are_still_there() -> None:
    shared = Outcome({}, (("FRANCE", "ITALY", "TURKEY"),), "draw")
    assert winners_of(owning(FRANCE=17, ITALY=3), shared) == ["FRANCE", "ITALY"], "Turkey has nothing left"
    solo = Outcome({}, (("FRANCE",), ("ITALY",)), "solo")
    assert winners_of(owning(OVER, FRANCE=18, ITALY=3), solo) == ["FRANCE"]
    # Who has enough centres has not won yet: they are counted in fall, and may have to be held for a year.
    assert winners_of(owning(FRANCE=18, ITALY=3), shared) == ["FRANCE", "ITALY"]
    landless = start()
    assert winners_of(landless, Outcome({}, (("FRANCE",),), "draw")) == ["FRANCE"]


def test_under_a_board_stands_who_has_won_if_somebody_has() -> None:
    solo = Outcome({}, (("FRANCE",), ("ITALY",)), "solo")
    assert note_of(owning(OVER, FRANCE=18, ITALY=3), solo) == "Victory by: FRA"
    shared = Outcome({}, (("FRANCE", "ITALY"),), "draw")
    assert note_of(owning(FRANCE=17, ITALY=3), shared) == "Victory by: FRA, ITA"
    assert note_of(start(), None) == note_of(start(), Outcome({}, (), "cancelled")) == ""


def test_a_state_is_told_with_its_time_and_as_over_with_its_winners() -> None:
    written = WrittenState(start().board)
    first, again = json.loads(written.at(start(), 5)), json.loads(written.at(start(), 9))
    assert (first.pop("timestamp"), again.pop("timestamp")) == (5, 9)
    assert first == again == {key: value for key, value in write_state(start()).items() if key != "timestamp"}
    other = json.loads(written.at(owning(FRANCE=3), 11))
    assert (other["timestamp"], other["name"]) == (11, "S1902M")
    over = json.loads(written.over(start(), 13, Outcome({}, (("FRANCE",),), "draw")))
    assert (over["timestamp"], over["name"], over["note"]) == (13, OVER, "Victory by: FRA")
