"""Refusals of the referee as clients of the package receive them: the class that they know, and a sentence."""

from __future__ import annotations

import pytest

from parlour.core.intents import Refusal, RefusalCode
from parlour.net.client import Connection
from parlour.net.mila import faults
from parlour.net.mila.refusals import HARMLESS, fault_of, raise_refusal, sentence
from parlour.referee.table import Answer
from support.mila.at_home import at_home, table_for_two
from support.mila.house import House
from support.waiting import inside

KNOWN = {
    RefusalCode.NOT_STARTED: faults.GameNotPlayingException,
    RefusalCode.OVER: faults.GameFinishedException,
    RefusalCode.UNKNOWN_SEAT: faults.MapPowerException,
    RefusalCode.NOT_SEATED: faults.GamePlayerException,
    RefusalCode.TOO_LATE: faults.GamePhaseException,
}


@pytest.mark.parametrize("code", RefusalCode)
def test_every_refusal_is_of_a_class_that_clients_know(code: RefusalCode) -> None:
    fault = fault_of(Refusal(code, "that cannot be"))
    assert type(fault) is KNOWN.get(code, faults.ResponseException)
    assert fault.message == "That cannot be."


def test_the_first_refusal_that_matters_is_raised_and_what_is_so_already_is_none() -> None:
    done = Answer(())
    harmless = [Answer((), Refusal(code, "so it is")) for code in HARMLESS]
    raise_refusal([done, *harmless])
    late, over = (Answer((), Refusal(code, str(code))) for code in (RefusalCode.TOO_LATE, RefusalCode.OVER))
    with pytest.raises(faults.GamePhaseException):
        raise_refusal([done, *harmless, late, over])


def test_a_reason_becomes_a_sentence_once() -> None:
    assert [sentence(text) for text in ("no", "No.", "")] == ["No.", "No.", "."]


@inside(at_home)
async def test_what_the_referee_refuses_is_told_in_its_own_words(house: House, connection: Connection) -> None:
    _, france, _ = await table_for_two(connection, rules=["POWER_CHOICE", "NO_PRESS"])
    for recipient in ("ENGLAND", "GLOBAL"):
        with pytest.raises(faults.ResponseException, match="played without press"):
            await france.send_game_message(message=france.new_power_message(recipient, "psst"))
