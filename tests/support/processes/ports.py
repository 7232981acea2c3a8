"""Ports for servers that are to be found at a number: none is given twice, and the system gives none of them away."""

from __future__ import annotations

import os
import socket
from itertools import count

HOST = "127.0.0.1"
LOWEST, HIGHEST = 10_240, 32_000
"""Ports below those that the system chooses itself, for whoever asks for any or calls somebody."""
STRIDE = 4_999
"""Ports between those of two processes that began one after the other."""
_numbers = count(os.getpid() * STRIDE)


def free_ports(number: int) -> range:
    """Return ports in a row that nobody has."""
    while True:
        first = LOWEST + next(_numbers) % (HIGHEST - LOWEST)
        found = range(first, first + number)
        if all(map(_is_free, found)):
            for _ in found[1:]:
                next(_numbers)
            return found


def free_port() -> int:
    """Return a port that nobody has."""
    return free_ports(1)[0]


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True
