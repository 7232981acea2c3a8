"""The fuzzer's targets: for each reader a function of bytes that raises only intended errors."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from parlour.errors import ParlourError
from support.fuzz.doors import assistants, clients, lines, web
from support.fuzz.files import copies, earlier, geometries, harnesses, prices, quietly, specs, text_of, trajectories
from support.fuzz.heads import heads
from support.fuzz.peers import programs, servers
from support.waiting import PATIENCE

Target = Callable[[bytes], None]
_standing: list[object] = []
"""Loops and halls that targets use to the end of the program."""


def press() -> Target:
    """Return the press reader, its English and its checks."""
    from parlour.press.language.checks import examine
    from parlour.press.language.english import gloss
    from parlour.press.language.reader import read

    def look(raw: bytes) -> None:
        message = read(text_of(raw))
        gloss(message)
        examine(message)

    return quietly(look)


def orders() -> Target:
    """Orders as people write them."""
    from parlour.core.game import Seat
    from parlour.games.diplomacy.position import Position

    start = Position.start()
    return quietly(lambda raw: start.check(Seat("FRANCE"), text_of(raw).split("\n")[:20]))


def values() -> Target:
    """Return the stream of JSON values, cut at any place."""
    from parlour.net.framing.json_stream import ValueReader, decode

    def look(raw: bytes) -> None:
        reader = ValueReader()
        for at in range(0, len(raw), 7):
            for value in reader.feed(raw[at : at + 7]):
                decode(value)
        reader.close()

    return quietly(look)


def frames() -> Target:
    """DAIDE frames, tokens and messages."""
    from parlour.games.diplomacy.maps.map import standard
    from parlour.net.daide.client_messages import read
    from parlour.net.daide.tokens import codec
    from parlour.net.framing.frames import FrameReader
    from parlour.press.language.tokens import standard_lexicon

    words, lexicon = codec(standard()), standard_lexicon()

    def look(raw: bytes) -> None:
        for frame in FrameReader().feed(raw):
            tokens = words.decode(frame[4:])
            assert words.encode(tokens) == frame[4:]
            read(tokens, lexicon)

    return quietly(look)


def guests() -> Target:
    """Feed messages of DAIDE clients to a table, one after the other, until the client is cut off."""
    import asyncio

    from parlour.net.daide.guest import DaideGuest
    from parlour.net.daide.options import DaideOptions
    from parlour.net.daide.places import Gate
    from parlour.net.daide.reception import Reception
    from parlour.net.framing.frames import FrameReader
    from parlour.net.hall import Hall
    from parlour.store import open_store

    loop, folder = asyncio.new_event_loop(), Path(tempfile.mkdtemp(prefix="parlour-fuzz-"))
    hall = Hall(open_store(str(folder / "store.db")))
    loop.run_until_complete(hall.start())
    reception = Reception(hall, DaideOptions(level=60, mtl=60, pda=True, adm=True))
    loop.run_until_complete(reception.open())
    _standing.append((loop, hall))

    async def talk(raw: bytes) -> None:
        shown_out: list[bool] = []
        guest = DaideGuest(reception, Gate(), lambda frames: None, lambda: shown_out.append(True))
        for frame in FrameReader().feed(raw):
            if not shown_out and len(frame) > 4 and not len(frame) % 2:
                await guest.hear(frame[4:])
        await guest.leave()

    return quietly(lambda raw: loop.run_until_complete(asyncio.wait_for(talk(raw), PATIENCE)))


def records() -> Target:
    """Records: lines of events, and their replay."""
    from parlour.referee.match import replay
    from parlour.referee.record import read_record

    folder = Path(tempfile.mkdtemp(prefix="parlour-fuzz-"))

    def look(raw: bytes) -> None:
        path = folder / "record.jsonl"
        path.write_bytes(raw)
        replay(read_record(path))

    return quietly(look)


def maps() -> Target:
    """Map files."""
    from parlour.games.diplomacy.maps.map import read_map

    return quietly(lambda raw: read_map(text_of(raw)))


def foreign_maps() -> Target:
    """Map files of other programs, with whatever they include."""
    from parlour.errors import MapError
    from parlour.games.diplomacy.imports.dotmap import DotMapReader
    from parlour.games.diplomacy.imports.jdip import JdipReader

    def look(raw: bytes) -> None:
        text = text_of(raw)
        for reader in (
            DotMapReader(text, "f.map", "f", lambda _: text),
            JdipReader(text, "v.xml", None, lambda _: text),
        ):
            with contextlib.suppress(MapError):
                reader.draft().map()

    return quietly(look)


def positions() -> Target:
    """Compact texts of positions, and states in JSON."""
    from parlour.cli.options.bounded_json import read_value
    from parlour.games.diplomacy.formats.forms import read_state
    from parlour.games.diplomacy.position import Position

    def look(raw: bytes) -> None:
        if raw.startswith(b"{"):
            Position(*read_state(read_value(raw), None))
        else:
            Position.read(text_of(raw))

    return quietly(look)


def saved() -> Target:
    """Saved games of the `diplomacy` package."""
    from parlour.games.diplomacy.formats.saved import read_saved

    return quietly(read_saved)


def pickles() -> Target:
    """Published files of trajectories and parameters."""
    from parlour.deepmind.container import loads

    return quietly(loads)


def parameters() -> Target:
    """Files of parameters of all three kinds."""
    from parlour.deepmind.network.parameters import read_parameters

    path = Path(tempfile.mkdtemp(prefix="parlour-fuzz-")) / "parameters"

    def look(raw: bytes) -> None:
        path.write_bytes(raw)
        read_parameters(path)

    return quietly(look)


def settings() -> Target:
    """Files of settings."""
    from parlour.net.settings import gather

    path = Path(tempfile.mkdtemp(prefix="parlour-fuzz-")) / "settings.toml"

    def look(raw: bytes) -> None:
        path.write_bytes(raw)
        gather({}, {}, path)

    return quietly(look)


def fish() -> Target:
    """Feed messages of Fish players in both protocols."""
    from parlour.net.fish.json import messages
    from parlour.net.fish.neu import calls

    def look(raw: bytes) -> None:
        for decoder in (messages.greetings, messages.from_player, messages.from_server):
            with contextlib.suppress(ParlourError):
                messages.read(decoder, raw)  # type: ignore[misc]  # each has its own type
        for read in (calls.read_name, calls.read_place, calls.read_action):
            with contextlib.suppress(ParlourError):
                read(raw)

    return look


def offline_socket(listener: Callable[[bytes], None]) -> Any:
    """A websocket that has shaken hands with nobody: it hears what it is fed, and leaves the rest to no protocol."""
    from types import SimpleNamespace

    from parlour.net.framing.connection import LineRate
    from parlour.net.framing.websocket import TextSocket

    class Offline(TextSocket):
        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            while self._resting is not None:  # nobody else is there who could have a turn
                self._rested()

        def _leave_to_protocol(self, frame: bytes) -> None:
            pass

        def _refuse_large(self) -> None:
            self.close_sent = True

    socket: Any = Offline.__new__(Offline)
    socket._listener, socket._pieces, socket._needed, socket._in_pieces = listener, bytearray(), 0, False
    socket.config, socket.handshake_initiated, socket.close_sent = SimpleNamespace(ws_max_size=1 << 20), True, False
    socket.conn, socket.handshake_complete = SimpleNamespace(handshake_exc=None), True
    socket._odd, socket._resting, socket._stopped = LineRate(), None, False
    socket.disconnected = socket.read_paused = False
    socket.loop = SimpleNamespace(call_soon=lambda again: again, call_later=lambda wait, again: again)
    still = {"pause_reading": bool, "resume_reading": bool, "is_closing": bool}
    socket.transport = SimpleNamespace(**still)
    return socket


def sockets() -> Target:
    """Websocket frames: cut anywhere they give the same texts."""
    offline_socket(lambda text: None)  # so that what it imports is watched, which ends when the target is made

    def look(raw: bytes) -> None:
        whole: list[bytes] = []
        cut: list[bytes] = []
        offline_socket(whole.append).data_received(raw)
        pieces = offline_socket(cut.append)
        for at in range(0, len(raw), 5):
            pieces.data_received(raw[at : at + 5])
        assert cut[: len(whole)] == whole  # where a frame breaks the protocol the connection ends
        for text in whole:
            text.decode()

    return quietly(look)


def answers() -> Target:
    """Feed answers of models: the stream of an endpoint, the object in it, and the reading of that."""
    from parlour.agents.llm.answers import last_object
    from parlour.agents.llm.endpoint import _Broken, _lines, _Stream

    def look(raw: bytes) -> None:
        last_object(text_of(raw))
        stream = _Stream()
        with contextlib.suppress(_Broken):
            for line in _lines(iter([raw[:20], raw[20:]])):
                stream.take(line)
        last_object(stream.reply().text)

    return quietly(look)


def cassettes() -> Target:
    """Cassettes."""
    from parlour.agents.llm.cassette import Cassette

    path = Path(tempfile.mkdtemp()) / "fuzzed.tape"

    def look(raw: bytes) -> None:
        path.write_bytes(raw)
        Cassette(path, "replay")

    return quietly(look)


def bodies() -> Target:
    """Bodies of the HTTP API."""
    from parlour.net.http.bodies import read_json
    from parlour.net.http.forms import NewMatch
    from parlour.net.http.problems import Answered

    def look(raw: bytes) -> None:
        with contextlib.suppress(Answered):
            read_json(raw, NewMatch)

    return quietly(look)


def requests() -> Target:
    """Requests of the `diplomacy` package's clients."""
    from parlour.net.mila.requests import read_request

    return quietly(read_request)


TARGETS: dict[str, Callable[[], Target]] = {
    made.__name__: made
    for made in (
        press,
        orders,
        values,
        frames,
        guests,
        records,
        maps,
        foreign_maps,
        positions,
        saved,
        sockets,
        answers,
        cassettes,
        pickles,
        parameters,
        settings,
        fish,
        bodies,
        requests,
        web,
        lines,
        clients,
        assistants,
        heads,
        servers,
        programs,
        copies,
        harnesses,
        specs,
        prices,
        geometries,
        trajectories,
        earlier,
    )
}
