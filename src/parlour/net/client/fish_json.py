"""A client of the JSON protocol: signs up, turns messages into calls of an agent, and reconnects after a cut."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

from parlour.core.fouls import Standing
from parlour.core.game import Outcome, Seat
from parlour.core.text import printable
from parlour.errors import ConfigError, RemoteWireError, Unreachable
from parlour.net.client.link import Link
from parlour.net.client.report import ClientReport
from parlour.net.client.seat import AgentSeat, MakeAgent
from parlour.net.fish.json import messages as ms
from parlour.net.fish.json.states import read_position
from parlour.net.framing.json_stream import encode_line


class JsonClient:
    """Plays one player in one tournament."""

    def __init__(
        self,
        name: str,
        make: MakeAgent,
        *,
        age: int | None = None,
        patience: float = 1000.0,
        returns: float = 0.0,
        returns_early: float = 3.0,
        inline: bool = False,
    ) -> None:
        self.report = ClientReport(name)
        self._make = make
        self._age = age
        self._patience = patience
        self._returns = returns
        """Seconds to try to reconnect after a cut during a game."""
        self._returns_early = min(returns, returns_early)
        """Seconds to try before any tournament has begun: mostly the server has closed then, for too few players."""
        self._inline = inline
        self._token: str | None = None
        self._seat: AgentSeat | None = None
        self._link: Link | None = None
        self._signed_up = False
        self._playing = False
        self._waiting = False
        self._colours: dict[str, str] = {}
        """Colours of all players in the game, by name."""
        self._standings: dict[str, Standing] = {}
        """Standings of players who were removed from the game, by name."""

    async def run(self, host: str, port: int, *, tries: int = 10, pause: float = 1.0) -> ClientReport:
        """Take part until the tournament ends."""
        try:
            return await self._run(host, port, tries, pause)
        finally:
            if self._seat is not None:
                await self._seat.leave()

    async def _run(self, host: str, port: int, tries: int, pause: float) -> ClientReport:
        cut_off = ""
        while True:
            try:
                self._link = await Link.connect(host, port, tries=tries, pause=pause)
            except Unreachable:
                if self._playing or not cut_off:
                    raise
                self.report.reason = cut_off
                return self.report
            try:
                self._send(ms.SignupRequest(self.report.name, self._age, self._token))
                while await self._step():
                    pass
                return self.report
            except ConnectionError as error:
                waited = "was on the wait-list: " if self._waiting else ""
                cut_off = self.report.reason or f"{waited}{error}"
                if not (self._returns and self._signed_up) or self.report.reason:
                    self.report.reason = cut_off
                    return self.report
                tries = max(1, round((self._returns if self._playing else self._returns_early) / pause))
            except (RemoteWireError, TimeoutError) as error:
                self.report.reason = str(error) or "the server said nothing for too long"
                return self.report
            finally:
                self._link.close()

    async def _step(self) -> bool:
        """Process one message. Return True if there are more to come."""
        assert self._link is not None
        message = ms.read(ms.from_server, await self._link.receive(self._patience))
        match message:
            case ms.SignupConfirmation():
                return self._confirmed(message)
            case ms.TournamentStart():
                self._playing = True
                self._send(ms.TournamentReady(True))
            case ms.PlayerAssignColor():
                self._assign(Seat(message.value))
            case ms.PlayerRequestPlacement():
                seat = self._seated()
                self._colours.update({player.name: player.color for player in message.value.players})
                await seat.set_position(read_position(message.value, placing=True))
                if (answer := await seat.act_until(self._link.gone)) is not None:
                    self._send(ms.PlayerRespondPlacement(answer))
            case ms.PlayerRequestMove():
                if (answer := await self._seated().act_until(self._link.gone)) is not None:
                    self._send(ms.PlayerRespondMove(answer))
            case ms.TournamentEnd():
                self.report.won = message.value
                self._send(ms.TournamentEndResponse(True))
                return False
            case _:
                await self._news(message)
        return True

    async def _news(self, message: ms.FromServer) -> None:
        """Process an event of the game."""
        match message:
            case ms.BroadcastState():
                if message.kicked is not None and message.kicked.name == self.report.name:
                    self.report.reason = f"kicked: {printable(message.kicked.reason)}"
                    await self._seated().kicked(message.kicked.reason)
                else:
                    await self._new_state(message)
            case ms.BroadcastAction():
                await self._seated().follow(message.value)
            case ms.BroadcastGameOver():
                await self._game_over(message.value)
            case _:
                pass

    async def _new_state(self, message: ms.BroadcastState) -> None:
        """Take a new state: after a kick, or when the moves begin."""
        seat = self._seated()
        self._colours.update({player.name: player.color for player in message.value.players})
        if message.kicked is not None:
            if message.kicked.color is not None:
                self._colours[message.kicked.name] = message.kicked.color
            with contextlib.suppress(ValueError):  # another server may name other standings
                self._standings[message.kicked.name] = Standing(message.kicked.standing)
        await seat.set_position(read_position(message.value, placing=False))

    def _confirmed(self, message: ms.SignupConfirmation) -> bool:
        self._token = message.token or self._token
        self._waiting = not message.value
        if message.reason is None:
            self._signed_up = True
            return True
        if self._token and not self._playing:
            # No tournament had begun when we were cut off: then our place is gone, and we ask for another.
            self._token = None
            raise ConnectionResetError(printable(message.reason))
        self.report.reason = printable(message.reason)
        return False

    def _assign(self, seat: Seat) -> None:
        if self._seat is not None and self._seat.seat == seat:
            return  # we came back to the game that we were cut off from
        self._colours.clear()
        self._standings.clear()
        self._seat = AgentSeat(self._make(self.report.games), seat, inline=self._inline)

    async def _game_over(self, result: ms.GameResult) -> None:
        self.report.games += 1
        scores: dict[str, float] = {player.color: player.score or 0 for player in result.state.players}
        colours = {player.name: player.color for player in result.state.players}
        places = [[colours[name] for name in names if name in colours] for names in (result.winners, result.losers)]
        outcome = Outcome(scores, tuple(tuple(place) for place in places if place), "game over")
        # A kicked player is missing in the state; the reason is an extension of Parlour's servers.
        removed = {
            self._colours[name]: self._standings.get(name) for name in result.kicked_players if name in self._colours
        }
        seat, self._seat = self._seated(), None
        await seat.over(outcome, removed)
        await seat.leave()

    def _seated(self) -> AgentSeat:
        if self._seat is None:
            raise RemoteWireError("the server has not assigned a colour")
        return self._seat

    def _send(self, message: ms.SignupRequest | ms.FromPlayer) -> None:
        assert self._link is not None
        try:
            self._link.send(encode_line(message))
        except TypeError as error:
            raise ConfigError(f"agent: its answer is no action: {error}", field="agent") from None


async def watch(host: str, port: int, *, tries: int = 10) -> AsyncIterator[ms.FromServer]:
    """Watch one tournament to its end, and return all messages for spectators.

    RemoteWireError if the server does not let us watch, ConnectionError if it hangs up before the end.
    """
    link = await Link.connect(host, port, tries=tries)
    link.send(encode_line(ms.SpectateRequest(True)))
    try:
        while True:
            message = ms.read(ms.from_server, await link.receive())
            if isinstance(message, ms.SignupConfirmation):
                raise RemoteWireError(f"does not let us watch: {printable(message.reason or 'no reason given')}")
            yield message
            if isinstance(message, ms.TournamentOver):
                return
    finally:
        link.close()
