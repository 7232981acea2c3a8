"""`parlour adjudicate` and `parlour orders` as a user meets them: JSON in, JSON or one line of error out."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlour.cli import main
from parlour.cli.adjudicate import adjudicate
from parlour.cli.orders import possible_orders
from parlour.errors import ParlourError
from parlour.games.diplomacy.maps import map as map_module
from parlour.games.diplomacy.maps.map import named
from parlour.games.diplomacy.position import Position
from support import command_line

SHIPPED_LAGOON = map_module.BOARDS / "lagoon.map"

Run = Callable[..., tuple[int, str, str]]

BOUNCE = {
    "phase": "S1901M",
    "units": {"FRANCE": ["A PAR"], "GERMANY": ["A MUN"]},
    "orders": {"FRANCE": ["A PAR - BUR"], "GERMANY": ["A MUN - BUR"]},
}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line on some input: exit code, stdout, stderr."""
    return lambda arguments, given: command_line.run(
        arguments, capsys, given if isinstance(given, bytes) else json.dumps(given).encode()
    )


def adjudicated(run: Run, value: object, *flags: str) -> Any:
    code, out, err = run(["adjudicate", *flags], value)
    assert (code, err) == (0, "")
    return json.loads(out)


def test_the_example_bounces_both_and_says_why() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from parlour.cli import main; main()", "adjudicate"],
        input=json.dumps(BOUNCE).encode(),
        capture_output=True,
        check=True,
    )
    answer = json.loads(done.stdout)
    assert answer["phase"] == "F1901M"
    assert answer["results"] == {"FRANCE": {"A PAR - BUR": "bounced"}, "GERMANY": {"A MUN - BUR": "bounced"}}
    assert "strength 1 against A MUN with 1" in answer["explanations"]["FRANCE"]["A PAR - BUR"]
    assert answer["units"]["FRANCE"] == ["A PAR"]
    assert answer["centers"]["FRANCE"] == ["BRE", "MAR", "PAR"]
    assert answer["defaults"] == []
    assert (answer["retreats"], answer["builds"], answer["disbanded"]) == ({}, {}, {})


def test_dislodged_units_stand_under_retreats_and_the_answer_can_be_asked_again(run: Run) -> None:
    units = {"FRANCE": ["A PAR", "A MAR"], "GERMANY": ["A BUR"]}
    first = {"phase": "F1901M", "units": units, "orders": {"FRANCE": ["A PAR - BUR", "A MAR S A PAR - BUR"]}}
    answer = adjudicated(run, first)
    assert answer["phase"] == "F1901R"
    assert answer["retreats"] == {"GERMANY": {"A BUR": ["BEL", "GAS", "MUN", "PIC", "RUH"]}}
    assert answer["units"]["GERMANY"] == []
    assert answer["defaults"] == ["A BUR H"]
    second = adjudicated(run, {**answer, "orders": {"GERMANY": ["A BUR R BEL"]}})
    assert second["results"] == {"GERMANY": {"A BUR R BEL": "succeeded"}}
    # Fall ends: the centre changes hands on the way to winter.
    assert second["phase"] == "W1901A"
    assert second["centers"]["GERMANY"] == ["BEL", "BER", "KIE", "MUN"]
    assert second["builds"]["GERMANY"] == 3
    assert second["builds"]["FRANCE"] == 1
    third = adjudicated(
        run, {**second, "orders": {"GERMANY": ["A MUN B", "F KIE B"], "FRANCE": ["F BRE B", "A PAR B"]}}
    )
    assert third["phase"] == "S1902M"
    assert third["results"]["FRANCE"] == {"F BRE B": "succeeded", "A PAR B": "void"}
    assert third["units"]["GERMANY"] == ["A BEL", "F KIE", "A MUN"]
    assert third["defaults"] == ["WAIVE"] * 17  # Germany's third build, and all of five powers without orders


def supported(position: Position, rng: random.Random) -> dict[str, list[str]]:
    """Random orders, many of them supports of moves that are made."""
    orders = {str(seat): position.sample(seat, rng) for seat in position.to_act()}
    if position.stage == "orders":
        moves = {order for own in orders.values() for order in own if order[5:8] == " - "}
        for own in orders.values():
            for at, order in enumerate(own):
                fitting = [o for o in position.orders()[order[2:5]] if o.partition(" S ")[2] in moves]
                own[at] = rng.choice([*fitting, order])
    return orders


@pytest.mark.parametrize("name", ["standard", "lagoon"])
def test_a_game_through_json_is_the_game_of_positions(name: str) -> None:
    rng, seen = random.Random(name), set()
    position = Position.start(named(name))
    value: dict[str, Any] = {"map": name, "phase": position.phase, "units": position.units}
    for _ in range(60):
        if position.over:
            break
        asked = {key: value[key] for key in value if key in ("map", "phase", "units", "centers", "retreats")}
        assert possible_orders(asked) == {"orders": position.orders(), "by_power": position.orderable()}
        orders = supported(position, rng)
        seen.add(position.stage)
        value = {"map": name, **adjudicate({**asked, "orders": orders})}
        position = position.resolve(orders)
        assert (value["phase"], value["units"], value["centers"]) == (position.phase, position.units, position.centers)
        assert value["retreats"] == {power: own for power, own in position.retreats.items() if own}
    assert seen == {"orders", "retreats", "adjustments"}


def test_negative_builds_are_removals(run: Run) -> None:
    value = {"phase": "F1901M", "units": {"FRANCE": ["A PAR", "A BUR"]}, "centers": {"FRANCE": ["PAR"]}, "orders": {}}
    answer = adjudicated(run, value)
    assert (answer["phase"], answer["builds"]) == ("W1901A", {"FRANCE": -1})
    after = adjudicated(run, {**answer, "orders": {}})
    assert after["defaults"] == ["A BUR D"]
    assert after["units"]["FRANCE"] == ["A PAR"]


def test_a_finished_game_is_completed(run: Run) -> None:
    board = Position.start().board
    centres = [province.tag for province in board.provinces if province.centre]
    value = {
        "phase": "F1905M",
        "units": {"ITALY": ["A ROM"]},
        "centers": {"ITALY": centres[:18], "FRANCE": centres[18:]},
    }
    assert adjudicated(run, value)["phase"] == "COMPLETED"


def test_explicit_via_turns_the_intent_rule_off(run: Run) -> None:
    orders = {"ENGLAND": ["F NWY - SWE"], "RUSSIA": ["A SWE - NWY", "F SKA C A SWE - NWY"]}
    units = {"ENGLAND": ["F NWY"], "RUSSIA": ["A SWE", "F SKA"]}
    value = {"phase": "S1901M", "units": units, "orders": orders}
    assert adjudicated(run, value)["results"]["RUSSIA"]["A SWE - NWY"] == "succeeded"
    assert adjudicated(run, value, "--explicit-via")["results"]["RUSSIA"]["A SWE - NWY"] == "bounced"


@pytest.mark.parametrize(
    ("order", "why"),
    [
        ("A PAR - LON", "out of reach"),
        ("A MUN - BUR", "not your unit"),
        ("A RUH - BUR", "no such unit"),
        ("F PAR - BUR", "wrong unit type"),
        ("nonsense", "unknown province"),
        ("", "unreadable"),
        ("x" * 5000, "too long"),
        ("A PAR B", "wrong phase"),
    ],
)
def test_a_bad_order_is_void_with_the_reason_and_its_unit_holds(run: Run, order: str, why: str) -> None:
    answer = adjudicated(run, {**BOUNCE, "orders": {"FRANCE": [order]}})
    assert answer["results"] == {"FRANCE": {order: "void"}}
    assert why in answer["explanations"]["FRANCE"][order].lower()
    assert answer["units"]["FRANCE"] == ["A PAR"]
    assert answer["defaults"] == ["A PAR H", "A MUN H"]


def test_a_second_order_is_void(run: Run) -> None:
    answer = adjudicated(run, {**BOUNCE, "orders": {"FRANCE": ["A PAR - PIC", "A PAR - GAS"]}})
    assert answer["results"]["FRANCE"] == {"A PAR - PIC": "succeeded", "A PAR - GAS": "void"}
    assert "second order" in answer["explanations"]["FRANCE"]["A PAR - GAS"].lower()


def test_results_have_orders_in_strict_spelling_with_nothing_else_corrected(run: Run) -> None:
    units = {"FRANCE": ["A PAR", "F GAS"]}
    value = {"phase": "S1901M", "units": units, "orders": {"FRANCE": ["army paris moves to burgundy", "F GAS - SPA"]}}
    answer = adjudicated(run, value)
    assert answer["results"]["FRANCE"] == {"A PAR - BUR": "succeeded", "F GAS - SPA": "succeeded"}
    assert answer["units"]["FRANCE"] == ["A BUR", "F SPA/NC"]


BAD = [
    (b"", "not JSON: expected one JSON value, got nothing"),
    (b"{", "JSON"),
    (b"[]", "expected an object"),
    (b"NaN", "JSON"),
    (b'{"phase": NaN}', "near 'NaN}', expected a JSON value"),
    (b'{"phase": "S1901M", "units": {"FRANCE": ["A \xffPAR"]}}', "expected UTF-8"),
    (b"\xff\xfe\x00", "JSON"),
    (b'{"phase": "S1901M", "units": {"FRANCE": [1e999]}}', "JSON"),
    (b" " * 10_000_000, "white space"),
    (b"[" * 500_000, "deep"),
    (b'{"a":' * 100 + b"1" + b"}" * 100, "deep"),
    (b'{"phase": "S1901M"}', "units: missing"),
    (b'{"phase": "S1901Q", "units": {}}', "phase: expected"),
    (b'{"phase": "S1901M", "units": {"FRANCE": ["F PAR"]}}', "units.FRANCE[0]: a fleet cannot stand inland"),
    (b'{"phase": "S1901M", "units": {"FRANCE": ["A PAR"], "ITALY": ["A PAR"]}}', "units.ITALY[0]: two units in PAR"),
    (b'{"phase": "S1901M", "units": {}, "centers": {"FRANCE": ["PAR"], "ITALY": ["PAR"]}}', "centers.ITALY[0]"),
    (b'{"phase": "S1901M", "units": {}, "orders": {"FRANCE": "A PAR H"}}', "orders.FRANCE: expected a list"),
    (b'{"phase": "S1901M", "units": {}, "orders": {"FRANCE": [7]}}', "orders.FRANCE[0]: expected a string"),
    (b'{"phase": "S1901M", "units": {}, "orders": {"NARNIA": []}}', "orders: unknown power 'NARNIA'"),
    (b'{"phase": "S1901M", "units": {"FRANCE": ["GERMANY A PAR"]}}', "units.FRANCE[0]: a unit of GERMANY under FRANCE"),
    (b'{"phase": "S1901R", "units": {}, "retreats": {"ITALY": {"A\\nB": []}}}', "retreats.ITALY.'A\\nB'"),
]


@pytest.mark.parametrize(("given", "words"), BAD, ids=range(len(BAD)))
def test_bad_input_is_one_line_on_stderr_and_exit_code_2(run: Run, given: bytes, words: str) -> None:
    verbs = ["adjudicate"] if b"orders" in given else ["adjudicate", "orders"]
    for verb in verbs:
        code, out, err = run([verb], given)
        assert code == 2
        assert out == ""
        assert words in err
        assert err.count("\n") == 1
        assert "Traceback" not in err
        assert len(err) < 400


def parlour(arguments: str, **streams: Any) -> subprocess.CompletedProcess[bytes]:
    """Return the command line in a process of its own."""
    command = [sys.executable, "-c", "from parlour.cli import main; main()", *arguments.split()]
    return subprocess.run(command, stderr=subprocess.PIPE, check=False, **streams)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a Unix file")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_is_one_line_and_exit_code_1(unbuffered: str) -> None:
    env = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    with Path("/dev/full").open("wb") as full:
        done = parlour("orders", input=json.dumps(BOUNCE).encode(), stdout=full, env=env)
    assert (done.returncode, done.stderr.count(b"\n")) == (1, 1)
    assert done.stderr.startswith(b"parlour: No space left")


def test_a_closed_stdin_is_an_empty_one(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(SystemExit) as ended:
        main(["adjudicate"])
    assert ended.value.code == 2
    assert "got nothing" in capsys.readouterr().err


def test_in_jsonl_a_bad_line_gets_its_error_and_the_rest_go_on(run: Run) -> None:
    good = json.dumps(BOUNCE).encode()
    lines = [good, b"{", b"", b'{"phase": "S1901M", "units": {"FRANCE": ["A ENG"]}}', b" " * 3_000_000, good]
    code, out, err = run(["adjudicate", "--jsonl"], b"\n".join(lines))
    assert (code, err) == (0, "")
    answers = [json.loads(line) for line in out.splitlines()]
    assert [answer.get("line") for answer in answers if "error" in answer] == [2, 4]
    assert "units.FRANCE[0]" in answers[2]["error"]
    assert answers[0] == answers[-1]
    assert len(answers) == 4


def test_possible_orders_by_province_and_by_power(run: Run) -> None:
    code, out, _ = run(["orders"], {"phase": "S1901M", "units": Position.start().units})
    answer = json.loads(out)
    assert code == 0
    assert answer["orders"] == Position.start().orders()
    assert answer["orders"]["PAR"][:2] == ["A PAR H", "A PAR - BUR"]
    assert answer["by_power"]["FRANCE"] == ["BRE", "MAR", "PAR"]


def test_possible_orders_in_winter_and_in_retreats(run: Run) -> None:
    winter = {"phase": "W1901A", "units": {"RUSSIA": ["A MOS"]}, "centers": {"RUSSIA": ["STP", "MOS"]}}
    _, out, _ = run(["orders"], winter)
    assert json.loads(out)["orders"] == {"STP": ["A STP B", "F STP/NC B", "F STP/SC B", "WAIVE"]}
    assert json.loads(out)["by_power"]["RUSSIA"] == ["STP"]
    retreat = {"phase": "S1901R", "units": {"GERMANY": ["A BUR"]}, "retreats": {"FRANCE": {"A BUR": ["PAR", "GAS"]}}}
    _, out, _ = run(["orders"], retreat)
    assert sorted(json.loads(out)["orders"]["BUR"]) == ["A BUR D", "A BUR R GAS", "A BUR R PAR"]


def test_orders_in_jsonl(run: Run) -> None:
    code, out, _ = run(["orders", "--jsonl"], b'{"phase": "S1901M", "units": {"FRANCE": ["A PAR"]}}\n3\n')
    first, second = map(json.loads, out.splitlines())
    assert code == 0
    assert first["by_power"]["FRANCE"] == ["PAR"]
    assert second["line"] == 2


def test_perft_counts(run: Run) -> None:
    code, out, _ = run(["perft", "diplomacy", "2"], b"")
    assert (code, out) == (0, "0 1\n1 238\n2 56798\n")
    code, out, _ = run(["perft", "diplomacy", "1", "--map", "lagoon", "--json"], b"")
    assert json.loads(out) == {"game": "diplomacy", "counts": [1, 98]}
    code, _, err = run(["perft", "diplomacy", "1", "--position", "nonsense"], b"")
    assert code == 2
    assert "expected" in err
    code, _, _ = run(["perft", "go", "1"], b"")
    assert code == 2


def test_other_maps_are_named_in_the_input_by_name_or_by_file(run: Run, tmp_path: Path) -> None:
    value = {"phase": "S1701M", "units": {"AMBER": ["F ALD"]}, "orders": {"AMBER": ["F ALD - WST"]}}
    for flags, asked in (([], {**value, "map": "lagoon"}), (["--map", "lagoon"], value)):
        assert adjudicated(run, asked, *flags)["units"]["AMBER"] == ["F WST"]
    file = tmp_path / "mine.map"
    file.write_text(SHIPPED_LAGOON.read_text("utf-8").replace("map lagoon", "map mine"), "utf-8")
    assert adjudicated(run, value, "--map", str(file))["units"]["AMBER"] == ["F WST"]
    file.write_text("map mine\nland\n", "utf-8")
    code, _, err = run(["orders", "--map", str(file)], value)
    assert code == 2
    assert err.startswith(f"parlour: {file}:2: ")
    code, _, err = run(["orders", "--map", str(tmp_path / "none.map")], value)
    assert code == 2
    assert "ancmed or a map file, got" in err


@pytest.mark.parametrize("verb", ["adjudicate", "orders", "perft"])
def test_each_verb_teaches_itself(run: Run, verb: str) -> None:
    code, out, _ = run([verb, "--help"], b"")
    assert code == 0
    assert "Usage: parlour" in out


POWERS = st.sampled_from(["FRANCE", "GERMANY", "ITALY", "AMBER", "NARNIA"])
WORDS = POWERS | st.sampled_from(["A PAR", "A BUR", "x"])
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)
UNITS = st.sampled_from(
    ["A PAR", "F BRE", "A BUR", "*A BUR", "F STP/SC", "F SPA", "A MUN", "F ENG", "A XXX", "", "PAR"]
)
PLACES = st.sampled_from(["PAR", "GAS", "BUR", "SPA/NC", "ENG", "STP", "", "QQQ"])
TEXTS = st.sampled_from(["A PAR - BUR", "A MUN - BUR", "F BRE S A PAR - PIC", "A BUR R GAS", "A PAR B", "WAIVE", "?"])


def by_power(items: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.dictionaries(POWERS, st.lists(items, max_size=4), max_size=3)


@given(
    st.fixed_dictionaries(
        {
            "phase": st.sampled_from(["S1901M", "S1901R", "F1901M", "F1901R", "W1901A", "X"]),
            "units": by_power(UNITS) | PLAIN,
        },
        optional={
            "centers": by_power(PLACES) | PLAIN,
            "retreats": st.dictionaries(POWERS, st.dictionaries(UNITS, st.lists(PLACES, max_size=3), max_size=2))
            | PLAIN,
            "orders": by_power(TEXTS | st.text(max_size=20)) | PLAIN,
            "influence": by_power(PLACES) | PLAIN,
            "map": st.sampled_from(["standard", "lagoon"]) | PLAIN,
        },
    )
    | PLAIN
)
def test_whatever_comes_in_is_answered_or_refused(value: Any) -> None:
    try:
        answer: Any = adjudicate(value)
        listed: Any = possible_orders(value)
    except ParlourError as error:
        answer = listed = None
        words = str(error)
    if answer is None:
        assert "\n" not in words
    else:
        assert answer.keys() >= {"phase", "units", "results", "explanations", "defaults"}
        assert listed.keys() == {"orders", "by_power"}
