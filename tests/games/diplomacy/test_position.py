"""The position: its value, its forms, its contract with the referee, its integer path."""

from __future__ import annotations

import copy
import pickle
import random
from pathlib import Path

import numpy as np
import pytest

from parlour.core.game import FoulKind, Plain, Seat
from parlour.core.viewers import seated_on
from parlour.errors import ConfigError, IllegalAction, NotationError
from parlour.games import diplomacy
from parlour.games.diplomacy.engine.rules import rules_of
from parlour.games.diplomacy.formats.forms import read_state
from parlour.games.diplomacy.formats.states import position_of_state
from parlour.games.diplomacy.maps.map import named, read_map
from parlour.games.diplomacy.ordering.legality import Entry, OrderParser
from parlour.games.diplomacy.ordering.reading import MAX_ORDERS
from parlour.games.diplomacy.position import Position
from parlour.games.diplomacy.scoring import Scoring

FRANCE, GERMANY, RUSSIA = Seat("FRANCE"), Seat("GERMANY"), Seat("RUSSIA")


def walk(seed: int, phases: int, position: Position | None = None) -> list[Position]:
    rng = random.Random(seed)
    found = [position or Position.start()]
    for _ in range(phases):
        now = found[-1]
        if now.over:
            break
        found.append(now.resolve({seat: now.sample(seat, rng) for seat in now.to_act()}))
    return found


@pytest.mark.parametrize("name", ["standard", "lagoon"])
def test_all_forms_give_an_equal_position_back(name: str) -> None:
    start = Position.start(named(name), last_year=1950, scoring=Scoring.DRAW_SIZE)
    seats = start.to_act()
    for position in [*walk(1, 30, start), *walk(2, 10, start.without(seats[0]))]:
        assert eval(repr(position)) == position
        assert Position.read(position.fen) == position
        assert diplomacy.GAME.decode(position.encode()) == position
        assert pickle.loads(pickle.dumps(position)) == position
        assert hash(copy.deepcopy(position)) == hash(position)


def test_a_position_on_a_map_of_ones_own_pickles() -> None:
    text = (
        "map pond\ntitle Pond\nbegin 1\nvictory 2\npower EAST EST East\npower WEST WST West\nland EEE Eastbank\n"
        "land WWW Westbank\nhome EAST EEE\nhome WEST WWW\nstart EAST A EEE\nstart WEST A WWW\n"
        "army EEE WWW\narmy WWW EEE\n"
    )
    for name in ("pond", "standard"):
        position = Position.start(read_map(text.replace("pond", name)))
        again = pickle.loads(pickle.dumps(position))
        assert again == position
        assert again.units == {"EAST": ["A EEE"], "WEST": ["A WWW"]}
        assert Position.read(position.fen, position.board) == position
        assert position != Position(named("lagoon"), position.state)


def test_arrays_of_a_position_cannot_be_written_to() -> None:
    start = Position.start()
    for array in (start.row, start.legal_actions(), start.legal_actions(FRANCE)):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_centres_have_one_name_in_the_api_and_its_page() -> None:
    page = (Path(__file__).parents[3] / "docs" / "reference" / "diplomacy.md").read_text(encoding="utf-8")
    assert [name for name in ("centers", "centres") if hasattr(Position, name)] == ["centers"]
    assert [name for name in ("centers", "centres") if f"`{name}`" in page] == ["centers"]


def test_positions_that_differ_are_not_equal() -> None:
    start = Position.start()
    others = [
        start.resolve({}),
        start.without(FRANCE),
        Position.start(last_year=1910),
        Position.start(scoring=Scoring.SOLO),
        Position.start(named("lagoon")),
    ]
    assert len({start, *others}) == 6


@pytest.mark.parametrize(
    "text",
    [
        "", "standard", "nowhere S1901M", "standard S1901", "standard S1901M XXX=APAR", "standard S1901M FRA=PAR",
        "standard S1901M FRA=APAR,APAR", "standard S1901M FRA=FPAR", "standard S1901M FRA=AENG",
        "standard S1901M FRA=FSTP", "standard S1901M FRA=FSTP/EC", "standard S1901M FRA=ASTP/NC",
        "standard S1901M - FRA=BUR", "standard S1901M - FRA=PAR;GER=PAR", "standard S1901R - - FRA=ABUR<XXX",
        "standard S1901R - - - XXX", "standard S1901M - - - - last:x", "standard S1901M - - - - last:99999",
        "standard S1901M - - - - built:1,2", "standard S1901M - - - - removed:XXX", "standard S1901M - - - - foo:1",
        "standard S1901M - - - - ended:XXX", "standard S1901M - - - - scoring:foo", "a b c d e f g h", "x" * 9000,
        "standard S1901M - - FRA=ABUR", "standard W1901A - - - BUR", "standard S1901R - - FRA=ABUR BUR",
        "standard S1901M - - - - last:--1", "standard S1901M - - - - last:000000999999",
    ],
)  # fmt: skip
def test_a_compact_text_that_is_none_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(ValueError, match="expected") as caught:
        Position.read(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", [None, 3, [], "standard", "nowhere S1901M"])
def test_the_game_refuses_to_decode_what_is_no_position(value: Plain) -> None:
    with pytest.raises(NotationError):
        diplomacy.GAME.decode(value)


def test_it_prints_as_a_table() -> None:
    lines = str(diplomacy.start()).splitlines()
    assert lines[0] == "Spring 1901, movement (Standard)"
    assert lines[6] == "RUSSIA   4  A MOS, F SEV, F STP/SC, A WAR  [MOS SEV STP WAR]"
    retreat = Position(
        *read_state(
            {
                "phase": "S1901R",
                "units": {"GERMANY": ["A BUR"]},
                "retreats": {"FRANCE": {"A BUR": ["PAR"]}},
            }
        )
    )
    assert "A BUR is dislodged, may retreat to PAR" in str(retreat)
    winter = Position(*read_state({"phase": "W1901A", "units": {"FRANCE": ["A BUR"]}, "centers": {"FRANCE": ["PAR"]}}))
    assert "builds" not in str(winter)
    assert "removes 1" in str(
        Position(*read_state({"phase": "W1901A", "units": {"FRANCE": ["A BUR"]}, "centers": {"ITALY": ["ROM"]}}))
    )


@pytest.mark.parametrize("name", ["standard", "lagoon"])
def test_it_draws_itself(name: str) -> None:
    svg = diplomacy.start(name)._repr_svg_()
    assert svg.startswith("<svg")
    assert svg.rstrip().endswith("</svg>")


def test_the_words_of_the_start() -> None:
    start = diplomacy.start()
    assert (start.phase, start.phase_name, start.stage, start.year) == (
        "S1901M",
        "Spring 1901, movement",
        "orders",
        1901,
    )
    assert start.units["RUSSIA"] == ["A MOS", "F SEV", "F STP/SC", "A WAR"]
    assert start.centers["FRANCE"] == ["BRE", "MAR", "PAR"]
    assert start.to_act() == start.alive() == diplomacy.GAME.seats({})
    assert start.outcome() is None
    assert sum(map(len, start.orders().values())) == len(start.legal_actions()) == 238
    assert start.orderable()["FRANCE"] == ["BRE", "MAR", "PAR"]
    assert start.view(seated_on(FRANCE)) is start


def test_integer_and_string_paths_agree() -> None:
    rng = random.Random(9)
    position = Position.start()
    for _ in range(40):
        orders = {seat: position.sample(seat, rng) for seat in position.to_act()}
        actions = {
            seat: [entry.action for entry in position.understand(seat, own) if entry.action is not None]
            for seat, own in orders.items()
        }
        following = position.resolve(orders)
        assert position.step(actions) == following
        listed = sorted(int(action) for seat in position.alive() for action in position.legal_actions(seat))
        assert listed == sorted(position.legal_actions().tolist())
        assert [str(position.order_of(action)) for action in listed if action & 0xFF != 13] != []
        position = following


def test_stepping_takes_the_arrays_that_the_kernel_samples() -> None:
    position = Position.start()
    rows = rules_of(position.board).sample(position.row, np.array([4], np.uint64))[0]
    assert position.step(rows).phase == "F1901M"


def test_check_names_each_bad_order_and_only_garbage_is_garbled() -> None:
    start = diplomacy.start()
    assert start.check(FRANCE, ["A PAR - BUR"]) == ()
    assert start.check(FRANCE, []) == ()
    bad = start.check(FRANCE, ["A PAR - BUR", "A MUN - BUR", "foo", "A PAR H"])
    assert [(v.kind, v.part, v.foul) for v in bad] == [
        ("not your unit", "A MUN - BUR", FoulKind.ILLEGAL),
        ("unknown province", "foo", FoulKind.ILLEGAL),
        ("second order", "A PAR H", FoulKind.ILLEGAL),
    ]
    for garbage in (None, "A PAR H", {"A PAR": "H"}, [["A PAR H"]], [1], 3.5):
        [violation] = start.check(FRANCE, garbage)
        assert violation.foul is FoulKind.GARBLED


def test_a_thousand_orders_are_not_all_looked_at() -> None:
    bad = diplomacy.start().check(FRANCE, ["A PAR H"] * 1000)
    assert len(bad) == MAX_ORDERS, "the first stands, and one stands for all that are too many"
    assert bad[-1].kind == "too many"


def test_mending_keeps_what_is_good_and_adds_defaults() -> None:
    start = diplomacy.start()
    assert start.repair(FRANCE, ["a par - bur", "F BRE - LON", 7]) == ["A PAR - BUR", "F BRE H", "A MAR H"]
    assert start.repair(FRANCE, None) is None
    winter = Position(
        *read_state(
            {
                "phase": "W1901A",
                "units": {"FRANCE": ["A PAR"], "GERMANY": ["A MUN", "A MOS", "F NTH"]},
                "centers": {"FRANCE": ["PAR", "BRE", "MAR"], "GERMANY": ["MUN"]},
            }
        )
    )
    assert winter.repair(FRANCE, ["F BRE B", "F BRE B"]) == ["F BRE B", "WAIVE"]
    assert winter.repair(GERMANY, ["F NTH D", "A PAR D"]) == ["F NTH D", "A MOS D"]
    assert winter.default(GERMANY) == ["A MOS D", "F NTH D"]
    assert winter.default(FRANCE) == ["WAIVE", "WAIVE"]


def test_a_removed_power_stands_in_civil_disorder() -> None:
    position = diplomacy.start().without(FRANCE)
    assert FRANCE not in position.to_act()
    assert FRANCE not in position.alive()
    following, happened = position.apply({GERMANY: ["A MUN - BUR"]})
    assert following.units["FRANCE"] == ["F BRE", "A MAR", "A PAR"]
    assert "A PAR H" in happened["defaults"]
    assert following.without(GERMANY).alive() == ("AUSTRIA", "ENGLAND", "ITALY", "RUSSIA", "TURKEY")


def test_phases_for_removed_powers_only_pass_by_themselves() -> None:
    value = {
        "phase": "S1901M",
        "units": {"GERMANY": ["A MUN", "A RUH"], "FRANCE": ["A BUR"], "ITALY": ["A ROM"]},
    }
    position = Position(*read_state(value)).without(FRANCE)
    following, _ = position.apply({GERMANY: ["A MUN - BUR", "A RUH S A MUN - BUR"]})
    assert following.phase == "F1901M"
    assert following.units["FRANCE"] == []


def test_the_last_at_the_table_ends_the_match() -> None:
    position: Position = diplomacy.start()
    for seat in position.to_act()[1:]:
        position = position.without(seat)
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.winners == ("AUSTRIA",)
    assert "AUSTRIA is left at the table" in outcome.reason


def test_the_year_limit_ranks_by_centres() -> None:
    position = Position.start(last_year=1901)
    while position.outcome() is None:
        position = position.resolve({seat: [] for seat in position.to_act()})
    outcome = position.outcome()
    assert outcome is not None
    assert position.phase == "COMPLETED"
    assert position.to_act() == ()
    assert outcome.winners == ("RUSSIA",)
    assert outcome.reason == "stopped after 1901, the last year"


def test_a_solo_ends_the_match() -> None:
    start = diplomacy.start()
    centres = [p.tag for p in start.board.provinces if p.centre]
    owned = {"RUSSIA": centres[:18], "FRANCE": centres[18:]}
    value = {"phase": "F1901M", "units": {"RUSSIA": ["A MOS"], "FRANCE": ["A BUR"]}, "centers": owned}
    position = Position(*read_state(value)).resolve({})
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.scores["RUSSIA"] == 1.0
    assert outcome.reason == "solo of RUSSIA with 18 centres"


def test_a_draw_is_scored_by_the_system() -> None:
    shared = Position.start(scoring=Scoring.DRAW_SIZE).drawn([FRANCE, RUSSIA])
    assert (shared.scores["FRANCE"], shared.scores["RUSSIA"], shared.scores["ITALY"]) == (0.5, 0.5, 0.0)
    assert shared.winners == ("FRANCE", "RUSSIA")
    assert "draw" in shared.reason


def test_a_solo_that_is_stopped_is_still_a_solo() -> None:
    centres = ",".join(province.tag for province in named("standard").provinces if province.centre)
    solo = Position.read(f"standard F1901M FRA=APAR FRA={centres}").resolve({})
    assert solo.outcome() is not None
    assert solo.stopped() is solo


def test_orders_to_a_finished_match_are_void_and_nothing_is_done_by_default() -> None:
    over = Position.start().stopped()
    turn = over.resolve({"FRANCE": ["A PAR - BUR"]}).turn
    assert turn is not None
    assert turn.results == {"FRANCE": {"A PAR - BUR": "void"}}
    assert turn.defaults == []
    assert "the match is over" in turn.explanations[0].sentence
    assert turn.after == over


def test_a_string_is_no_list_of_orders_and_a_year_has_bounds() -> None:
    with pytest.raises(IllegalAction, match="got a string"):
        Position.start().resolve({"FRANCE": "A PAR - BUR"})
    for year in (-1, 70_000):
        with pytest.raises(ConfigError, match="last_year"):
            Position.start(last_year=year)


def test_apply_refuses_what_is_no_list_and_unknown_seats() -> None:
    with pytest.raises(IllegalAction, match="list of orders"):
        diplomacy.start().apply({FRANCE: "A PAR H"})
    with pytest.raises(IllegalAction, match="no such seat"):
        diplomacy.start().apply({Seat("FRANZ"): []})


def test_the_public_face_is_what_it_says() -> None:
    for name in diplomacy.__all__:
        assert getattr(diplomacy, name) is not None
    with pytest.raises(AttributeError):
        diplomacy.nothing  # noqa: B018


@pytest.mark.filterwarnings("ignore")
def test_possible_orders_are_those_of_the_diplomacy_package() -> None:
    """But for two known differences: it also lists supports with a coast, and it leaves out useless convoys."""
    package = pytest.importorskip(
        "diplomacy", reason="the diplomacy package is not installed: pip install -e '.[peers]'"
    )
    rng = random.Random(8)
    game = package.Game()
    while len(game.state_history) < 25 and not game.is_game_done:
        position = position_of_state(game.get_state())
        listed = game.get_all_possible_orders()
        theirs = {order for orders in listed.values() for order in orders}
        ours = {order for orders in position.orders().values() for order in orders}
        assert all(" S " in order and "/" in order.rpartition(" - ")[2] for order in theirs - ours)
        assert all(" C " in order for order in ours - theirs)
        assert {name: sorted(own) for name, own in position.orderable().items()} == {
            name: sorted(game.get_orderable_locations(name)) for name in game.powers
        }
        for name in game.powers:
            places = sorted(game.get_orderable_locations(name))
            own = [rng.choice(sorted(listed[place])) for place in places if listed[place]]  # its lists are unsorted
            game.set_orders(name, own[: abs(position.builds[name])] if position.stage == "adjustments" else own)
        game.process()


def test_one_order_thousands_of_times_is_read_once_and_flawed_a_bounded_number_of_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []
    plain = OrderParser.read

    def counted(self: OrderParser, power: int, text: str) -> Entry:
        read.append(text)
        return plain(self, power, text)

    monkeypatch.setattr(OrderParser, "read", counted)
    position = Position.start()
    for orders in (["A MAR - SPA"] * 60_000, ["nonsense"] * 60_000, ["A MAR - XXX"] * 1000):
        read.clear()
        violations = position.check(FRANCE, orders)
        assert read == orders[:1]
        assert 1 <= len(violations) <= MAX_ORDERS + 1
        assert str(violations[-1].message).endswith(f"at most {MAX_ORDERS} orders, not {len(orders):,}")
        mended = position.repair(FRANCE, orders)
        assert mended is not None
        assert len(mended) == 3
