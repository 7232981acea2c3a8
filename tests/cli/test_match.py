"""parlour match against a real server: open, list, show, start, pause, resume, process, cancel."""

from __future__ import annotations

import asyncio
import io
import json
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from urllib.request import urlopen

import pytest

from parlour.cli import main
from parlour.net.client import connect
from support.daide.wire import DaideLine
from support.doors.serving import serving
from support.mila.house import HOST, mila_server
from support.processes.ports import free_port
from support.waiting import PATIENCE, until

Done = tuple[int, str, str]


async def parlour_match(port: int, *words: str) -> Done:
    """Run the command line on another thread, as the server is in this one: exit code, stdout, stderr."""
    account = ["--server", f"ws://{HOST}:{port}", "--name", "host", "--password", "password"]

    def call() -> Done:
        written, errors = io.BytesIO(), io.StringIO()
        out = io.TextIOWrapper(written, write_through=True)
        with redirect_stdout(out), redirect_stderr(errors), pytest.raises(SystemExit) as ended:
            main(["match", *account, *words])
        return int(ended.value.code or 0), written.getvalue().decode(), errors.getvalue()

    return await asyncio.to_thread(call)


async def test_a_match_is_opened_moderated_and_cancelled(tmp_path: Path) -> None:
    async with mila_server(tmp_path) as house:
        port = house.port
        opened = await parlour_match(port, "create", "friday", "--players", "2", "--rule", "POWER_CHOICE")
        assert opened == (0, "friday\n", "")
        code, out, _ = await parlour_match(port, "list", "fri")
        assert code == 0
        assert out.split()[:5] == ["friday", "forming", "S1901M", "0", "of"]
        assert json.loads((await parlour_match(port, "list", "--json"))[1])["n_controls"] == 2
        await parlour_match(port, "create", "one-with-a-name-that-is-long")
        _, out, _ = await parlour_match(port, "list")
        assert len({line.index("S1901M") for line in out.splitlines()}) == 1, "in columns"
        assert (await parlour_match(port, "start", "friday"))[1] == "friday: active\n"
        assert (await parlour_match(port, "process", "friday"))[0] == 0
        code, out, _ = await parlour_match(port, "show", "friday")
        assert out.splitlines()[0] == "friday: active, F1901M"
        assert "FRANCE" in out
        assert (await parlour_match(port, "pause", "friday"))[1] == "friday: paused\n"
        assert (await parlour_match(port, "resume", "friday"))[1] == "friday: active\n"
        assert (await parlour_match(port, "cancel", "friday"))[1] == "friday: canceled\n"


async def test_what_is_refused_is_told_in_one_line(tmp_path: Path) -> None:
    async with mila_server(tmp_path) as house:
        code, _, errors = await parlour_match(house.port, "pause", "nowhere")
        assert code == 2
        assert errors.startswith("parlour: ")
        assert errors.count("\n") == 1
        code, _, errors = await parlour_match(house.port, "create", "friday", "--rule", "POWR_CHOICE")
        assert code == 2
        assert errors.startswith("parlour: rule: there is no 'POWR_CHOICE', expected one of ")
        assert errors.endswith("did you mean POWER_CHOICE?\n")
    code, _, errors = await parlour_match(1, "list")
    assert code == 1
    assert "cannot connect" in errors


async def test_a_game_saved_by_the_package_goes_on_here(tmp_path: Path) -> None:
    diplomacy = pytest.importorskip("diplomacy")
    export = pytest.importorskip("diplomacy.utils.export")
    there = diplomacy.Game()
    there.set_orders("FRANCE", ["A PAR - BUR"])
    there.process()
    file = tmp_path / "saved.json"
    file.write_text(json.dumps(export.to_saved_game_format(there)), encoding="utf-8")
    async with mila_server(tmp_path) as house, connect(HOST, house.port) as connection:
        assert (await parlour_match(house.port, "create", "again", "--from", str(file)))[0] == 0
        game = await (await connection.authenticate("anna", "password")).join_game(game_id="again")
        assert game.get_current_phase() == there.get_current_phase() == "F1901M"
        assert sorted(game.get_units("FRANCE")) == sorted(there.get_units("FRANCE"))
        await parlour_match(house.port, "process", "again")
        await until(lambda: game.get_current_phase() == "S1902M")


async def test_daide_bots_find_a_match_that_was_created_for_them_with_its_own_options(tmp_path: Path) -> None:
    own = free_port()
    options = ("--daide-ports", f"{own}-{own}", "--daide-level", "30")
    async with asyncio.timeout(PATIENCE), serving(tmp_path, *options) as ports, DaideLine.hung_up_at_the_end():
        wanted = ("--players", "2", "--deadline", "60", "--rule", "NO_PRESS", "--rule", "POWER_CHOICE")
        created = await parlour_match(ports["http"], "create", "evening", "--daide", *wanted)
        assert created == (0, f"evening\n{own}\n", "")
        france, turkey = await DaideLine.open(own), await DaideLine.open(ports["daide"])
        await france.sit("FRA:bot")
        await turkey.sit("TUR:bot@evening")
        for line, power in ((france, "FRA"), (turkey, "TUR")):
            hello = (await line.hear()).split()
            assert hello[:4] == ["HLO", "(", power, ")"]
            assert " ".join(hello[7:]) == "( ( LVL 0 ) ( MTL 60 ) ( RTL 60 ) ( BTL 60 ) )"


async def test_a_match_is_created_with_agents_a_last_year_and_options_for_daide_bots(tmp_path: Path) -> None:
    async with asyncio.timeout(PATIENCE), serving(tmp_path) as ports, DaideLine.hung_up_at_the_end():
        agents = [f"--agent={power}=hold" for power in ("austria", "ENGLAND", "GERMANY", "ITALY", "RUSSIA")]
        wanted = ("--last-year", "1907", "--title", "An evening", "--daide-level", "20", "--daide-options")
        created = await parlour_match(ports["http"], "create", "evening", *agents, *wanted, "AOA,RTL=30")
        assert created == (0, "evening\n", "")
        lines = [await DaideLine.open(ports["daide"]) for _ in range(2)]
        for line, power in zip(lines, ("FRA", "TUR"), strict=True):
            await line.sit(f"{power}:bot@evening")
        for line in lines:
            assert (await line.hear()).endswith("( ( LVL 20 ) ( RTL 30 ) ( AOA ) )")
        assert (await lines[0].ask("SUB ( ( FRA AMY PAR ) MTO MOS )")).startswith(("SCO", "NOW", "THX"))
        code, listed, _ = await parlour_match(ports["http"], "list", "--json")
        assert (code, json.loads(listed)["n_players"]) == (0, 7)
        with await asyncio.to_thread(urlopen, f"http://{HOST}:{ports['http']}/api/v1/matches/evening") as page:
            found = json.load(page)
        assert (found["config"]["last_year"], found["title"]) == (1907, "An evening")
        assert (await parlour_match(ports["http"], "create", "silent", "--daide-level", "0"))[0] == 0
        with await asyncio.to_thread(urlopen, f"http://{HOST}:{ports['http']}/api/v1/matches/silent") as page:
            assert json.load(page)["terms"]["press"]["mode"] == "none"
        _, listed, _ = await parlour_match(ports["http"], "list", "silent", "--json")
        assert json.loads(listed)["rules"] == ["POWER_CHOICE", "NO_PRESS"]
        for text, said in (("FRANCE", "agent: expected POWER=NAME"), ("FRANCE=nobody", "nobody")):
            code, _, errors = await parlour_match(ports["http"], "create", "other", f"--agent={text}")
            assert (code != 0, said in errors) == (True, True)
        for name, seats in (("pure", 7), ("hundred", 3)):
            assert (await parlour_match(ports["http"], "create", name, "--map", name))[0] == 0
            with await asyncio.to_thread(urlopen, f"http://{HOST}:{ports['http']}/api/v1/matches/{name}") as page:
                found = json.load(page)
            assert (found["config"]["map"], len(found["seats"])) == (name, seats)


async def test_without_a_door_for_daide_bots_a_match_has_no_port(tmp_path: Path) -> None:
    async with mila_server(tmp_path) as house:
        code, out, errors = await parlour_match(house.port, "create", "evening", "--daide")
        assert (code, out) == (2, "")
        assert errors.count("\n") == 1
        assert "DAIDE" in errors
