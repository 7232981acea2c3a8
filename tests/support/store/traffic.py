"""Traffic for a store that is to be killed, and what must be true afterwards: `-m support.store.traffic`.

Every task keeps entries of a record of its own, and now and then tries something that must be refused: an entry that is
there already, together with one that then must not be kept either. Each answer is a line on stdout.
"""

from __future__ import annotations

import asyncio
import logging
import random
import sys
from collections.abc import Iterable

from parlour.errors import ConflictError
from parlour.store import Entries, Progress, RecordHead, RecordKind, Store, open_store
from parlour.store.postgres import PostgresStore

TASKS = 20


async def _one(store: Store, record: str) -> None:
    chance = random.Random(record)
    await store.keep(RecordHead(record, RecordKind.MATCH, "fish"))
    number = refused = 0
    while True:
        if number and chance.random() < 0.1:
            try:
                await store.keep(
                    Entries(f"{record}/refused", refused, (b"x",)), Entries(record, number - 1, (b"again",))
                )
            except ConflictError:
                _say("refused", f"{record}/refused", refused)
                refused += 1
            continue
        bodies = tuple(_body(record, number + place) for place in range(chance.choice([1, 1, 1, 3])))
        await store.keep(Entries(record, number, bodies), Progress(record, "running", number + len(bodies)))
        for _ in bodies:
            _say("kept", record, number)
            number += 1


def _body(record: str, number: int) -> bytes:
    return f"{record} {number} ".encode() + b"x" * 150


def _say(word: str, record: str, number: int) -> None:
    sys.stdout.write(f"{word} {record} {number}\n")
    sys.stdout.flush()


def complaints(store: Store, lines: Iterable[bytes]) -> list[str]:
    """Return the differences from the acknowledged state: missing, refused or changed entries, and wrong heads."""
    found = []
    kept: dict[str, int] = {}
    # The last line may have been cut by the kill; others are what the store says of a database that died.
    answers = (line for line in lines if line.endswith(b"\n") and line.startswith((b"kept ", b"refused ")))
    for word, record, number in (line.decode().split() for line in answers):
        if word == "kept":
            kept[record] = int(number) + 1
        elif store.length(record) > int(number):
            found.append(f"{record} {number} was refused and is there")
    for record, length in kept.items():
        bodies = list(store.entries(record))
        if len(bodies) < length:
            found.append(f"{record} has {len(bodies)} entries of {length} that were acknowledged")
        if bodies != [_body(record, number) for number in range(len(bodies))]:
            found.append(f"{record} has other entries than were written")
        head = store.head(record)
        if head is None or head.turn != len(bodies):
            found.append(f"{record} has {len(bodies)} entries and a head that says {head and head.turn}")
    return found


def opened(address: str) -> None:
    """Open the store, which is made or brought up to date by that."""
    open_store(address).close()


def write(address: str, run: str) -> None:
    """Write until killed."""
    # What psycopg says when the database dies, and when the rest of a refused group is not sent.
    logging.getLogger("psycopg").setLevel(logging.ERROR)
    asyncio.run(_main(address, run))


async def _main(address: str, run: str) -> None:
    # A killed server needs longer than usual to come back where other tests share its processors.
    with PostgresStore(address, patience=300.0) if "://" in address else open_store(address) as store:
        async with asyncio.TaskGroup() as tasks:
            for task in range(TASKS):
                tasks.create_task(_one(store, f"{run}.{task}"))


if __name__ == "__main__":
    write(*sys.argv[1:])
