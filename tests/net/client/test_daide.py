"""Our agents at a DAIDE server: whole games over real sockets, with and without press; servers that misbehave."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from parlour.agents import make_agent
from parlour.core.events import Ended, Joined, Opened, Said, Started, TurnBegan
from parlour.core.game import Action, Seat, View
from parlour.core.intents import Ballot, PlayerType
from parlour.core.player import ObservedEvent, Player, SeatHandle
from parlour.core.terms import PressMode
from parlour.errors import LocalWireError, RemoteWireError
from parlour.games.diplomacy.maps.map import named
from parlour.games.diplomacy.position import Position
from parlour.net.client.connection import connect
from parlour.net.client.daide import DaideClient, DaideReport, _read
from parlour.net.daide.door import DaideDoor
from parlour.net.daide.options import DaideOptions
from parlour.net.daide.tokens import written
from parlour.net.framing.frames import FrameReader
from parlour.net.hall import Hall
from parlour.referee.driver import DriverSeatHandle
from parlour.referee.match import replay
from parlour.store import open_store
from parlour.testing import RandomPlayer, ScriptedPlayer
from support.client.daide_visits import HELLO, NOW, visits
from support.daide.wire import CODEC, frame, tokens
from support.framing.lines import deaf_server, noticed_after
from support.mila.servers import original_server
from support.waiting import PATIENCE


def hold(
    path: Path, level: int, *agents: str, last_year: int, board: str = "standard"
) -> tuple[list[DaideReport], list[Any]]:
    """Return a whole game; their reports, and the record."""

    async def whole() -> tuple[list[DaideReport], list[Any]]:
        store = open_store(str(path / "store.db"))
        hall = Hall(store)
        await hall.start()
        here = named(board)
        door = DaideDoor(hall, DaideOptions(level=level), board=here, config={"last_year": last_year})
        await door.open()
        clients = [
            DaideClient(f"bot{i}", make_agent("diplomacy", agents[i % len(agents)], i), talk=0.2)
            for i in range(len(here.powers))
        ]
        async with asyncio.timeout(PATIENCE):
            reports = await asyncio.gather(*(client.run("127.0.0.1", door.port) for client in clients))
        (head,) = (await hall.page()).heads
        record = await hall.record(head.id)
        await door.close()
        await hall.close()
        store.close()
        return reports, record

    return asyncio.run(whole())


def test_a_whole_game_of_agents_without_press(tmp_path: Path) -> None:
    reports, record = hold(tmp_path, 0, "greedy", "random", last_year=1902)
    assert sorted(report.power for report in reports) == sorted(replay(record).places)
    assert {report.ending for report in reports} == {"DRW"}
    assert isinstance(record[-1], Ended)
    assert sum(report.centres for report in reports) > 22


def test_press_agents_negotiate_over_the_wire(tmp_path: Path) -> None:
    _, record = hold(tmp_path, 30, "peace", "broker", last_year=1901)
    said = [event.text for event in record if isinstance(event, Said)]
    assert any(text.startswith("PRP") for text in said)
    assert any(text.startswith("YES") for text in said)


class Weary:
    """Plays as another does, and wants a draw from the second year on."""

    player_type = "no_press_bot"

    def __init__(self, inner: Player) -> None:
        self._inner = inner

    def on_seated(self, handle: DriverSeatHandle) -> None:
        self._handle = handle

    def act(self, view: View) -> Action:
        if view.turn > 3:
            self._handle.vote(Ballot.YES)
        return self._inner.act(view)


def test_our_agents_play_at_the_daide_port_of_the_diplomacy_package() -> None:
    async def whole(port: int) -> list[DaideReport]:
        async with asyncio.timeout(PATIENCE), connect("127.0.0.1", port) as connection:
            channel = await connection.authenticate("ann", "secret")
            rules = ("REAL_TIME", "NO_PRESS", "POWER_CHOICE")  # what bots need there that never say GOF
            await channel.create_game(game_id="there", rules=rules)
            own = await connection.get_daide_port("there")
            agents = [Weary(make_agent("diplomacy", "greedy", number)) for number in range(7)]
            clients = [DaideClient(f"bot{number}", agent) for number, agent in enumerate(agents)]
            return await asyncio.gather(*(client.run("127.0.0.1", own) for client in clients))

    with original_server() as port:
        reports = asyncio.run(whole(port))
    assert sorted(report.power for report in reports) == sorted(Position.start().centers)
    assert {report.ending for report in reports} == {"SMR"}, "that server says nothing of a draw"
    assert all(report.phase >= "S1902M" for report in reports)
    assert sum(report.centres for report in reports) > 22


@pytest.mark.parametrize(
    ("board", "last_year"), [("lagoon", 1702), ("hundred", 1435), ("france-austria", 1902), ("age-of-empires", 1902)]
)
def test_an_agent_joins_a_server_that_plays_on_a_variant(tmp_path: Path, board: str, last_year: int) -> None:
    reports, record = hold(tmp_path, 0, "greedy", last_year=last_year, board=board)
    assert sorted(report.power for report in reports) == sorted(replay(record).places)
    assert {report.ending for report in reports} == {"DRW"}


async def orders_at(server_says: Sequence[str]) -> str:
    """Return the orders of our agent at a server with that script."""
    return (await answers_at(server_says, make_agent("diplomacy", "greedy", 1)))[-1]


async def answers_at(server_says: Sequence[str], agent: Player) -> list[str]:
    """Return the messages of an agent at a server with that script, up to its orders."""
    answers: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for part in (frame(1), *(frame(2, CODEC.encode(tokens(text))) for text in server_says)):
            writer.write(part)
        frames = FrameReader()
        while not (answers and answers[-1].startswith("SUB")):
            found = [body for body in frames.feed(await reader.read(1 << 14)) if body[0] == 2]
            answers.extend(written(CODEC.decode(body[4:])) for body in found)
        writer.write(frame(3))
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server, asyncio.timeout(PATIENCE):
        await DaideClient("a", agent, talk=0.3).run(*server.sockets[0].getsockname())
    return answers


@pytest.mark.parametrize(
    ("said", "code", "message"),
    [
        ([frame(0, bytes.fromhex("0001da10"))], 7, "the server sent an initial message"),
        ([frame(1), frame(0, bytes.fromhex("0001da10"))], 7, "the server sent an initial message"),
        ([frame(2, CODEC.encode(["OFF"]))], 0x0B, "the server did not begin with a representation message"),
        ([frame(1), frame(1)], 0x0C, "the server sent a second representation message"),
        ([frame(1), frame(5)], 8, "the server sent a message of type 5"),
        ([frame(1), frame(2)], 9, "the server sent a message without a token, or with half of one"),
    ],
)
def test_a_server_that_breaks_the_protocol_is_told_by_which_code(said: list[bytes], code: int, message: str) -> None:
    async def scene() -> bytes:
        heard: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"".join(said))
            heard.set_result(await reader.read())
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        async with server, asyncio.timeout(PATIENCE):
            with pytest.raises(ExceptionGroup) as caught:
                await DaideClient("a", make_agent("diplomacy", "random", 1)).run(*server.sockets[0].getsockname())
            assert message in str(caught.value.exceptions[0])
            return await heard

    assert asyncio.run(scene()).endswith(frame(4, code.to_bytes(2, "big")))


@pytest.mark.parametrize(
    ("centres", "now", "orders"),
    [
        ("EDI LON LVP KIE", "NOW ( WIN 1905 ) ( ENG AMY LON ) ( ENG AMY LVP )", "( ( ENG FLT EDI ) BLD ) ( ENG WVE )"),
        ("LON KIE", "NOW ( WIN 1905 ) ( ENG AMY LON ) ( FRA AMY PAR )", "( ENG WVE )"),
        ("LON", "NOW ( SUM 1905 ) ( FRA FLT NTH ) ( ENG FLT NTH MRT ( ) )", "( ( ENG FLT NTH ) DSB )"),
    ],
)
def test_servers_hear_of_everything_that_they_wait_for(centres: str, now: str, orders: str) -> None:
    """Builds for which no home is free are waived, units that can go nowhere are disbanded."""
    said = ["HLO ( ENG ) ( 1 ) ( ( LVL 0 ) )", f"SCO ( ENG {centres} ) ( FRA PAR )", now]
    sub = asyncio.run(orders_at(said))
    assert sub.replace("ENG AMY EDI", "ENG FLT EDI") == f"SUB {orders}"


class Beginner(ScriptedPlayer):
    """Remembers how it began."""

    began: View | None = None

    def on_start(self, view: View) -> None:
        self.began = view


@pytest.mark.parametrize("level", [0, 20])
def test_an_agent_is_told_of_the_match_as_a_referee_of_ours_would(level: int) -> None:
    agent = Beginner()
    said = [
        f"HLO ( ENG ) ( 1 ) ( ( LVL {level} ) )",
        "SCO ( ENG EDI LON LVP ) ( FRA PAR )",
        NOW,
        "FRM ( FRA ) ( ENG ) ( PRP ( PCE ( ENG FRA ) ) )",
    ]
    asyncio.run(answers_at(said, agent))
    opened, *joined, started, began, heard = agent.events[:11]
    assert isinstance(opened, Opened)
    press = opened.terms.press
    assert (opened.config, press.mode, press.level) == (
        {"map": "standard"},
        PressMode.WINDOW if level else PressMode.NONE,
        level or 10,
    )
    kind = PlayerType.PRESS_BOT if level else PlayerType.NO_PRESS_BOT
    seats = tuple(Position.start().centers)
    assert [(event.seat, event.player_type) for event in joined if isinstance(event, Joined)] == [
        (seat, kind) for seat in seats
    ]
    assert isinstance(started, Started)
    assert started.seats == seats
    assert isinstance(began, TurnBegan)
    assert (began.turn, began.stage, set(began.to_act)) == (1, "orders", {"ENGLAND", "FRANCE"})
    assert isinstance(heard, Said)
    assert (heard.seat, heard.to, heard.turn) == ("FRANCE", ("ENGLAND",), 1)
    assert heard.text == "PRP ( PCE ( ENG FRA ) )"
    assert agent.handle is not None
    assert [(view.seat, view.turn) for view in agent.views] == [("ENGLAND", 1)]
    assert agent.began is not None
    assert (agent.began.seat, agent.began.turn) == ("ENGLAND", 1)
    assert agent.began.position == agent.views[0].position


class Bold(ScriptedPlayer):
    """Says what its server does not take, and something else."""

    def act(self, view: View) -> Action:
        assert self.handle is not None
        for text in ("PRP ( SCD ( ENG LON ) )", "PRP ( PCE ( ENG FRA )", "PRP ( PCE ( ENG FRA ) )"):
            self.handle.say(text, [Seat("FRANCE")])
        return super().act(view)


def test_press_above_the_level_of_the_server_is_not_sent_and_the_agent_is_told() -> None:
    agent = Bold()
    said = ["HLO ( ENG ) ( 1 ) ( ( LVL 10 ) )", "SCO ( ENG EDI LON LVP ) ( FRA PAR )", NOW]
    answers = asyncio.run(answers_at(said, agent))
    assert [answer for answer in answers if answer.startswith("SND")] == ["SND ( FRA ) ( PRP ( PCE ( ENG FRA ) ) )"]
    assert len(agent.refusals) == 2
    assert all("a DAIDE server of level 10 does not take this" in str(refusal) for refusal in agent.refusals)


class Parrot(RandomPlayer):
    """Quotes whatever it hears."""

    def on_seated(self, handle: SeatHandle) -> None:
        self.handle = handle

    def on_event(self, observed: ObservedEvent) -> None:
        event = observed.event
        if isinstance(event, Said) and event.seat != self.handle.seat:
            self.handle.say(f"HUH ( ERR {event.text} )", [event.seat])


def test_what_has_no_tokens_is_not_said_at_a_server() -> None:
    hello = ["HLO ( ENG ) ( 1 ) ( ( LVL 10 ) )", "SCO ( ENG LON ) ( FRA PAR )", NOW]
    said = [*hello, "FRM ( FRA ) ( ENG ) ( 'a' )", "FRM ( FRA ) ( ENG ) ( ?58ff 3 )"]
    heard = asyncio.run(answers_at(said, Parrot(1)))
    assert [text for text in heard if text.startswith("SND")] == ["SND ( FRA ) ( HUH ( ERR ?58ff 3 ) )"]
    assert heard[-1].startswith("SUB ( ( ENG FLT LON )")


ENGLAND = "HLO ( ENG ) ( 1 ) ( ( LVL 0 ) )"


class Broken:
    """Fails when it is asked."""

    def act(self, view: View) -> Action:
        raise ValueError("no idea")


@pytest.mark.parametrize(
    ("said", "agent", "error", "message"),
    [
        ([frame(4, bytes.fromhex("0004"))], "random", RemoteWireError, "error 0004"),
        ([frame(1), "REJ ( NME ( 'a' ) ( 'b' ) )"], "random", RemoteWireError, "does not let us play"),
        ([frame(1), "HLO ( ENG ) ( 1 ) ( ( LVL 0 ) )", "NOW ( SPR 1901 ) LON"], "random", RemoteWireError, "brackets"),
        ([frame(1), "HLO ( ENG ) ( 1 ) ( ( LVL 0 ) )", NOW], Broken(), LocalWireError, "ValueError: no idea"),
        ([frame(1), NOW], "random", RemoteWireError, "before it said who we are"),
        ([frame(1), ENGLAND, f"{NOW} ( FRA FLT LON )"], "random", RemoteWireError, "a position that cannot be"),
        ([frame(1), ENGLAND, "NOW ( SPR ( 1901 ) )"], "random", RemoteWireError, "brackets where a word was expected"),
        ([frame(1), ENGLAND, "NOW ( SPR 1901 ) ( ENG FLT ( ( STP ) SCS ) )"], "random", RemoteWireError, "brackets"),
        ([frame(1), "SCO ENG"], "random", RemoteWireError, "'ENG' where brackets were expected"),
        ([frame(1), "HLO ( ENG )"], "random", RemoteWireError, "makes no sense: HLO ( ENG )"),
        ([frame(1), "SCO ( ENG AMY )"], "random", RemoteWireError, "makes no sense: SCO ( ENG AMY )"),
        ([frame(1, b"\x41\0XYZ\0")], "random", RemoteWireError, "a map that is not known here"),
        ([b"\2\0\xff\xff" + bytes(70_000)], "random", RemoteWireError, ""),
    ],
)
def test_what_goes_wrong_has_a_name(said: list[Any], agent: Any, error: type[Exception], message: str) -> None:
    gone = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            for part in said:
                writer.write(part if isinstance(part, bytes) else frame(2, CODEC.encode(tokens(part))))
            await reader.read()
        except ConnectionError:
            pass  # the client has hung up already
        finally:
            writer.close()
            gone.set()

    async def scene() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        async with server, asyncio.timeout(PATIENCE):
            player = make_agent("diplomacy", agent, 1) if isinstance(agent, str) else agent
            try:
                await DaideClient("a", player).run("127.0.0.1", server.sockets[0].getsockname()[1])
            finally:
                await gone.wait()

    with pytest.raises(ExceptionGroup) as caught:
        asyncio.run(scene())
    found: BaseException = caught.value
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    assert isinstance(found, error)
    assert message in str(found)


AGAIN = "IAM ( ENG ) ( 1234 )"


def test_who_is_cut_off_comes_back_with_its_passcode_and_orders_again() -> None:
    spring, fall = "SUB ( ( ENG FLT LON ) HLD )", "SUB ( ( ENG FLT NTH ) HLD )"
    again = (f">{AGAIN}", f"YES ( {AGAIN} )", ">SCO", ">NOW")
    report, heard = visits(
        (">NME", *HELLO, f">{spring}"),
        (*again, *HELLO[1:], f">{spring}"),
        (*again, HELLO[1], "NOW ( FAL 1901 ) ( ENG FLT NTH ) ( FRA AMY PAR )", f">{fall}", "DRW", "OFF"),
    )
    assert (report.power, report.phase, report.ending) == ("ENGLAND", "F1901M", "DRW")
    assert [said[0].split()[0] for said in heard] == ["NME", "IAM", "IAM"]
    assert heard[1] == [AGAIN, "SCO", "NOW", spring]


def test_who_may_not_come_back_has_to_go() -> None:
    with pytest.raises(ExceptionGroup) as caught:
        visits((">NME", *HELLO), (f">{AGAIN}", f"REJ ( {AGAIN} )"))
    assert "the server does not let us play" in str(caught.value.exceptions[0])


def test_who_does_not_want_to_come_back_is_cut_off_for_good() -> None:
    report, heard = visits((">NME", *HELLO, ">SUB"), returns=0.0)
    assert (report.power, report.ending, len(heard)) == ("ENGLAND", "", 1)


def test_who_is_cut_off_before_it_is_told_anything_has_nothing_to_report() -> None:
    report, _ = visits((">NME", HELLO[0]), returns=0.0)
    assert (report.power, report.phase, report.centres, report.ending) == ("ENGLAND", "", 0, "")


def test_who_is_cut_off_when_the_game_is_over_does_not_come_back() -> None:
    report, heard = visits((*HELLO, ">SUB", "DRW"))
    assert (report.ending, len(heard)) == ("DRW", 1)


def test_a_server_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlour.net.client.daide.CONNECT_TIME", 0.05)

    gone = asyncio.Event()

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.transport.abort()
        gone.set()

    async def scene() -> None:
        server = await asyncio.start_server(listen, "127.0.0.1", 0)
        async with server:
            try:
                await DaideClient("a", make_agent("diplomacy", "hold", 1)).run(*server.sockets[0].getsockname())
            finally:
                await gone.wait()

    with pytest.raises(ExceptionGroup) as caught:
        asyncio.run(scene())
    (error,) = caught.value.exceptions
    assert isinstance(error, RemoteWireError)
    assert str(error) == "the server did not answer the greeting within 0.05 seconds"


async def test_an_attempt_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parlour.net.client.daide.MAX_CONNECT", 0.05)
    async with deaf_server() as port:
        with pytest.raises(ExceptionGroup) as caught:
            await DaideClient("a", make_agent("diplomacy", "hold", 1)).run("127.0.0.1", port)
    (error,) = caught.value.exceptions
    assert isinstance(error, TimeoutError)
    assert str(error) == "no answer within 0.05 seconds"


async def test_a_server_that_vanished_is_given_up_by_the_system_so_that_the_client_can_come_back() -> None:
    client = DaideClient("a", make_agent("diplomacy", "hold", 1))
    noticed: list[int] = []

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)  # so that the client has a line by now
        assert client._writer is not None
        noticed.append(noticed_after(client._writer.get_extra_info("socket")))
        writer.close()

    async with await asyncio.start_server(listen, "127.0.0.1", 0) as server:
        await client.run(*server.sockets[0].getsockname())
    given_up = asyncio.StreamReader()
    given_up.set_exception(TimeoutError(errno.ETIMEDOUT, "Connection timed out"))
    assert await _read(given_up, None) == b"", "as any other end"
    assert noticed == [180]
