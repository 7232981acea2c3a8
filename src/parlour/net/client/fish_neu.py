"""A client of the CS4500 course's Fish protocol: signs up with a name and turns calls into calls of an agent."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

from parlour.core.decoding import UNREADABLE
from parlour.core.game import Plain, Seat
from parlour.core.text import printable
from parlour.errors import ConfigError, NotationError, RemoteWireError
from parlour.games.fish.notation import read_state
from parlour.games.fish.position import COLOURS, Position
from parlour.net.client.link import Link
from parlour.net.client.report import ClientReport
from parlour.net.client.seat import AgentSeat, MakeAgent
from parlour.net.fish.neu.calls import NAME, VOID
from parlour.net.framing.json_stream import encode_line

Call: TypeAlias = tuple[
    Literal["start", "playing-as", "playing-with", "setup", "take-turn", "end"],
    Annotated[list[Any], Meta(max_length=4)],
]

_calls: msgspec.json.Decoder[Call] = msgspec.json.Decoder(Call)


class NeuClient:
    """Plays one player in one tournament."""

    def __init__(self, name: str, make: MakeAgent, *, patience: float = 1000.0, inline: bool = False) -> None:
        if not NAME.fullmatch(name):
            raise ConfigError(f"name: expected 1 to 12 letters, not {name[:40]!r}", field="name")
        self.report = ClientReport(name)
        self._make = make
        self._patience = patience
        self._inline = inline
        self._seat: AgentSeat | None = None

    async def run(self, host: str, port: int, *, tries: int = 10, pause: float = 1.0) -> ClientReport:
        """Take part until the tournament ends."""
        link = await Link.connect(host, port, tries=tries, pause=pause)
        try:
            link.send(encode_line(self.report.name))
            while self.report.won is None:
                value = await link.receive(self._patience)
                link.send(encode_line(await self._answer(value)))
        except (ConnectionError, RemoteWireError, TimeoutError) as error:
            self.report.reason = str(error) or "the server said nothing for too long"
        finally:
            link.close()
            await self._leave()
        return self.report

    async def _answer(self, value: bytes) -> Plain:
        try:
            name, arguments = _calls.decode(value)
        except UNREADABLE as error:
            raise RemoteWireError(f"expected [name, [arguments]]: {printable(error)}") from None
        match name, arguments:
            case "start" | "playing-with", [_]:
                return VOID
            case "playing-as", [colour] if colour in COLOURS:
                await self._leave()
                self.report.games += 1
                self._seat = AgentSeat(self._make(self.report.games - 1), Seat(colour), inline=self._inline)
                return VOID
            case "setup", [state]:
                return await self._act(_read_placing(state))
            case "take-turn", [state, _]:
                return await self._act(_read(state))
            case "end", [bool() as won]:
                self.report.won = won
                return VOID
            case _:
                raise RemoteWireError(f"{name}: the arguments are not as expected")

    async def _leave(self) -> None:
        """Release the agent when the next game begins or all ends: the protocol does not report the end of a game."""
        if self._seat is not None:
            await self._seat.leave()

    async def _act(self, position: Position) -> Plain:
        if self._seat is None:
            raise RemoteWireError("the server has not called playing-as")
        await self._seat.set_position(position)
        return await self._seat.act()


def _read(state: Plain, penguins: int | None = None) -> Position:
    try:
        return read_state(state if penguins is None else {**state, "penguins": penguins})
    except NotationError as error:
        raise RemoteWireError(str(error)) from None


def _read_placing(state: Plain) -> Position:
    """Return the position of a State in which the first player is to place a penguin."""
    counts = [len(side.penguins) for side in _read(state).sides]
    return _read(state, max(*counts, counts[0] + 1)) if counts else _read(state)
