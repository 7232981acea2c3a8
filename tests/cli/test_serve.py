"""`parlour serve`, `parlour join`, `parlour fish xserver` and `xclients` as two terminals meet them."""

# Why real time passes here: a server in a process of its own lives in real time; waits end as soon as it answers.

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from parlour.cli import main
from parlour.cli.joining.fish import make_names, read_address
from parlour.cli.serve import REST
from parlour.errors import ConfigError, StoreError
from parlour.net.settings import USUAL, ServerSettings
from parlour.store import Filter, RecordKind, SQLiteStore
from support import command_line
from support.processes.ports import free_port
from support.waiting import PATIENCE

PARLOUR = [sys.executable, "-c", "from parlour.cli import main; main()"]


@contextmanager
def started(*arguments: str, **more: Any) -> Iterator[subprocess.Popen[str]]:
    """A program that is dead afterwards, whatever happens."""
    more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    with subprocess.Popen([*PARLOUR, *arguments], text=True, **more) as program:
        try:
            yield program
        finally:
            program.kill()


def finished(*arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PARLOUR, *arguments], text=True, capture_output=True, timeout=PATIENCE, check=False, **more)


def guests_of(port: str) -> int:
    """Return the number of connections to a port of this machine."""
    tables = [
        path.read_text().splitlines()[1:] for path in map(Path, ("/proc/net/tcp", "/proc/net/tcp6")) if path.exists()
    ]
    fields = [line.split()[2:4] for table in tables for line in table]
    return sum(remote.endswith(f":{int(port):04X}") and state == "01" for remote, state in fields)


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str], code: int = 2) -> str:
    """Return the one line on stderr of a command that is refused with that exit code."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == code
    out, err = capsys.readouterr()
    assert out == ""
    return err.strip().splitlines()[-1]


@pytest.mark.parametrize("protocol", ["json", "neu"])
def test_five_players_join_a_server_and_both_sides_show_the_result(tmp_path: Path, protocol: str) -> None:
    port = str(free_port())
    serving = ["serve", "--game", "fish", "--port", port, "--once", "--min", "5", "--max", "5", "--protocol", protocol]
    joining = ["join", f"localhost:{port}", "--game", "fish", "--agent", "greedy", "--count", "5"]
    with started(*serving, "--seed", "7", cwd=tmp_path) as server:
        players = finished(*joining, "--protocol", protocol)
        out, err = server.communicate(timeout=PATIENCE)
    assert players.returncode == 0, players.stderr
    lines = players.stdout.splitlines()
    assert len(lines) == 5
    won = {line.split()[0] for line in lines if line.split()[1] == "won"}
    assert {line.split()[1] for line in lines} == {"won", "lost"}
    assert {line.split()[0] for line in out.splitlines() if line.endswith("  won")} == won
    assert "final played" in out
    assert f"listening on 127.0.0.1:{port}" in err
    with SQLiteStore(tmp_path / "parlour.db") as store:
        assert store.count(Filter(kind=RecordKind.TOURNAMENT)) == 1


def test_results_as_json_and_players_of_the_house(tmp_path: Path) -> None:
    port = str(free_port())
    serving = ["serve", "--game", "fish", "--port", port, "--once", "--min", "3", "--wait", "1.5", "--tries", "1"]
    with started(*serving, "--house", "2", "--json", "--no-store", cwd=tmp_path) as server:
        players = finished("join", f"127.0.0.1:{port}", "--game", "fish", "--agent", "lookahead1", "--json")
        out, _ = server.communicate(timeout=PATIENCE)
    result = json.loads(out)
    assert sorted(result["winners"] + result["losers"]) == ["house1", "house2", "lookahead"]
    assert json.loads(players.stdout) == {
        "name": "lookahead",
        "won": "lookahead" in result["winners"],
        "games": 1,
        "reason": "",
    }
    assert list(tmp_path.iterdir()) == []


def test_the_courses_server_prints_winners_and_failures() -> None:
    port = str(free_port())
    with started("fish", "xserver", port, "--wait", "1.5") as server:
        clients = finished("fish", "xclients", "6", port)
        out, _ = server.communicate(timeout=PATIENCE)
    assert clients.returncode == 0, clients.stderr
    winners, failures = json.loads(out)
    assert winners >= 1
    assert failures == 0


def test_clients_that_find_no_server_say_so(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(["fish", "xclients", "2", "1"], capsys, code=1)
    assert said.startswith("parlour: nobody could take part: cannot connect to 127.0.0.1:1")


def test_the_courses_server_with_too_few_players() -> None:
    server = finished("fish", "xserver", str(free_port()), "--wait", "0.05")
    assert (server.returncode, server.stdout) == (0, "[0,0]\n")


def test_a_class_of_ones_own_joins(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("class Bot:\n    def act(self, view):\n        return view.position.legal(view.seat)[-1]\n")
    port = str(free_port())
    with started("serve", "--game", "fish", "--port", port, "--once", "--min", "2", "--max", "2", "--no-store"):
        players = finished(
            "join", f"localhost:{port}", "--game", "fish", "--agent", f"{bot}:Bot", "--count", "2", "--name", "bot"
        )
    assert players.returncode == 0, players.stderr
    assert [line.split()[0] for line in players.stdout.splitlines()] == ["bot1", "bot2"]


def test_an_agent_that_fails_is_told_in_one_line(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("class Bot:\n    def act(self, view):\n        raise ValueError('no idea')\n")
    port = str(free_port())
    serving = ["serve", "--game", "fish", "--port", port, "--once", "--min", "2", "--max", "2", "--grace", "0.1"]
    with started(*serving, "--no-store"):
        players = finished("join", f"localhost:{port}", "--game", "fish", "--agent", f"{bot}:Bot", "--count", "2")
    assert players.returncode == 1
    assert players.stdout == ""
    assert "did not finish: the agent failed: ValueError: no idea" in players.stderr
    assert f"{bot}:Bot: act crashed at bot.py:3, in act: ValueError: no idea" in players.stderr.splitlines()


def test_a_host_that_cannot_be_is_told_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert "is not a valid host" in refused(["join", f"{'a' * 70}:4000", "--game", "fish"], capsys, code=1)
    server = finished("serve", "--game", "fish", "--host", "a..b", "--once", "--no-store")
    assert (server.returncode, len(server.stderr.splitlines())) == (2, 1)


def test_a_spectator_who_is_cut_off_is_told_so() -> None:
    port = str(free_port())
    with started("serve", "--game", "fish", "--port", port, "--once", "--wait", "1.5", "--tries", "1", "--no-store"):
        watching = finished("watch", f"localhost:{port}")
    assert (watching.returncode, watching.stdout) == (1, "")
    assert len(watching.stderr.splitlines()) == 1


def test_a_server_for_one_tournament_that_nobody_comes_to_has_failed() -> None:
    server = finished("serve", "--game", "fish", "--port", "0", "--once", "--wait", "0.05", "--no-store")
    assert (server.returncode, server.stdout) == (1, "")
    assert "too few players" in server.stderr


def test_who_waited_in_vain_is_told_so() -> None:
    port = str(free_port())
    serving = ["serve", "--game", "fish", "--port", port, "--once", "--min", "2", "--max", "2", "--settle", "1"]
    with started(*serving, "--no-store"):
        players = finished("join", f"localhost:{port}", "--game", "fish", "--count", "3")
    waited = [line for line in players.stderr.splitlines() if "did not finish: was on the wait-list: " in line]
    assert len(waited) == 1


@pytest.mark.parametrize(
    ("options", "seconds"),
    [([], (30.0, 3.0)), (["--reconnect-timeout", "60"], (60.0, 60.0)), (["--reconnect-timeout", "0"], (0.0, 0.0))],
)
def test_who_says_how_long_to_come_back_is_heard_before_a_tournament_begins_too(
    options: list[str],
    seconds: tuple[float, float],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked: list[tuple[float, float]] = []

    def made(*_: object, returns: float, returns_early: float, **__: object) -> None:
        asked.append((returns, returns_early))
        raise ConfigError("that is all")

    monkeypatch.setattr("parlour.net.fish.protocols.make_client", made)
    refused(["join", "localhost:1", "--game", "fish", *options], capsys)
    assert asked == [seconds]


def test_nobody_listens(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(["join", f"127.0.0.1:{free_port()}", "--game", "fish", "--tries", "1"], capsys, code=1)
    assert said.startswith("greedy did not finish: cannot connect to 127.0.0.1:")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["serve", "--game", "fish", "--min", "9", "--max", "3", "--no-store"], "min: expected 1 to max"),
        (["serve", "--game", "fish", "--rows", "1", "--cols", "2", "--no-store"], "board:"),
        (["serve", "--game", "fish", "--house", "1", "--house-agent", "nobody", "--no-store"], "agent:"),
        (["serve", "--no-store"], "no-store: matches that are hosted must be kept somewhere"),
        (["serve", "--port", "8080"], "port: goes with --game; here it is --http-port or --fish-port"),
        (["serve", "--game", "fish", "--http-port", "0"], "http-port: does not go with --game"),
        (["serve", "--game", "fish", "--set", "token-days=3"], "set: does not go with --game"),
        (["serve", "--set", "token-day=3"], "set: 'token-day' is not a setting; did you mean token-days?"),
        (["join", "localhost", "--game", "fish"], "server: expected HOST:PORT"),
        (["join", "localhost:1", "--game", "fish", "--agent", "nobody"], "agent: fish has no 'nobody'"),
        (["join", "localhost:1", "--game", "fish", "--protocol", "neu", "--name", "not a name"], "1 to 12 letters"),
        (["join", "localhost:1", "--game", "chess"], "chess"),
    ],
)
def test_bad_usage_is_told_in_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert message in refused(arguments, capsys)


def test_a_port_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        message = refused(["serve", "--game", "fish", "--port", port, "--no-store"], capsys, code=1)
    assert message.startswith(f"parlour: port: cannot listen on 127.0.0.1:{port}: ")


def test_a_server_of_tournaments_has_fewer_commits_rather_than_quick_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []

    def opened(path: str, **options: Any) -> None:
        asked.append(options)
        raise StoreError("not today")

    monkeypatch.setattr("parlour.store.open_store", opened)
    with pytest.raises(SystemExit):
        main(["serve", "--game", "fish", "--port", "0"])
    assert asked == [{"rest": REST}]


def test_names_for_several_players() -> None:
    assert make_names("ann", 1, "neu") == ["ann"]
    assert make_names("ann", 3, "json") == ["ann1", "ann2", "ann3"]
    letters = make_names("P", 1000, "neu")
    assert len(set(letters)) == 1000
    assert all(name.isalpha() and len(name) <= 12 for name in letters)


@pytest.mark.parametrize(("text", "address"), [("h:1", ("h", 1)), ("[::1]:80", ("::1", 80)), (":9", ("127.0.0.1", 9))])
def test_addresses(text: str, address: tuple[str, int]) -> None:
    assert read_address(text) == address


@pytest.mark.parametrize(
    "text", ["", "h", "h:", "h:x", "h:0", "h:99999", "h:-1", pytest.param("h:" + "9" * 5000, id="many digits")]
)
def test_addresses_that_are_none(text: str) -> None:
    with pytest.raises(ConfigError, match="HOST:PORT"):
        read_address(text)


def test_a_store_that_cannot_be_written_has_failed_and_a_file_that_is_none_was_bad_input(tmp_path: Path) -> None:
    serving = ["serve", "--game", "fish", "--port", "0", "--once", "--wait", "0.1", "--tries", "1", "--store"]
    unwritable = finished(*serving, "/dev/full")
    assert unwritable.returncode == 1
    assert unwritable.stderr.startswith("parlour: /dev/full: ")
    missing = finished(*serving, str(tmp_path / "no" / "such" / "folder.db"))
    assert missing.returncode == 1
    assert len(missing.stderr.splitlines()) == 1
    text = tmp_path / "text.db"
    text.write_text("a shopping list, long enough that nobody takes it for an empty file\n" * 20)
    foreign = finished(*serving, str(text))
    assert (foreign.returncode, len(foreign.stderr.splitlines())) == (2, 1)


def test_a_disk_that_fills_up_during_a_tournament_has_failed(tmp_path: Path) -> None:
    port = str(free_port())
    serving = ["serve", "--game", "fish", "--port", port, "--once", "--min", "5", "--max", "5", "--store"]
    limited = f"ulimit -f 96; exec {' '.join(map(shlex.quote, [*PARLOUR, *serving, str(tmp_path / 's.db')]))}"
    with subprocess.Popen(["bash", "-c", limited], text=True, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        try:
            finished("join", f"127.0.0.1:{port}", "--game", "fish", "--count", "5", "--reconnect-timeout", "0")
            out, err = server.communicate(timeout=PATIENCE)
        finally:
            server.kill()
    assert (server.returncode, out) == (1, "")
    assert len([line for line in err.splitlines() if line.startswith("parlour: ")]) == 1


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        (["watch", "127.0.0.1:1", "--game", "fish", "--tries", "1"], "127.0.0.1:1"),
        (["join", "ws://127.0.0.1:1", "--match", "x", "--tries", "1"], "ws://127.0.0.1:1/"),
        (["join", "daide://127.0.0.1:1", "--tries", "1"], "127.0.0.1:1"),
        (["match", "--server", "ws://127.0.0.1:1", "--name", "a", "--password", "b", "list"], "ws://127.0.0.1:1/"),
    ],
)
def test_a_server_that_nobody_answers_for_is_a_failure_and_not_bad_usage(
    arguments: list[str], where: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, errors = command_line.run(arguments, capsys)
    assert (code, out, errors) == (1, "", f"parlour: cannot connect to {where}: Connection refused\n")


def address_of(where: str) -> tuple[str, int]:
    host, _, port = where.removeprefix("http://").rpartition(":")
    return host, int(port)


def test_all_doors_open_on_one_store_say_where_they_are_and_stop_in_time(tmp_path: Path) -> None:
    serving = ["serve", "--http-port", "0", "--fish-port", "0", "--daide-port", "0", "--set", "token-days=3"]
    serving += [
        "--set",
        "http-port=1",
        "--min",
        "2",
        "--max",
        "2",
        "--verbose",
    ]  # what has an option of its own is heard first
    misspelt = {**os.environ, "PARLOUR_HTTP_PRT": "1", "PARLOUR_PRICES": "none"}
    with started(*serving, "--store", str(tmp_path / "s.db"), cwd=tmp_path, env=misspelt) as server:
        assert server.stderr is not None
        told = iter(server.stderr.readline, "")
        settings = [next(told) for _ in ServerSettings.__struct_fields__]
        assert "parlour.settings: http-port = 0 (flag)" in settings[1]
        assert "parlour.settings: fish-port = 0 (flag)" in settings[2]
        assert any("parlour.settings: token-days = 3.0 (flag)" in line for line in settings)
        assert "PARLOUR_HTTP_PRT is not a setting; did you mean PARLOUR_HTTP_PORT?" in next(told)
        lines = [next(told) for _ in range(4)]
        assert lines[0].startswith("the account admin has the one-time password ")
        found = {line.split()[0]: line.split()[3].rstrip(":") for line in lines[1:]}
        assert list(found) == ["http", "fish", "daide"]
        players = finished("join", found["fish"], "--game", "fish", "--count", "2")
        assert players.returncode == 0, players.stdout
        with socket.create_connection(address_of(found["http"])) as line:
            line.send(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
            assert line.recv(100).startswith(b"HTTP/1.1 ")
        # Who is connected and says nothing keeps it for no longer than it was set to wait, and then hears the end.
        silent = [socket.create_connection(address_of(where), timeout=PATIENCE) for where in found.values()]
        silent[0].send(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n")
        server.send_signal(signal.SIGTERM)
        out, err = server.communicate(timeout=PATIENCE)
        for line in silent:
            with line, suppress(ConnectionError):
                while line.recv(100):
                    pass
    assert USUAL.stop_time < 5
    assert server.returncode == 0, err
    assert "greedy1" in out
    assert "greedy1 signed up: 1 of 2 to 2" in err
    assert "round 1: 1 table" in err
    again = finished(*serving[:-5], "--only", "nothing", "--store", str(tmp_path / "s.db"))
    assert (again.returncode, again.stderr.count("\n")) == (2, 1)


def test_where_few_files_may_be_open_no_door_takes_those_of_the_others_or_of_the_store(tmp_path: Path) -> None:
    """The log is JSON to the last line, too."""
    serving = ["serve", "--http-port", "0", "--fish-port", "0", "--daide-port", "0", "--min", "2", "--max", "2"]
    serving += ["--store", str(tmp_path / "s.db"), "--set", "log=json"]
    limited = f"ulimit -n 128; exec {' '.join(map(shlex.quote, [*PARLOUR, *serving]))}"
    with subprocess.Popen(["bash", "-c", limited], text=True, stderr=subprocess.PIPE) as server, ExitStack() as crowd:
        crowd.callback(server.kill)
        assert server.stderr is not None
        told: list[dict[str, Any]] = []
        while (
            len(
                found := {
                    one["message"].split()[0]: one["message"].split()[3]
                    for one in told
                    if "listens on" in one["message"]
                }
            )
            < 3
        ):
            told.append(json.loads(server.stderr.readline()))
        assert told[0]["message"].startswith("settings: "), "one line without --verbose"
        assert "connections: 21 at each door" in told[1]["message"]
        assert [one["message"].rpartition(" ")[0] for one in told if one.get("secret")] == [
            "the account admin has the one-time password"
        ]
        http, fish, daide = (address_of(where.rstrip(":")) for where in found.values())
        for where in (fish, daide, http):
            for _ in range(60):
                crowd.enter_context(socket.create_connection(where, timeout=PATIENCE))
        body = b'{"name": "newcomer", "password": "long enough"}'
        with socket.create_connection(http, timeout=PATIENCE) as line:  # whose account is stored
            head = "POST /api/v1/accounts HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nconnection: close"
            line.sendall(f"{head}\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body)
            assert line.recv(100).startswith(b"HTTP/1.1 201 ")
        with socket.create_connection(daide, timeout=PATIENCE) as line:
            line.sendall(bytes.fromhex("000000040001da10"))
            assert line.recv(1) == b"\1"
        players = finished("join", "{}:{}".format(*fish), "--game", "fish", "--count", "2")
        assert players.returncode == 0, players.stdout
        server.send_signal(signal.SIGTERM)
        _, err = server.communicate(timeout=PATIENCE)
    assert "Too many open files" not in err
    assert all(json.loads(line)["message"] for line in err.splitlines())
    assert server.returncode == 0


def test_a_port_in_use_a_bad_certificate_and_no_store_are_told_in_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        cases = {
            ("--http-port", port): f"port: cannot listen on 127.0.0.1:{port}: Address already in use",
            ("--tls-certificate", "none.pem", "--tls-key", "none.key"): "tls-certificate: none.pem with none.key: ",
            ("--no-store",): "no-store: ",
            ("--tls-key", "none.key"): "tls-certificate, tls-key: give both or neither",
        }
        for given, message in cases.items():
            server = finished("serve", "--only", "http", *given, "--store", str(tmp_path / "s.db"))
            assert server.returncode == (1 if port in given else 2), server.stderr
            assert f"parlour: {message}" in server.stderr.splitlines()[-1]


def test_a_spectator_is_shown_tables_names_squares_and_nothing_that_is_not_so(tmp_path: Path) -> None:
    port = str(free_port())
    serving = ["serve", "--game", "fish", "--port", port, "--once", "--min", "2", "--max", "2", "--no-store"]
    watch = ("watch", f"localhost:{port}")
    with (
        (tmp_path / "lines").open("w") as lines,
        started(*serving, cwd=tmp_path),
        started(*watch) as watching,
        started(*watch, "--json", stdout=lines) as program,
    ):
        while guests_of(port) < 2:  # both are there before the players are
            time.sleep(0.05)
        finished("join", f"localhost:{port}", "--game", "fish", "--count", "2")
        out, _ = watching.communicate(timeout=PATIENCE)
        program.communicate(timeout=PATIENCE)
    assert json.loads((tmp_path / "lines").read_text().splitlines()[-1])["type"] == "tournament_result"
    first = out.partition("round 1, table 1: ")[2]
    assert re.match(r"red greedy(\d), white greedy(?!\1)\d, placing\n", first)  # whoever was first
    assert "over" not in first.partition("round 1, table 1: ")[0]
    assert re.search(r"^round 1, table 1: red moves from \d,\d to \d,\d$", out, re.MULTILINE)
    assert out.splitlines()[-1].startswith("the tournament is won by greedy")
