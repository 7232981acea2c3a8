"""Traffic for a hall that is to be killed, and what must be true afterwards: `-m support.hall.traffic`.

In three matches of Diplomacy seven accounts each talk and order through sessions, while short deadlines pass. Each
answer is a line on stdout. A hall that is started again on the same store goes on with the same matches.
"""

# Why real time passes here: servers that are killed are processes, which live in real time.

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import sys
from collections import Counter
from collections.abc import Iterable

from parlour.core import events as ev
from parlour.core import intents as it
from parlour.core.game import Seat
from parlour.core.terms import Clock, PressMode, PressTerms, Terms
from parlour.errors import Denied, RecordError
from parlour.net.hall import Hall
from parlour.net.setup import HallLimits, MatchSetup
from parlour.referee.conduct import DIPLOMACY
from parlour.referee.match import Match
from parlour.store import Store, open_store, read_events
from support.hall.people import session_of

MATCHES = ("m0", "m1", "m2")
POWERS = ("AUSTRIA", "ENGLAND", "FRANCE", "GERMANY", "ITALY", "RUSSIA", "TURKEY")
TERMS = Terms(
    DIPLOMACY, Clock(per_turn=0.5), PressTerms(PressMode.ANYTIME, level=8000, max_per_turn=100_000), rejoin=True
)


async def _play(hall: Hall, match: str, run: str) -> None:
    with contextlib.suppress(Denied):  # it may be there already
        await session_of(hall, "owner").open(MatchSetup(game="diplomacy", terms=TERMS, match=match))
    sessions = {Seat(power): session_of(hall, power.lower()) for power in POWERS}
    for seat, session in sessions.items():
        await session.join(match, seat)  # refused if it sits there already
    chance = random.Random(f"{run}/{match}")
    number = 0
    while True:
        seat = Seat(chance.choice(POWERS))
        number += 1
        text = f"{run}/{match}/{number}"
        wrong = chance.random() < 0.1
        to = (Seat("NOBODY"),) if wrong else ()
        answer = (await sessions[seat].submit(match, it.Say(seat, text, to)))[0]
        _say("refused" if answer.refusal is not None else "kept", match, text)
        if chance.random() < 0.3:
            await sessions[seat].submit(match, it.Act(seat, []))
        if chance.random() < 0.02:
            hall.sleep(match)


def _say(word: str, match: str, text: str) -> None:
    sys.stdout.write(f"{word} {match} {text}\n")
    sys.stdout.flush()


def complaints(store: Store, lines: Iterable[bytes]) -> list[str]:
    """Return the differences from the acknowledged state: missing, double or refused entries; bad records."""
    found: list[str] = []
    records = {match: read_events(store, match) for match in MATCHES}
    said = Counter(event.text for events in records.values() for event in events if isinstance(event, ev.Said))
    # The last line may have been cut by the kill.
    for line in (line.decode() for line in lines if line.endswith(b"\n")):
        match line.split():
            case ["kept", _, text]:
                if said[text] != 1:
                    found.append(f"{text} was kept and is there {said[text]} times")
            case ["refused", _, text]:
                if said[text]:
                    found.append(f"{text} was refused and is there")
            case _:
                found.append(f"the hall complained: {line}")
    for match, events in records.items():
        try:
            if events:
                Match.resume(events)
        except RecordError as error:
            found.append(f"{match}: {error}")
    return found


def play(address: str, run: str) -> None:
    """Host matches until killed."""
    # A match that exists is opened again in each run; psycopg says then that the rest of the group was not sent.
    logging.getLogger("psycopg").setLevel(logging.ERROR)
    asyncio.run(_main(address, run))


async def _main(address: str, run: str) -> None:
    with open_store(address) as store:
        store.claim()  # as every server does: what a killed one sent last is decided before we look
        hall = Hall(store, limits=HallLimits(snapshot_every=20))
        await hall.start()
        async with asyncio.TaskGroup() as group:
            for match in MATCHES:
                group.create_task(_play(hall, match, run))


if __name__ == "__main__":
    play(*sys.argv[1:])
