"""Sessions as the protocol's text and logs of old servers describe them, message for message, some byte for byte."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from parlour.net.daide import guest as guest_module
from parlour.net.daide.frames import DIPLOMACY, framed
from parlour.net.daide.options import DaideOptions
from parlour.net.daide.tokens import written
from support.daide.table import HOLDS, DaideTable, Voice, at_table
from support.daide.wire import CODEC, tokens

TRANSCRIPT = Path(__file__).parents[2] / "transcripts" / "daide.txt"


class Performance:
    """Plays a transcript at a table, line by line."""

    def __init__(self, at: DaideTable) -> None:
        self._at = at
        self._voices: dict[str, Voice] = {}
        self._unheard: dict[str, list[str]] = {}
        self._skipping: set[str] = set()

    async def line(self, line: str) -> None:
        """Do what a line says, or see that it is heard."""
        who, does, rest = (*line.split(" ", 2), "")[:3]
        voice = self._voices.get(who) or self._voices.setdefault(who, self._at.newcomer())
        match does:
            case "sits":
                await voice.sit(f"{who}:bot")
            case "leaves":
                await voice.guest.leave()
            case "holds":
                await voice.say(f"SUB {HOLDS[who]}")
            case ">":
                if who in self._skipping:
                    self._skipping.discard(who)
                    self._waiting(who).clear()
                assert not self._waiting(who), self._unheard[who]
                self._unheard[who] += await voice.say(self._filled(rest))
            case "<" if rest == "...":
                self._skipping.add(who)
            case "<":
                self._hears(who, self._filled(rest))

    def _waiting(self, who: str) -> list[str]:
        waiting = self._unheard.setdefault(who, [])
        waiting += self._voices[who].heard()
        return waiting

    def _hears(self, who: str, wanted: str) -> None:
        waiting = self._waiting(who)
        if who in self._skipping:
            self._skipping.discard(who)
            while waiting and not _is(waiting[0], wanted):
                waiting.pop(0)
        assert waiting, f"{who} did not hear {wanted}"
        assert _is(waiting.pop(0), wanted), wanted

    def _filled(self, text: str) -> str:
        def passcode(found: re.Match[str]) -> str:
            (match,) = {voice.guest._at.match for voice in self._voices.values() if voice.guest._at is not None}
            return str(self._at.reception.passcode(match, self._at.seat(found[1])))

        return re.sub(r"\{([A-Z]{3})\}", passcode, text)


def _is(heard: str, wanted: str) -> bool:
    return heard.startswith(wanted.removesuffix("…").rstrip()) if wanted.endswith("…") else heard == wanted


def lines() -> list[str]:
    text = TRANSCRIPT.read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def test_the_described_sessions_go_message_for_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guest_module, "WRONG_CODE_DELAY", 0.0)

    async def scene(at: DaideTable) -> None:
        performance = Performance(at)
        for number, line in enumerate(lines(), 1):
            try:
                await performance.line(line)
            except AssertionError as error:
                raise AssertionError(f"line {number}: {line}: {error}") from None

    at_table(tmp_path, scene, DaideOptions(level=10, mtl=300))


@pytest.mark.parametrize(
    ("text", "frame"),
    [
        ("TME ( 58 )", "02000008481b4000003a4001"),  # as Albert sends it, but for the pad byte
        ("NOT ( GOF )", "02000008480d400048034001"),
        ("SUB ( SPR 1901 ) ( ( AUS AMY BUD ) MTO SER )",
         "0200001c481840004700076d400140004000410042005107400143235 10b4001"),
        ("IAM ( TUR ) ( 132 )", "0200000e48074000410640014000008 44001"),
        ("CCD ( TUR )", "02000008480040004106 4001"),
        ("HLO ( UNO ) ( 0 ) ( ( LVL 0 ) )", "0200001a48044000490b4001400000004001400040004903000040014001"),
    ],
)  # fmt: skip
def test_messages_of_these_sessions_byte_for_byte(text: str, frame: str) -> None:
    raw = bytes.fromhex(frame.replace(" ", ""))
    assert framed(DIPLOMACY, CODEC.encode(tokens(text))) == raw
    assert written(CODEC.decode(raw[4:])) == text


def test_every_message_of_the_transcript_survives_the_wire() -> None:
    for line in lines():
        _, does, *rest = line.split(" ", 2)
        if does in "<>" and rest and not rest[0].endswith(("…", "...")) and "{" not in rest[0]:
            said = tokens(rest[0])
            assert CODEC.decode(CODEC.encode(said)) == said
