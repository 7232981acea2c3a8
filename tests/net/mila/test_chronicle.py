"""The public past of a match: phases that are kept, forgotten and told, and who has won."""

from __future__ import annotations

import json

from parlour.core.game import Outcome
from parlour.games.diplomacy import start
from parlour.games.diplomacy.engine.state import COMPLETED as OVER
from parlour.games.diplomacy.formats.states import position_of_state, write_state
from parlour.games.diplomacy.position import Position
from parlour.net.mila.chronicle import TOGETHER, Chronicle, PhaseParts, WrittenState, note_of, winners_of

CENTRES = sorted(province.tag for province in start().board.provinces if province.centre)


def owning(phase: str = "S1902M", **centres: int) -> Position:
    """Return a position in which these have so many centres, and all others none; nobody has a unit."""
    state, free = write_state(start()), list(CENTRES)
    state["centers"] = {name: [free.pop() for _ in range(centres.get(name, 0))] for name in state["centers"]}
    state["units"] = {name: [] for name in state["units"]}
    return position_of_state(state | {"name": phase}, board=start().board, after="F1901M")


def test_phases_are_kept_in_order_and_those_that_are_played_again_forgotten() -> None:
    chronicle = Chronicle()
    years = range(1901, 1902 + 2 * TOGETHER)  # more than are packed at once, twice, and one that is not
    parts = [PhaseParts(f"S{year}M", b'{"year":%d}' % year, b"{%d}" % year, b"[]") for year in years]
    for at, one in enumerate(parts, 5):
        chronicle.add(one, at)
        assert chronicle.names == [known.name for known in parts[: at - 4]]
        assert [chronicle.parts(name) for name in chronicle.names] == parts[: at - 4]
    assert [chronicle.ended(name) for name in chronicle.names] == list(range(5, 5 + len(parts)))
    assert chronicle.cut("W1999A") == []
    for first in (len(parts) - 1, TOGETHER + 2, TOGETHER, 3):  # in and between those that are packed
        names = chronicle.names
        assert chronicle.cut(f"S{1901 + first}M") == names[first:]
        assert [chronicle.parts(name) for name in chronicle.names] == parts[:first]
        again = PhaseParts(f"S{1901 + first}M", b"again", b"{}", b"[]")
        chronicle.add(again, 1)
        assert chronicle.parts(again.name) == again
        assert chronicle.ended(again.name) == 1


def test_the_past_takes_less_room_the_longer_it_is() -> None:
    chronicle, state = Chronicle(), json.dumps(write_state(start())).encode()
    for year in range(1901, 1901 + 4 * TOGETHER):
        chronicle.add(PhaseParts(f"S{year}M", state, b"{}", b"[]"), year)
    assert not chronicle._loose
    assert sum(map(len, {packed for packed, _ in chronicle._packed.values()})) < 8 * len(state)


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
