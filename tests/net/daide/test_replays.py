"""Recorded sessions of real clients, played again here: their very bytes against this door, the other six as then.

The recordings were made at a server that nobody here wrote. Whatever a client had heard there when it said something,
it has heard here: the same orders with the same results, the same centres, units and retreats, the same answers. What
may differ is listed in `without_turns_of_the_doomed` and `told_there`, and nothing else does.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from parlour.core import intents as it
from parlour.games.diplomacy.formats.forms import read_state
from parlour.games.diplomacy.position import Position
from parlour.net import heartbeat
from parlour.net.daide.door import DaideDoor
from parlour.net.daide.options import DaideOptions
from parlour.net.daide.reception import Reception
from parlour.net.daide.tokens import Numbering, codec, written
from parlour.net.framing.frames import HEADER, FrameReader
from parlour.net.hall import Hall
from parlour.press.press_position import names
from parlour.store import open_store
from support.daide.table import POWERS, Clock, Voice
from support.daide.wire import DaideLine, as_sets, tokens
from support.waiting import PATIENCE

SUBMITTING = bytes.fromhex("4818")
RECORDINGS = Path(__file__).parent / "recordings"


@dataclass(frozen=True)
class Line:
    """One message as it was recorded, or (no text) bytes of the client that are sent as they were."""

    who: str
    text: str = ""
    raw: bytes = b""


def recorded(name: str) -> Iterator[Line]:
    """Yield the messages of the client, segment by segment with its pad bytes, and each message that it received."""
    words, reader = codec(Position.start().board, Numbering.DOCUMENT), FrameReader(max_body=1 << 16)
    for line in (RECORDINGS / f"{name}.rec").read_text(encoding="utf-8").splitlines():
        _, who, said = line.split()
        if said == "EOF":
            continue
        raw = bytes.fromhex(said)
        if who == "C":
            yield Line("C", raw=raw)
        else:
            for frame in reader.feed(raw):
                yield Line("S", written(words.decode(frame[HEADER:])) if frame[0] == 2 else f"<{frame[0]}>")


DOOMED = r" \( (\w+ \w+ (?:\w+|\( \w+ \w+ \))) MRT \( \) \)"


def without_turns_of_the_doomed(lines: Sequence[Line]) -> Iterator[Line]:
    """Yield a recording without the turns in which units could only be disbanded: here these are gone before."""
    doomed: list[str] = []
    me = next(line.text for line in lines if line.text.startswith("HLO")).split()[2]
    for line in lines:
        if line.text.startswith("NOW"):
            alone = "MRT" not in re.sub(DOOMED, "", line.text)
            doomed = re.findall(DOOMED, line.text) if alone else []
        own = any(unit.startswith(me) for unit in doomed)
        gone = line.text.startswith("ORD") and any(f"( {unit} ) DSB" in line.text for unit in doomed)
        disbands = own and (line.who == "C" or line.text.startswith("THX"))
        if not gone and not disbands and not (doomed and line.text.startswith("NOW")):
            yield line


def as_played_here(name: str) -> list[Line]:
    """Return a recording without the turns that are not played here."""
    return list(without_turns_of_the_doomed(list(recorded(name))))


def told_there(text: str) -> str:
    """Return a message of the other server as it would be here; empty where here nothing is said.

    It counts down every second, answers NOT ( TME ( n ) ) with a joke, and rejects NOT ( DRW ) without a vote, which
    the protocol's text lets pass. Passcodes are others.
    """
    if text.startswith("ADM ( 'Server' ) ( 'Please"):
        return "YES ( NOT ( TME"
    if text.startswith(("TME", "ADM", "NOT ( TME")):
        return ""
    text = text.replace("REJ ( NOT ( DRW ) )", "YES ( NOT ( DRW ) )")
    return re.sub(r"^(HLO \( \w+ \)) \( \d+ \)", r"\1", text)


def told_here(text: str) -> str:
    if text.startswith("YES ( NOT ( TME"):
        return "YES ( NOT ( TME"
    return told_there(text)


def alike(text: str) -> object:
    """Messages that say the same though in another order: units in NOW, centres in SCO, borders in MDF."""
    return as_sets(["(", *tokens(text), ")"])[0] if text.split(" ", 1)[0] in ("NOW", "SCO", "MDF") else text


class Replay:
    """One recorded client and six who do what the others did then."""

    def __init__(self, door: DaideDoor, hall: Hall, clock: Clock, lines: Sequence[Line]) -> None:
        self._door, self._hall, self._clock, self._lines = door, hall, clock, lines
        self.me = next(line.text for line in lines if line.text.startswith("HLO")).split()[2]
        self.others: dict[str, Voice] = {}
        self._line: DaideLine | None = None
        self._turn, self._ordered = "", False
        """The turn that runs, and whether the client has ordered something in it."""
        self.heard: Counter[object] = Counter()
        self.wanted: Counter[object] = Counter()
        self.orders_compared = 0

    async def seat(self, *powers: str) -> None:
        for power in powers:
            voice = self.others[power] = Voice(self._door.reception, self._door._gate)
            await voice.sit(f"{power}:puppet")

    async def connect(self) -> None:
        self._line = await DaideLine.open(self._door.port, greet=False)

    def begin(self, turn: str) -> None:
        """The match is in that turn already."""
        self._turn = turn

    async def play(self, lines: Sequence[Line]) -> None:
        """Everything that was said, in its order."""
        assert self._line is not None
        for at, line in enumerate(lines):
            if line.who == "C":
                await self.listen()
                self._line.writer.write(line.raw)
                self._ordered |= SUBMITTING in line.raw
            elif (wanted := told_there(line.text)) and wanted != "<1>":
                await self._others_do(line.text, lines[at:])
                self.wanted[alike(wanted)] += 1
                if wanted.startswith("NOW"):
                    self._turn, self._ordered = turn_of(wanted), False
        await self.listen()

    async def listen(self) -> None:
        """Until all that was heard then has been heard now."""
        assert self._line is not None
        while missing := self.wanted - self.heard:
            try:
                said = told_here(await asyncio.wait_for(self._line.hear(), PATIENCE))
            except TimeoutError:
                raise AssertionError(difference(missing, self.heard - self.wanted)) from None
            if said and not said.startswith("<1 "):
                self.heard[alike(said)] += 1

    async def _others_do(self, text: str, rest: Sequence[Line]) -> None:
        if text.startswith("FRM"):
            found = re.fullmatch(r"FRM \( (\w+) \) (\( [\w ]+ \)) (.*)", text)
            assert found is not None
            said = f"SND {found[2]} {found[3]}"
            assert await self.others[found[1]].ask(said) == f"YES ( {said} )"
        if text.startswith("ORD") and turn_of(text) == self._turn:
            turn, self._turn = self._turn, ""
            await self._others_order(turn, rest)

    async def _others_order(self, turn: str, rest: Sequence[Line]) -> None:
        """Return the orders of the other six, as the client was told afterwards."""
        given: dict[str, list[str]] = {power: [] for power in self.others}
        for line in rest:
            if line.text.startswith("NOW"):
                break
            if line.text.startswith("ORD") and turn_of(line.text) == turn:
                order = re.fullmatch(r"ORD \( \w+ \d+ \) (\( .* \)) \( [A-Z ]+ \)", line.text)
                assert order is not None
                power = order[1].replace("( ", "").split()[0]
                self.orders_compared += 1
                if power in given:
                    given[power].append(order[1])
        await self.listen()  # the client's own orders are in
        # Who can only waive is not waited for.
        for power, orders in sorted(given.items(), key=lambda own: any("WVE" not in order for order in own[1])):
            if orders:
                answers = await self.others[power].say(f"SUB {' '.join(orders)}")
                notes = [said for said in answers if said.startswith("THX") and not said.endswith("( MBV )")]
                assert not notes
        if not self._ordered and turn.split()[1] in ("SPR", "FAL"):
            await self._time_is_up()

    async def _time_is_up(self) -> None:
        (head,) = (await self._hall.page()).heads
        self._clock.now += 1000
        await (await self._hall.wake(head.id)).table.tick()


def difference(missing: Counter[object], extra: Counter[object]) -> str:
    """Return the missing messages and those received instead; of long messages only the parts that differ."""
    for said, instead in zip(missing, extra, strict=False):
        if isinstance(said, frozenset) and isinstance(instead, frozenset):
            return f"not heard: {said - instead}; instead: {instead - said}"
    return f"not heard: {list(missing)[:5]}; instead: {list(extra)[:5]}"


def turn_of(text: str) -> str:
    """( SPR 1901 ) of a message that begins with its turn."""
    return " ".join(text.split()[1:5])


@asynccontextmanager
async def house(path: Path, options: DaideOptions) -> AsyncIterator[tuple[DaideDoor, Hall, Clock]]:
    clock = Clock()
    with open_store(str(path / "store.db")) as store:
        hall = Hall(store, clock=clock)
        await hall.start()
        door = DaideDoor(hall, options, numbering=Numbering.DOCUMENT)
        await door.open()
        try:
            yield door, hall, clock
        finally:
            await DaideLine.hang_up()
            await door.close()
            await hall.close()


@pytest.mark.parametrize(
    ("name", "options", "orders"),
    [
        ("albert_press30", DaideOptions(level=30, mtl=60, rtl=60, btl=60), 400),
        ("albert_press30_b", DaideOptions(level=30, mtl=60, rtl=60, btl=60), 400),
        ("java_dbrane", DaideOptions(mtl=60, rtl=60, btl=60), 300),
    ],
)
def test_a_recorded_client_hears_what_it_heard_then(
    name: str, options: DaideOptions, orders: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeat, "BEAT", 1e9)  # time stands still
    lines = as_played_here(name)
    end = next(at for at, line in enumerate(lines) if line.text == "DRW")  # at a year that was set there

    async def whole() -> None:
        async with asyncio.timeout(200), house(tmp_path, options) as (door, hall, clock):
            replay = Replay(door, hall, clock, lines)
            before = POWERS[: POWERS.index(replay.me)]
            start = next(at for at, line in enumerate(lines) if line.text.startswith("HLO"))
            await replay.seat(*before)
            await replay.connect()
            await replay.play(lines[:start])
            await replay.seat(*(power for power in POWERS if power not in (replay.me, *before)))
            await replay.play(lines[start:end])
            assert replay.heard - replay.wanted == Counter()
            assert replay.orders_compared > orders

    asyncio.run(whole())


async def test_a_recorded_client_that_comes_back_finds_its_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot of the C++ framework: its name is rejected, its passcode is right, and then it asks for everything."""
    monkeypatch.setattr(heartbeat, "BEAT", 1e9)
    monkeypatch.setattr(Reception, "passcode", lambda *_: 6882)
    lines = as_played_here("cpp_rejoin")
    async with (
        asyncio.timeout(200),
        house(tmp_path, DaideOptions(mtl=100, rtl=100, btl=100)) as (door, hall, clock),
    ):
        replay = Replay(door, hall, clock, lines)
        cut_off = Voice(door.reception, door._gate)
        await cut_off.sit("AUS:HoldBot", "8~3")
        await replay.seat(*POWERS[1:])
        (head,) = (await hall.page()).heads
        await hall.submit(head.id, it.SetPosition("host", position_of(lines)))
        await cut_off.guest.leave()
        await replay.connect()
        replay.begin("( SPR 1908 )")
        await replay.play(lines)
        assert replay.heard - replay.wanted == Counter()
        assert replay.orders_compared > 1000


def position_of(lines: Sequence[Line]) -> str:
    """Spring 1908, by the orders that were told of it and the centres that were asked for after it."""
    start = Position.start()
    known = names(start.board)
    seats = {word: str(seat) for seat, word in known.lexicon.seats.items()}
    units: dict[str, list[str]] = {seat: [] for seat in seats.values()}
    for power, kind, place in re.findall(
        r"^ORD \( SPR 1908 \) \( \( (\w+) (\w+) (\w+|\( \w+ \w+ \)) \)", "\n".join(first_of_each(lines)), re.M
    ):
        units[seats[power]].append(f"{kind[0]} {known.tag_of_place[place.strip('( )')]}")
    owned = next(line.text for line in lines if line.text.startswith("SCO"))
    tag = {province.daide: province.tag for province in start.board.provinces}
    rows = [row.split() for row in re.findall(r"\( (.*?) \)", owned)]
    centres = {seats[power]: [tag[word] for word in of_it] for power, *of_it in rows if power in seats}
    state = {"phase": "S1908M", "units": units, "centers": centres}
    return str(Position(*read_state(state, start.board)).encode())


def first_of_each(lines: Sequence[Line]) -> list[str]:
    return list(dict.fromkeys(line.text for line in lines))
