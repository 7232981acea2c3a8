"""A state machine of strangers at the DAIDE door: whatever bytes they send, nobody else is disturbed or held up."""

from __future__ import annotations

import asyncio
import logging
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule, run_state_machine_as_test

from parlour.net.daide import caller as caller_module
from parlour.net.daide import guest as guest_module
from parlour.net.daide.door import DaideDoor
from parlour.net.daide.options import DaideOptions
from parlour.net.daide.tokens import Token
from parlour.net.framing.connection import Wire
from parlour.net.framing.frames import MAX_BODY, FrameReader
from parlour.net.hall import Hall
from parlour.store import open_store
from support.daide.table import HOLDS, POWERS, Voice
from support.daide.wire import CODEC, INITIAL, frame, tokens
from support.waiting import PATIENCE

LAWFUL = (
    *("NME ( 'x@table' ) ( '1' )", "NME ( 'TUR:x@table' ) ( '1' )", "NME ( 'x' ) ( '1' )", "OBS", "IAM ( TUR ) ( 17 )"),
    *("YES ( MAP ( 'standard' ) )", "REJ ( MAP ( 'standard' ) )", "MAP", "MDF", "HLO", "SCO", "NOW", "ORD", "MIS"),
    *("HST ( SPR 1901 )", "GOF", "NOT ( GOF )", "DRW", "DRW ( TUR ENG )", "NOT ( DRW )", "TME ( 5 )", "NOT ( TME )"),
    *(f"SUB {HOLDS['TUR']}", "SUB ( SPR 1901 ) ( ( TUR FLT ANK ) MTO BLA )", "NOT ( SUB )", "SUB ( TUR WVE )"),
    *("SND ( ENG ) ( PRP ( PCE ( ENG TUR ) ) )", "SND ( ENG FRA ) ( TRY ( PCE ) )", "ADM ( 'a' ) ( 'b' )"),
    *("NOT ( SUB ( ( TUR FLT ANK ) HLD ) )", "SND ( ENG ) ( PRP ( NAR ( PCE ( ENG TUR ) ) ) )", "PRN ( NOW )"),
    *("TME", "HUH ( ERR NOW )"),
)  # fmt: skip
WORDS: st.SearchStrategy[Token] = st.one_of(
    st.sampled_from(["(", ")", "SUB", "SND", "ENG", "TUR", "AMY", "ANK", "MTO", "NOT", "PRP", "SPR", "?5fff", "?4c01"]),
    st.sampled_from([1901, -1]),
)


@st.composite
def messages(draw: st.DrawFn) -> bytes:
    """Something lawful, with some tokens dropped, doubled, or put in."""
    said: list[Token] = list(tokens(draw(st.sampled_from(LAWFUL))))
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 1, 2, 5]))):
        at = draw(st.integers(0, len(said)))
        match draw(st.integers(0, 2)):
            case 0:
                del said[at : at + 1]
            case 1:
                said.insert(at, draw(WORDS))
            case 2:
                said[at:at] = said[at : at + 3]
    return frame(2, CODEC.encode(said), draw(st.integers(0, 255)))


class Pipe(asyncio.Transport):
    """The other end of a wire: takes what is sent."""

    def __init__(self) -> None:
        super().__init__()
        self.sent, self.closed, self.reading = bytearray(), False, True

    def write(self, data: Any) -> None:
        self.sent += data

    def get_write_buffer_size(self) -> int:
        return 0

    def close(self) -> None:
        self.closed = True

    abort = close

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True


class Stranger:
    """A connection that says whatever it likes."""

    def __init__(self, wire: Wire) -> None:
        self.wire, self.pipe = wire, Pipe()
        wire.connection_made(self.pipe)

    def send(self, raw: bytes) -> None:
        for at in range(0, len(raw), 1 << 10):
            if self.pipe.closed or not self.pipe.reading:
                return
            piece = raw[at : at + (1 << 10)]
            self.wire.get_buffer(-1)[: len(piece)] = piece
            self.wire.buffer_updated(len(piece))

    def hang_up(self) -> None:
        self.wire.eof_received()
        self.wire.connection_lost(None)

    def heard(self) -> list[bytes]:
        """Return all frames so far; each is whole."""
        reader = FrameReader(max_body=1 << 16)
        found = list(reader.feed(bytes(self.pipe.sent)))
        assert not reader.pending
        return found


class Strangers(RuleBasedStateMachine):
    """Six who play by the rules, one free seat, and strangers who come and go."""

    lines = Bundle("lines")

    def __init__(self) -> None:
        super().__init__()
        self._loop = asyncio.new_event_loop()
        self._folder = tempfile.TemporaryDirectory()
        self._errors: list[logging.LogRecord] = []
        self._log = _Keeping(self._errors)
        logging.getLogger("parlour").addHandler(self._log)
        self._run(self._open())

    def _run(self, work: Any) -> Any:
        return self._loop.run_until_complete(asyncio.wait_for(work, PATIENCE))

    async def _open(self) -> None:
        self._store = open_store(str(Path(self._folder.name) / "store.db"))
        self._hall = Hall(self._store)
        await self._hall.start()
        self._door = DaideDoor(self._hall, DaideOptions(level=20, mtl=600, adm=True))
        await self._door.open()
        self._players: dict[str, Voice] = {}
        for power in POWERS[:-1]:
            voice = self._players[power] = Voice(self._door.reception, self._door._gate)
            await voice.sit(f"{power}:bot@table")

    @rule(target=lines, greets=st.booleans())
    def comes(self, greets: bool) -> Stranger:
        async def connect() -> Stranger:
            stranger = Stranger(self._door._listener._make())
            if greets:
                stranger.send(INITIAL)
            return stranger

        return self._run(connect())  # type: ignore[no-any-return]

    @rule(line=lines, said=st.lists(messages(), min_size=1, max_size=8))
    def says(self, line: Stranger, said: list[bytes]) -> None:
        self._send(line, b"".join(said))

    @rule(line=lines, raw=st.binary(min_size=1, max_size=200))
    def babbles(self, line: Stranger, raw: bytes) -> None:
        self._send(line, raw)

    @rule(line=lines)
    def floods(self, line: Stranger) -> None:
        self._send(line, frame(2, CODEC.encode(["NOW"])) * 1000)

    @rule(line=lines, length=st.integers(MAX_BODY + 1, 0xFFFF))
    def boasts(self, line: Stranger, length: int) -> None:
        self._send(line, b"\2\0" + length.to_bytes(2, "big"))

    @rule(line=consumes(lines))
    def leaves(self, line: Stranger) -> None:
        async def hang_up() -> None:
            line.hang_up()

        self._run(hang_up())

    @rule(power=st.sampled_from(POWERS[:-1]))
    def somebody_plays(self, power: str) -> None:
        heard = self._run(self._players[power].say("MIS", "NOT ( DRW )"))
        assert heard[-1].split()[0] in ("YES", "REJ")

    def _send(self, line: Stranger, raw: bytes) -> None:
        async def send() -> None:
            line.send(raw)

        self._run(send())

    @invariant()
    def others_are_answered(self) -> None:
        async def ask() -> None:
            for _ in range(20):
                await asyncio.sleep(0)
            for voice in self._players.values():
                assert await voice.ask("MAP") == "MAP ( 'standard' )"
                assert not voice.shown_out

        self._run(ask())
        assert not self._errors, [record.getMessage() for record in self._errors]

    @invariant()
    def nothing_piles_up(self) -> None:
        for caller in self._door._callers:
            assert len(caller._heard) <= caller_module.MAX_WAITING + (1 << 10) // 6 + 1

    def teardown(self) -> None:
        async def close() -> None:
            for line in tuple(self._door._callers):
                line.connection.connection_lost(None)
            await self._door.close()
            await self._hall.close()
            self._store.close()

        self._run(close())
        assert not self._errors, [record.getMessage() for record in self._errors]
        logging.getLogger("parlour").removeHandler(self._log)
        self._loop.close()
        self._folder.cleanup()


class _Keeping(logging.Handler):
    """Keeps errors that are logged."""

    def __init__(self, kept: list[logging.LogRecord]) -> None:
        super().__init__(logging.ERROR)
        self._kept = kept

    def emit(self, record: logging.LogRecord) -> None:
        self._kept.append(record)


def test_strangers_disturb_nobody(monkeypatch: Any) -> None:
    monkeypatch.setattr(caller_module, "REPRESENTATION_DELAY", 0.0)
    monkeypatch.setattr(guest_module, "WRONG_CODE_DELAY", 0.0)
    run_state_machine_as_test(
        Strangers,
        settings=settings(
            max_examples=12, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
