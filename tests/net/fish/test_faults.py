"""Every way to misbehave that we could think of, against the real server on loopback, alone and all mixed.

A good player is never hurt by a bad one: it ends as a winner or a loser, and somebody wins.
"""

# Why real time passes here: sockets of the system know only real time; limits are long against what is waited for.

from __future__ import annotations

import asyncio
import json
import random
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from parlour.net.client.fish_json import JsonClient
from parlour.net.client.fish_neu import NeuClient
from parlour.net.fish.json import messages as ms
from parlour.net.framing.json_stream import encode_line
from parlour.tournament.knock_out.events import TournamentResult
from support.fish.wire import HOST, TURN, Line, Taking, good, greedy, hold, raw, settings

# Before signing up


async def never_a_name(line: Line) -> Any:
    return await line.silence()


async def half_a_name(line: Line) -> Any:
    line.writer.write(b'{"type": "signup_request", "va')
    return await line.silence()


async def invalid_utf8(line: Line) -> Any:
    line.writer.write(b'{"type": "signup_request", "value": "\xff\xfe"}\n')
    return await line.silence()


async def huge_number(line: Line) -> Any:
    for _ in range(100):
        line.writer.write(b"9" * 1_000_000)
        await line.writer.drain()
    return await line.silence()


async def nested(line: Line) -> Any:
    line.writer.write(b"[" * 100_000)
    return await line.silence()


async def endless_space(line: Line) -> Any:
    for _ in range(100):
        line.writer.write(b" " * 10_000)
        await line.writer.drain()
    return await line.silence()


async def long_list(line: Line) -> Any:
    line.writer.write(b"[" + b"1," * (1 << 19))
    await line.writer.drain()
    return await line.silence()


async def byte_by_byte(line: Line) -> Any:
    """Return one byte after the other, too slowly to be done in time."""
    for byte in b'{"type": "signup_request", "value": "slow"}':
        line.writer.write(bytes([byte]))
        await line.writer.drain()
        await asyncio.sleep(0.1)
    return await line.silence()


async def no_greeting(line: Line) -> Any:
    line.say({"type": "tournament_ready", "value": True})
    return await line.silence()


async def wrong_name(line: Line) -> Any:
    line.say({"type": "signup_request", "value": 7})
    return await line.silence()


STRANGERS = [
    never_a_name,
    half_a_name,
    invalid_utf8,
    huge_number,
    nested,
    endless_space,
    long_list,
    byte_by_byte,
    no_greeting,
    wrong_name,
]

TOLD_WHY = [invalid_utf8, no_greeting, wrong_name]
BOUNDS = {"nested": "nested deeper", "endless_space": "white space", "long_list": "too large"}
"""Messages to clients that exceed a bound."""

# After signing up


class Misbehaving(JsonClient):
    """A player that is good until it is to say something of one kind, and then misbehaves."""

    def __init__(self, name: str, at: type[Any], misbehave: Callable[[Misbehaving, Any], None]) -> None:
        super().__init__(name, greedy, inline=True)
        self._at = at
        self._misbehave = misbehave

    def _send(self, message: Any) -> None:
        if isinstance(message, self._at):
            self._misbehave(self, message)
        else:
            super()._send(message)

    def properly(self, message: Any) -> None:
        """Send it after all."""
        super()._send(message)

    def text(self, text: bytes) -> None:
        """Send anything."""
        assert self._link is not None
        self._link.send(text)


def misbehaving(name: str, at: type[Any], misbehave: Callable[[Misbehaving, Any], None]) -> Taking:
    async def play(port: int) -> Any:
        return await Misbehaving(name, at, misbehave).run(HOST, port)

    return play


def closes(player: Misbehaving, message: Any) -> None:
    assert player._link is not None
    player._link.close()
    raise ConnectionResetError("I left")


def says_nothing(player: Misbehaving, message: Any) -> None:
    """Silence."""


def wrong_type(player: Misbehaving, message: Any) -> None:
    player.text(b'{"type": "%s", "value": {"not": "this"}}\n' % ms.tag_of(message).encode())


def wrong_kind(player: Misbehaving, message: Any) -> None:
    player.text(b'{"type": "broadcast_action", "value": "Skip"}\n')


def no_json(player: Misbehaving, message: Any) -> None:
    player.text(b"}{ what?\n")


def trickles(player: Misbehaving, message: Any) -> None:
    """One byte now and then: never done in time."""
    loop = asyncio.get_running_loop()
    for number, byte in enumerate(b'{"type":'):
        loop.call_later(number * TURN / 2, player.text, bytes([byte]))


def twice(player: Misbehaving, message: Any) -> None:
    player.properly(message)
    player.properly(message)


def floods(player: Misbehaving, message: Any) -> None:
    for _ in range(1000):
        player.properly(message)


def too_early(player: Misbehaving, message: Any) -> None:
    """Answers, and at once what was not asked yet."""
    player.properly(message)
    player.properly(ms.PlayerRespondPlacement((0, 0)))


def previous(player: Misbehaving, message: Any) -> None:
    """Return an answer that was of the right kind in an earlier turn."""
    player.properly(ms.TournamentReady(True))


def off_the_board(player: Misbehaving, message: Any) -> None:
    wrong = (1000, 1000) if isinstance(message, ms.PlayerRespondPlacement) else ((1000, 1000), (0, 0))
    player.properly(type(message)(wrong))


def skips(player: Misbehaving, message: Any) -> None:
    player.properly(ms.PlayerRespondMove("Skip"))


def goes_on_and_on(player: Misbehaving, message: Any) -> None:
    """More than any lawful answer has, of a string that does not end."""
    player.text(b'{"type": "' + b"x" * 5000)


ANSWERS = [ms.TournamentReady, ms.PlayerRespondPlacement, ms.PlayerRespondMove]
BAD = [
    *[(f"{fault.__name__} at {kind.__name__}", kind, fault)
      for kind in ANSWERS for fault in (closes, says_nothing, wrong_type, wrong_kind)],
    ("not ready", ms.TournamentReady, lambda player, message: player.properly(ms.TournamentReady(False))),
    ("no json", ms.PlayerRespondPlacement, no_json),
    ("trickles", ms.PlayerRespondMove, trickles),
    ("goes on and on", ms.PlayerRespondMove, goes_on_and_on),
    ("twice", ms.PlayerRespondPlacement, twice),
    ("floods", ms.PlayerRespondPlacement, floods),
    ("too early", ms.TournamentReady, too_early),
    ("previous", ms.PlayerRespondPlacement, previous),
    ("placement off the board", ms.PlayerRespondPlacement, off_the_board),
    ("move off the board", ms.PlayerRespondMove, off_the_board),
    ("skips", ms.PlayerRespondMove, skips),
]  # fmt: skip
REASONS = {
    "closes at PlayerRespondMove": "gone: the connection was closed",
    "says_nothing at PlayerRespondMove": "late: no answer in time",
    "wrong_kind at PlayerRespondMove": 'in {"type": "broadcast_action", "value": "Skip"}',
    "not ready": "is not ready",
}
"""Words that the reasons of some faults must contain."""
CHEATS = {"placement off the board", "move off the board", "skips"}


def check(result: TournamentResult | None, good_names: set[str]) -> TournamentResult:
    """Nobody good came to harm, and one of them won."""
    assert result is not None
    assert set(result.winners) | set(result.losers) >= good_names
    assert set(result.winners)
    assert set(result.winners) <= good_names
    return result


@pytest.mark.parametrize("stranger", STRANGERS, ids=lambda stranger: stranger.__name__)
def test_a_bad_stranger_holds_up_nobody(stranger: Any) -> None:
    results, _ = asyncio.run(hold(settings(2), [raw(stranger), good("a"), good("b")], between=0.01))
    result = check(results[0], {"a", "b"})
    assert result.failures == result.cheaters == ()


@pytest.mark.parametrize("stranger", STRANGERS, ids=lambda stranger: stranger.__name__)
def test_a_bad_stranger_is_shown_out_and_others_can_still_sign_up(stranger: Any) -> None:
    async def scenario() -> Any:
        gone = asyncio.Event()

        async def shown_out(port: int) -> Any:
            found = await raw(stranger)(port)
            gone.set()
            return found

        def afterwards(name: str) -> Taking:
            async def play(port: int) -> Any:
                await gone.wait()
                return await good(name)(port)

            return play

        return await hold(settings(2, wait=5.0), [shown_out, afterwards("a"), afterwards("b")])

    results, found = asyncio.run(scenario())
    check(results[0], {"a", "b"})
    if stranger in TOLD_WHY:
        assert [(message["value"], "expected" in message["reason"]) for message in found[0]] == [(False, True)]
    elif found[0] and not isinstance(found[0], ConnectionError):  # the words may be lost with the connection
        (told,) = found[0]
        assert BOUNDS[stranger.__name__] in told["reason"]


def test_many_spaces_before_the_name_are_only_white_space() -> None:
    async def patient(line: Line) -> Any:
        for _ in range(16):
            line.writer.write(b" " * (1 << 11))
            await line.writer.drain()
        line.say({"type": "signup_request", "value": "late"})
        return await line.hear()

    results, found = asyncio.run(hold(settings(3), [raw(patient), good("a"), good("b")]))
    assert found[0]["type"] == "signup_confirmation"
    assert found[0]["value"] is True
    # It then leaves, which is its own failure.
    assert [departure.name for departure in check(results[0], {"a", "b"}).failures] == ["late"]


@pytest.mark.parametrize(("kind", "fault"), [bad[1:] for bad in BAD], ids=[bad[0] for bad in BAD])
def test_a_bad_player_alone_is_out_with_its_reason(kind: type[Any], fault: Any, request: pytest.FixtureRequest) -> None:
    results, _ = asyncio.run(hold(settings(3), [misbehaving("bad", kind, fault), good("a"), good("b")], between=0.005))
    result = check(results[0], {"a", "b"})
    cheated = request.node.callspec.id in CHEATS
    (departure,) = result.cheaters if cheated else result.failures
    assert departure.name == "bad"
    assert REASONS.get(request.node.callspec.id, "") in departure.reason
    assert len(departure.reason) > 5
    assert not departure.reason.startswith("garbled: is not ready")
    assert "\n" not in departure.reason


@pytest.mark.parametrize("fault", [closes, says_nothing, wrong_type, wrong_kind, no_json])
def test_a_winner_who_does_not_take_the_news_becomes_a_loser(fault: Any) -> None:
    guests = [misbehaving(name, ms.TournamentEndResponse, fault) for name in "ab"]
    results, _ = asyncio.run(hold(settings(2), guests, between=0.005))
    assert results[0] is not None
    assert results[0].winners == ()
    assert set(results[0].losers) == {"a", "b"}


def test_ten_players_of_which_five_are_bad_and_every_kind_of_stranger() -> None:
    bad = [BAD[index] for index in (1, 4, 8, 12, 17)]
    guests = [raw(stranger) for stranger in STRANGERS]
    for number, (_, kind, fault) in enumerate(bad):
        guests += [misbehaving(f"bad{number}", kind, fault), good(f"good{number}")]
    results, _ = asyncio.run(hold(settings(10), guests, between=0.005))
    result = check(results[0], {f"good{number}" for number in range(5)})
    assert {d.name for d in (*result.failures, *result.cheaters)} == {f"bad{number}" for number in range(5)}


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, len(BAD), 5))
def test_every_kind_of_bad_player_mixed_into_a_tournament_of_ten(first: int) -> None:
    bad = (BAD + BAD)[first : first + 5]
    guests = []
    for number, (_, kind, fault) in enumerate(bad):
        guests += [misbehaving(f"bad{number}", kind, fault), good(f"good{number}")]
    results, _ = asyncio.run(hold(settings(10), guests, between=0.005))
    result = check(results[0], {f"good{number}" for number in range(5)})
    assert {d.name for d in (*result.failures, *result.cheaters)} == {f"bad{number}" for number in range(5)}


class Mutating(JsonClient):
    """A player whose messages are damaged at random from some point on."""

    def __init__(self, name: str, seed: int) -> None:
        super().__init__(name, greedy, inline=True)
        self._rng = random.Random(seed)
        self._left = self._rng.randrange(1, 12)

    def _send(self, message: Any) -> None:
        self._left -= 1
        if self._left > 0 or isinstance(message, ms.SignupRequest):
            super()._send(message)
            return
        assert self._link is not None
        self._link.send(damaged(encode_line(message), self._rng))


def damaged(text: bytes, rng: random.Random) -> bytes:
    """Return the text with something wrong about it, or by luck not."""
    at, to = sorted(rng.choices(range(len(text) + 1), k=2))
    return rng.choice(
        [
            text[:at] + text[to:],
            text[:at] + bytes(rng.choices(range(256), k=rng.randrange(1, 9))) + text[to:],
            text[:to] + text[at:],
            text.replace(b"[", b"{", 1),
            text.replace(b"true", b"1"),
            text.upper(),
            text * rng.randrange(2, 40),
            text[:-1] + b"}" * rng.randrange(1, 4),
            bytes(rng.choices(range(256), k=rng.randrange(1, 2000))),
        ]
    )


@pytest.mark.parametrize("seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(4, 60))])
def test_damaged_messages_hurt_only_who_sends_them(seed: int) -> None:
    rng = random.Random(seed)

    async def noise(line: Line) -> Any:
        line.writer.write(damaged(b'{"type": "signup_request", "value": "noise"}\n', rng))
        return await line.silence()

    async def mutating(port: int) -> Any:
        return await Mutating("bad", seed).run(HOST, port)

    guests = [mutating, raw(noise), raw(noise), good("a"), good("b"), good("c")]
    results, _ = asyncio.run(hold(settings(4, most=6, wait=TURN / 2), guests, between=0.01))
    assert results[0] is not None
    assert set(results[0].winners + results[0].losers) >= {"a", "b", "c"}
    assert results[0].winners


def test_a_player_that_reads_nothing_is_only_late() -> None:
    async def deaf(line: Line) -> Any:
        line.writer.transport.pause_reading()  # type: ignore[attr-defined]
        line.say({"type": "signup_request", "value": "deaf"})
        await asyncio.sleep(3 * TURN)

    results, _ = asyncio.run(hold(settings(3), [raw(deaf), good("a"), good("b")]))
    assert [d.name for d in check(results[0], {"a", "b"}).failures] == ["deaf"]


def test_a_thousand_silent_connections_keep_nobody_from_signing_up() -> None:
    silent: list[socket.socket] = []

    async def crowd(port: int) -> Any:
        """Return a thousand who say nothing, and in their midst two who want to play."""
        loop = asyncio.get_running_loop()
        async with asyncio.TaskGroup() as group:
            for number in range(1000):
                silent.append(socket.socket())
                silent[-1].setblocking(False)
                await loop.sock_connect(silent[-1], (HOST, port))
                if number in (500, 999):
                    group.create_task(good(f"after{number}")(port))

    few = settings(2, name_time=20.0, most_strangers=64, wait=10.0)
    results, _ = asyncio.run(hold(few, [crowd]))
    check(results[0], {"after500", "after999"})
    for connection in silent:
        connection.close()


# The course's protocol


def neu_until(call: str, then: Callable[[Line], Awaitable[Any]]) -> Taking:
    """Return a player of the course's protocol that is good until a certain call."""

    async def script(line: Line) -> Any:
        line.say("bad")
        player = NeuClient("bad", greedy, inline=True)
        while (value := await line.reader.readline()) and not value.startswith(b'["' + call.encode()):
            line.say(await player._answer(value))
        return await then(line)

    return raw(script)


@pytest.mark.parametrize("call", ["start", "playing-as", "playing-with", "setup", "take-turn", "end"])
def test_leaving_at_any_call_of_the_course_is_a_failure_of_ones_own(call: str) -> None:
    guests = [neu_until(call, Line.close), good("ga", "neu"), good("gb", "neu")]
    results, _ = asyncio.run(hold(settings(3), guests, protocol="neu", between=0.005))
    result = results[0]
    assert result is not None
    assert [d.name for d in result.failures] == ["bad"]  # also of a loser, as in the course's own server
    assert set(result.winners) | set(result.losers) >= {"ga", "gb"}


WRONG = {
    "start": [b"true", b'"ok"', b"{}", b"null"],
    "playing-as": [b"[]", b'"Void"'],
    "playing-with": [b"1 ", b"false"],
    "setup": [b'"void"', b"[0]", b"[0,-1]", b"[0.5,1]", b"[99,99]"],
    "take-turn": [b"false", b"[[0,0]]", b'"void"', b'"skip"', b"[[9,9],[0,0]]"],
}


@pytest.mark.parametrize(("call", "answer"), [(call, answer) for call in WRONG for answer in WRONG[call]])
def test_a_wrong_answer_to_any_call_of_the_course_removes(call: str, answer: bytes) -> None:
    async def lie(line: Line) -> Any:
        line.writer.write(answer)
        return await line.silence()

    guests = [neu_until(call, lie), good("ga", "neu"), good("gb", "neu")]
    results, found = asyncio.run(hold(settings(3), guests, protocol="neu", between=0.005))
    result = check(results[0], {"ga", "gb"})
    assert [d.name for d in (*result.failures, *result.cheaters)] == ["bad"]
    assert found[0] == []


def test_who_is_removed_in_the_courses_protocol_is_cut_off_only_at_the_end() -> None:
    """The course's clients spin on a socket that closes earlier."""
    ends: list[str] = []

    async def cheats(line: Line) -> Any:
        line.writer.write(b"[99,99]")
        heard = await line.silence()
        ends.append("cut off")
        return heard

    def stays(name: str) -> Taking:
        async def play(port: int) -> Any:
            report = await good(name, "neu")(port)
            ends.append("told the end")
            return report

        return play

    guests = [neu_until("setup", cheats), stays("ga"), stays("gb")]
    results, found = asyncio.run(hold(settings(3), guests, protocol="neu", between=0.005))
    assert [d.name for d in check(results[0], {"ga", "gb"}).cheaters] == ["bad"]
    assert found[0] == []
    assert ends == ["told the end", "told the end", "cut off"]


def test_the_stock_clients_spaces_and_trickle_are_served() -> None:
    """Each reply is 2040 spaces, then ten bytes at a time with a pause of 5 ms, then the end of the line."""

    async def stock(line: Line) -> Any:
        player = NeuClient("Pz", greedy, inline=True)

        async def trickle(value: Any) -> None:
            text = json.dumps(value).encode()
            line.writer.write(b" " * 2040)
            for start in range(0, len(text), 10):
                line.writer.write(text[start : start + 10])
                await asyncio.sleep(0.005)
            line.writer.write(b"\n")

        await trickle("Pz")
        while player.report.won is None:
            await trickle(await player._answer(await line.reader.readline()))
        return player.report

    guests = [raw(stock), good("ga", "neu"), good("gb", "neu")]
    results, found = asyncio.run(hold(settings(3), guests, protocol="neu", between=0.005))
    assert results[0] is not None
    assert results[0].failures == ()
    assert found[0].won == ("Pz" in results[0].winners)
